//! `call`: one call, and its outcome.

use std::process::ExitCode;

use tool_core::ToolCall;

use crate::{
    args::CallArgs,
    arguments,
    failure::Failure,
    host::{Host, Setup},
    print,
};

pub(crate) async fn call(setup: Setup, args: CallArgs) -> Result<ExitCode, Failure> {
    let host = Host::new(setup, &args.run, false)?;
    let schema = host.registry().resolve(&args.name).ok().map(|tool| tool.spec().input_schema.clone());
    let arguments = arguments::text(args.arguments.as_deref(), &args.pairs, schema.as_ref())?;
    host.listen();
    let outcome = match host.call(ToolCall::new("call_1", args.name, arguments)).await {
        Ok(outcome) => outcome,
        Err(status) => return Ok(status),
    };
    if args.json {
        print::json_line(&outcome)?;
    } else {
        match outcome.status() {
            Ok(bounded) => {
                print::text(bounded.output())?;
                if let Some(note) = bounded.note() {
                    print::told(note);
                }
                print::attachments(&outcome);
            }
            Err(error) => print::error(&error.to_string()),
        }
    }
    host.close().await;
    Ok(if outcome.status().is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
