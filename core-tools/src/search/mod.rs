//! Searching a tree: by what files are called, and by what is in them. Knows nothing of tools.
//!
//! In: a place in a workspace, a pattern, limits. Out: what was found, in an order that is always the same, and whether
//! there is more. `pattern` makes a matcher of a pattern, `globs` a filter of globs; `content` searches files on the
//! threads of a walk, with `lines` taking down what one file has and `window` what is shown of a long line; `giant`
//! searches files whose lines are too long to be held; `newest` keeps what comes first; `report` bounds what is told.

mod content;
mod giant;
mod globs;
mod lines;
mod names;
mod newest;
mod pattern;
mod place;
mod report;
mod window;

pub(crate) use self::{
    content::{ContentSearch, Found, search_content},
    globs::{Globs, NameGlob},
    lines::Role,
    names::search_names,
    pattern::{Offered, Pattern, PatternOptions},
    place::{Searched, Wording, finish, is_absolute, leave_to_glob, leave_to_list},
    report::{Report, bracketed},
    window::cut,
};
