//! What a server says that is no message: it is told of, but not without end.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use crate::redact::Secrets;

/// As often a connection is told of; a server may write its whole log to it.
const TOLD: u32 = 10;

/// Tells of what is skipped.
pub(in super::super) struct Noise {
    server: Arc<str>,
    secrets: Secrets,
    told: AtomicU32,
}

impl Noise {
    /// Shows no secret where it tells of something.
    pub(in super::super) fn new(server: Arc<str>, secrets: Secrets) -> Self {
        Self { server, secrets, told: AtomicU32::new(0) }
    }

    /// Something was skipped: what it is, how it begins, where that is known, and why.
    pub(in super::super) fn skipped(&self, what: &str, text: &str, why: &str) {
        let server = &self.server;
        let told = self
            .told
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |told| (told < TOLD).then_some(told + 1));
        let line = self.secrets.excerpt(text, 120);
        let Ok(told) = told else {
            tracing::debug!(%server, %line, "{what} of an MCP server is skipped: {why}");
            return;
        };
        let last = if told + 1 == TOLD { "; others like it are not told of" } else { "" };
        tracing::warn!(%server, %line, "{what} of an MCP server is skipped: {why}{last}");
    }
}
