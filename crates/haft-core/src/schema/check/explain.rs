//! The validator's complaint about arguments, as issues that a model can mend.

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use serde_json::Value;

use super::super::finding::{Finding, Rank};
use super::super::issue::{Issue, cut, shown};
use super::super::plan::Plan;
use super::super::pointer;
use super::branch;
use super::describe::{counted, describe, describe_alternative, joined, one_of};

/// Branches inside each other that are explained; deeper ones are described as a whole.
pub(super) const DEEPEST_BRANCH: usize = 8;

/// What a complaint is seen against.
#[derive(Clone, Copy)]
pub(super) struct Explainer<'e> {
    pub(super) schema: &'e Value,
    pub(super) plan: &'e Plan,
    /// The whole arguments.
    pub(super) value: &'e Value,
}

impl Explainer<'_> {
    pub(super) fn findings(&self, error: &ValidationError<'_>) -> Vec<Finding> {
        self.findings_within(error, DEEPEST_BRANCH)
    }

    pub(super) fn findings_within(&self, error: &ValidationError<'_>, depth: usize) -> Vec<Finding> {
        let place = error.instance_path().as_str();
        match error.kind() {
            Kind::AdditionalProperties { unexpected } => self.unknown(place, unexpected),
            Kind::UnevaluatedProperties { unexpected } => self.unevaluated(place, unexpected),
            Kind::Required { property } => vec![self.missing(place, property)],
            Kind::PropertyNames { error } => {
                vec![Self::misnamed(place, &self.expected(error), error.instance())]
            }
            Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
                branch::findings(*self, error, context, depth)
            }
            _ => vec![self.mismatch(place, self.expected(error))],
        }
    }

    pub(super) fn mismatch(&self, place: &str, expected: String) -> Finding {
        let got = self.value.pointer(place).map(shown).unwrap_or_default();
        Finding::new(Rank::Other, Issue::stated(place, expected, got, ""))
    }

    fn unknown(&self, place: &str, unexpected: &[String]) -> Vec<Finding> {
        let pool = self.plan.pool_at(self.value, place);
        let names = self.plan.names(&pool);
        let fields: Vec<&str> = names.into_iter().collect();
        let finding = |name: &String| {
            let path = pointer::child(place, name);
            let got = self.value.pointer(&path).unwrap_or(&Value::Null);
            Finding::new(Rank::Unknown, Issue::unknown(&path, got, &fields))
        };
        unexpected.iter().map(finding).collect()
    }

    /// A property that some part lists is unevaluated only because that part failed; it is unknown to none.
    fn unevaluated(&self, place: &str, unexpected: &[String]) -> Vec<Finding> {
        let pool = self.plan.pool_at(self.value, place);
        let names = self.plan.names(&pool);
        let (listed, unlisted): (Vec<_>, Vec<_>) =
            unexpected.iter().cloned().partition(|name| names.contains(name.as_str()));
        if unlisted.is_empty() {
            let path = |name: &String| pointer::child(place, name);
            let finding =
                |name: &String| self.mismatch(&path(name), "no such field beside the others".to_owned());
            return listed.iter().map(|name| Finding { rank: Rank::Leftover, ..finding(name) }).collect();
        }
        self.unknown(place, &unlisted)
    }

    fn missing(&self, place: &str, property: &Value) -> Finding {
        let name = property.as_str().unwrap_or_default();
        let pool = self.plan.pool_at(self.value, place);
        let declared = self.plan.declarations(&pool, name);
        let nodes = declared.iter().filter_map(|entry| self.plan.node(entry.id));
        let described = nodes
            .filter_map(|node| self.schema.pointer(&node.pointer))
            .map(|part| describe(self.schema, part));
        let expected = joined(described).unwrap_or_else(|| "a value".to_owned());
        Finding::new(Rank::Missing, Issue::missing(&pointer::child(place, name), expected))
    }

    fn misnamed(place: &str, expected: &str, name: &Value) -> Finding {
        let path = pointer::child(place, name.as_str().unwrap_or_default());
        let text = format!("field name {}: expected {expected}", shown(name));
        Finding::new(Rank::Other, Issue::told(&path, format!("field name: {expected}"), shown(name), text))
    }

    /// What was wanted, with the bound that failed.
    pub(super) fn expected(&self, error: &ValidationError<'_>) -> String {
        let kind = self.type_name(error);
        let characters = |count: &u64| counted(&count.to_string(), "character");
        let items = |count: &dyn std::fmt::Display| counted(&count.to_string(), "item");
        let fields = |count: &u64| counted(&count.to_string(), "field");
        match error.kind() {
            Kind::Maximum { limit } => format!("{kind} ≤ {}", shown(limit)),
            Kind::Minimum { limit } => format!("{kind} ≥ {}", shown(limit)),
            Kind::ExclusiveMaximum { limit } => format!("{kind} < {}", shown(limit)),
            Kind::ExclusiveMinimum { limit } => format!("{kind} > {}", shown(limit)),
            Kind::MultipleOf { multiple_of } => format!("{kind} that is a multiple of {multiple_of}"),
            Kind::MinLength { limit: 1 } => "non-empty string".to_owned(),
            Kind::MaxLength { limit } => format!("string of at most {}", characters(limit)),
            Kind::MinLength { limit } => format!("string of at least {}", characters(limit)),
            Kind::Pattern { pattern } => format!("string matching `{}`", cut(pattern)),
            Kind::MaxItems { limit } => format!("array of at most {}", items(limit)),
            Kind::AdditionalItems { limit } => format!("array of at most {}", items(limit)),
            Kind::UnevaluatedItems { .. } => "array without further items".to_owned(),
            Kind::MinItems { limit } => format!("array of at least {}", items(limit)),
            Kind::UniqueItems => "array without repeated items".to_owned(),
            Kind::Contains => self.contains(error),
            Kind::MaxProperties { limit } => format!("object of at most {}", fields(limit)),
            Kind::MinProperties { limit } => format!("object of at least {}", fields(limit)),
            Kind::Constant { expected_value } => shown(expected_value),
            Kind::Enum { options } => one_of(options.as_array().map_or(&[], Vec::as_slice)),
            Kind::Type { kind } => type_names(kind),
            Kind::FalseSchema => "no value".to_owned(),
            Kind::Not { schema } => format!("anything but {}", describe_alternative(self.schema, schema)),
            Kind::OneOfMultipleValid { .. } => format!("exactly one of {}", self.union(error)),
            Kind::AnyOf { .. } | Kind::OneOfNotValid { .. } => self.union(error),
            _ => cut(&error.to_string()),
        }
    }

    /// The branches of a union, described.
    pub(super) fn union(&self, error: &ValidationError<'_>) -> String {
        let branches = self.schema.pointer(error.schema_path().as_str()).and_then(Value::as_array);
        let described =
            branches.into_iter().flatten().map(|branch| describe_alternative(self.schema, branch));
        joined(described).unwrap_or_else(|| "a value that one of the alternatives allows".to_owned())
    }

    fn contains(&self, error: &ValidationError<'_>) -> String {
        let keywords = self.schema.pointer(pointer::parent(error.schema_path().as_str()));
        match keywords.and_then(|keywords| keywords.get("contains")) {
            Some(wanted) => format!("array that contains {}", describe(self.schema, wanted)),
            None => "array with other items".to_owned(),
        }
    }

    /// The type that stands beside the keyword that failed, else the type of the value itself.
    fn type_name(&self, error: &ValidationError<'_>) -> &'static str {
        let keywords = self.schema.pointer(pointer::parent(error.schema_path().as_str()));
        match keywords.and_then(|keywords| keywords.get("type")).and_then(Value::as_str) {
            Some("integer") => "integer",
            _ => match error.instance().as_ref() {
                Value::Number(_) => "number",
                Value::String(_) => "string",
                Value::Array(_) => "array",
                Value::Object(_) => "object",
                _ => "value",
            },
        }
    }
}

fn type_names(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(only) => only.to_string(),
        TypeKind::Multiple(several) => {
            joined(several.iter().map(|name| name.to_string())).unwrap_or_default()
        }
    }
}
