//! The connections to one machine: made when they are needed, and again when they are lost.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use tokio::sync::{Mutex, OwnedSemaphorePermit};

use super::{SshError, connection::Connection, settings::Settings};

/// One connection for files and commands, and further ones where many commands run at once.
pub(super) struct Connections {
    settings: Arc<Settings>,
    open: Mutex<Vec<Arc<Connection>>>,
    /// How many attempts have failed, and how the last one did.
    failures: AtomicU64,
    failure: Mutex<Option<SshError>>,
}

impl Connections {
    pub(super) fn new(settings: Settings) -> Self {
        Self {
            settings: Arc::new(settings),
            open: Mutex::default(),
            failures: AtomicU64::new(0),
            failure: Mutex::default(),
        }
    }

    pub(super) fn host(&self) -> &str {
        &self.settings.destination
    }

    /// The connection, made if there is none. Who has waited for an attempt that failed does not make another.
    pub(super) async fn first(&self) -> Result<Arc<Connection>, SshError> {
        let failures = self.failures.load(Ordering::Acquire);
        let mut open = self.open.lock().await;
        open.retain(|connection| !connection.is_over());
        if let Some(connection) = open.first() {
            return Ok(connection.clone());
        }
        if self.failures.load(Ordering::Acquire) != failures
            && let Some(error) = &*self.failure.lock().await
        {
            return Err(error.clone());
        }
        match Connection::open(&self.settings).await {
            Ok(connection) => {
                let connection = Arc::new(connection);
                open.push(connection.clone());
                Ok(connection)
            }
            Err(error) => {
                *self.failure.lock().await = Some(error.clone());
                self.failures.fetch_add(1, Ordering::Release);
                Err(error)
            }
        }
    }

    /// A connection that has room for so many more sessions.
    pub(super) async fn with_room(&self, sessions: u32) -> Result<(Arc<Connection>, OwnedSemaphorePermit), SshError> {
        self.first().await?;
        let open = self.open.lock().await.clone();
        let with_room = |connection: Arc<Connection>| connection.room(sessions).map(|room| (connection, room));
        if let Some(found) = open.into_iter().find_map(with_room) {
            return Ok(found);
        }
        // Others go on meanwhile.
        let connection = Arc::new(Connection::open(&self.settings).await?);
        self.open.lock().await.push(connection.clone());
        with_room(connection).ok_or_else(|| SshError::Lost {
            host: self.host().to_owned(),
            said: "it was closed as soon as it came about".to_owned(),
        })
    }
}
