//! The members that a server's configuration can have, so that one that is none of them is a slip, and told.
//!
//! Programs share these files, and each has members of its own. Those that are not acted on here stand below, by the
//! program that writes them, with why they may be passed over: none of them would keep a server from anything.

use tool_core::suggest::{is_slip, nearest};

/// What is read of every server; names are in snake case.
const READ: [&str; 32] = [
    "type",
    "transport",
    "command",
    "args",
    "env",
    "environment",
    "env_vars",
    "env_file",
    "cwd",
    "url",
    "server_url",
    "http_url",
    "base_url",
    "headers",
    "http_headers",
    "env_http_headers",
    "bearer_token",
    "bearer_token_env_var",
    "enabled",
    "disabled",
    "is_active",
    "enabled_tools",
    "include_tools",
    "disabled_tools",
    "exclude_tools",
    "startup_timeout_sec",
    "startup_timeout_ms",
    "tool_timeout_sec",
    "tool_timeout_ms",
    "timeout",
    "trust",
    "supports_parallel_tool_calls",
];

/// Claude Desktop, Claude Code, and those that took its form over (Cline, Roo Code, Kiro, Windsurf, Gemini CLI, Copilot).
const CLAUDE: [&str; 16] = [
    // Words and pictures for people.
    "name",
    "description",
    "icon",
    "metadata",
    // Calls that need no leave: here they ask for it, unless a rule allows them.
    "always_allow",
    "auto_approve",
    // Whether its tools are put off until they are searched for: a `Selection` says so here.
    "always_load",
    // How a token is come by: the server's own word leads to it here, and a header that is missing is refused by it.
    "oauth",
    "headers_helper",
    "auth_provider_type",
    // When it is started anew, by changes of files.
    "watch_paths",
    "restart",
    // What other members say as well.
    "transport_type",
    "tcp",
    "id",
    // Which of its tools are used: read where it is a list (Copilot).
    "tools",
];

/// Cherry Studio; what it has of `isActive`, `baseUrl` and `disabledTools` is read.
const CHERRY: [&str; 11] = [
    // Words and pictures for people.
    "provider",
    "provider_url",
    "logo_url",
    "tags",
    "reference",
    "search_key",
    // Where it was installed from, and how it is to be filled in.
    "registry_url",
    "config_sample",
    "should_config",
    // Its progress begins a call's time anew: it does so here in any case.
    "long_running",
    // Which tools are asked about in spite of a leave: all are asked about here, unless a rule allows them.
    "disabled_auto_approve_tools",
];

/// Cursor.
const CURSOR: [&str; 1] = [
    // Who the client is where people sign in: the host says so here.
    "auth",
];

/// VS Code.
const VS_CODE: [&str; 5] = [
    // Debugging of the server itself.
    "dev",
    // Where it was installed from.
    "gallery",
    "version",
    // A sandbox that is asked for is refused, for it is not to be had; its rules mean nothing without it.
    "sandbox_enabled",
    "sandbox",
];

/// opencode.
const OPENCODE: [&str; 1] = [
    // Who the client is where people sign in, as above.
    "oauth",
];

/// codex; `name`, `oauth` and `tools` are above.
const CODEX: [&str; 7] = [
    // The host says what is to become of a server that does not start.
    "required",
    // Who signs in, and for what: the host and the server say so here.
    "auth",
    "scopes",
    "oauth_resource",
    // Calls are asked about in any case: `trust`, which is what lets some run unasked, is no member of codex's.
    "default_tools_approval_mode",
    // On which machine it runs: there is this one.
    "experimental_environment",
    "environment_id",
];

/// The members that keep a server from something. One that was meant and misspelt must not be passed over.
const NARROWING: [&str; 11] = [
    "enabled",
    "disabled",
    "is_active",
    "enabled_tools",
    "include_tools",
    "disabled_tools",
    "exclude_tools",
    "tools",
    "default_tools_approval_mode",
    "sandbox_enabled",
    "sandbox",
];

/// What other programs call them, which none writes in such a file but people may.
const MEANT: [(&str, &str); 12] = [
    ("allow", "enabled_tools"),
    ("allowed", "enabled_tools"),
    ("allowed_tools", "enabled_tools"),
    ("allow_list", "enabled_tools"),
    ("allowlist", "enabled_tools"),
    ("deny", "disabled_tools"),
    ("denied_tools", "disabled_tools"),
    ("deny_list", "disabled_tools"),
    ("denylist", "disabled_tools"),
    ("blocked_tools", "disabled_tools"),
    ("excluded_tools", "disabled_tools"),
    ("disallowed_tools", "disabled_tools"),
];

/// How a name that is not known begins where it is a remark, or is somebody's own.
const REMARKS: [&str; 5] = ["_", "$", "#", "//", "x-"];

fn known() -> impl Iterator<Item = &'static str> {
    READ.into_iter().chain(CLAUDE).chain(CHERRY).chain(CURSOR).chain(VS_CODE).chain(OPENCODE).chain(CODEX)
}

/// A member that no program is known to write.
pub(super) struct Slip {
    /// The known one that was most likely meant.
    pub(super) meant: Option<&'static str>,
    /// Whether that would keep the server from something, and is so near that it must have been meant.
    pub(super) is_narrowing: bool,
}

impl Slip {
    /// What a member is, by its name as it is written, and in snake case; `None` where it is known, or a remark.
    pub(super) fn of(written: &str, name: &str) -> Option<Self> {
        let is_known = known().any(|known| known == name || known == written);
        if is_known || REMARKS.iter().any(|remark| written.starts_with(remark)) {
            return None;
        }
        let by_another_name = MEANT.iter().find(|(theirs, _)| *theirs == name).map(|(_, ours)| *ours);
        let narrowing = by_another_name
            .or_else(|| nearest(name, NARROWING.into_iter().filter(|narrowing| is_slip(name, narrowing))));
        // What means nothing here is no good guess, unless it is plain.
        let likely = || known().filter(|known| READ.contains(known) || is_slip(name, known));
        Some(Self { meant: narrowing.or_else(|| nearest(name, likely())), is_narrowing: narrowing.is_some() })
    }
}
