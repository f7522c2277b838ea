//! The MCP server beside a bare one on `rmcp` with the same tool, a long list of tools, and many clients over HTTP. Each
//! server is a process of its own.
//!
//! Calls a second over standard input and output, one after the other and 64 at a time, and over HTTP on 1 and on 16
//! connections: the median over interleaved rounds, the ratio taken within a round (aim: 0.95). 1,000 tools listed (aim:
//! under 20 ms). 256 HTTP clients, 100,000 calls (aim: no error, steady memory).
//! `mcp [--rounds N] [--calls N] [--http-calls N]`.

mod clients;
mod servers;

use std::{process::ExitCode, thread, time::Instant};

use clients::{HttpClient, Server, StdioClient};
use serde_json::json;

const CLIENTS: usize = 256;

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Both in turn, the other one first in every second round.
fn beside(what: &str, rounds: usize, mut ours: impl FnMut() -> f64, mut bare: impl FnMut() -> f64) {
    let (mut own, mut ratios) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        let (mine, theirs) = if round % 2 == 0 {
            let mine = ours();
            (mine, bare())
        } else {
            let theirs = bare();
            (ours(), theirs)
        };
        own.push(mine);
        ratios.push(mine / theirs);
    }
    println!("{what:40} {:9.0} calls/s, {:.3} of bare rmcp (aim: 0.95)", median(own), median(ratios));
}

fn over_stdio(rounds: usize, calls: usize) {
    // By the transport of rmcp's examples, and by the other one, which needs no threads for it.
    for bare in ["bare", "bare-pipes"] {
        let (mut ours, mut theirs) = (StdioClient::begin("ours"), StdioClient::begin(bare));
        for at_once in [1, 64] {
            let what = format!("stdio beside {bare}, {at_once} at a time");
            beside(&what, rounds, || ours.rate(calls, at_once), || theirs.rate(calls, at_once));
        }
    }
}

/// Calls a second on so many connections, and how many calls had no answer.
fn http_rate(address: &str, connections: usize, calls: usize) -> (f64, usize) {
    let start = Instant::now();
    let each = calls / connections;
    let errors = thread::scope(|scope| {
        let clients: Vec<_> =
            (0..connections).map(|_| scope.spawn(|| HttpClient::begin(address).errors(each))).collect();
        clients.into_iter().map(|client| client.join().expect("a client ends well")).sum()
    });
    ((each * connections) as f64 / start.elapsed().as_secs_f64(), errors)
}

fn over_http(rounds: usize, calls: usize) {
    let (mut ours, mut bare) = (Server::start("ours-http"), Server::start("bare-http"));
    let (ours, bare) = (ours.address(), bare.address());
    for connections in [1, 16] {
        let rate = |address: &str| {
            let (rate, errors) = http_rate(address, connections, calls);
            assert_eq!(errors, 0, "a call without its answer");
            rate
        };
        beside(&format!("HTTP, {connections} connections"), rounds, || rate(&ours), || rate(&bare));
    }
}

fn listing(rounds: usize) {
    let mut client = StdioClient::begin("many");
    let mut times = Vec::new();
    for id in 1..=rounds {
        let start = Instant::now();
        let answer = client.ask(&json!({ "jsonrpc": "2.0", "id": id, "method": "tools/list" }));
        times.push(start.elapsed().as_secs_f64() * 1e3);
        assert!(answer.contains("tool_0999"));
    }
    println!("1,000 tools listed: {:.2} ms, the first time {:.2} ms (aim: 20 ms)", median(times.clone()), times[0]);
}

fn many_clients(calls: usize) {
    let mut server = Server::start("ours-http");
    let address = server.address();
    let before = server.resident();
    for part in 1..=4 {
        let (rate, errors) = http_rate(&address, CLIENTS, calls / 4);
        println!(
            "{CLIENTS} HTTP clients, quarter {part}: {rate:.0} calls/s, {errors} errors, {} KiB ({before} KiB at first)",
            server.resident()
        );
    }
}

fn main() -> ExitCode {
    let (mut rounds, mut calls, mut http_calls) = (21, 6_400, 100_000);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let value = words.next();
        if let ("--serve", Some(which)) = (word.as_str(), &value) {
            servers::serve(which);
            return ExitCode::SUCCESS;
        }
        match (word.as_str(), value.and_then(|value| value.parse().ok())) {
            ("--rounds", Some(value)) => rounds = value,
            ("--calls", Some(value)) => calls = value,
            ("--http-calls", Some(value)) => http_calls = value,
            _ => {
                eprintln!("usage: mcp [--rounds N] [--calls N] [--http-calls N]");
                return ExitCode::from(2);
            }
        }
    }
    over_stdio(rounds, calls);
    over_http(rounds, calls);
    listing(rounds);
    many_clients(http_calls);
    ExitCode::SUCCESS
}
