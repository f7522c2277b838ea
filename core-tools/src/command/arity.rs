//! How many words of a command say what it does: opencode's table, for what "always" allows.

/// One word more than a program's name.
const TWO: &[&str] = &[
    "bazel",
    "brew",
    "bun",
    "cargo",
    "cdk",
    "cf",
    "cmake",
    "composer",
    "consul",
    "crictl",
    "deno",
    "docker",
    "eksctl",
    "firebase",
    "flyctl",
    "git",
    "go",
    "gradle",
    "helm",
    "heroku",
    "hugo",
    "ip",
    "kind",
    "kubectl",
    "kustomize",
    "make",
    "mc",
    "minikube",
    "mongosh",
    "mysql",
    "mvn",
    "ng",
    "npm",
    "nvm",
    "nx",
    "openssl",
    "pip",
    "pipenv",
    "pnpm",
    "poetry",
    "podman",
    "psql",
    "pulumi",
    "pyenv",
    "python",
    "rake",
    "rbenv",
    "redis-cli",
    "rustup",
    "serverless",
    "skaffold",
    "sls",
    "sst",
    "swift",
    "systemctl",
    "terraform",
    "tmux",
    "turbo",
    "ufw",
    "vault",
    "vercel",
    "volta",
    "wp",
    "yarn",
];

/// Two words more.
const THREE: &[&str] = &[
    "aws",
    "az",
    "doctl",
    "gcloud",
    "gh",
    "sfdx",
    "bun run",
    "bun x",
    "cargo add",
    "cargo run",
    "consul kv",
    "deno task",
    "docker builder",
    "docker compose",
    "docker container",
    "docker image",
    "docker network",
    "docker volume",
    "eksctl create",
    "git config",
    "git remote",
    "git stash",
    "ip addr",
    "ip link",
    "ip netns",
    "ip route",
    "kind create",
    "kubectl kustomize",
    "kubectl rollout",
    "mc admin",
    "npm exec",
    "npm init",
    "npm run",
    "npm view",
    "openssl req",
    "openssl x509",
    "pnpm dlx",
    "pnpm exec",
    "pnpm run",
    "podman container",
    "podman image",
    "pulumi stack",
    "terraform workspace",
    "vault auth",
    "vault kv",
    "yarn dlx",
    "yarn run",
];

/// The number of words, for a command of these.
pub(super) fn of(words: &[&str]) -> usize {
    let two = words.get(..2).map(|two| two.join(" "));
    let is_three = |key: &&str| words.first() == Some(key) || two.as_deref() == Some(*key);
    if THREE.iter().any(is_three) {
        return 3;
    }
    if words.first().is_some_and(|first| TWO.contains(first)) { 2 } else { 1 }
}

/// Whether a program takes a command of its own as an argument, such as `push` of `git push`.
pub(super) fn has_subcommands(program: &str) -> bool {
    of(&[program]) > 1
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn the_longest_key_wins() {
        for (words, arity) in [
            (&["ls", "-l"][..], 1),
            (&["git"], 2),
            (&["git", "commit", "-m"], 2),
            (&["git", "remote", "add"], 3),
            (&["npm", "run", "dev"], 3),
            (&["aws", "s3", "ls"], 3),
        ] {
            assert_eq!(of(words), arity, "{words:?}");
        }
    }
}
