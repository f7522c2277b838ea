//! Rules as text: configuration in each form, its mistakes, home, merging; and the wildcards, against a plain matcher.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use proptest::prelude::*;
use tool_core::permission::{Action, Ruleset, matches};

fn json(text: &str) -> Ruleset {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn every_form_says_the_same() {
    let wanted = Ruleset::new().ask("*", "*").allow("bash", "git *").deny("bash", "git push*").allow("edit", "*");
    let map = r#"{"*":"ask","bash":{"git *":"allow","git push*":"deny"},"edit":"allow"}"#;
    assert_eq!(json(map), wanted);
    assert_eq!(json(&format!(r#"{{"$schema":"x","model":1,"permission":{map},"agent":{{"a":[null,1.5]}}}}"#)), wanted);
    assert_eq!(json(&serde_json::to_string(&wanted).expect("rules are JSON")), wanted);
    let toml = "model = 1\n[permission]\n\"*\" = \"ask\"\nbash = { \"git *\" = \"allow\", \"git push*\" = \"deny\" }\nedit = \"allow\"";
    assert_eq!(toml::from_str::<Ruleset>(toml).expect("rules"), wanted);
    let list = "[[permission]]\npermission = \"edit\"\naction = \"deny\"\n";
    assert_eq!(toml::from_str::<Ruleset>(list).expect("rules"), Ruleset::new().deny("edit", "*"));
    assert_eq!(json(r#""allow""#), Ruleset::allow_all());
    assert_eq!(json(r#"{"permission":"deny"}"#), Ruleset::new().deny("*", "*"));
    // The order is the file's, not the alphabet's.
    assert_eq!(json(r#"{"z":"ask","a":"ask","*":"deny"}"#).find("z", "x"), Some(Action::Deny));
    assert_eq!(
        toml::from_str::<Ruleset>("z = \"ask\"\n\"*\" = \"deny\"").expect("rules").find("z", ""),
        Some(Action::Deny)
    );
}

#[test]
fn a_mistake_is_named_by_its_key() {
    for (text, wanted) in [
        (
            r#"{"bash":{"git *":"alow"}}"#,
            r#"`bash`.`git *`: expected "allow", "ask" or "deny", got "alow"; did you mean "allow"?"#,
        ),
        (r#"{"permission":{"edit":"Deny"}}"#, r#"`permission`.`edit`: expected"#),
        (r#"{"edit":true}"#, "`edit`: expected an action, or a map from patterns to actions, got a boolean"),
        (r#"{"edit":{"*":{"a":"allow"}}}"#, r#"`edit`.`*`: expected "allow", "ask" or "deny", got a map"#),
        (r#"{"edit":{"*":3}}"#, "got a number"),
        (r#"{"edit":"allow","bash":"ask","edit":"deny"}"#, "`edit`: the key stands twice"),
        (r#"{"bash":{"rm *":"deny","rm *":"allow"}}"#, "`bash`.`rm *`: the key stands twice"),
        (r#"{"permission":"ask","permission":"allow"}"#, "`permission`: the key stands twice"),
        (r#"{"":"ask"}"#, "name is empty"),
        (r#"{"permission":"ask","tools":{"bash":false}}"#, "`tools` is not read"),
        (r#"[{"permission":"edit","pattern":3,"action":"ask"}]"#, "[0].`pattern`: expected a string, got a number"),
        (r#"[{"permission":"edit","patern":"*","action":"ask"}]"#, "Did you mean `pattern`?"),
        (r#"[{"permission":"edit"}]"#, "[0]: a rule needs `action`"),
        (r#"["edit"]"#, "[0]: expected a rule"),
        ("null", "the rules: expected"),
        ("7", "got a number"),
    ] {
        let error = serde_json::from_str::<Ruleset>(text).expect_err(text).to_string();
        assert!(error.contains(wanted), "{text}: {error}");
    }
    // Deep or long, it is an error of ordinary size.
    let deep = format!("{}{}", r#"{"a":"#.repeat(100_000), "}".repeat(100_000));
    assert!(serde_json::from_str::<Ruleset>(&deep).is_err());
    let long = format!(r#"{{"{}":"no"}}"#, "k".repeat(1 << 20));
    assert!(serde_json::from_str::<Ruleset>(&long).expect_err("no action").to_string().len() < 1000);
}

#[test]
fn home_is_expanded_where_it_begins_a_pattern() {
    let rules = ["~", "~/a", "$HOME", "$HOME/a/*", "~ann/a", "$HOMEWARD", "a/~", "x ~/a"];
    let rules = rules.into_iter().fold(Ruleset::new(), |rules, pattern| rules.allow("~", pattern));
    let expanded = |home: &str| -> Vec<String> {
        rules.clone().expand_home(Path::new(home)).rules().iter().map(|rule| rule.pattern.to_string()).collect()
    };
    let as_they_were = ["~ann/a", "$HOMEWARD", "a/~", "x ~/a"];
    assert_eq!(expanded("/home/ann/")[..4], ["/home/ann", "/home/ann/a", "/home/ann", "/home/ann/a/*"]);
    assert_eq!(expanded("/home/ann")[4..], as_they_were);
    assert_eq!(expanded("/")[..4], ["/", "/a", "/", "/a/*"]);
    assert_eq!(rules.expand_home(Path::new("/h")).rules()[0].permission, "~");
}

#[test]
fn later_sources_win() {
    let rules =
        Ruleset::merge([json(r#"{"edit":"deny"}"#), json(r#"{"edit":{"*.md":"allow"}}"#), json(r#"{"*":"ask"}"#)]);
    assert_eq!(rules.find("edit", "a.md"), Some(Action::Ask));
    assert_eq!(rules.rules().len(), 3);
}

#[test]
fn wildcards_as_in_opencode() {
    for (pattern, text, wanted) in [
        ("ls *", "ls", true),
        ("ls *", "ls -l\nb", true),
        ("ls *", "lsof", false),
        ("git * push *", "git -C x push", true),
        ("?", "é", true),
        ("?", "", false),
        ("a?c*", "aéc", true),
        ("*é?", "xé日", true),
        (r"a\*", "a/b", true),
        ("A", "a", false),
        ("[ab]", "a", false),
        ("", "", true),
        ("**", "", true),
        ("a*a", "a", false),
    ] {
        assert_eq!(matches(pattern, text), wanted, "{pattern} on {text}");
    }
}

/// By the definition, in as many steps as it takes.
fn plainly(pattern: &[char], text: &[char]) -> bool {
    match (pattern.split_first(), text.split_first()) {
        (None, rest) => rest.is_none(),
        (Some(('*', pattern_rest)), _) => (0..=text.len()).any(|skip| plainly(pattern_rest, &text[skip..])),
        (Some((wanted, pattern)), Some((c, text))) => (*wanted == '?' || wanted == c) && plainly(pattern, text),
        (Some(_), None) => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn the_matcher_agrees_with_the_definition(pattern in "[abé*?/ \\\\]{0,9}", text in "[abé*?/ \\\\]{0,12}") {
        let chars = |text: &str| text.replace('\\', "/").chars().collect::<Vec<_>>();
        let (wild, plain) = (chars(&pattern), chars(&text));
        let bare = wild.strip_suffix(&[' ', '*']);
        let wanted = pattern == text || plainly(&wild, &plain) || bare.is_some_and(|bare| plainly(bare, &plain));
        prop_assert_eq!(matches(&pattern, &text), wanted);
    }

    #[test]
    fn no_text_makes_rules_panic(text in any::<String>()) {
        let _ = serde_json::from_str::<Ruleset>(&text);
        let _ = toml::from_str::<Ruleset>(&text);
    }
}

#[test]
fn a_pattern_of_a_thousand_stars_takes_no_time_on_a_megabyte() {
    let text = "a".repeat(1 << 20);
    let start = Instant::now();
    for part in ["a*", "aaaaaaaa*", "a?*", "*"] {
        assert!(!matches(&format!("{}b", part.repeat(1000)), &text));
        assert!(!matches(&format!("*{}b*", part.repeat(1000)), &text));
    }
    // Without optimisation, on a busy machine; an exponential matcher would not end.
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}
