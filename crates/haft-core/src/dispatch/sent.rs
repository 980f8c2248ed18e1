//! The calls of a turn, as the model sent them.

use std::{
    ops::Deref,
    sync::{Arc, OnceLock},
};

use crate::message::ToolCall;

/// Calls as they were sent, each of which is shared once an observer or a hook is told of it.
#[derive(Debug)]
pub(super) struct SentCalls {
    calls: Vec<ToolCall>,
    shared: OnceLock<Box<[OnceLock<Arc<ToolCall>>]>>,
}

/// One of them.
#[derive(Debug, Clone, Copy)]
pub(super) struct SentCall<'a> {
    call: &'a ToolCall,
    index: usize,
    all: &'a SentCalls,
}

impl SentCalls {
    pub(super) fn new(calls: Vec<ToolCall>) -> Self {
        Self { calls, shared: OnceLock::new() }
    }

    pub(super) fn sent(&self, index: usize) -> Option<SentCall<'_>> {
        Some(SentCall { call: self.calls.get(index)?, index, all: self })
    }
}

impl Deref for SentCalls {
    type Target = [ToolCall];

    fn deref(&self) -> &[ToolCall] {
        &self.calls
    }
}

impl<'a> SentCall<'a> {
    pub(super) fn call(&self) -> &'a ToolCall {
        self.call
    }

    pub(super) fn shared(&self) -> Arc<ToolCall> {
        let all = self.all.shared.get_or_init(|| self.all.calls.iter().map(|_| OnceLock::new()).collect());
        let make = || Arc::new(self.call.clone());
        all.get(self.index).map_or_else(make, |shared| Arc::clone(shared.get_or_init(make)))
    }
}
