//! A person who agrees to everything at once: the page sends them back as soon as they come.

use std::error::Error;

use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::TcpStream,
};
use url::Url;

/// Visits a page, and gives the address that it sends its visitors to.
pub(crate) async fn visit(address: &str) -> Result<String, Box<dyn Error + Send + Sync>> {
    let url = Url::parse(address)?;
    let (host, port) = (url.host_str().ok_or("no host")?, url.port_or_known_default().ok_or("no port")?);
    let mut stream = TcpStream::connect((host, port)).await?;
    let place = &url[url::Position::BeforePath..];
    let request = format!("GET {place} HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut lines = BufReader::new(stream).lines();
    while let Some(line) = lines.next_line().await? {
        match line.split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("location") => return Ok(value.trim().to_owned()),
            _ if line.is_empty() => break,
            _ => {}
        }
    }
    Err("the page sends nobody back".into())
}
