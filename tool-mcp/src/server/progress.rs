//! What a tool tells of itself while it runs, as notifications that a client can bear.

use rmcp::model::{ProgressNotification, ProgressNotificationParam, ProgressToken, ServerNotification};
use serde_json::Value;
use tokio::time::Instant;
use tool_core::event::Progress;

/// How many notifications may come at once.
const BURST: f64 = 16.0;
/// How many may come a second from then on.
const RATE: f64 = 20.0;
/// How many characters a message has at most.
const LONGEST: usize = 1_000;

/// The progress of one request. Its number only ever grows, as the protocol wants it: it is the tool's own where it gives
/// one (`progress` and `total` among the metadata), and else the count of its reports.
pub(super) struct Meter {
    token: ProgressToken,
    last: Option<f64>,
    total: Option<f64>,
    /// How many notifications may come now.
    budget: f64,
    at: Instant,
}

impl Meter {
    pub(super) fn new(token: ProgressToken) -> Self {
        Self { token, last: None, total: None, budget: BURST, at: Instant::now() }
    }

    /// What is to be told of a report; nothing where too many have come, or it says nothing.
    pub(super) fn read(&mut self, report: &Progress) -> Option<ServerNotification> {
        let number = |key: &str| report.metadata.get(key).and_then(Value::as_f64).filter(|number| number.is_finite());
        let (own, message) = (number("progress"), message(report));
        self.total = number("total").or(self.total);
        if own.is_none() && message.is_none() {
            return None;
        }
        let progress = match (own, self.last) {
            (Some(own), None) => own,
            (Some(own), Some(last)) if own > last => own,
            // The same number again, or a lower one: what is said counts, and the number grows by the least there is.
            (Some(_), Some(last)) => last.next_up(),
            (None, Some(last)) if self.total.is_some() => last.next_up(),
            (None, last) => last.unwrap_or_default() + 1.0,
        };
        if !self.spend() {
            return None;
        }
        self.last = Some(progress);
        let mut params = ProgressNotificationParam::new(self.token.clone(), progress);
        params.total = self.total;
        params.message = message;
        Some(ServerNotification::ProgressNotification(ProgressNotification::new(params)))
    }

    fn spend(&mut self) -> bool {
        let now = Instant::now();
        let earned = now.duration_since(self.at).as_secs_f64() * RATE;
        self.at = now;
        self.budget = (self.budget + earned).min(BURST);
        let may = self.budget >= 1.0;
        if may {
            self.budget -= 1.0;
        }
        may
    }
}

/// The title, or the last line of what came.
fn message(report: &Progress) -> Option<String> {
    let last = || report.text.lines().rev().map(str::trim).find(|line| !line.is_empty());
    let text = report.title.as_deref().or_else(last)?;
    Some(text.chars().take(LONGEST).collect())
}
