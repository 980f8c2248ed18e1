//! What a server asks of this side: input of a person, an answer of a model, the folders that it may look at.

use std::{fmt, future::Future, pin::Pin, sync::Arc};

use haft_core::{Answer, Answerer, ErrorCode, Question, ToolContext, ToolError};
use rmcp::{ErrorData, model};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::people::{People, Said};

/// The future of a model's answer; the error is told to the server.
pub type SampleFuture<'a> = Pin<Box<dyn Future<Output = Result<Value, String>> + Send + 'a>>;

/// Answers for servers that ask for a completion of a model, which the protocol calls sampling.
///
/// Without one, servers are told that this is not offered.
///
/// ```
/// use haft::source::mcp::{SampleFuture, Sampler};
/// use serde_json::{Value, json};
///
/// #[derive(Debug)]
/// struct Parrot;
///
/// impl Sampler for Parrot {
///     fn sample<'a>(&'a self, _server: &'a str, request: &'a Value) -> SampleFuture<'a> {
///         Box::pin(async move {
///             let asked = request["messages"][0]["content"].clone();
///             Ok(json!({"role": "assistant", "content": asked, "model": "parrot", "stopReason": "endTurn"}))
///         })
///     }
/// }
/// ```
pub trait Sampler: fmt::Debug + Send + Sync {
    /// Answers what `server` asks: the parameters of `sampling/createMessage` for a result of it, as JSON.
    fn sample<'a>(&'a self, server: &'a str, request: &'a Value) -> SampleFuture<'a>;
}

/// A folder or file that servers are told they may work in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct McpRoot {
    /// Where it is, as a `file://` URI.
    pub uri: String,
    /// What people call it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

impl McpRoot {
    /// A root without a name.
    pub fn new(uri: impl Into<String>) -> Self {
        Self { uri: uri.into(), name: None }
    }

    /// Gives it a name for people.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }
}

/// Who answers what servers ask.
#[derive(Debug, Clone, Default)]
pub(super) struct Answering {
    pub(super) answerer: Option<Arc<dyn Answerer>>,
    pub(super) sampler: Option<Arc<dyn Sampler>>,
    pub(super) roots: Vec<McpRoot>,
}

/// The call that a server asks in the middle of.
#[derive(Clone, Copy)]
pub(super) struct OfCall<'a> {
    pub(super) context: &'a ToolContext,
    /// Who can be asked while it goes on.
    pub(super) people: &'a People,
}

/// What a form comes to.
enum Filled {
    In(Answer),
    No,
    PutAway,
}

/// Why there is no answer.
pub(super) enum Unanswered {
    /// The server is told.
    Refused(ErrorData),
    /// The call ends: it waits for an answer that comes later.
    Suspended(ToolError),
}

impl Answering {
    /// What this side declares that it can be asked.
    pub(super) fn capabilities(&self) -> model::ClientCapabilities {
        let sampling = self.sampler.is_some().then(|| json!({}));
        let roots = (!self.roots.is_empty()).then(|| json!({}));
        let mut declared = Map::new();
        declared.insert("elicitation".into(), json!({"form": {}}));
        declared.extend(sampling.map(|sampling| ("sampling".into(), sampling)));
        declared.extend(roots.map(|roots| ("roots".into(), roots)));
        serde_json::from_value(Value::Object(declared)).unwrap_or_default()
    }

    /// Answers one request, in the middle of the call that it belongs to.
    pub(super) async fn answer(
        &self,
        server: &str,
        method: &str,
        params: &Value,
        call: Option<OfCall<'_>>,
    ) -> Result<Value, Unanswered> {
        match method {
            "elicitation/create" => self.elicit(server, params, call).await,
            "sampling/createMessage" => match &self.sampler {
                Some(sampler) => sampler
                    .sample(server, params)
                    .await
                    .map_err(|why| Unanswered::Refused(ErrorData::internal_error(why, None))),
                None => Err(not_offered("no model can be asked through this client")),
            },
            "roots/list" if self.roots.is_empty() => Err(not_offered("this client has no roots")),
            "roots/list" => Ok(json!({ "roots": self.roots })),
            _ => Err(not_offered("this client does not offer that")),
        }
    }

