//! What the compiler says of wrong annotations, by topic; each file holds several mistakes.
//!
//! `cargo test --test ui -- ui trybuild=attribute` runs the files whose path has that word in it;
//! `TRYBUILD=overwrite` writes the expected messages anew.

#[test]
fn ui() {
    let tests = trybuild::TestCases::new();
    for topic in ["attribute", "signature", "types", "toolset"] {
        tests.compile_fail(format!("tests/ui/{topic}/*.rs"));
    }
}
