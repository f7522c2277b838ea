//! Being told of changed tools by servers without a handshake, which say so to those who listen alone.

use std::{convert::Infallible, sync::Arc, time::Duration};

use rmcp::model::SubscriptionFilter;
use tokio::time::sleep;

use super::session::Session;

/// How long to wait before listening anew, at first; twice as long each time.
const AGAIN: Duration = Duration::from_secs(1);
const AGAIN_AT_MOST: Duration = Duration::from_secs(60);

impl Session {
    /// Listens as long as it is polled; for ever where there is nothing to listen for.
    pub(super) async fn listen(self: Arc<Self>) -> Infallible {
        let capabilities = &self.info.capabilities;
        let tells = capabilities.tools.as_ref().and_then(|tools| tools.list_changed) == Some(true);
        if !tells || !self.is_stateless() {
            return std::future::pending().await;
        }
        let (mut pause, mut has_listened) = (AGAIN, false);
        loop {
            let filter = SubscriptionFilter::builder().tools_list_changed().build();
            if let Ok(mut subscription) = self.peer().listen(filter).await {
                if has_listened {
                    // Nobody told of what changed meanwhile.
                    self.heard.tools_changed.notify_one();
                }
                (pause, has_listened) = (AGAIN, true);
                // The notifications themselves are taken on their way here.
                while let Ok(Some(_)) = subscription.next().await {}
            }
            sleep(pause).await;
            pause = (pause * 2).min(AGAIN_AT_MOST);
        }
    }
}
