//! The schema of a tool's arguments.

use std::fmt;
use std::sync::{Arc, OnceLock};

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::error::SchemaError;
use super::fast::{self, Checks, Rules};
use super::issue::Issue;
use super::judge::{self, Judgement, Refused};
use super::leniency::Leniency;
use super::plan::{Plan, Pool};
use super::published::Published;
use super::road::Road;
use super::{bounds, close, projection, typed};

/// A checked schema of arguments. Cheap to clone.
///
/// ```
/// use haft_core::{InputSchema, Leniency};
/// use serde_json::json;
///
/// let schema = InputSchema::local(json!({
///     "type": "object",
///     "properties": {"city": {"type": "string"}, "days": {"type": "integer", "maximum": 14}},
///     "required": ["city"],
/// }))?;
/// assert_eq!(schema.fields(), ["city", "days"]);
/// assert_eq!(schema.published()["additionalProperties"], json!(false));
///
/// let judgement = schema.judge(r#"{"town": "Oslo", "days": 20}"#, &Leniency::default());
/// let messages: Vec<_> = judgement.verdict.unwrap_err().issues.into_iter().map(|issue| issue.message).collect();
/// assert_eq!(messages, [
///     "unknown field `town`; the fields are `city`, `days`",
///     "missing field `city`: expected string",
///     "days: expected integer ≤ 14, got 20",
/// ]);
/// # Ok::<(), haft_core::SchemaError>(())
/// ```
#[derive(Clone)]
pub struct InputSchema(Arc<Inner>);

struct Inner {
    published: Published,
    /// Made here: defaults are filled.
    local: bool,
    /// The fast road, where the schema has one; compiled when first needed.
    checks: OnceLock<Option<Checks>>,
    /// Made when first needed, as the fields are. Boxed: of many tools few are called.
    road: OnceLock<Box<Road>>,
    fields: OnceLock<Box<[String]>>,
}

impl InputSchema {
    /// The schema of a tool that is defined here, given as data.
    ///
    /// It is closed: every object that lists its properties refuses others, unless it says itself what becomes of them
    /// (`additionalProperties`, `patternProperties`, `unevaluatedProperties`). A schema that admits no property at all is
    /// the empty closed object. Defaults that are valid themselves are filled.
    ///
    /// # Errors
    ///
    /// The schema is no valid JSON Schema, refers to something outside itself, cannot describe an object, or is too large.
    pub fn local(schema: Value) -> Result<Self, SchemaError> {
        bounds::check(&schema)?;
        let schema = objects_only(projection::mended(schema)?)?;
        // The schema as written comes first, so that faults are named where the author wrote them.
        let plan = Road::check(&schema)?;
        Self::made(close::closed(&schema, &plan)?, true)
    }

    /// The schema of a Rust type, as its `Deserialize` takes it; closed, and with `Option<T>` published as `T`.
    ///
    /// # Errors
    ///
    /// The type is not an object, or its schema is invalid or too large.
    pub fn typed<T: JsonSchema>() -> Result<Self, SchemaError> {
        Self::local(typed::arguments::<T>())
    }

    /// The schema of a tool that is defined elsewhere: published as it is; no defaults are filled.
    ///
    /// What is no JSON Schema but plainly meant, such as `"type": "dict"` or `"properties": null`, is mended first.
    ///
    /// # Errors
    ///
    /// As [`InputSchema::local`].
    pub fn remote(schema: Value) -> Result<Self, SchemaError> {
        bounds::check(&schema)?;
        Self::made(objects_only(projection::mended(schema)?)?, false)
    }

    /// No arguments.
    pub fn empty() -> Self {
        Self::of(empty_object(), true)
    }

    fn made(published: Value, local: bool) -> Result<Self, SchemaError> {
        Road::check(&published)?;
        Ok(Self::of(published, local))
    }

    fn of(published: Value, local: bool) -> Self {
        let published = Published::new(published);
        let (checks, road, fields) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Self(Arc::new(Inner { published, local, checks, road, fields }))
    }

    /// The schema as others see it.
    pub fn published(&self) -> &Value {
        self.0.published.value()
    }

    /// Whether it is of a tool that is defined here.
    pub(crate) fn is_local(&self) -> bool {
        self.0.local
    }

