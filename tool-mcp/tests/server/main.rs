//! The server as a client sees it: lines of JSON in, lines of JSON out, and requests over HTTP.

mod asking;
mod bad_input;
mod calls;
mod http;
mod icons;
mod lists;
mod sessions;
mod tools;
mod wire;
