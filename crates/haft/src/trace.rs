//! Which trace a call belongs to, in the words of W3C Trace Context: they go along, so that a trace does not end here.

#![cfg_attr(not(feature = "serve"), expect(dead_code, reason = "without clients there is none"))]

use std::sync::Arc;

use haft_core::{CallRequest, Extract, ToolError};

/// Longer than any that means something.
const LONGEST: usize = 512;

/// Which trace a call belongs to, as its caller says.
#[derive(Debug)]
pub(crate) struct Trace {
    /// `traceparent`.
    pub(crate) parent: String,
    /// `tracestate`.
    pub(crate) state: Option<String>,
}

impl Trace {
    /// Reads what a caller says; none where that is no trace.
    pub(crate) fn of(parent: Option<&str>, state: Option<&str>) -> Option<Self> {
        let plain =
            |text: &&str| text.len() <= LONGEST && text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
        let parent = parent.filter(plain).filter(|text| !text.is_empty())?;
        Some(Self { parent: parent.to_owned(), state: state.filter(plain).map(str::to_owned) })
    }
}

/// Which trace a call belongs to, as a parameter of a function.
pub(crate) struct Traced(pub(crate) Option<Arc<Trace>>);

impl Extract for Traced {
    type Bound = ();

    fn extract((): &(), request: &mut CallRequest<'_>) -> Result<Self, ToolError> {
        Ok(Self(request.extension::<Trace>()))
    }
}
