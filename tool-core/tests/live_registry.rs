//! Tools that come and go while sessions run.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use serde_json::json;
use tokio::sync::broadcast::error::TryRecvError;
use tool_core::{
    Tool,
    prelude::*,
    registry::{LiveRegistry, RegistryBuilder},
    tool::FnTool,
};

fn tool(name: &str) -> FnTool {
    let answer = name.to_owned();
    FnTool::raw(name, "A tool.", json!({ "type": "object" }), move |_, _| {
        let answer = answer.clone();
        async move { answer }
    })
    .unwrap()
}

fn names(live: &LiveRegistry) -> Vec<String> {
    live.current().names().map(ToString::to_string).collect()
}

#[test]
fn what_is_added_and_removed_is_told() {
    let live = LiveRegistry::from(Registry::builder().add(tool("a")).build().unwrap());
    let mut changes = live.subscribe();
    live.add(tool("b")).unwrap();
    live.remove("a").unwrap();
    let same = live.clone();
    let change = same.update(|tools| tools.replace(Arc::new(tool("b")) as Arc<dyn Tool>).add(tool("c"))).unwrap();
    assert_eq!(names(&live), ["b", "c"]);
    let (first, second) = (changes.try_recv().unwrap(), changes.try_recv().unwrap());
    assert_eq!((first.added, first.removed), (vec![tool("b").spec().name.clone()], vec![]));
    assert_eq!(second.removed, ["a"]);
    let third = changes.try_recv().unwrap();
    assert_eq!(third, change);
    assert_eq!((third.added.len(), third.changed.len()), (1, 1));
    // What changes nothing tells nobody.
    assert!(live.update(|tools| tools).unwrap().is_empty());
    assert_eq!(changes.try_recv(), Err(TryRecvError::Empty));
    assert!(live.update(|tools| tools.defer("c")).unwrap().changed == ["c"]);
}

#[test]
fn what_cannot_be_done_changes_nothing() {
    let live = LiveRegistry::from(Registry::builder().add(tool("a")).build().unwrap());
    let mut changes = live.subscribe();
    let before = live.current();
    assert_eq!(live.add(tool("a")).unwrap_err().collisions().len(), 1);
    assert!(live.remove("b").unwrap_err().to_string().contains("no tool of that name"));
    assert!(live.update(|tools| tools.add(tool("b")).rename("a", "not a name")).is_err());
    let unusable = Unusable(tool("c"));
    assert!(live.add(unusable).unwrap_err().to_string().contains("it is broken"));
    assert!(Arc::ptr_eq(&before, &live.current()));
    assert_eq!(changes.try_recv(), Err(TryRecvError::Empty));
}

/// A tool that says of itself that it cannot be used.
struct Unusable(FnTool);

impl Tool for Unusable {
    fn spec(&self) -> &tool_core::ToolSpec {
        self.0.spec()
    }

    fn policy(&self) -> &tool_core::tool::ToolPolicy {
        Tool::policy(&self.0)
    }

    fn bind(
        &self,
        arguments: &str,
    ) -> Result<Box<dyn tool_core::tool::Invocation>, tool_core::validation::InvalidArguments> {
        self.0.bind(arguments)
    }

    fn verify(&self) -> Result<(), String> {
        Err("it is broken".to_owned())
    }
}

#[test]
fn all_tools_of_one_owner_are_exchanged_at_once() {
    let server = |tools: &[&str]| {
        let all = tools.iter().fold(Registry::builder(), |all, name| all.add(tool(name)));
        all.namespace("web").build().unwrap()
    };
    let live = LiveRegistry::from(Registry::builder().add(tool("own")).extend(&server(&["a", "b"])).build().unwrap());
    let exchange = |offered: &Registry| live.update(|tools: RegistryBuilder| tools.without("web__*").extend(offered));
    let change = exchange(&server(&["b", "c"])).unwrap();
    assert_eq!(names(&live), ["own", "web__b", "web__c"]);
    assert_eq!((change.added, change.removed, change.changed).0, ["web__c"]);
    assert_eq!(exchange(&server(&[])).unwrap().removed, ["web__b", "web__c"]);
    assert_eq!(names(&live), ["own"]);
}

#[test]
fn a_slow_subscriber_delays_nobody_and_learns_that_it_missed_something() {
    let live = LiveRegistry::from(Registry::builder().build().unwrap());
    let mut slow = live.subscribe();
    for turn in 0..200 {
        live.add(tool(&format!("t{turn}"))).unwrap();
    }
    assert!(matches!(slow.try_recv(), Err(TryRecvError::Lagged(_))));
    assert_eq!(live.current().len(), 200);
}

