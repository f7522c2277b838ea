//! What commands inherit of the environment.

use std::{ffi::OsString, sync::Arc};

use tool_core::permission::matches;

/// What stands in names of secrets (codex-rs). In capitals, as all names are compared.
const SECRETS: [&str; 3] = ["KEY", "SECRET", "TOKEN"];
/// What a program needs to find itself about (codex-rs), and the locale and terminal that others are set for.
const CORE: [&str; 12] =
    ["HOME", "LOGNAME", "PATH", "SHELL", "USER", "USERNAME", "TMPDIR", "TEMP", "TMP", "LANG", "TERM", "TZ"];

/// What commands inherit, as codex's `shell_environment_policy`. A host registers one as state of its executor.
///
/// In this order: what is inherited ([`Inherit`]), less what looks like a secret, less what is excluded, and then what is
/// set; of all that, only what is included, where that is said. Patterns have `*` and `?`, and do not look at case.
///
/// Unlike in codex, secrets are withheld unless a host says otherwise: a model reads all that a command prints, and
/// `printenv` is a command. This keeps them from being printed by the way; a command that wants them, and runs as the
/// same user, can still read the host's own environment where no sandbox keeps it from that.
///
/// ```
/// use core_tools::workspace::{EnvironmentPolicy, Inherit};
/// let policy = EnvironmentPolicy::new().exclude(["AWS_*"]).set("CI", "1");
/// assert!(policy.keeps("PATH"));
/// assert!(!policy.keeps("AWS_PROFILE"));
/// assert!(!policy.keeps("openai_api_key"), "it looks like a secret");
/// assert!(policy.with_secrets().keeps("OPENAI_API_KEY"));
/// assert!(!EnvironmentPolicy::new().inherit(Inherit::Core).keeps("EDITOR"));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EnvironmentPolicy(Arc<Parts>);

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Parts {
    inherit: Inherit,
    with_secrets: bool,
    exclude: Vec<String>,
    set: Vec<(OsString, OsString)>,
    include_only: Vec<String>,
}

/// How much is inherited to begin with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Inherit {
    /// Everything.
    #[default]
    All,
    /// What a program needs to find itself about: `HOME`, `PATH`, `SHELL`, `USER`, directories for temporary files, the
    /// language.
    Core,
    /// Nothing.
    None,
}

/// What becomes of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Inherited {
    /// Commands get it.
    Kept,
    /// They do not, only because it looks like a secret.
    Withheld,
    /// They do not, and are not meant to.
    Excluded,
}

impl EnvironmentPolicy {
    /// Everything but secrets.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How much is inherited to begin with.
    #[must_use]
    pub fn inherit(mut self, inherit: Inherit) -> Self {
        Arc::make_mut(&mut self.0).inherit = inherit;
        self
    }

    /// Secrets too (codex's `ignore_default_excludes`).
    #[must_use]
    pub fn with_secrets(mut self) -> Self {
        Arc::make_mut(&mut self.0).with_secrets = true;
        self
    }

    /// Not what has one of these names. What matches here is left out without a word, for it was meant.
    #[must_use]
    pub fn exclude(mut self, patterns: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let patterns = patterns.into_iter().map(|pattern| pattern.into().to_uppercase());
        Arc::make_mut(&mut self.0).exclude.extend(patterns);
        self
    }

    /// With this variable, whatever it was.
    #[must_use]
    pub fn set(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        Arc::make_mut(&mut self.0).set.push((name.into(), value.into()));
        self
    }

    /// Only what has one of these names, of what is set as well.
    #[must_use]
    pub fn include_only(mut self, patterns: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let patterns = patterns.into_iter().map(|pattern| pattern.into().to_uppercase());
        Arc::make_mut(&mut self.0).include_only.extend(patterns);
        self
    }

    /// Whether a variable of this name is inherited.
    #[must_use]
    pub fn keeps(&self, name: &str) -> bool {
        self.decide(name) == Inherited::Kept
    }

    /// Whether a variable of this name is kept back only because it looks like a secret.
    #[must_use]
    pub fn withholds(&self, name: &str) -> bool {
        self.decide(name) == Inherited::Withheld
    }

    /// What becomes of a variable of this name.
    pub(super) fn decide(&self, name: &str) -> Inherited {
        let name = name.to_uppercase();
        if !self.is_meant(&name) {
            Inherited::Excluded
        } else if !self.0.with_secrets && SECRETS.iter().any(|part| name.contains(part)) {
            Inherited::Withheld
        } else {
            Inherited::Kept
        }
    }

    /// What commands get beside what they inherit.
    pub fn variables(&self) -> impl Iterator<Item = &(OsString, OsString)> {
        self.0.set.iter().filter(|(name, _)| self.is_included(&name.to_string_lossy().to_uppercase()))
    }

    fn is_meant(&self, name: &str) -> bool {
        let begins = match self.0.inherit {
            Inherit::All => true,
            Inherit::Core => CORE.contains(&name),
            Inherit::None => false,
        };
        begins && !any(&self.0.exclude, name) && self.is_included(name)
    }

    fn is_included(&self, name: &str) -> bool {
        self.0.include_only.is_empty() || any(&self.0.include_only, name)
    }
}

fn any(patterns: &[impl AsRef<str>], name: &str) -> bool {
    patterns.iter().any(|pattern| matches(pattern.as_ref(), name))
}
