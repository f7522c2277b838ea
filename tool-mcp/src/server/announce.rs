//! Telling clients that what they have listed is not so any more.

use std::{sync::Weak, time::Duration};

use rmcp::{Peer, RoleServer, service::SubscriptionContext};
use tokio::sync::broadcast::{self, error::RecvError};
use tool_core::CancellationToken;

use super::{
    session::ClientSession,
    shared::{Changed, Shared},
};

/// How long changes are gathered: a set of tools that comes in one by one is one change to who lists it anew.
const GATHER: Duration = Duration::from_millis(20);

/// All changes that concern one session, from when it is made on.
pub(super) struct Changes {
    registry: broadcast::Receiver<tool_core::registry::RegistryChange>,
    server: broadcast::Receiver<Changed>,
    session: broadcast::Receiver<Changed>,
}

impl Changes {
    pub(super) fn new(shared: &Shared, session: &ClientSession) -> Self {
        let registry = shared.executor.tools().subscribe();
        Self { registry, server: shared.changes.subscribe(), session: session.changes() }
    }

    /// The next changes, each once; `None` where there will be none any more.
    async fn next(&mut self) -> Option<Vec<Changed>> {
        let mut all = vec![self.one().await?];
        let deadline = tokio::time::sleep(GATHER);
        tokio::pin!(deadline);
        loop {
            let change = tokio::select! {
                change = self.one() => change?,
                () = &mut deadline => return Some(all),
            };
            if !all.contains(&change) {
                all.push(change);
            }
        }
    }

    async fn one(&mut self) -> Option<Changed> {
        tokio::select! {
            change = self.registry.recv() => match change {
                // Who was too slow to hear of each hears of all at once.
                Ok(_) | Err(RecvError::Lagged(_)) => Some(Changed::Tools),
                Err(RecvError::Closed) => None,
            },
            change = self.server.recv() => settled(change),
            change = self.session.recv() => settled(change),
        }
    }
}

fn settled(change: Result<Changed, RecvError>) -> Option<Changed> {
    match change {
        Ok(change) => Some(change),
        Err(RecvError::Lagged(_)) => Some(Changed::Resources),
        Err(RecvError::Closed) => None,
    }
}

/// Tells a connected client of changes, until it is gone.
pub(super) async fn to_connection(
    mut changes: Changes,
    session: Weak<ClientSession>,
    peer: Peer<RoleServer>,
    closing: CancellationToken,
) {
    while let Some(Some(all)) = closing.run_until_cancelled(changes.next()).await {
        for change in all {
            let told = match change {
                Changed::Tools => peer.notify_tool_list_changed().await,
                Changed::Prompts => peer.notify_prompt_list_changed().await,
                Changed::Resources => peer.notify_resource_list_changed().await,
                Changed::Resource(uri) => {
                    let Some(session) = session.upgrade() else { return };
                    if !session.watches(&uri) {
                        continue;
                    }
                    peer.notify_resource_updated(rmcp::model::ResourceUpdatedNotificationParam::new(uri)).await
                }
            };
            if told.is_err() {
                return;
            }
        }
    }
}

/// Tells a subscription (2026-07-28) of changes, until it is cancelled or the server ends.
pub(super) async fn to_subscription(
    shared: &Shared,
    session: &ClientSession,
    subscription: &SubscriptionContext,
    closing: &CancellationToken,
) {
    let mut changes = Changes::new(shared, session);
    let sink = subscription.sink();
    let tell = async {
        while let Some(all) = changes.next().await {
            for change in all {
                // What the client does not want to hear of is left out there.
                let _ = match change {
                    Changed::Tools => sink.notify_tool_list_changed().await,
                    Changed::Prompts => sink.notify_prompt_list_changed().await,
                    Changed::Resources => sink.notify_resource_list_changed().await,
                    Changed::Resource(uri) => sink.notify_resource_updated(uri).await,
                };
            }
        }
    };
    tokio::select! {
        () = tell => {}
        () = subscription.cancelled() => {}
        () = closing.cancelled() => {}
        () = shared.stop.cancelled() => {}
    }
}
