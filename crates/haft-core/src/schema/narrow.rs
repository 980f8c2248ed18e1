//! Arguments that the host sets and the model does not see.

use serde_json::{Map, Value};

use super::canon::canonical;
use super::error::SchemaError;
use super::input::InputSchema;
use super::issue::{Issue, shown};
use super::judge::{Judgement, Refused};
use super::leniency::Leniency;
use super::pointer;

/// Why an argument can not be taken out of a schema.
#[derive(Debug)]
pub(crate) enum NarrowError {
    /// The schema has no such argument.
    Unknown,
    /// A part that the schema is composed of declares or requires it, so that it can not be taken out alone.
    InParts,
    /// What is left is no schema.
    Schema(SchemaError),
}

/// What a tool takes, where the model is shown less of it.
#[derive(Clone, Debug)]
pub(crate) struct Narrowing {
    full: InputSchema,
    pinned: Vec<(String, Value)>,
    hidden: Vec<String>,
}

impl InputSchema {
    /// The same schema without one argument.
    pub(crate) fn without(&self, argument: &str) -> Result<Self, NarrowError> {
        if !self.fields().iter().any(|field| field == argument) {
            return Err(NarrowError::Unknown);
        }
        let mut schema = self.published().clone();
        let root = schema.as_object_mut().ok_or(NarrowError::Unknown)?;
        if let Some(Value::Object(properties)) = root.get_mut("properties") {
            properties.remove(argument);
        }
        if let Some(Value::Array(required)) = root.get_mut("required") {
            required.retain(|name| name != argument);
            if required.is_empty() {
                root.remove("required");
            }
        }
        let made = if self.is_local() { Self::local(schema) } else { Self::remote(schema) };
        let narrowed = match made {
            Err(SchemaError::RequiredUndeclared { name, .. }) if name == argument => {
                return Err(NarrowError::InParts);
            }
            made => made.map_err(NarrowError::Schema)?,
        };
        let declared = narrowed.fields().iter().any(|field| field == argument);
        if declared || narrowed.requires(argument) { Err(NarrowError::InParts) } else { Ok(narrowed) }
    }

    /// Whether arguments without this one are refused for that, defaults considered.
    pub(crate) fn requires(&self, argument: &str) -> bool {
        let path = pointer::child("", argument);
        let missing = |issue: &Issue| issue.path == path;
        match self.judge_value(Value::Object(Map::new()), &Leniency::strict()).verdict {
            Ok(_) => false,
            Err(refused) => refused.issues.iter().any(missing),
        }
    }

    /// What is wrong with one argument's value, whatever the others are.
    pub(crate) fn issues_with(&self, argument: &str, value: &Value) -> Vec<Issue> {
        let alone = Value::Object(Map::from_iter([(argument.to_owned(), value.clone())]));
        let path = pointer::child("", argument);
        match self.judge_value(alone, &Leniency::none()).verdict {
            Ok(_) => Vec::new(),
            Err(refused) => {
                refused.issues.into_iter().filter(|issue| is_within(&issue.path, &path)).collect()
            }
        }
    }
}

impl Narrowing {
    /// Nothing is taken out of the schema yet.
    pub(crate) fn of(full: InputSchema) -> Self {
        Self { full, pinned: Vec::new(), hidden: Vec::new() }
    }

    /// The schema that the tool itself has.
    pub(crate) fn full(&self) -> &InputSchema {
        &self.full
    }

    pub(crate) fn pin(&mut self, argument: &str, value: Value) {
        self.pinned.push((argument.to_owned(), value));
    }

    pub(crate) fn hide(&mut self, argument: &str) {
        self.hidden.push(argument.to_owned());
    }

