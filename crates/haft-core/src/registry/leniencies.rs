//! How lenient a registry is, by the source of a tool.

use crate::{schema::Leniency, tool::ToolSource};

/// One leniency for all tools, and others for some sources.
#[derive(Clone, Debug, Default)]
pub(super) struct Leniencies {
    general: Leniency,
    by_source: Vec<(ToolSource, Leniency)>,
}

/// What a builder was told.
#[derive(Clone, Debug, Default)]
pub(super) struct SetLeniencies {
    pub(super) general: Option<Leniency>,
    by_source: Vec<(ToolSource, Leniency)>,
}

impl Leniencies {
    pub(super) fn of(&self, source: ToolSource) -> &Leniency {
        let own = self.by_source.iter().find(|(known, _)| *known == source);
        own.map_or(&self.general, |(_, leniency)| leniency)
    }
}

impl SetLeniencies {
    /// The last word on a source counts.
    pub(super) fn set(&mut self, source: ToolSource, leniency: Leniency) {
        self.by_source.retain(|(known, _)| *known != source);
        self.by_source.push((source, leniency));
    }

    pub(super) fn built(self) -> Leniencies {
        Leniencies { general: self.general.unwrap_or_default(), by_source: self.by_source }
    }

    /// Whether it says nothing else than what is so already.
    pub(super) fn agrees_with(&self, built: &Leniencies) -> bool {
        self.general.as_ref().is_none_or(|general| *general == built.general)
            && self.by_source.iter().all(|(source, leniency)| leniency == built.of(*source))
    }
}
