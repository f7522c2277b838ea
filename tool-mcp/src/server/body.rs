//! Requests' bodies, read before anything is done with them: a client that sends slowly, or much, takes no more room than
//! what it has sent.

use std::{pin::pin, time::Duration};

use bytes::{Bytes, BytesMut};
use http::StatusCode;
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use tokio::{
    sync::{Semaphore, SemaphorePermit},
    time::{Instant, timeout_at},
};

use super::weight;

/// How large a body may be, in bytes.
pub(super) const LARGEST: usize = 16 * 1024 * 1024;
/// What all may take together that are being answered, in KiB.
const ROOM: usize = 512 * 1024;
/// How long a client may send nothing, and how long it may send.
const PAUSE: Duration = Duration::from_secs(30);
const LONGEST: Duration = Duration::from_secs(300);

/// The room that bodies take.
pub(super) struct Bodies(Semaphore);

/// Why a body was not taken: a status, and what to do.
pub(super) type Refused = (StatusCode, String);

impl Default for Bodies {
    fn default() -> Self {
        Self(Semaphore::new(ROOM))
    }
}

impl Bodies {
    /// Reads a body, with the room that its message takes until it has been answered.
    ///
    /// # Errors
    /// When it is too large or has too many values, does not come, or there is no room for it now.
    pub(super) async fn read(&self, body: Incoming) -> Result<(Bytes, SemaphorePermit<'_>), Refused> {
        let too_large = || {
            let most = LARGEST / (1024 * 1024);
            (StatusCode::PAYLOAD_TOO_LARGE, format!("Payload Too Large: send at most {most} MiB in one request"))
        };
        if usize::try_from(body.size_hint().lower()).is_ok_and(|told| told > LARGEST) {
            return Err(too_large());
        }
        let mut body = pin!(body);
        let (mut bytes, mut room) = (BytesMut::new(), self.room(1)?);
        let end = Instant::now() + LONGEST;
        while let Some(frame) = timeout_at(end.min(Instant::now() + PAUSE), body.frame()).await.map_err(|_| late())? {
            let frame = frame.map_err(|error| (StatusCode::BAD_REQUEST, format!("Bad Request: {error}")))?;
            let Ok(data) = frame.into_data() else { continue };
            if bytes.len() + data.len() > LARGEST {
                return Err(too_large());
            }
            bytes.extend_from_slice(&data);
            self.grow(&mut room, bytes.len())?;
        }
        let values = weight::values(&bytes);
        if values > weight::MOST {
            let most = weight::MOST;
            let why = format!("Payload Too Large: the message has {values} values; send at most {most} in one");
            return Err((StatusCode::PAYLOAD_TOO_LARGE, why));
        }
        self.grow(&mut room, weight::of(bytes.len(), values))?;
        Ok((bytes.freeze(), room))
    }

    fn grow<'b>(&'b self, room: &mut SemaphorePermit<'b>, bytes: usize) -> Result<(), Refused> {
        let more = (bytes / 1024 + 1).saturating_sub(room.num_permits());
        room.merge(self.room(more)?);
        Ok(())
    }

    /// Who were to wait here could be made to wait by anybody.
    fn room(&self, kib: usize) -> Result<SemaphorePermit<'_>, Refused> {
        let room = u32::try_from(kib).ok().and_then(|kib| self.0.try_acquire_many(kib).ok());
        let why = "Service Unavailable: too much is being answered; try again later";
        room.ok_or_else(|| (StatusCode::SERVICE_UNAVAILABLE, why.to_owned()))
    }
}

fn late() -> Refused {
    (StatusCode::REQUEST_TIMEOUT, "Request Timeout: the body did not come in time".to_owned())
}
