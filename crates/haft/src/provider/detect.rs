//! From a text to the document of one provider: is it JSON, whose is it, is it an error?

use crate::provider::{
    Note, Provider, ProviderError,
    error::excerpt,
    raw::{Kind, Object, Raw},
};

/// How many keys a message about an object names.
const NAMED_KEYS: usize = 8;

/// What is looked for where nothing says whose it is.
const EXPECTED: &str =
    "a provider's response, a message of role `assistant` or `model`, or a conversation with one";

/// A document that is no other provider's and no error.
#[derive(Debug)]
pub(super) enum Document<'a> {
    /// A response or a message.
    Object(Object<'a>),
    /// A conversation.
    List(Vec<Raw<'a>>),
}

/// Whose form a document has.
pub(super) fn detect(text: &str) -> Result<Provider, ProviderError> {
    let document = Document::read(text)?;
    let provider = document.provider().or_else(|| document.is_plain().then_some(Provider::OpenaiChat));
    provider.ok_or_else(|| {
        if document.is_of_others() {
            return document.without_message(EXPECTED);
        }
        ProviderError::Unrecognized { found: document.described() }
    })
}

impl<'a> Document<'a> {
    /// Reads a document that `expected` is to make sense of.
    pub(super) fn open(text: &'a str, expected: Provider) -> Result<Self, ProviderError> {
        let document = Self::read(text)?;
        match document.provider() {
            Some(found) if found != expected => Err(ProviderError::OtherProvider { expected, found }),
            _ => Ok(document),
        }
    }

    fn read(text: &'a str) -> Result<Self, ProviderError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if text.trim().is_empty() {
            return Err(ProviderError::Empty);
        }
        let root = Raw::read(text).map_err(|error| not_json(text, &error))?;
        let document = match root.object() {
            Some(object) => match conversation(&object) {
                Some(messages) => Self::List(messages),
                None => Self::Object(object),
            },
            None => match root.array() {
                Some(items) => Self::List(items),
                None => return Err(ProviderError::NotAnObject { found: root.kind().named() }),
            },
        };
        match document.failure() {
            Some(message) => Err(ProviderError::Failed { message }),
            None => Ok(document),
        }
    }

    /// The provider whose signs it bears; the latest message counts most.
    fn provider(&self) -> Option<Provider> {
        let of =
            |object: &Object<'_>| Provider::ALL.iter().copied().find(|provider| provider.recognises(object));
        match self {
            Self::Object(object) => of(object),
            Self::List(items) => items.iter().rev().find_map(|item| of(&item.object()?)),
        }
    }

    /// Whether it is a model's message, or holds one, of the form that several providers write.
    fn is_plain(&self) -> bool {
        match self {
            Self::Object(object) => is_models(object),
            Self::List(items) => {
                items.iter().any(|item| item.object().is_some_and(|object| is_models(&object)))
            }
        }
    }

    /// Whether all that is there are messages, and none of them the model's: whose form they have does not matter then.
    fn is_of_others(&self) -> bool {
        let has_role = |object: &Object<'_>| object.string("role").is_some();
        match self {
            Self::Object(object) => has_role(object),
            Self::List(items) => {
                !items.is_empty()
                    && items.iter().all(|item| item.object().is_some_and(|object| has_role(&object)))
            }
        }
    }

    /// The error that a provider answered with, where there is nothing else.
    fn failure(&self) -> Option<String> {
        let object = match self {
            Self::Object(object) => object.clone(),
            Self::List(items) => match items.as_slice() {
                [only] => only.object()?,
                _ => return None,
            },
        };
        let error = object.get("error")?;
        if self.provider().is_some() && object.string("status").as_deref() != Some("failed") {
            return None;
        }
        let parts = error.object().and_then(|error| {
            let kind = ["type", "status", "code"].into_iter().find_map(|key| error.string(key));
            let message = error.string("message")?;
            Some(kind.map_or_else(|| message.to_string(), |kind| format!("{kind}: {message}")))
        });
        Some(excerpt(&parts.unwrap_or_else(|| error.content().into_owned())))
    }

    /// What is there, for a message about what is not.
    fn described(&self) -> String {
        match self {
            Self::Object(object) => described(object),
            Self::List(items) if items.is_empty() => "an empty array".to_owned(),
            Self::List(items) => match items.last().and_then(|item| item.object()?.string("role")) {
                Some(role) => format!(
                    "a conversation of {} without a message of the model, the last of role `{}`",
                    items.len(),
                    excerpt(&role)
                ),
                None => format!("an array of {} without a message of the model", items.len()),
            },
        }
    }

    /// That there is no message; `expected` says what was looked for.
    pub(super) fn without_message(&self, expected: &'static str) -> ProviderError {
        ProviderError::NoMessage { expected, found: self.described() }
    }

    /// The object to read: the response or message itself, or the last message of the model in a conversation, with the
    /// messages that follow it.
    pub(super) fn latest(&self, notes: &mut Vec<Note>) -> Option<(Object<'a>, Vec<Object<'a>>)> {
        match self {
            Self::Object(object) => Some((object.clone(), Vec::new())),
            Self::List(items) => {
                let latest = |(position, item): (usize, &Raw<'a>)| {
                    item.object().filter(is_models).map(|object| (position, object))
                };
                let (position, object) = items.iter().enumerate().rev().find_map(latest)?;
                notes.push(Note::Conversation { position, count: items.len() });
                let later = items.iter().skip(position + 1).filter_map(|item| item.object()).collect();
                Some((object, later))
            }
        }
    }
}

/// The messages in the body of a request.
fn conversation<'a>(object: &Object<'a>) -> Option<Vec<Raw<'a>>> {
    let is_response = ["choices", "output", "candidates", "content"].iter().any(|key| object.has(key));
    if is_response {
        None
    } else {
        ["messages", "contents", "input"].iter().find_map(|key| object.array(key))
    }
}

fn is_models(object: &Object<'_>) -> bool {
    matches!(object.string("role").as_deref(), Some("assistant" | "model"))
}

fn described(object: &Object<'_>) -> String {
    if let Some(role) = object.string("role").filter(|_| !is_models(object)) {
        return format!("a message of role `{}`: give the one that the model wrote", excerpt(&role));
    }
    let mut keys: Vec<String> =
        object.keys().take(NAMED_KEYS + 1).map(|key| format!("`{}`", excerpt(key))).collect();
    if keys.is_empty() {
        return "an object without keys".to_owned();
    }
    if keys.len() > NAMED_KEYS {
        keys.truncate(NAMED_KEYS);
        keys.push("…".to_owned());
    }
    format!("an object with {}", keys.join(", "))
}

fn not_json(text: &str, error: &serde_json::Error) -> ProviderError {
    let (line, column) = (error.line(), error.column());
    if error.is_eof() {
        return ProviderError::Truncated { line, column };
    }
    let message = error.to_string();
    let problem = message.split_once(" at line ").map_or(message.as_str(), |(problem, _)| problem);
    let start = text.trim_start();
    let is_stream = ["data:", "event:", "id:", ":"].iter().any(|field| start.starts_with(field));
    ProviderError::Malformed { problem: problem.to_owned(), line, column, is_stream }
}

/// The parts of what stands where a list of parts may: an array, one part alone, or nothing.
pub(super) fn parts(value: Option<Raw<'_>>) -> Vec<Raw<'_>> {
    match value {
        None => Vec::new(),
        Some(value) if value.kind() == Kind::Array => value.array().unwrap_or_default(),
        Some(value) => vec![value],
    }
}
