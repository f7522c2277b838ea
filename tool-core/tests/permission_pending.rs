//! Questions that are open at the same time: what one answer does to the others, and what a bad approver does.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use tokio::sync::{mpsc, oneshot};
use tool_core::{
    Outcome,
    error::Denial,
    permission::{Approval, ApprovalSettings, Ask, Reply},
    prelude::*,
};

/// Fetch a page.
#[tool(register = false, parallel)]
async fn fetch(url: String, ctx: &ToolContext) -> Result<String, ToolError> {
    ctx.ask(PermissionRequest::new("network", [url.clone()]).always(["example.com/*"])).await?;
    Ok(url)
}

/// Hands every question to the test, with a way to answer it.
struct Desk(mpsc::UnboundedSender<(Ask, oneshot::Sender<Reply>)>);

#[async_trait::async_trait]
impl Approver for Desk {
    async fn approve(&self, ask: &Ask) -> Reply {
        let (sender, reply) = oneshot::channel();
        self.0.send((ask.clone(), sender)).expect("the test listens");
        reply.await.expect("the test answers")
    }
}

fn executor(approver: impl Approver, settings: ApprovalSettings) -> Executor {
    let registry = Registry::builder().add(FetchTool).build().expect("one tool");
    Executor::builder(registry).approver(approver).approvals(settings).build().expect("nothing is missing")
}

type Questions = Vec<(Ask, oneshot::Sender<Reply>)>;

/// Three calls whose questions are all open, and in the order of the calls.
async fn three(
    settings: ApprovalSettings,
    session: &Session,
    urls: [&str; 3],
) -> (Questions, Vec<tokio::task::JoinHandle<Outcome>>) {
    let (sender, mut asked) = mpsc::unbounded_channel();
    let executor = executor(Desk(sender), settings);
    let (mut questions, mut calls) = (Vec::new(), Vec::new());
    for (number, url) in urls.into_iter().enumerate() {
        let (executor, session) = (executor.clone(), session.clone());
        let call = ToolCall::new(number.to_string(), "fetch", serde_json::json!({ "url": url }).to_string());
        calls.push(tokio::spawn(async move { executor.call(&session, call).await }));
        questions.push(asked.recv().await.expect("the call asks"));
    }
    (questions, calls)
}

async fn ends(calls: Vec<tokio::task::JoinHandle<Outcome>>) -> Vec<Outcome> {
    futures_util::future::join_all(calls).await.into_iter().map(|outcome| outcome.expect("it ends")).collect()
}

fn denial(outcome: &Outcome) -> &Denial {
    match outcome.error() {
        Some(ToolError::Denied(denial)) => denial,
        other => panic!("not denied: {other:?}"),
    }
}

#[tokio::test]
async fn a_rejection_rejects_the_others_with_or_without_feedback() {
    for feedback in [None, Some("use the mirror".to_owned())] {
        let session = Session::new("/");
        let (mut questions, calls) = three(ApprovalSettings::default(), &session, ["a", "b", "c"]).await;
        let open: Vec<_> = session.pending().iter().map(|ask| ask.request.patterns[0].clone()).collect();
        assert_eq!(open, ["a", "b", "c"]);
        let (_, second) = questions.remove(1);
        second.send(Reply::Reject { feedback: feedback.clone() }).expect("it waits");
        let ended = ends(calls).await;
        assert!(matches!(denial(&ended[1]), Denial::Rejected { feedback: said, .. } if *said == feedback));
        for other in [&ended[0], &ended[2]] {
            assert!(matches!(denial(other), Denial::RejectedWithAnother { .. }), "{}", other.text());
        }
        // Nobody is asked on: the approver's futures are gone.
        assert!(questions.iter().all(|(_, reply)| reply.is_closed()));
        assert!(session.pending().is_empty());
    }
}

