//! Second stage: what has been checked is decided on.

use crate::{dispatch::validate::ValidatedCall, error::ToolError};

/// A call that may run. Only this stage makes one.
#[derive(Debug)]
pub(super) struct AuthorizedCall(ValidatedCall);

impl AuthorizedCall {
    pub(super) fn into_inner(self) -> ValidatedCall {
        self.0
    }

    pub(super) fn validated(&self) -> &ValidatedCall {
        &self.0
    }
}

/// The library's default: what matches may run.
#[expect(clippy::unnecessary_wraps, reason = "rules deny")]
pub(super) fn authorize(call: ValidatedCall) -> Result<AuthorizedCall, ToolError> {
    Ok(AuthorizedCall(call))
}
