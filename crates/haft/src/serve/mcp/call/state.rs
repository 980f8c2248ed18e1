//! What a client without a session keeps for a call that waits: sealed, and good for just that call.

use std::time::Duration;

use haft_core::canonical;
use rmcp::{
    ErrorData,
    model::{CallToolResponse, ElicitRequest, InputRequest, InputRequests, InputRequiredResult, SealOptions},
};

use super::run::{Run, Stage, Waits};
use crate::serve::mcp::session::Session;

/// How long a person may take to answer.
const PATIENCE: Duration = Duration::from_secs(24 * 60 * 60);

/// Asks the client: it sends the call again with the answers, and with what is sealed here.
pub(super) fn ask(run: &Run<'_>, waits: &Waits) -> Result<CallToolResponse, ErrorData> {
    let mut requests = InputRequests::new();
    for ask in &waits.asks {
        let request = ask.request().ok_or_else(|| unsealed("the question has no form"))?;
        requests.insert(ask.key.clone(), InputRequest::Elicitation(ElicitRequest::new(request)));
    }
    let codec = run.session.shared.codec.as_ref().ok_or_else(|| unsealed("there is no key"))?;
    let about = about(run);
    let options = SealOptions::new().associated_data(about.as_bytes()).ttl(PATIENCE);
    let sealed = codec.seal_json_with(waits, &options).map_err(|error| unsealed(&error.to_string()))?;
    Ok(InputRequiredResult::new(Some(requests), Some(sealed)).into())
}

/// Opens what a client kept: only what was sealed here, for the same call, in time.
pub(super) fn open(session: &Session, run: &Run<'_>, sealed: &str) -> Result<Stage, ErrorData> {
    let codec = session.shared.codec.as_ref().ok_or_else(|| unsealed("there is no key"))?;
    codec.open_json_with::<Waits>(sealed, about(run).as_bytes()).map(Stage::Waits).map_err(|error| {
        // Whoever forges one learns nothing of why it failed.
        tracing::debug!(%error, "a requestState was refused");
        ErrorData::invalid_params("the requestState does not belong to this call, or is too old", None)
    })
}

/// What the call is: its tool and its arguments, however they are written.
fn about(run: &Run<'_>) -> String {
    let arguments = serde_json::from_str(run.arguments).map(|arguments| canonical(&arguments));
    format!("{}\n{}", run.name, arguments.as_deref().unwrap_or(run.arguments))
}

fn unsealed(why: &str) -> ErrorData {
    ErrorData::internal_error(format!("the client can not be asked: {why}"), None)
}
