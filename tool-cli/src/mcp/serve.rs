//! Serving the linked tools. Standard output is the protocol's alone.

use std::{env, process::ExitCode, sync::Arc};

use async_trait::async_trait;
use tokio::net::TcpListener;
use tool_core::{
    CancellationToken,
    permission::{AllowAll, Approver, Ask, Reply},
};
use tool_mcp::server::{HttpOptions, McpServer, McpServerBuilder, ServeError};

use super::args::ServeArgs;
use crate::{
    failure::Failure,
    host::{self, Ground, Setup},
    interrupt, list, print,
    progress::Display,
};

pub(crate) async fn serve(mut setup: Setup, args: ServeArgs) -> Result<ExitCode, Failure> {
    if let Some(set) = &args.set {
        list::select(&setup.tools()?, set)?;
        let set = set.clone();
        setup.narrow(move |tool| set == "all" || tool.policy().sets.contains(&set));
    }
    if args.read_only {
        setup.narrow(|tool| tool.spec().annotations.read_only);
    }
    let (name, version, servers) = (setup.name.clone(), setup.version.clone(), setup.servers.clone());
    let Ground { executor, cwd, spills } = setup.ground(&args.run)?;
    let display = Arc::new(Display::new(args.run.verbose));
    let executor =
        if args.run.verbose { executor.inline_observer(move |event: &_| display.observe(event)) } else { executor };
    let builder = McpServer::builder(executor).cwd(cwd).name(name, version);
    let builder = match &spills {
        Some(spills) => builder.spills(spills.clone()),
        None => builder,
    };
    let server = answering(builder, args.run.yes).build().map_err(|error| host::unusable(&error))?;
    let sweep = spills.map(host::sweep);
    let second = Arc::<interrupt::Second>::default();
    let stop = CancellationToken::new();
    interrupt::watch(stop.clone(), second.clone(), servers);
    let stopping = server.clone();
    tokio::spawn(async move {
        stop.cancelled().await;
        stopping.stop();
    });
    let served = match args.http {
        None => second.unless(server.serve_stdio()).await,
        Some(_) => second.unless(over_http(&server, &args)).await,
    };
    if let Some(sweep) = sweep {
        sweep.abort();
    }
    match served {
        Err(status) => Ok(status),
        Ok(Ok(())) => Ok(ExitCode::SUCCESS),
        Ok(Err(ServeError::Unprotected(address))) => Err(Failure::Usage(format!(
            "--http {address} can be reached by other machines: pass --bearer-token-env NAME for a token that clients \
             send, or --no-token (with --allow-host HOST, the server's name, where the address is all of the machine's)"
        ))),
        Ok(Err(error @ ServeError::Host { .. })) => Err(Failure::Usage(format!("--allow-host: {error}"))),
        Ok(Err(error)) => Err(Failure::Usage(error.to_string())),
    }
}

fn answering(builder: McpServerBuilder, yes: bool) -> McpServerBuilder {
    if yes { builder.ask_client(false).approver(AllowAll) } else { builder.approver(Operator) }
}

async fn over_http(server: &McpServer, args: &ServeArgs) -> Result<(), ServeError> {
    let Some(address) = args.http else { return Ok(()) };
    let mut options = HttpOptions::new().hosts(args.allow_host.iter().cloned());
    if let Some(name) = &args.bearer_token_env {
        let token = env::var(name).ok().filter(|token| !token.trim().is_empty()).ok_or_else(|| {
            std::io::Error::other(format!("--bearer-token-env: the environment variable `{name}` holds no token"))
        })?;
        options = options.bearer_token(token.trim());
    }
    if args.no_token {
        options = options.without_token();
    }
    let listener = TcpListener::bind(address)
        .await
        .map_err(|error| std::io::Error::new(error.kind(), format!("--http {address} cannot be used: {error}")))?;
    options.check(listener.local_addr()?)?;
    print::note(&format!("listening on http://{}{}", listener.local_addr()?, HttpOptions::PATH));
    server.serve_http(listener, options).await
}

/// Stands in for a client that cannot be asked.
struct Operator;

#[async_trait]
impl Approver for Operator {
    async fn approve(&self, ask: &Ask) -> Reply {
        let permission = &ask.request.permission;
        let reason = format!(
            "this client shows no questions of a server's (elicitation); the server's operator can pass --allow \
             {permission} or --yes"
        );
        Reply::Unanswered { reason }
    }
}
