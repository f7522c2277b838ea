#![allow(unused)]

use tool_core::prelude::*;

struct NotShared(std::cell::Cell<u8>);

/// A state that cannot be shared.
#[tool]
fn state(state: &NotShared) {}

/// A future that cannot be sent.
#[tool]
async fn not_send() {
    let held = std::rc::Rc::new(1);
    std::future::ready(()).await;
    drop(held);
}

fn main() {}