#[test]
fn lookups_and_changes_at_once_never_see_half_a_change() {
    let live = LiveRegistry::from(Registry::builder().add(tool("x_0")).add(tool("y_0")).build().unwrap());
    let mut changes = live.subscribe();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..3)
            .map(|_| {
                scope.spawn(|| {
                    let mut seen = 0;
                    while !done.load(Ordering::Relaxed) || seen == 0 {
                        let pair: Vec<String> = names(&live).into_iter().filter(|n| !n.starts_with('t')).collect();
                        assert_eq!(pair.len(), 2, "{pair:?}");
                        assert_eq!(pair[0].trim_start_matches('x'), pair[1].trim_start_matches('y'));
                        seen += 1;
                    }
                })
            })
            .collect();
        let writers: Vec<_> = (0..4)
            .map(|writer| {
                let live = live.clone();
                scope.spawn(move || {
                    for turn in 0..50 {
                        live.add(tool(&format!("t{writer}_{turn}"))).unwrap();
                    }
                })
            })
            .collect();
        for turn in 1..=50 {
            let (x, y) = (tool(&format!("x_{turn}")), tool(&format!("y_{turn}")));
            let (x, y): (Arc<dyn Tool>, Arc<dyn Tool>) = (Arc::new(x), Arc::new(y));
            live.update(|tools| tools.without("x_*").without("y_*").add(x.clone()).add(y.clone())).unwrap();
        }
        writers.into_iter().for_each(|writer| writer.join().unwrap());
        done.store(true, Ordering::Relaxed);
        readers.into_iter().for_each(|reader| reader.join().unwrap());
    });
    assert_eq!(live.current().len(), 202);
    assert!(matches!(changes.try_recv(), Err(TryRecvError::Lagged(_)) | Ok(_)));
}

#[tokio::test]
async fn who_has_found_a_tool_keeps_it() {
    let live = LiveRegistry::from(Registry::builder().add(tool("gone")).build().unwrap());
    let found = live.resolve("Gone").unwrap();
    live.remove("gone").unwrap();
    assert!(live.resolve("gone").is_err());
    let executor = Executor::builder(Registry::builder().add(found.tool().clone()).build().unwrap()).build().unwrap();
    let outcome = executor.call(&Session::new("/"), ToolCall::new("1", "gone", "{}")).await;
    assert_eq!(outcome.output(), Some("gone"));
}

struct Database(&'static str);

/// Asks the database.
#[tool(register = false)]
fn query(database: &Database) -> String {
    database.0.to_owned()
}

#[tokio::test]
async fn what_an_executor_cannot_run_is_not_added() {
    let live = LiveRegistry::from(Registry::builder().add(tool("a")).build().unwrap());
    // While no executor runs them, nobody lacks anything.
    live.add(QueryTool).unwrap();
    live.remove("query").unwrap();

    let without = Executor::builder(live.clone()).build().unwrap();
    let with = Executor::builder(live.clone()).state(Database("own")).build().unwrap();
    let mut changes = live.subscribe();
    let refused = live.add(QueryTool).unwrap_err().to_string();
    assert!(refused.contains("tool `query` takes a `&live_registry::Database`"), "{refused}");
    assert!(refused.contains("RegistryBuilder::state"), "{refused}");
    assert!(live.update(|tools| tools.remove("a").add(QueryTool)).is_err());
    assert_eq!((names(&live), changes.try_recv()), (vec!["a".to_owned()], Err(TryRecvError::Empty)));

    // Bound to a value, every executor can run it.
    let bound = Arc::new(Registry::builder().add(QueryTool).state(Database("bound")).build().unwrap());
    live.update(|tools| tools.extend(&bound)).unwrap();
    let call = || ToolCall::new("1", "query", "{}");
    for executor in [&without, &with] {
        assert_eq!(executor.call(&Session::new("/"), call()).await.output(), Some("bound"));
    }
    live.remove("query").unwrap();
    drop(without);
    // Those that are gone need nothing.
    live.add(QueryTool).unwrap();
    assert_eq!(with.call(&Session::new("/"), call()).await.output(), Some("own"));
}

#[test]
fn an_executor_that_was_not_built_hinders_nobody() {
    let live = LiveRegistry::from(Registry::builder().add(QueryTool).build().unwrap());
    assert!(Executor::builder(live.clone()).build().is_err());
    live.update(|tools| tools.remove("query")).unwrap();
    live.add(QueryTool).unwrap();
}