    /// The arguments that the model does not see.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.pinned.iter().map(|(name, _)| name).chain(&self.hidden).map(String::as_str)
    }

    /// All of it as text, for digests.
    pub(crate) fn canonical(&self) -> String {
        let pinned: Map<String, Value> = self.pinned.iter().cloned().collect();
        canonical(&serde_json::json!({"hidden": self.hidden, "pinned": pinned}))
    }

    /// Goes on from what a model sent, once the schema that it sees has accepted that.
    pub(crate) fn complete(&self, seen: &InputSchema, judged: Judgement, leniency: &Leniency) -> Judgement {
        let Judgement { verdict, mut repaired } = judged;
        let mut arguments = match verdict {
            Ok(arguments) => arguments,
            refused => return Judgement { verdict: refused, repaired },
        };
        // A schema that is open for others would take them too.
        let fields: Vec<&str> = seen.fields().iter().map(String::as_str).collect();
        let sent = self.names().filter_map(|name| Some((name, arguments.get(name)?)));
        let issues: Vec<Issue> =
            sent.map(|(name, value)| Issue::unknown(&pointer::child("", name), value, &fields)).collect();
        if !issues.is_empty() {
            return Judgement { verdict: Err(Refused { issues, reason: None }), repaired };
        }
        self.put_pins(&mut arguments);
        // What the model wrote has been repaired where it had to be; what the host has set never is.
        let judgement = self.full.judge_value(arguments, &leniency.without_repairs());
        repaired.extend(judgement.repaired);
        Judgement { verdict: judgement.verdict.map_err(|refused| self.discreet(refused)), repaired }
    }

    /// Judges all arguments, as they were when they were complete or as a person edited them.
    pub(crate) fn judge_all(&self, arguments: &str, leniency: &Leniency) -> Judgement {
        let mut given = Vec::new();
        let Judgement { verdict, mut repaired } = self.full.judge_changed(arguments, leniency, |arguments| {
            given = self.pinned.iter().map(|(name, _)| arguments.get(name).cloned()).collect();
            self.put_pins(arguments);
        });
        let mut arguments = match verdict {
            Ok(arguments) => arguments,
            refused => return Judgement { verdict: refused, repaired },
        };
        // A repair may have changed what the host has set.
        self.put_pins(&mut arguments);
        let again = self.full.judge_value(arguments, &leniency.without_repairs());
        repaired.extend(again.repaired);
        let judgement = Judgement { verdict: again.verdict, repaired };
        let Ok(complete) = &judgement.verdict else { return judgement };
        let mut issues = Vec::new();
        for ((name, pinned), given) in self.pinned.iter().zip(given) {
            let Some(given) = given else { continue };
            let same = |value: &Value| canonical(value) == canonical(&given);
            if !same(pinned) && !complete.get(name).is_some_and(same) {
                let text = format!("`{name}` is set by the host: leave it as it is, or leave it out");
                let path = pointer::child("", name);
                issues.push(Issue::told(&path, "what the host has set", shown(&given), text));
            }
        }
        if issues.is_empty() {
            return judgement;
        }
        Judgement { verdict: Err(Refused { issues, reason: None }), repaired: judgement.repaired }
    }

    fn put_pins(&self, arguments: &mut Value) {
        if let Value::Object(arguments) = arguments {
            arguments.extend(self.pinned.iter().cloned());
        }
    }

    /// What is wrong, without a word of what the host has set.
    fn discreet(&self, refused: Refused) -> Refused {
        let paths: Vec<String> = self.names().map(|name| pointer::child("", name)).collect();
        let total = refused.issues.len();
        let tells =
            |issue: &Issue| issue.path.is_empty() || paths.iter().any(|path| is_within(&issue.path, path));
        let mut issues: Vec<Issue> = refused.issues.into_iter().filter(|issue| !tells(issue)).collect();
        if issues.len() < total {
            let text = "the arguments do not go with what the host has set for this tool; send others";
            issues.push(Issue::told("", "arguments that go with the host's", "others".to_owned(), text));
        }
        Refused { issues, reason: refused.reason }
    }
}

fn is_within(path: &str, place: &str) -> bool {
    path.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