    /// The names of the arguments: required ones in the order of `required`, then the others by code points.
    pub fn fields(&self) -> &[String] {
        self.0.fields.get_or_init(|| fields(&Plan::of(self.published())).into())
    }

    /// The verdict on the argument text of one call.
    pub fn judge(&self, arguments: &str, leniency: &Leniency) -> Judgement {
        self.judged(|road| judge::judge(road, arguments, leniency))
    }

    /// The verdict on arguments that are a value already, such as ones that a person edited.
    pub fn judge_value(&self, arguments: Value, leniency: &Leniency) -> Judgement {
        if bounds::check(&arguments).is_ok() {
            return self.judged(|road| judge::judge_value(road, arguments, leniency));
        }
        let text = "the arguments nest too deeply or are too large: send less";
        let issue = Issue::told("", "one JSON object", "too much".to_owned(), text);
        Judgement { verdict: Err(Refused { issues: vec![issue], reason: None }), repaired: Vec::new() }
    }

    /// The verdict on an argument text, some of whose values are set each time that it is read.
    pub(super) fn judge_changed(
        &self,
        arguments: &str,
        leniency: &Leniency,
        change: impl FnMut(&mut Value),
    ) -> Judgement {
        self.judged(|road| judge::judge_changed(road, arguments, leniency, change))
    }

    /// The arguments as `T`, where they plainly match; with the default leniency.
    pub(crate) fn read_typed<T: DeserializeOwned>(&self, arguments: &str) -> Option<T> {
        fast::read_typed(arguments, self.checks()?)
    }

    /// The effective arguments, where they plainly match; with the default leniency.
    pub(crate) fn read_value(&self, arguments: &str) -> Option<Value> {
        fast::read_value(arguments, self.checks()?)
    }

    fn checks(&self) -> Option<&Checks> {
        let Inner { published, local, road, checks, .. } = &*self.0;
        let compile = || {
            let published = published.value();
            let road = road.get_or_init(|| Box::new(Road::of(published, *local)));
            let defaults = road.plan.defaults().into_iter().collect();
            Checks::of(published, &Rules { closing: true, defaults })
        };
        checks.get_or_init(compile).as_ref()
    }

    fn judged(&self, judge: impl FnOnce(&Road) -> Judgement) -> Judgement {
        judge(self.0.road.get_or_init(|| Box::new(Road::of(self.published(), self.0.local))))
    }
}

impl fmt::Debug for InputSchema {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("InputSchema").field("fields", &self.fields()).finish_non_exhaustive()
    }
}

impl Default for InputSchema {
    fn default() -> Self {
        Self::empty()
    }
}

impl PartialEq for InputSchema {
    fn eq(&self, other: &Self) -> bool {
        self.0.local == other.0.local && self.published() == other.published()
    }
}

fn empty_object() -> Value {
    json!({"type": "object", "properties": {}, "additionalProperties": false})
}

/// Refuses what can never describe arguments; no schema at all is the empty object.
pub(super) fn objects_only(schema: Value) -> Result<Value, SchemaError> {
    match &schema {
        Value::Null | Value::Bool(true) => return Ok(empty_object()),
        Value::Object(keywords) => {
            let names_object = match keywords.get("type") {
                Some(Value::String(name)) => name == "object",
                Some(Value::Array(names)) => names.iter().any(|name| name == "object"),
                _ => true,
            };
            if let Some(types) = keywords.get("type").filter(|_| !names_object) {
                return Err(SchemaError::not_an_object("/type", types));
            }
        }
        other => return Err(SchemaError::not_an_object("", other)),
    }
    Ok(schema)
}

fn fields(plan: &Plan) -> Vec<String> {
    let pool = Pool::root(plan, &json!({}));
    let nodes = pool.entries().filter_map(|entry| plan.node(entry.id));
    let listed: std::collections::BTreeSet<&String> =
        nodes.flat_map(|node| node.properties.iter().flatten().map(|(name, _)| name)).collect();
    let mut fields: Vec<String> = Vec::new();
    let required = pool.live().filter(|entry| entry.role == super::plan::Role::Conjunct);
    let required = required.filter_map(|entry| plan.node(entry.id)).flat_map(|node| &node.required);
    for name in required.chain(listed.iter().copied()) {
        if listed.contains(name) && !fields.contains(name) {
            fields.push(name.clone());
        }
    }
    fields
}
