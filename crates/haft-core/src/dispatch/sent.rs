//! A call of a turn, as the model sent it.

use std::{
    ops::Deref,
    sync::{Arc, OnceLock},
};

use crate::message::ToolCall;

/// A call as it was sent, which is shared once an observer or a hook is told of it.
#[derive(Debug)]
pub(super) struct SentCall {
    call: ToolCall,
    shared: OnceLock<Arc<ToolCall>>,
}

impl SentCall {
    pub(super) fn shared(&self) -> &Arc<ToolCall> {
        self.shared.get_or_init(|| Arc::new(self.call.clone()))
    }
}

impl From<ToolCall> for SentCall {
    fn from(call: ToolCall) -> Self {
        Self { call, shared: OnceLock::new() }
    }
}

impl Deref for SentCall {
    type Target = ToolCall;

    fn deref(&self) -> &ToolCall {
        &self.call
    }
}
