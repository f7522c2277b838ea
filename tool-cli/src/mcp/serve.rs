//! Serving the linked tools.

use std::process::ExitCode;

use super::args::ServeArgs;
use crate::{failure::Failure, host::Setup};

pub(crate) async fn serve(setup: Setup, args: ServeArgs) -> Result<ExitCode, Failure> {
    let _ = (setup, args);
    Err(Failure::Usage("this build serves no tools yet".to_owned()))
}