    async fn elicit(
        &self,
        server: &str,
        params: &Value,
        call: Option<OfCall<'_>>,
    ) -> Result<Value, Unanswered> {
        let mode = params.get("mode").and_then(Value::as_str).unwrap_or("form");
        if mode != "form" {
            let why = format!("the elicitation mode {mode:?} is not offered, only \"form\"");
            return Err(Unanswered::Refused(ErrorData::invalid_params(why, None)));
        }
        let message = params.get("message").and_then(Value::as_str).unwrap_or("Input is wanted.");
        let schema = form(params.get("requestedSchema"));
        let question = Question::new(format!("The MCP server {server:?} asks: {message}"));
        let question = question.schema(schema.clone());
        let answer = match self.ask(&question, call).await? {
            Filled::In(answer) => answer,
            Filled::No => return Ok(json!({ "action": "decline" })),
            Filled::PutAway => return Ok(json!({ "action": "cancel" })),
        };
        let Value::Object(content) = answer.as_value() else {
            return Ok(json!({ "action": "decline" }));
        };
        let content = with_defaults(content.clone(), &schema);
        if let Some(problem) = question.problem(&Answer::from(Value::Object(content.clone()))) {
            tracing::warn!(%server, "an answer is not what an MCP server asked for: {problem}");
            return Ok(json!({ "action": "cancel" }));
        }
        Ok(json!({ "action": "accept", "content": content }))
    }

    /// The answer of a person; no, where nobody can be asked.
    ///
    /// Whoever can be asked while the call goes on is: else the server has to do again what it has done so far.
    async fn ask(&self, question: &Question, call: Option<OfCall<'_>>) -> Result<Filled, Unanswered> {
        // Nor does the call's time run meanwhile: a form may take longer than any work.
        let _waiting = call.map(|call| call.context.wait_for_people());
        if let Some(answerer) = &self.answerer
            && let Some(answer) = answerer.answer(question).await
        {
            return Ok(Filled::In(answer));
        }
        let Some(OfCall { context, people }) = call else { return Ok(Filled::No) };
        match people.ask(question).await {
            Some(Said::Answer(answer)) => return Ok(Filled::In(answer)),
            Some(Said::No) => return Ok(Filled::No),
            Some(Said::Nothing) => return Ok(Filled::PutAway),
            None => {}
        }
        match context.ask(question.clone()).await {
            Ok(answer) => Ok(Filled::In(answer)),
            Err(error) if error.code() == ErrorCode::Denied => Ok(Filled::No),
            Err(error) => Err(Unanswered::Suspended(error)),
        }
    }
}

fn not_offered(why: &str) -> Unanswered {
    Unanswered::Refused(ErrorData::new(model::ErrorCode::METHOD_NOT_FOUND, why.to_owned(), None))
}

/// The form that is asked for. Who only wants a yes may leave away what has no fields: clients show none of another form.
fn form(requested: Option<&Value>) -> Value {
    let mut form =
        requested.filter(|schema| schema.is_object()).cloned().unwrap_or_else(|| json!({"type": "object"}));
    if let Some(schema) = form.as_object_mut()
        && schema.get("type").is_none_or(|kind| kind == "object")
    {
        schema.entry("type").or_insert_with(|| json!("object"));
        schema.entry("properties").or_insert_with(|| json!({}));
    }
    form
}

/// Adds what the schema says is meant where nothing is said.
fn with_defaults(mut content: Map<String, Value>, schema: &Value) -> Map<String, Value> {
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        if let Some(default) = property.get("default")
            && !content.contains_key(name)
        {
            content.insert(name.clone(), default.clone());
        }
    }
    content
}
