//! What a call waits for, as a form that a client can show.

use haft_core::{Answer, ApprovalDecision, Pending, PendingKind, Question, Reply};
use rmcp::model::{ElicitRequestParams, ElicitationAction, ElicitationSchema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::is_hidden;

/// The field of a form that asks one thing only.
const FIELD: &str = "answer";

/// One thing that a call waits for.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Ask {
    /// What the client's answer is known by.
    pub(super) key: String,
    /// What the dispatcher knows it by.
    pub(super) id: String,
    message: String,
    schema: Value,
    kind: Kind,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
enum Kind {
    Approval,
    /// A question; whether its answer is the whole form, one field of it, or JSON in one field.
    Question(Question, Shape),
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
enum Shape {
    Form,
    Field,
    Json,
}

/// What a person said.
pub(super) enum Said {
    Reply(Reply),
    /// The person does not want to answer.
    Declined,
    /// Nothing that fits.
    Unfit,
}

impl Ask {
    /// The form for what is waited for; none where no form can answer it.
    pub(super) fn of(pending: &Pending) -> Option<Self> {
        let id = pending.id.clone();
        match &pending.kind {
            PendingKind::Approval(request) => Some(Self {
                key: "approval".to_owned(),
                id,
                message: format!(
                    "Approve the call of {}? ({})\nArguments: {}",
                    request.tool,
                    request.reason,
                    seen_as_written(&request.arguments)
                ),
                schema: json!({
                    "type": "object",
                    "properties": {
                        "decision": {"type": "string", "title": "Decision", "enum": ["approve", "reject"]},
                        "note": {"type": "string", "title": "Note", "description": "What the model is told of a rejection"},
                    },
                    "required": ["decision"],
                }),
                kind: Kind::Approval,
            }),
            PendingKind::Question(question) => Some(Self::of_question(id, question)),
            _ => None,
        }
    }

    /// The form for a question.
    pub(super) fn of_question(id: String, question: &Question) -> Self {
        let (schema, shape) = form(question);
        Self {
            key: question.name.clone().unwrap_or_else(|| "question".to_owned()),
            id,
            message: question.prompt.clone(),
            schema,
            kind: Kind::Question(question.clone(), shape),
        }
    }

    pub(super) fn is_approval(&self) -> bool {
        matches!(self.kind, Kind::Approval)
    }

    /// What the client is asked.
    pub(super) fn request(&self) -> Option<ElicitRequestParams> {
        let requested_schema = serde_json::from_value(self.schema.clone()).ok()?;
        Some(ElicitRequestParams::FormElicitationParams {
            meta: None,
            message: self.message.clone(),
            requested_schema,
        })
    }

    /// What the client's answer means.
    pub(super) fn read(&self, action: &ElicitationAction, content: Option<&Value>) -> Said {
        match (action, &self.kind) {
            (ElicitationAction::Accept, Kind::Approval) => decision(content),
            (ElicitationAction::Accept, Kind::Question(question, shape)) => {
                let answer = match (shape, content) {
                    (Shape::Form, Some(form)) => Some(form.clone()),
                    (Shape::Field, Some(form)) => form.get(FIELD).cloned(),
                    (Shape::Json, Some(form)) => form
                        .get(FIELD)
                        .and_then(Value::as_str)
                        .and_then(|text| serde_json::from_str(text).ok()),
                    (_, None) => None,
                };
                let fits = answer.map(Answer::from).filter(|answer| question.problem(answer).is_none());
                let text_where_text =
                    |answer: &Answer| question.schema.is_some() || answer.as_text().is_some();
                match fits.filter(text_where_text) {
                    Some(answer) => Said::Reply(Reply::Answer(answer)),
                    None => Said::Unfit,
                }
            }
            (ElicitationAction::Decline, Kind::Approval) => {
                Said::Reply(Reply::Decision(ApprovalDecision::Reject { note: None }))
            }
            (_, Kind::Approval) => {
                let note = "the question was closed without an answer";
                Said::Reply(Reply::Decision(ApprovalDecision::reject(note)))
            }
            _ => Said::Declined,
        }
    }
}

/// JSON in which no character is hidden, or turns the order of others around: what a person reads is what runs.
fn seen_as_written(arguments: &str) -> String {
    let mut seen = String::with_capacity(arguments.len());
    for character in arguments.chars() {
        // What is white between the values of JSON is escaped within them.
        if is_hidden(character) && !matches!(character, '\n' | '\r' | '\t') {
            let mut units = [0; 2];
            let units = character.encode_utf16(&mut units).iter();
            seen.extend(units.map(|unit| format!("\\u{unit:04x}")));
        } else {
            seen.push(character);
        }
    }
    seen
}

fn decision(content: Option<&Value>) -> Said {
    let field = |name: &str| content.and_then(|form| form.get(name)).and_then(Value::as_str);
    let note = field("note").map(str::trim).filter(|note| !note.is_empty());
    match field("decision") {
        Some("approve") => Said::Reply(Reply::Decision(ApprovalDecision::Approve)),
        Some("reject") => {
            Said::Reply(Reply::Decision(ApprovalDecision::Reject { note: note.map(str::to_owned) }))
        }
        _ => Said::Unfit,
    }
}

/// The form of a question: clients show an object of plain fields, and nothing else.
fn form(question: &Question) -> (Value, Shape) {
    let shows = |schema: &Value| serde_json::from_value::<ElicitationSchema>(schema.clone()).is_ok();
    let one = |field: Value| json!({"type": "object", "properties": {FIELD: field}, "required": [FIELD]});
    match &question.schema {
        None if question.options.is_empty() => (one(json!({"type": "string"})), Shape::Field),
        None => (one(json!({"type": "string", "enum": question.options})), Shape::Field),
        Some(schema) if shows(schema) => (schema.clone(), Shape::Form),
        Some(schema) if shows(&one(schema.clone())) => (one(schema.clone()), Shape::Field),
        Some(schema) => {
            let described = format!("JSON that matches {schema}");
            (one(json!({"type": "string", "description": described})), Shape::Json)
        }
    }
}
