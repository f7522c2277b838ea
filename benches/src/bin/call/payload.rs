//! The work: what goes in, what has to come out, and the types on the way.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools_rs::ToolSchema;

macro_rules! user {
    ($age:literal) => {
        concat!(
            r#"{"name":"Ada Lovelace","age":"#,
            $age,
            ",",
            r#""address":{"street":"12 St James's Square","city":"London","postcode":"SW1Y 4JH","latitude":51.507},"#,
            r#""tags":["analyst","author","mathematician","programmer","poet","engine","bernoulli","notes","countess","#,
            r#""translator","pioneer","tag-12","tag-13","tag-14","tag-15","tag-16","tag-17","tag-18","tag-19","tag-20"]}"#
        )
    };
}
/// One kind of call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Case {
    /// Two integers in, their sum out.
    Add,
    /// One parameter: a user with an address and twenty tags; the user as JSON out.
    User,
    /// The same user as four parameters.
    Fields,
}

impl Case {
    pub(crate) const ALL: [Self; 3] = [Self::Add, Self::User, Self::Fields];

    /// The arguments, as a model writes them. Two calls in a row are never the same: that is a case of its own, which
    /// nobody but this project looks at.
    pub(crate) fn arguments(self, turn: usize) -> &'static str {
        match (self, turn % 2) {
            (Self::Add, 0) => r#"{"a": 2, "b": 40}"#,
            (Self::Add, _) => r#"{"a": 3, "b": 41}"#,
            (Self::User, 0) => concat!(r#"{"user":"#, user!("36"), "}"),
            (Self::User, _) => concat!(r#"{"user":"#, user!("37"), "}"),
            (Self::Fields, 0) => user!("36"),
            (Self::Fields, _) => user!("37"),
        }
    }

    /// What a subject must answer.
    pub(crate) fn answer(self, turn: usize) -> &'static str {
        match (self, turn % 2) {
            (Self::Add, 0) => "42",
            (Self::Add, _) => "44",
            (Self::User | Self::Fields, 0) => user!("36"),
            (Self::User | Self::Fields, _) => user!("37"),
        }
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Add => "add",
            Self::User => "user",
            Self::Fields => "fields",
        })
    }
}

/// Two integers.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct AddArgs {
    /// One number.
    pub(crate) a: i64,
    /// The other number.
    pub(crate) b: i64,
}

/// One user.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct UserArgs {
    /// The user.
    pub(crate) user: User,
}

/// Somebody.
#[derive(Serialize, Deserialize, JsonSchema, ToolSchema)]
pub(crate) struct User {
    /// The full name.
    pub(crate) name: String,
    /// In years.
    pub(crate) age: u32,
    /// Where they live.
    pub(crate) address: Address,
    /// What they are known for.
    pub(crate) tags: Vec<String>,
}

/// A place to live.
#[derive(Serialize, Deserialize, JsonSchema, ToolSchema)]
pub(crate) struct Address {
    /// With the number.
    pub(crate) street: String,
    /// Without the country.
    pub(crate) city: String,
    /// In capitals.
    pub(crate) postcode: String,
    /// In degrees.
    pub(crate) latitude: f64,
}

/// The work of `add`.
pub(crate) fn sum(a: i64, b: i64) -> String {
    (a + b).to_string()
}

/// The work of `user`.
pub(crate) fn written(user: &User) -> String {
    serde_json::to_string(user).expect("a user is JSON")
}
