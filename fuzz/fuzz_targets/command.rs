//! Scripts, random and made of a shell's own pieces: whatever comes before it, a denied command is found.
#![no_main]

use arbitrary::{Arbitrary, Result, Unstructured};
use core_tools::command::analyse;
use libfuzzer_sys::fuzz_target;

const PIECES: [&str; 48] = [
    "a", "rm", " ", "\n", ";", "&&", "||", "|", "&", "(", ")", "{", "}", "$(", "`", "\"", "'", "\\", "$x", "${x", "}", "<<E", "\nE\n",
    "<", ">", "2>&1", "#", "if ", "then ", "fi", "for x in ", "do ", "done", "case ", " in ", "esac", "x=", "[[ ", " ]]", "$((", "))",
    "eval ", "bash -c ", "sudo ", "xargs ", "find -exec ", "$'", "é",
];

#[derive(Debug)]
struct Script(String);

impl<'a> Arbitrary<'a> for Script {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        if bool::arbitrary(u)? {
            return Ok(Self(String::arbitrary(u)?));
        }
        let pieces = u.int_in_range(0..=40)?;
        (0..pieces).map(|_| Ok(*u.choose(&PIECES)?)).collect::<Result<String>>().map(Self)
    }
}

fuzz_target!(|script: Script| {
    let _ = analyse(&script.0);
    // A line that a shell reads as a command of its own: after a script that is whole, without an open here-document.
    let whole = analyse(&script.0).commands.iter().all(|command| !command.once);
    let both = analyse(&format!("{}\n\nrm -r victim", script.0));
    let is_found = || both.commands.iter().any(|command| command.readings.iter().any(|reading| reading.may_match("rm *")));
    assert!(!whole || script.0.contains(['<', '#', '\\']) || is_found());
});
