//! Requests that have been read and not taken up.

use std::collections::{HashSet, VecDeque};

use rmcp::model::RequestId;

use super::Request;

/// How many bytes of requests are kept before no more are read: 16 MiB.
const MOST: usize = 16 * 1024 * 1024;

/// Requests that wait to be taken up, the oldest first.
///
/// They are read all the same, so that what stands behind them is seen: that one of them is not wanted any more, an answer
/// that a call waits for, or that the client has left.
#[derive(Debug, Default)]
pub(super) struct Held {
    waiting: VecDeque<(RequestId, Request, usize)>,
    ids: HashSet<RequestId>,
    bytes: usize,
}

impl Held {
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    pub(super) fn is_full(&self) -> bool {
        self.bytes >= MOST
    }

    pub(super) fn contains(&self, id: &RequestId) -> bool {
        self.ids.contains(id)
    }

    /// Keeps a request that was so many bytes long.
    pub(super) fn push(&mut self, id: RequestId, request: Request, bytes: usize) {
        self.bytes += bytes;
        self.ids.insert(id.clone());
        self.waiting.push_back((id, request, bytes));
    }

    /// Takes the oldest one.
    pub(super) fn pop(&mut self) -> Option<(RequestId, Request)> {
        let (id, request, bytes) = self.waiting.pop_front()?;
        self.bytes -= bytes;
        self.ids.remove(&id);
        Some((id, request))
    }

    /// Forgets one that nobody wants any more; `false` where it is not here.
    pub(super) fn forget(&mut self, id: &RequestId) -> bool {
        if !self.ids.remove(id) {
            return false;
        }
        let place = self.waiting.iter().position(|(held, ..)| held == id);
        if let Some((_, _, bytes)) = place.and_then(|place| self.waiting.remove(place)) {
            self.bytes -= bytes;
        }
        true
    }
}
