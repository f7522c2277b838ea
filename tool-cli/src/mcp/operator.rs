//! The person at the terminal, as MCP servers get to see them: somebody who can sign in, and is asked nothing else.

use std::{
    io::{self, IsTerminal},
    net::TcpListener,
    path::{Path, PathBuf},
    time::Duration,
};

use async_trait::async_trait;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::TcpStream,
    sync::Mutex,
    time::timeout,
};
use tool_mcp::client::host::{Abilities, McpHost, OAuthClient};

use crate::{print, visible};

/// How long a person may take to sign in.
const SIGN_IN: Duration = Duration::from_secs(300);
/// How long a browser may take to say what it wants, and how much it may say, in bytes.
const REQUEST: Duration = Duration::from_secs(10);
const MAX_REQUEST: u64 = 16 * 1024;
/// Where a browser is sent back to.
const CALLBACK: &str = "/callback";

/// Works in a directory; with a terminal, people can sign in.
pub(super) struct Operator {
    directory: PathBuf,
    desk: Option<Desk>,
}

/// Where browsers come back to: one after the other, for they cannot be told apart before they are heard.
struct Desk {
    port: u16,
    listener: Mutex<TcpListener>,
}

impl Operator {
    pub(super) fn new(directory: &Path) -> Self {
        let desk = io::stderr().is_terminal().then(Desk::open).and_then(Result::ok);
        Self { directory: directory.to_owned(), desk }
    }
}

#[async_trait]
impl McpHost for Operator {
    fn abilities(&self) -> Abilities {
        Abilities { roots: true, ..Abilities::default() }
    }

    fn roots(&self, _: &str) -> Vec<PathBuf> {
        vec![self.directory.clone()]
    }

    fn oauth_client(&self, _: &str) -> Option<OAuthClient> {
        // Without a desk nobody is sent anywhere, and what is kept can be renewed all the same.
        let address = self.desk.as_ref().map_or_else(|| format!("http://127.0.0.1{CALLBACK}"), Desk::address);
        Some(OAuthClient::new(env!("CARGO_PKG_NAME"), address))
    }

    fn signs_in(&self, _: &str) -> bool {
        self.desk.is_some()
    }

    async fn sign_in(&self, server: &str, address: &str) -> Result<String, String> {
        let desk = self.desk.as_ref().ok_or("there is no terminal to sign in at")?;
        let listener = desk.listener.lock().await;
        print::note(&visible::line(&format!("The MCP server `{server}` wants you to sign in. Open: {address}")));
        let back = timeout(SIGN_IN, desk.wait(&listener)).await;
        back.map_err(|_| format!("nobody signed in within {} minutes", SIGN_IN.as_secs() / 60))?
            .map_err(|error| format!("the browser cannot be heard: {error}"))
    }
}

impl Desk {
    /// A free port of this machine, for browsers of this machine.
    fn open() -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        listener.set_nonblocking(true)?;
        Ok(Self { port: listener.local_addr()?.port(), listener: Mutex::new(listener) })
    }

    fn address(&self) -> String {
        format!("http://127.0.0.1:{}{CALLBACK}", self.port)
    }

    /// Waits for a browser that comes back. Whatever else knocks is told that there is nothing.
    async fn wait(&self, listener: &TcpListener) -> io::Result<String> {
        let listener = tokio::net::TcpListener::from_std(listener.try_clone()?)?;
        loop {
            let (stream, _) = listener.accept().await?;
            if let Ok(Some(target)) = timeout(REQUEST, heard(stream)).await {
                return Ok(format!("http://127.0.0.1:{}{target}", self.port));
            }
        }
    }
}

/// What a browser asks for, if that is the callback; it is answered.
async fn heard(stream: TcpStream) -> Option<String> {
    let mut stream = BufReader::new(stream);
    let (mut first, mut line) = (String::new(), String::new());
    let mut head = (&mut stream).take(MAX_REQUEST);
    head.read_line(&mut first).await.ok()?;
    // All that it says is read, so that it hears the answer.
    while head.read_line(&mut line).await.ok()? > 2 {
        line.clear();
    }
    let target = first.strip_prefix("GET ").and_then(|rest| rest.split(' ').next());
    let target = target.filter(|target| target.split('?').next() == Some(CALLBACK)).map(str::to_owned);
    let (status, words) = match target {
        Some(_) => ("200 OK", "You can close this page and go back to the terminal."),
        None => ("404 Not Found", "There is nothing here."),
    };
    let length = words.len();
    let answer = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{words}"
    );
    let mut stream = stream.into_inner();
    let _ = stream.write_all(answer.as_bytes()).await;
    let _ = stream.shutdown().await;
    target
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn ask(port: u16, target: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).await.expect("it listens");
        stream.write_all(format!("GET {target} HTTP/1.1\r\nHost: x\r\n\r\n").as_bytes()).await.expect("written");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.expect("an answer");
        answer
    }

    #[tokio::test]
    async fn a_browser_that_comes_back_is_heard_and_others_are_not() {
        let desk = Desk::open().expect("a port");
        let listener = desk.listener.lock().await;
        let browser = async {
            assert!(ask(desk.port, "/favicon.ico").await.starts_with("HTTP/1.1 404"));
            assert!(ask(desk.port, "/callback?code=1&state=2").await.ends_with("go back to the terminal."));
        };
        let (back, ()) = tokio::join!(desk.wait(&listener), browser);
        assert_eq!(back.expect("an address"), format!("{}?code=1&state=2", desk.address()));
    }
}
