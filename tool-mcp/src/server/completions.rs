//! What a host proposes for an argument while a person types it.

use std::collections::BTreeMap;

use async_trait::async_trait;
use rmcp::model::{self, CompleteRequestParams, Reference};

use super::resources::HostError;

/// How many proposals the protocol takes at once.
const MOST: usize = 100;

/// Proposals for the arguments of prompts and resource templates.
#[async_trait]
pub trait Completions: Send + Sync + 'static {
    /// What may stand there.
    ///
    /// # Errors
    /// When there is no such prompt, template or argument, or the proposals cannot be found.
    async fn complete(&self, request: &CompletionRequest) -> Result<Completion, HostError>;
}

/// What is being typed.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CompletionRequest {
    /// Whose argument it is.
    pub of: CompletionOf,
    /// The argument's name.
    pub argument: String,
    /// What there is of it.
    pub value: String,
    /// The arguments that are there already.
    pub known: BTreeMap<String, String>,
}

/// Whose argument is being typed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum CompletionOf {
    /// That of the prompt of this name.
    Prompt(String),
    /// That of the resource template of this form.
    Resource(String),
}

/// What may stand there.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Completion {
    /// The best of them, the best first; a client is told 100 at most.
    pub values: Vec<String>,
    /// How many there are in all, where that is known.
    pub total: Option<u32>,
}

impl Completion {
    /// These, and no more.
    #[must_use]
    pub fn new(values: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { values: values.into_iter().map(Into::into).collect(), total: None }
    }

    pub(super) fn into_result(mut self) -> model::CompleteResult {
        let there = u32::try_from(self.values.len()).unwrap_or(u32::MAX);
        let total = self.total.unwrap_or(there).max(there);
        self.values.truncate(MOST);
        let has_more = usize::try_from(total).is_ok_and(|total| total > self.values.len());
        let mut completion = model::CompletionInfo::default();
        completion.values = self.values;
        completion.total = Some(total);
        completion.has_more = Some(has_more);
        model::CompleteResult::new(completion)
    }
}

impl CompletionRequest {
    /// `None` for an argument of what no revision knows by now.
    pub(super) fn new(params: CompleteRequestParams) -> Option<Self> {
        let of = match params.r#ref {
            Reference::Prompt(prompt) => CompletionOf::Prompt(prompt.name),
            Reference::Resource(template) => CompletionOf::Resource(template.uri),
            _ => return None,
        };
        let known = params.context.and_then(|context| context.arguments).unwrap_or_default().into_iter().collect();
        Some(Self { of, argument: params.argument.name, value: params.argument.value, known })
    }
}
