use serde_json::{Value, json};

use crate::demo::{Demo, keys};

#[test]
fn list_shows_names_hints_titles_and_first_lines() {
    let run = Demo::new().run(&["list"]);
    assert_eq!(run.code, Some(0));
    assert_eq!(run.stderr, "");
    let greet = run.stdout.lines().find(|line| line.starts_with("greet")).unwrap();
    assert!(greet.contains("read-only,idempotent") && greet.ends_with("Greeting: Greet somebody."), "{greet}");
    assert!(!run.stdout.contains('\u{1b}') && !run.stdout.contains("second paragraph"));
}

#[test]
fn list_as_json_is_an_array_of_specs() {
    let specs = Demo::new().run(&["list", "--json"]).json();
    let greet = specs.as_array().unwrap().iter().find(|spec| spec["name"] == "greet").unwrap();
    assert_eq!(keys(greet), ["name", "title", "description", "inputSchema", "annotations"]);
    assert_eq!(greet["annotations"]["readOnlyHint"], true);
}

#[test]
fn list_selects_a_set_and_names_the_sets_where_there_is_none() {
    let demo = Demo::new();
    let names = |args: &[&str]| -> Vec<String> {
        let specs = demo.run(args).json();
        specs.as_array().unwrap().iter().map(|spec| spec["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&["list", "--set", "demo", "--json"]), ["echo_back", "greet"]);
    assert_eq!(names(&["list", "--set", "all", "--json"]), names(&["list", "--json"]));
    demo.run(&["list", "--set", "dmeo"]).is_usage_error(&["`dmeo`", "all, demo, state"]);
}

#[test]
fn schema_is_one_object_by_name() {
    let demo = Demo::new();
    let all = demo.run(&["schema"]).json();
    assert_eq!(all["greet"]["properties"]["name"]["type"], "string");
    let one = demo.run(&["schema", "Greet", "greet"]).json();
    assert_eq!(keys(&one), ["greet"]);
    let strict = demo.run(&["schema", "echo_back", "--strict"]).json();
    assert_eq!(strict["echo_back"]["required"], json!(["text", "count", "deep", "list"]));
}

#[test]
fn schema_has_every_providers_form() {
    let demo = Demo::new();
    let of = |provider: &str, more: &[&str]| -> Value {
        let run = demo.run(&[&["schema", "greet", "--provider", provider], more].concat());
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let mut declarations = run.json();
        assert_eq!(declarations.as_array().unwrap().len(), 1);
        declarations[0].take()
    };
    assert_eq!(of("openai-chat", &[])["function"]["name"], "greet");
    assert_eq!(of("openai-chat", &["--strict"])["function"]["strict"], true);
    assert_eq!(of("openai-responses", &[])["parameters"]["type"], "object");
    assert_eq!(of("openai-responses", &["--strict"])["strict"], true);
    assert_eq!(of("anthropic", &[])["input_schema"]["type"], "object");
    assert_eq!(of("gemini", &[])["parametersJsonSchema"]["type"], "object");
    let mcp = of("mcp", &[]);
    assert_eq!(mcp["title"], "Greeting");
    assert_eq!(mcp["inputSchema"]["type"], "object");
    let object = demo.run(&["schema", "greet", "--provider", "json-schema"]).json();
    assert_eq!(keys(&object), ["greet"]);
}

#[test]
fn schema_check_reports_what_a_provider_changes() {
    let demo = Demo::new();
    let run = demo.run(&["schema", "greet", "--check", "--provider", "anthropic", "--strict"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.starts_with("greet            anthropic-strict "), "{}", run.stdout);
    let report = demo.run(&["schema", "--check", "--json"]).json();
    assert_eq!(report["tools"][0]["dialects"].as_array().unwrap().len(), tool_core::schema::Dialect::ALL.len());
    let strict = demo.run(&["schema", "greet", "--check", "--strict", "--json"]).json();
    let dialects = strict["tools"][0]["dialects"].as_array().unwrap().iter().map(|fit| fit["dialect"].clone());
    assert_eq!(dialects.collect::<Vec<_>>(), ["openai-strict", "anthropic-strict", "deepseek-strict"]);
    demo.run(&["schema", "--json"]).is_usage_error(&["--check"]);
}

#[test]
fn schema_of_no_tool_is_a_usage_error_with_a_suggestion() {
    let demo = Demo::new();
    demo.run(&["schema", "gret"]).is_usage_error(&["`gret`", "Did you mean `greet`?"]);
    demo.run(&["schema", "--provider", "nobody"]).is_usage_error(&["nobody", "openai-chat"]);
}

#[test]
fn completions_and_help_show_the_binarys_own_name() {
    let demo = Demo::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let run = demo.run(&["completions", shell]);
        assert_eq!(run.code, Some(0), "{shell}: {}", run.stderr);
        assert!(run.stdout.contains("demo") && run.stdout.contains("provider"), "{shell}");
    }
    assert_eq!(demo.run(&["--version"]).stdout, "demo 9.8.7\n");
    let help = demo.run(&["call", "--help"]);
    assert_eq!(help.code, Some(0));
    assert!(help.stdout.contains("Usage: demo call") && help.stdout.contains("Examples:"), "{}", help.stdout);
    demo.run(&[]).is_usage_error(&["Usage: demo"]);
    demo.run(&["frobnicate"]).is_usage_error(&["frobnicate"]);
}

#[test]
fn tools_without_their_state_are_named_before_anything_runs() {
    let demo = Demo::new();
    let output = demo.command(&["call", "greet"]).env("DEMO_WITHOUT_STATE", "1").output().unwrap();
    crate::demo::Run::of(output).is_usage_error(&["`count_on`", "Counter", "tool_cli::Cli::new().state"]);
}
