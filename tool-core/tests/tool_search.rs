//! Deferred tools: hidden, found, and then seen.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

use serde_json::{Value, json};
use tool_core::{
    prelude::*,
    registry::{LiveRegistry, Offer, Selection, SelectionRule, TOOL_SEARCH},
    tool::{Audience, Description, FnTool},
};

fn tool(name: &str, description: &'static str, properties: Value) -> FnTool {
    let schema = json!({ "type": "object", "properties": properties });
    FnTool::raw(name, description, schema, |_, _| async { "done" }).unwrap()
}

fn registry() -> Registry {
    Registry::builder()
        .add(tool("github__create_issue", "File a bug.", json!({ "title": {}, "body": {} })))
        .add(tool("github__list_issues", "List what is open.", json!({ "repo": { "description": "owner/name" } })))
        .add(tool("calendarListEvents", "What is planned.", json!({ "timeZone": {} })))
        .add(tool("weather", "The forecast.", json!({ "city": { "description": "A town, e.g. Lisbon" } })))
        .defer("*")
        .add(tool("read", "Read a file.", json!({})))
        .build()
        .unwrap()
}

struct Host {
    registry: Registry,
    executor: Executor,
}

impl Host {
    fn new(registry: Registry) -> Self {
        Self { executor: Executor::builder(registry.clone()).build().unwrap(), registry }
    }

    async fn search(&self, session: &Session, arguments: Value) -> tool_core::Outcome {
        self.executor.call(session, ToolCall::new("1", TOOL_SEARCH, arguments.to_string())).await
    }

    async fn found(&self, query: &str) -> Vec<String> {
        let outcome = self.search(&Session::new("/"), json!({ "query": query })).await;
        let list: Vec<Value> = outcome.output().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
        list.iter().map(|hit| hit["name"].as_str().unwrap().to_owned()).collect()
    }

    async fn seen(&self, session: &Session) -> Vec<String> {
        let specs = self.registry.specs_in(session, &Audience::new()).await;
        specs.iter().map(|spec| spec.name.to_string()).collect()
    }
}

#[tokio::test]
async fn names_descriptions_and_parameters_are_searched() {
    let host = Host::new(registry());
    assert_eq!(host.found("bug").await, ["github__create_issue"]);
    assert_eq!(host.found("github issue").await, ["github__create_issue", "github__list_issues"]);
    assert_eq!(host.found("listEvents").await[0], "calendarListEvents");
    assert_eq!(host.found("CALENDAR").await, ["calendarListEvents"]);
    assert_eq!(host.found("zone").await, ["calendarListEvents"]);
    assert_eq!(host.found("lisbon").await, ["weather"]);
    assert!(host.found("read").await.is_empty(), "it is seen anyway");
    assert_eq!(host.found("city").await, ["weather"]);
}

#[tokio::test]
async fn what_is_found_is_seen_in_that_session_from_then_on() {
    let host = Host::new(registry());
    let (one, other) = (Session::new("/"), Session::new("/"));
    assert_eq!(host.seen(&one).await, ["read", "tool_search"]);
    assert_eq!(host.registry.specs().count(), 2);
    let outcome = host.search(&one, json!({ "query": "issue", "limit": 1 })).await;
    assert_eq!(outcome.status().as_ref().unwrap().metadata()["tools"], json!(["github__create_issue"]));
    let told: Value = serde_json::from_str(outcome.output().unwrap()).unwrap();
    assert_eq!(told[0]["inputSchema"]["properties"], json!({ "title": {}, "body": {} }));
    assert_eq!(host.seen(&one).await, ["github__create_issue", "read", "tool_search"]);
    assert_eq!(host.seen(&other).await, ["read", "tool_search"]);
}

#[tokio::test]
async fn a_deferred_tool_runs_without_having_been_found() {
    let host = Host::new(registry());
    let outcome = host.executor.call(&Session::new("/"), ToolCall::new("1", "weather", "{}")).await;
    assert_eq!(outcome.output(), Some("done"));
}

#[tokio::test]
async fn a_search_for_nothing_says_so() {
    let host = Host::new(registry());
    let session = Session::new("/");
    assert!(host.search(&session, json!({ "query": " " })).await.error().unwrap().to_string().contains("empty"));
    assert!(host.search(&session, json!({})).await.text().contains("/query: missing"));
    assert!(host.search(&session, json!({ "query": "bug", "limit": 0 })).await.error().is_some());
    let none = host.search(&session, json!({ "query": "quantum" })).await;
    assert!(none.output().unwrap().contains("4 that can be found"), "{}", none.text());
    let long = "bug ".repeat(200_000);
    assert!(host.search(&session, json!({ "query": long })).await.output().is_some());
}

#[tokio::test]
async fn the_search_follows_what_changes() {
    let live = LiveRegistry::from(Registry::builder().add(tool("read", "Read.", json!({}))).build().unwrap());
    assert!(live.resolve(TOOL_SEARCH).is_err());
    let change = live.update(|tools| tools.add(tool("mail", "Send a letter.", json!({}))).defer("mail")).unwrap();
    assert_eq!(change.added, ["mail", TOOL_SEARCH]);
    live.update(|tools| tools.add(tool("fax", "Send a page.", json!({}))).defer("fax")).unwrap();
    assert_eq!(Host::new((*live.current()).clone()).found("send").await.len(), 2);
    live.update(|tools| tools.remove("mail").remove("fax")).unwrap();
    assert!(live.resolve(TOOL_SEARCH).is_err());
}

