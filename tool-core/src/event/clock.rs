//! The time, as hosts and tests set it.

use std::time::SystemTime;

/// Tells the time. Hosts and tests can give their own.
pub trait Clock: Send + Sync + 'static {
    /// The present. Where it panics, the machine's clock is read in its place.
    fn now(&self) -> SystemTime;
}

/// The machine's clock, read exactly.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> SystemTime {
        SystemTime::now()
    }
}

/// The machine's clock as of its last tick: 1 to 10 ms ago on Linux, exact elsewhere. The default, for it costs an
/// eighth of an exact reading, and there are two a call.
#[derive(Debug, Clone, Copy, Default)]
pub struct TickClock;

impl Clock for TickClock {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    fn now(&self) -> SystemTime {
        let tick = rustix::time::clock_gettime(rustix::time::ClockId::RealtimeCoarse);
        match (u64::try_from(tick.tv_sec), u32::try_from(tick.tv_nsec)) {
            (Ok(seconds), Ok(nanoseconds)) => SystemTime::UNIX_EPOCH + std::time::Duration::new(seconds, nanoseconds),
            _ => SystemTime::now(),
        }
    }

    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    fn now(&self) -> SystemTime {
        SystemTime::now()
    }
}

/// Times as they are written: milliseconds since 1970.
pub(crate) mod millis {
    use std::time::{Duration, SystemTime, UNIX_EPOCH};

    use serde::{Deserialize, Deserializer, Serializer};

    pub(crate) fn of(at: SystemTime) -> u64 {
        let elapsed = at.duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX)
    }

    pub(crate) fn serialize<S: Serializer>(at: &SystemTime, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(of(*at))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SystemTime, D::Error> {
        let since = Duration::from_millis(u64::deserialize(deserializer)?);
        UNIX_EPOCH.checked_add(since).ok_or_else(|| serde::de::Error::custom("a time that this machine cannot hold"))
    }
}
