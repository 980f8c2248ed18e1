//! What passes between a model and its tools: calls, and the messages around them.

mod call;
mod transcript;

pub use call::{ToolCall, ToolCallId};
pub use transcript::{Message, Role};
