//! Everything about a tool that is known before it is called.

use std::time::Duration;

use crate::{
    schema::{Digest, InputSchema, Narrowing, OutputSchema, canonical},
    tool::{
        ApprovalNeed, BatchingStrategy, Recovery, ToolAnnotations, ToolName, ToolPresentation, ToolSource,
        infer_batching_strategy,
    },
};

/// What is known about a tool: what models and people are shown, and how it is to be run.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ToolDefinition {
    /// What the model calls it by.
    pub name: ToolName,
    /// What it does, for the model.
    pub description: String,
    /// A label for people; the name unless given.
    pub display_name: Option<String>,
    /// A heading that people find it under.
    pub category: Option<String>,
    /// Words that people find it by.
    pub tags: Vec<String>,
    /// The toolkit that it belongs to.
    pub toolkit: Option<String>,
    /// Where it comes from.
    pub source: ToolSource,
    /// What it says of its effects.
    pub annotations: ToolAnnotations,
    /// Whether policy and recovery believe what it says of its effects; scheduling does always.
    pub trusts_annotations: bool,
    /// The schema of its arguments.
    pub input: InputSchema,
    /// The schema of its structured output.
    pub output: Option<OutputSchema>,
    /// How long a call may take.
    pub timeout: Option<Duration>,
    /// How its calls stand to others; inferred where it is not set.
    pub batching: Option<BatchingStrategy>,
    /// How many of its calls may run at once, through whatever dispatchers of its registry.
    pub max_concurrency: Option<usize>,
    /// Its name at its source, where that had to be changed.
    pub original_name: Option<String>,
    /// Names that it had before it was renamed, the first one first; it is still found by each that no other tool has.
    pub aliases: Vec<String>,
    /// What a resumed run does with its interrupted calls; decided by the annotations where it is not set.
    pub recovery: Option<Recovery>,
    /// The argument whose value is the key of its calls: those of one key run in order.
    pub chunk_by: Option<String>,
    /// When a person has to approve a call.
    pub approval: ApprovalNeed,
    /// What few tools have.
    pub(crate) rare: Option<Box<Rare>>,
    /// Arguments that the host sets, so that `input` does not have them.
    pub(crate) narrowing: Option<Box<Narrowing>>,
}

/// What few tools have, out of the way of all others.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Rare {
    /// Messages for required texts, by field: shown for a missing, null or empty one.
    pub(crate) required_messages: Vec<(String, String)>,
    /// How it is shown to people.
    pub(crate) presentation: ToolPresentation,
}

impl ToolDefinition {
    /// The label for people.
    pub fn display_name(&self) -> &str {
        self.display_name.as_deref().unwrap_or(self.name.as_str())
    }

    /// The strategy that was set, else the one that [`infer_batching_strategy`] finds.
    pub fn batching_strategy(&self) -> BatchingStrategy {
        self.batching.unwrap_or_else(|| infer_batching_strategy(self))
    }

    /// Whether it is known to change nothing: it says so and is believed.
    pub fn is_read_only(&self) -> bool {
        self.trusts_annotations && self.annotations.read_only == Some(true)
    }

    /// The contract that was set; else repeat for a tool that is known to change nothing or to add nothing when repeated,
    /// ask for any other.
    pub fn recovery(&self) -> Recovery {
        let idempotent = self.trusts_annotations && self.annotations.idempotent == Some(true);
        let harmless = self.is_read_only() || idempotent;
        self.recovery.unwrap_or(if harmless { Recovery::Repeat } else { Recovery::Ask })
    }

    /// Every other name that it is found by: its name at its source, and those it had before it was renamed.
    pub fn other_names(&self) -> impl Iterator<Item = &str> {
        self.original_name.iter().chain(&self.aliases).map(String::as_str)
    }

    /// The arguments that the host has set, or left to their defaults, and that the model does not see.
    pub fn host_arguments(&self) -> impl Iterator<Item = &str> {
        self.narrowing.iter().flat_map(|narrowing| narrowing.names())
    }

    /// How programs show it to people, where there is more than its label.
    pub fn presentation(&self) -> Option<&ToolPresentation> {
        self.rare.as_deref().map(|rare| &rare.presentation).filter(|presentation| !presentation.is_empty())
    }

    /// Its own messages for required texts, by field.
    pub(crate) fn required_messages(&self) -> &[(String, String)] {
        self.rare.as_deref().map(|rare| rare.required_messages.as_slice()).unwrap_or_default()
    }

    /// The digest of name, description and schemas, and of what a view has set of the arguments: an approval holds for just
    /// this definition.
    pub fn digest(&self) -> Digest {
        let output = self.output.as_ref().map(|schema| canonical(schema.published())).unwrap_or_default();
        let input = canonical(self.input.published());
        let set = self.narrowing.as_deref().map(Narrowing::canonical);
        let parts = [self.name.as_str(), self.description.as_str(), &input, &output];
        Digest::of("definition", parts.into_iter().chain(set.as_deref()))
    }
}