#[tokio::test]
async fn a_selection_defers_and_a_hosts_own_search_stays() {
    let plain = Registry::builder().add(tool("mail", "Send.", json!({}))).build().unwrap();
    let rule = Selection::new().with(SelectionRule::new(Offer::Defer).tools(["mail"]));
    let deferred = plain.for_audience(&Audience::new(), &rule);
    assert!(deferred.get("mail").unwrap().is_deferred() && deferred.get(TOOL_SEARCH).is_some());
    let back = deferred.for_audience(&Audience::new(), &Selection::new().with(SelectionRule::new(Offer::Include)));
    assert!(!back.get("mail").unwrap().is_deferred() && back.get(TOOL_SEARCH).is_none());
    let own = Registry::builder().extend(&deferred).add(tool(TOOL_SEARCH, "Mine.", json!({}))).build().unwrap();
    assert_eq!(own.get(TOOL_SEARCH).unwrap().spec().description, "Mine.");
}

#[tokio::test]
async fn a_search_tells_of_nothing_that_is_denied() {
    let rules = Ruleset::new().deny("weather", "*");
    let executor = Executor::builder(registry()).rules(rules).build().unwrap();
    let session = Session::new("/");
    let query = json!({ "query": "weather forecast city" }).to_string();
    let found = executor.call(&session, ToolCall::new("1", TOOL_SEARCH, query)).await;
    assert!(!found.text().contains("A town"), "{}", found.text());
    let names = |executor: Executor| async move {
        let specs = executor.specs(&Session::new("/"), &Audience::new()).await;
        specs.into_iter().map(|spec| spec.name.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(names(executor).await, ["read", "tool_search"]);
    let rules = Ruleset::new().deny("tool_search", "*");
    assert_eq!(names(Executor::builder(registry()).rules(rules).build().unwrap()).await, ["read"]);
}

#[tokio::test]
async fn parameters_are_searched_however_deep() {
    let nested = json!({
        "filter": { "type": "object", "properties": { "assignee": { "description": "Who is on it" } } },
        "order": { "type": "array", "items": { "anyOf": [{ "title": "Descending" }, { "$ref": "#/$defs/by" }] } },
        "plain": { "enum": ["zebra"], "default": "giraffe" },
    });
    let mut schema = json!({ "type": "object", "properties": nested });
    schema["$defs"] = json!({ "by": { "properties": { "milestone": {} } } });
    let list = FnTool::raw("list", "List.", schema, |_, _| async { "" }).unwrap();
    let other = tool("other", "Another.", json!({}));
    let host = Host::new(Registry::builder().add(list).add(other).defer("*").build().unwrap());
    for word in ["assignee", "who is on it", "descending", "milestone"] {
        assert_eq!(host.found(word).await, ["list"], "{word}");
    }
    // What a caller writes is no description.
    assert!(host.found("zebra giraffe").await.is_empty());
}

/// Sends a parcel.
#[tool(register = false, describe = for_model)]
fn parcel(size: Option<u8>) -> String {
    format!("{size:?}")
}

async fn for_model(audience: &Audience) -> Description {
    let mut description: Description = format!("Sends a parcel for {:?}.", audience.model).into();
    if audience.agent.as_deref() == Some("plan") {
        description = Description::withheld();
    }
    description.with_schema(json!({ "type": "object", "properties": { "weight": {} } }))
}

#[tokio::test]
async fn what_is_found_is_told_as_the_sessions_model_sees_it() {
    let more = tool("parcel_list", "All parcels.", json!({}));
    let host = Host::new(Registry::builder().add(ParcelTool).add(more).defer("*").build().unwrap());
    let query = json!({ "query": "parcel", "limit": 1 });
    let told = async |audience: Audience| {
        let session = Session::new("/");
        host.executor.specs(&session, &audience).await;
        let found = host.search(&session, query.clone()).await;
        let list: Value = serde_json::from_str(found.output().unwrap()).unwrap();
        assert_eq!(list.as_array().unwrap().len(), 1);
        let specs = host.executor.specs(&session, &audience).await;
        let seen = specs.iter().find(|spec| list[0]["name"] == spec.name.as_str()).unwrap();
        assert_eq!((&list[0]["description"], &list[0]["inputSchema"]), (&json!(seen.description), &seen.input_schema));
        list[0]["description"].as_str().unwrap().to_owned()
    };
    assert_eq!(told(Audience::new().model("gpt-5")).await, "Sends a parcel for Some(\"gpt-5\").");
    assert_eq!(told(Audience::new()).await, "Sends a parcel for None.");
    // What withholds itself leaves its place to the next.
    assert_eq!(told(Audience::new().agent("plan")).await, "All parcels.");
}

#[tokio::test]
async fn an_unknown_name_tells_how_hidden_tools_are_found() {
    let host = Host::new(registry());
    let text = |name: &'static str| {
        let executor = host.executor.clone();
        async move { executor.call(&Session::new("/"), ToolCall::new("1", name, "{}")).await.text() }
    };
    let far = text("nothing_like_it").await;
    assert!(far.ends_with("Available tools: read, tool_search. 4 more can be found with `tool_search`."), "{far}");
    let near = text("wether").await;
    assert!(near.contains("Did you mean `weather`? Its arguments are told by `tool_search`."), "{near}");
    assert!(!near.contains("calendar"), "{near}");
}