#[tokio::test]
async fn a_rejection_stays_alone_where_the_host_says_so_and_in_its_session() {
    let session = Session::new("/");
    let alone = ApprovalSettings::default().rejection_cascades(false);
    let (questions, calls) = three(alone, &session, ["a", "b", "c"]).await;
    let other = Session::new("/");
    let (elsewhere, more) = three(ApprovalSettings::default(), &other, ["d", "e", "f"]).await;
    for (number, (_, reply)) in questions.into_iter().enumerate() {
        let answer = if number == 0 { Reply::Reject { feedback: None } } else { Reply::Once };
        reply.send(answer).expect("it waits");
    }
    let outputs: Vec<_> = ends(calls).await.iter().map(|outcome| outcome.output().map(str::to_owned)).collect();
    assert_eq!(outputs, [None, Some("b".to_owned()), Some("c".to_owned())]);
    for (_, reply) in elsewhere {
        reply.send(Reply::Once).expect("another session's questions are still open");
    }
    assert!(ends(more).await.iter().all(|outcome| outcome.output().is_some()));
}

#[tokio::test]
async fn always_answers_what_it_covers_and_no_more() {
    let session = Session::new("/");
    let urls = ["example.com/a", "example.com/b", "other.org"];
    let (mut questions, calls) = three(ApprovalSettings::default(), &session, urls).await;
    let (_, first) = questions.remove(0);
    first.send(Reply::Always).expect("it waits");
    questions[0].1.closed().await;
    assert_eq!(session.pending().len(), 1);
    let (_, last) = questions.remove(1);
    last.send(Reply::Once).expect("it was not covered");
    let ended = ends(calls).await;
    assert!(ended.iter().all(|outcome| outcome.output().is_some()));
}

#[tokio::test]
async fn what_the_host_approves_answers_open_questions_too() {
    let session = Session::new("/");
    let (_questions, calls) = three(ApprovalSettings::default(), &session, ["a", "b", "c"]).await;
    session.approve([Approval { permission: "network".to_owned(), pattern: "?".to_owned(), exact: false }]);
    assert!(ends(calls).await.iter().all(|outcome| outcome.output().is_some()));
}

#[tokio::test]
async fn a_cancelled_call_gives_up_its_question() {
    let session = Session::new("/");
    let (_questions, calls) = three(ApprovalSettings::default(), &session, ["a", "b", "c"]).await;
    session.cancellation().cancel();
    assert!(ends(calls).await.iter().all(|outcome| outcome.error() == Some(&ToolError::Cancelled)));
    assert!(session.pending().is_empty());
}

struct Broken;

#[async_trait::async_trait]
impl Approver for Broken {
    async fn approve(&self, _: &Ask) -> Reply {
        panic!("out of order")
    }
}

struct Silent;

#[async_trait::async_trait]
impl Approver for Silent {
    async fn approve(&self, _: &Ask) -> Reply {
        std::future::pending().await
    }
}

#[tokio::test]
async fn an_approver_that_panics_or_is_late_has_refused() {
    let call = || ToolCall::new("1", "fetch", r#"{"url":"a"}"#);
    let session = Session::new("/");
    let broken = executor(Broken, ApprovalSettings::default()).call(&session, call()).await;
    assert!(matches!(denial(&broken), Denial::Unanswered { .. }));
    assert!(!broken.text().contains("out of order"), "{}", broken.text());
    let limit = ApprovalSettings::default().answer_within(Duration::from_millis(1));
    let late = executor(Silent, limit).call(&session, call()).await;
    assert!(late.text().contains("no answer came within"), "{}", late.text());
    assert!(session.pending().is_empty());
}

#[tokio::test]
async fn an_approver_may_make_calls_of_its_own_in_the_session() {
    /// Asks another executor in the same session first.
    struct Careful(Session, Executor, Arc<Mutex<Vec<String>>>);
    #[async_trait::async_trait]
    impl Approver for Careful {
        async fn approve(&self, ask: &Ask) -> Reply {
            let looked = self.1.call(&self.0, ToolCall::new("2", "fetch", r#"{"url":"inner"}"#)).await;
            self.2.lock().expect("no panic").push(looked.text().clone());
            if ask.request.patterns == ["outer"] { Reply::Once } else { Reply::Reject { feedback: None } }
        }
    }
    let session = Session::new("/");
    let seen = Arc::new(Mutex::new(Vec::new()));
    let inner = executor(tool_core::permission::AllowAll, ApprovalSettings::default());
    let outer = executor(Careful(session.clone(), inner, seen.clone()), ApprovalSettings::default());
    let outcome = outer.call(&session, ToolCall::new("1", "fetch", r#"{"url":"outer"}"#)).await;
    assert_eq!(outcome.output(), Some("outer"));
    assert_eq!(*seen.lock().expect("no panic"), ["inner"]);
}
