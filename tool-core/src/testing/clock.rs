//! A clock that a test sets.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, SystemTime},
};

use crate::event::Clock;

/// A clock that stands still until it is told to go on. Cloning gives the same one.
///
/// ```
/// use std::time::{Duration, SystemTime};
/// use tool_core::{event::Clock, testing::ManualClock};
/// let clock = ManualClock::at(SystemTime::UNIX_EPOCH);
/// clock.advance(Duration::from_secs(3));
/// assert_eq!(clock.now(), SystemTime::UNIX_EPOCH + Duration::from_secs(3));
/// ```
#[derive(Debug, Clone)]
pub struct ManualClock(Arc<Mutex<SystemTime>>);

impl ManualClock {
    /// A clock that shows this time.
    #[must_use]
    pub fn at(time: SystemTime) -> Self {
        Self(Arc::new(Mutex::new(time)))
    }

    /// Lets it go on by so much.
    pub fn advance(&self, by: Duration) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) += by;
    }
}

impl Default for ManualClock {
    /// A clock that shows the first moment of 1970.
    fn default() -> Self {
        Self::at(SystemTime::UNIX_EPOCH)
    }
}

impl Clock for ManualClock {
    fn now(&self) -> SystemTime {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
