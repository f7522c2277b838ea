//! Tools as files: programs in any language, each described by a small manifest (what opencode does with
//! `.opencode/tool/*.ts`).
//!
//! In: directories that a host names. Out: tools like any other, and a report of every manifest that is faulty. A
//! manifest is a file `NAME.json` or `NAME.toml`:
//!
//! ```json
//! {
//!   "description": "Look up a ticket.",
//!   "inputSchema": {
//!     "type": "object",
//!     "properties": { "id": { "type": "string", "description": "e.g. ABC-12" } },
//!     "required": ["id"], "additionalProperties": false
//!   },
//!   "command": ["./ticket.py"],
//!   "permission": "ticket", "pattern": "id", "timeout": "30s"
//! }
//! ```
//!
//! [`Manifest`] has all its members. The arguments are held against the schema, leave is asked for (by the tool's own
//! name, where the manifest gives no permission; a file cannot do without), and then the program is run: the arguments
//! come to it as one JSON object on stdin, and what it prints is its output. A line of its own can be a message instead:
//!
//! ```json
//! {"type":"progress","title":"half way","text":"…","metadata":{}}
//! {"type":"result","title":"ABC-12","output":"…","metadata":{},"attachments":[{"mime":"image/png","url":"data:…"}]}
//! {"type":"error","message":"there is no such ticket; list them with …"}
//! ```
//!
//! Members may be left out or `null`. With a result, other lines are progress alone, and the program has half a second
//! to end. A status other than 0 is an error, told with the end of stderr; of a program that did well, that is the
//! metadata's `stderr`. When the program has ended, so do children it left behind.
//!
//! A manifest with an `outputSchema` promises JSON: the result's `structured`, or its `output` where that is no text, or
//! plain text that is JSON. What does not fit the schema is an error, and the model is told that the arguments were not
//! at fault.
//!
//! In its environment are `TOOL_NAME`, `TOOL_DIR` (the manifest's directory) and `TOOL_CALL_ID`. Output is cut to size,
//! and timeouts and cancellation end the program with all its children, as for every other tool. Of plain text, the
//! first and the last 4 MiB are kept, and the output says how much is missing between them.
//!
//! # Trust
//! A manifest in a project's directory runs what the repository's authors wrote. Nothing is loaded unless a host names
//! the directory; [`DIRECTORIES`] are suggestions for those whose users agreed.
//!
//! # Unlike in opencode
//! A tool is any program, not a module of one runtime; its arguments are validated, where opencode checks Zod schemas
//! alone. A file is one tool, named by its `name` or else by the file, as opencode's default export is; further exports
//! are further manifests. As there, a tool of a later directory takes the place of one with its name.

mod answer;
mod kept;
mod load;
mod manifest;
mod null;
mod run;

pub use self::{
    load::{CustomTool, LoadFault, Loaded, load},
    manifest::{CommandLine, Manifest, ManifestFault, PatternArgument, Truncation},
};

/// Where such files usually are, from a project's directory: our own place, and opencode's.
pub const DIRECTORIES: [&str; 3] = [".tools", ".opencode/tool", ".opencode/tools"];
