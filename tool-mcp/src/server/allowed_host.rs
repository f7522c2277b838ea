//! Which hosts a server is asked for by, as people write them.

use std::net::{Ipv6Addr, SocketAddr};

use url::{Host, Url};

/// The ports that are left out where they are meant.
const DEFAULT_PORTS: [u16; 2] = [80, 443];

/// A host that requests may be for, and pages of which may make some.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AllowedHost {
    /// As it is in an address: in lower case, IPv6 in brackets.
    host: String,
    /// `None`: any.
    port: Option<u16>,
}

impl AllowedHost {
    /// Reads `HOST`, `HOST:PORT`, an IPv6 address with or without brackets, or a whole address, whose path says nothing.
    ///
    /// # Errors
    /// Why it is none of these, for whoever wrote it.
    pub(super) fn parse(given: &str) -> Result<Self, String> {
        let given = given.trim();
        if given.is_empty() {
            return Err("expected a host, got nothing".to_owned());
        }
        if given.contains('*') {
            return Err("expected a host, got a pattern: give each name that the server is reached by".to_owned());
        }
        if let Some((scheme, _)) = given.split_once("://") {
            return Self::of_address(scheme, given);
        }
        // Without brackets all of it is the address: where its port would begin, nobody can say.
        if let Ok(address) = given.parse::<Ipv6Addr>() {
            return Ok(Self { host: format!("[{address}]"), port: None });
        }
        let (host, port) = match given.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
            _ => (given, None),
        };
        let port = port.map(|port| port.parse().ok().filter(|port| *port > 0)).map(|port| {
            port.ok_or_else(|| {
                "behind the last `:`, expected a port from 1 to 65535; IPv6 is written [::1]:PORT".to_owned()
            })
        });
        let is_name = !host.is_empty() && !host.contains(['/', '?', '#', '@', '%', ' ', '\\']);
        let host = is_name.then(|| Host::parse(host).ok()).flatten();
        let host = host.ok_or("expected HOST, HOST:PORT, or an address like https://HOST")?;
        Ok(Self { host: host.to_string(), port: port.transpose()? })
    }

    fn of_address(scheme: &str, given: &str) -> Result<Self, String> {
        if !["http", "https"].iter().any(|known| known.eq_ignore_ascii_case(scheme)) {
            return Err(format!("expected an address of http or https, got one of `{scheme}`"));
        }
        let url = Url::parse(given).map_err(|error| format!("it is no address: {error}"))?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err("it has a user in it, which no host has: leave that out".to_owned());
        }
        let host = url.host().ok_or("it is an address without a host")?.to_string();
        Ok(Self { host, port: url.port() })
    }

    /// By a name that is known to be one, at any port.
    pub(super) fn named(host: &str) -> Self {
        Self { host: host.to_owned(), port: None }
    }

    /// By the address itself.
    pub(super) fn at(address: SocketAddr) -> Self {
        let host = match address {
            SocketAddr::V4(address) => address.ip().to_string(),
            SocketAddr::V6(address) => format!("[{}]", address.ip()),
        };
        Self { host, port: Some(address.port()) }
    }

    /// What a request for it may have in `Host`. A default port is left out there, and which scheme's it would be is not
    /// known: a host that is given with one is taken at any.
    pub(super) fn authority(&self) -> String {
        match self.port.filter(|port| !DEFAULT_PORTS.contains(port)) {
            Some(port) => format!("{}:{port}", self.host),
            None => self.host.clone(),
        }
    }

    /// What a page of it may have in `Origin`.
    pub(super) fn origins(&self) -> [String; 2] {
        let port = self.port.map_or_else(|| "*".to_owned(), |port| port.to_string());
        ["http", "https"].map(|scheme| format!("{scheme}://{}:{port}", self.host))
    }
}
