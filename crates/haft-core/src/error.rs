//! What went wrong with a call: the table of kinds and codes, and the error a tool returns.

mod body;
mod code;
mod tool_error;

pub use body::{ErrorBody, ErrorStyle};
pub use code::{ErrorCode, ToolErrorKind};
pub use tool_error::{Effects, ToolError};
