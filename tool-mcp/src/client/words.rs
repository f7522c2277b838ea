//! How durations and errors are said.

use std::{error::Error, time::Duration};

/// A duration as a person says it.
pub(super) fn span(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    if seconds == 1.0 { "1 second".to_owned() } else { format!("{seconds} seconds") }
}

/// An error with its causes, each said once.
pub(super) fn chain(error: &dyn Error) -> String {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let said = error.to_string();
        if !words.contains(&said) {
            words.push_str(": ");
            words.push_str(&said);
        }
        cause = error.source();
    }
    words
}
