//! One start of a server: a connection, and its tools.

use std::sync::Arc;

use tokio::time::timeout;

use super::{
    MAX_NOTES, ServerState,
    config::Endpoint,
    declared::Declared,
    failure::Failure,
    handler::Handler,
    listing::{Kind, ListError},
    process::Program,
    server::{Server, Surrounded, View},
    session::Session,
    stdio::StdioTransport,
    tail::Tail,
    words::span,
};

/// As much of stderr is in the reason of a failure, in lines.
const SHOWN_LINES: usize = 10;

impl Server {
    /// One start: opens a connection, and lists the tools.
    pub(super) async fn start(&self, tail: Tail) -> Result<Arc<Session>, Failure> {
        let limit = self.config.startup_timeout;
        let handler = Handler::new(&self.config.name, self.surrounded.host.clone());
        let begun = async {
            let session = Arc::new(self.open(handler.clone(), tail.clone()).await?);
            let declared = match session.info.capabilities.tools {
                Some(_) => self.declared(&session).await?,
                None => Declarations::default(),
            };
            Ok::<_, Failure>((session, declared))
        };
        tokio::pin!(begun);
        let (session, declared) = loop {
            match timeout(limit, &mut begun).await {
                Ok(begun) => break begun?,
                // The time in which somebody is asked does not count.
                Err(_) if handler.is_asking() => continue,
                Err(_) => {}
            }
            let words = format!(
                "it did not start within {}: see whether its command is right, or raise `startup_timeout_sec`",
                span(limit)
            );
            return Err(Failure::passing(with_stderr(&words, &tail).await));
        };
        let program = session.info.server_info.as_ref();
        let state = ServerState::Ready {
            protocol: session.info.protocol_version.as_str().to_owned(),
            program: program.map(|program| format!("{} {}", program.name, program.version)),
        };
        self.view.send_modify(|view| {
            view.state = state;
            view.session = Some(session.clone());
            view.has_run = true;
            declared.put(view);
        });
        Ok(session)
    }

    async fn open(&self, handler: Handler, tail: Tail) -> Result<Session, Failure> {
        let Surrounded { environment, directory, programs, .. } = &*self.surrounded;
        let (era, limit) = (self.config.era, self.config.startup_timeout);
        let opened = match &self.config.endpoint {
            Endpoint::Stdio(stdio) => {
                let started = Program::start(stdio, environment, directory, programs.subscribe());
                let (program, streams) = started.map_err(|error| Failure::unstarted(&stdio.command, &error))?;
                Session::open(StdioTransport::new(program, streams, tail.clone()), handler, era, tail.clone(), limit)
                    .await
            }
            #[cfg(feature = "http-client")]
            Endpoint::Http(http) => {
                tail.end();
                let transport =
                    super::http::transport(http, environment, handler.clone(), self.surrounded.credentials.clone())
                        .map_err(Failure::lasting)?;
                Session::open(transport, handler, era, tail.clone(), limit).await
            }
            #[cfg(not(feature = "http-client"))]
            Endpoint::Http(_) => {
                let reason = "this program was built without HTTP for MCP: give a `command`".to_owned();
                return Err(Failure::lasting(reason));
            }
        };
        match opened {
            Ok(session) => Ok(session),
            Err(error) => {
                let failure = Failure::unopened(&error);
                Err(Failure { reason: with_stderr(&failure.reason, &tail).await, ..failure })
            }
        }
    }

    /// Lists its tools.
    pub(super) async fn declared(&self, session: &Session) -> Result<Declarations, ListError> {
        let listed = session.list(Kind::Tools, self.config.startup_timeout).await?;
        let mut declarations = Declarations::default();
        let mut known = std::collections::HashSet::new();
        for item in listed {
            match Declared::read(item) {
                Ok(tool) if !known.insert(tool.name.clone()) => {
                    declarations.notes.push(format!("the tool `{}` was listed twice; the first one counts", tool.name));
                }
                Ok(tool) if self.config.admits(&tool.name) => declarations.tools.push(tool),
                Ok(_) => {}
                Err(note) => declarations.notes.push(note),
            }
        }
        declarations.notes.truncate(MAX_NOTES);
        Ok(declarations)
    }
}

/// What a list of tools holds.
#[derive(Default)]
pub(super) struct Declarations {
    pub(super) tools: Vec<Declared>,
    pub(super) notes: Vec<String>,
}

impl Declarations {
    pub(super) fn put(self, view: &mut View) {
        // What has not changed stays the same value.
        if *view.declared != self.tools {
            view.declared = Arc::new(self.tools);
        }
        view.notes = Arc::new(self.notes);
    }
}

/// A reason, with the end of what the server wrote to stderr.
pub(super) async fn with_stderr(reason: &str, tail: &Tail) -> String {
    tail.rest().await;
    let text = tail.text();
    if text.is_empty() {
        return reason.to_owned();
    }
    let lines: Vec<&str> = text.lines().collect();
    format!("{reason}. It wrote to stderr:\n{}", lines[lines.len().saturating_sub(SHOWN_LINES)..].join("\n"))
}
