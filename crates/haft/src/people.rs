//! Whoever can be asked while a call runs: the user of a client that waits for its answer.

#![cfg_attr(not(feature = "serve"), expect(dead_code, reason = "without clients there is nobody"))]

use std::{future::Future, pin::Pin, sync::Arc};

use haft_core::{Answer, CallRequest, Extract, Question, ToolError};

/// What a person says to a question.
pub(crate) enum Said {
    /// The form, filled in.
    Answer(Answer),
    /// That there will be no answer.
    No,
    /// Nothing: the question was put away, or could not be shown.
    Nothing,
}

/// The future of what a person says.
pub(crate) type Saying = Pin<Box<dyn Future<Output = Said> + Send>>;

/// Asks a person while the call goes on.
pub(crate) struct Asks(Box<dyn Fn(Question) -> Saying + Send + Sync>);

impl Asks {
    pub(crate) fn new(ask: impl Fn(Question) -> Saying + Send + Sync + 'static) -> Self {
        Self(Box::new(ask))
    }
}

/// Who can be asked while a call runs, as a parameter of a function: nobody, where its caller is none of those.
pub(crate) struct People(Option<Arc<Asks>>);

impl People {
    /// What a person says; none where nobody can be asked so.
    pub(crate) async fn ask(&self, question: &Question) -> Option<Said> {
        let asks = self.0.as_ref()?;
        Some((asks.0)(question.clone()).await)
    }
}

impl Extract for People {
    type Bound = ();

    fn extract((): &(), request: &mut CallRequest<'_>) -> Result<Self, ToolError> {
        Ok(Self(request.extension::<Asks>()))
    }
}
