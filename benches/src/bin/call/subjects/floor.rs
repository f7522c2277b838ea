//! What no library can do without: the text into the struct, the call, the answer as text.

use std::hint::black_box;

use super::{Subject, repeat};
use crate::payload::{AddArgs, Case, User, UserArgs, sum, written};

async fn add(args: AddArgs) -> String {
    sum(args.a, args.b)
}

async fn user(user: User) -> String {
    written(&user)
}

pub(super) fn subjects() -> [Subject; 3] {
    let one = |case: Case| {
        Subject::new("floor", case, move |count| async move {
            match case {
                Case::Add => repeat!(count, turn, add(read(case, turn)).await),
                Case::User => repeat!(count, turn, user(read::<UserArgs>(case, turn).user).await),
                Case::Fields => repeat!(count, turn, user(read(case, turn)).await),
            }
        })
    };
    Case::ALL.map(one)
}

fn read<T: serde::de::DeserializeOwned>(case: Case, turn: usize) -> T {
    serde_json::from_str(black_box(case.arguments(turn))).expect("the arguments fit")
}
