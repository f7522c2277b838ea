//! Lists of a server's, page by page, in bounded memory.

use std::{collections::HashSet, io, time::Duration};

use rmcp::model::{
    ClientRequest, ListPromptsRequest, ListResourceTemplatesRequest, ListResourcesRequest, ListToolsRequest,
    PaginatedRequestParams, ServerResult,
};
use serde_json::Value;
use tokio::time::Instant;

use super::session::{RequestError, Session};

/// As many pages of a list are read (as in opencode).
const MAX_PAGES: usize = 1000;
/// As many things of a kind may be listed.
const MAX_ITEMS: usize = 5_000;
/// As long may all pages of a list be, in bytes of JSON.
const MAX_BYTES: usize = 32 * 1024 * 1024;

/// What a server can be asked to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Tools,
    Resources,
    ResourceTemplates,
    Prompts,
}

/// One page.
pub(super) struct Page {
    pub(super) items: Vec<Value>,
    pub(super) next_cursor: Option<String>,
}

/// Why there is no list.
#[derive(Debug, Clone, thiserror::Error)]
pub(super) enum ListError {
    #[error(transparent)]
    Request(#[from] RequestError),
    #[error("its list of {0} has no end: the page after `{1}` is one that was there before")]
    Circular(&'static str, String),
    #[error("its list of {0} has more than {MAX_PAGES} pages")]
    Pages(&'static str),
    #[error("it lists more than {MAX_ITEMS} {0}")]
    Items(&'static str),
    #[error("its list of {0} is longer than {MIB} MiB", MIB = MAX_BYTES >> 20)]
    Bytes(&'static str),
}

impl Kind {
    /// The list's name in a result.
    pub(super) fn member(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Resources => "resources",
            Self::ResourceTemplates => "resourceTemplates",
            Self::Prompts => "prompts",
        }
    }

    fn words(self) -> &'static str {
        if self == Self::ResourceTemplates { "resource templates" } else { self.member() }
    }

    fn request(self, cursor: Option<String>) -> ClientRequest {
        let params = cursor.map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)));
        match self {
            Self::Tools => ClientRequest::ListToolsRequest(with_params(ListToolsRequest::default(), params)),
            Self::Resources => {
                ClientRequest::ListResourcesRequest(with_params(ListResourcesRequest::default(), params))
            }
            Self::ResourceTemplates => ClientRequest::ListResourceTemplatesRequest(with_params(
                ListResourceTemplatesRequest::default(),
                params,
            )),
            Self::Prompts => ClientRequest::ListPromptsRequest(with_params(ListPromptsRequest::default(), params)),
        }
    }
}

fn with_params<M: Default>(
    mut request: rmcp::model::RequestOptionalParam<M, PaginatedRequestParams>,
    params: Option<PaginatedRequestParams>,
) -> rmcp::model::RequestOptionalParam<M, PaginatedRequestParams> {
    request.params = params;
    request
}

impl Session {
    /// One page of a list. What is in it is not looked at: one faulty item is no reason to refuse the others.
    pub(super) async fn page(&self, kind: Kind, cursor: Option<String>, limit: Duration) -> Result<Page, RequestError> {
        let result = self.request(kind.request(cursor), limit).await?;
        let mut result = match result {
            ServerResult::CustomResult(result) => result.0,
            // An empty answer has an empty list.
            ServerResult::EmptyResult(_) => Value::Object(serde_json::Map::new()),
            other => serde_json::to_value(other).map_err(|_| RequestError::Unexpected)?,
        };
        let next_cursor = result.get("nextCursor").and_then(Value::as_str).map(str::to_owned);
        match result.get_mut(kind.member()).map(Value::take) {
            Some(Value::Array(items)) => Ok(Page { items, next_cursor }),
            _ => Err(RequestError::Unexpected),
        }
    }

    /// All pages of a list, which may take no longer than this together.
    pub(super) async fn list(&self, kind: Kind, limit: Duration) -> Result<Vec<Value>, ListError> {
        let (mut all, mut cursor, mut seen, mut bytes) = (Vec::new(), None, HashSet::new(), 0);
        let end = Instant::now() + limit;
        for _ in 0..MAX_PAGES {
            let left = end.saturating_duration_since(Instant::now());
            let page = self.page(kind, cursor.take(), left).await.map_err(|error| match error {
                RequestError::TimedOut(_) => RequestError::TimedOut(limit),
                error => error,
            })?;
            bytes += page.items.iter().map(length).sum::<usize>();
            all.extend(page.items);
            if all.len() > MAX_ITEMS {
                return Err(ListError::Items(kind.words()));
            }
            if bytes > MAX_BYTES {
                return Err(ListError::Bytes(kind.words()));
            }
            // An empty cursor is how some say that there is no more.
            let Some(next) = page.next_cursor.filter(|next| !next.is_empty()) else { return Ok(all) };
            if !seen.insert(next.clone()) {
                return Err(ListError::Circular(kind.words(), next.chars().take(80).collect()));
            }
            cursor = Some(next);
        }
        Err(ListError::Pages(kind.words()))
    }
}

/// How long a value is as JSON, without writing it anywhere.
pub(super) fn length(value: &Value) -> usize {
    struct Counted(usize);
    impl io::Write for Counted {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut counted = Counted(0);
    let _ = serde_json::to_writer(&mut counted, value);
    counted.0
}
