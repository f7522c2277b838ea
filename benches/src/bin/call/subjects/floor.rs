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
                Case::Add => repeat!(count, add(read(case)).await),
                Case::User => repeat!(count, user(read::<UserArgs>(case).user).await),
                Case::Fields => repeat!(count, user(read(case)).await),
            }
        })
    };
    Case::ALL.map(one)
}

fn read<T: serde::de::DeserializeOwned>(case: Case) -> T {
    serde_json::from_str(black_box(case.arguments())).expect("the arguments fit")
}
