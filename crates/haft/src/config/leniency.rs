//! How much more than the schemas themselves is accepted, in general and for the tools of one source.

use haft_core::{Leniency, RepairRule, ToolSource, UnknownFields};
use serde_json::{Value as Json, json};

use super::{
    field::{self, Field},
    problem::ConfigProblemKind,
    scope::{Scope, shown},
    tree::{Entry, Node, Value},
};
use crate::nearest::nearest;

/// The keys of `[leniency]` and of a source in it.
pub(super) const FIELDS: &[Field] = &[
    Field {
        name: "repairs",
        help: "What models are known to write otherwise, and is repaired: true is all, false is none, or a list.",
        schema: repairs_schema,
        also: &["repair"],
    },
    Field {
        name: "unknown_fields",
        help: "What happens to an argument that the tool's schema does not list and is silent about.",
        schema: || json!({"enum": ["refuse", "as_schema"]}),
        also: &["additional_properties"],
    },
    Field {
        name: "null_as_absent",
        help: "Whether null counts as left out where the schema refuses null.",
        schema: field::boolean,
        also: &["nulls"],
    },
];

/// Every source of tools.
pub(super) const SOURCES: [ToolSource; 7] = [
    ToolSource::Builtin,
    ToolSource::Mcp,
    ToolSource::Native,
    ToolSource::Http,
    ToolSource::Skill,
    ToolSource::A2a,
    ToolSource::Custom,
];

/// What was set; what was not stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Change {
    repairs: Option<Vec<RepairRule>>,
    unknown_fields: Option<UnknownFields>,
    null_as_absent: Option<bool>,
}

impl Change {
    /// The leniency with what was set.
    pub(super) fn applied(&self, mut leniency: Leniency) -> Leniency {
        if let Some(rules) = &self.repairs {
            for rule in RepairRule::ALL {
                leniency = leniency.with_repair(rule, rules.contains(&rule));
            }
        }
        leniency.unknown_fields = self.unknown_fields.unwrap_or(leniency.unknown_fields);
        leniency.null_as_absent = self.null_as_absent.unwrap_or(leniency.null_as_absent);
        leniency
    }

    /// What is set here, else there.
    pub(super) fn or(self, other: &Self) -> Self {
        Self {
            repairs: self.repairs.or_else(|| other.repairs.clone()),
            unknown_fields: self.unknown_fields.or(other.unknown_fields),
            null_as_absent: self.null_as_absent.or(other.null_as_absent),
        }
    }
}

/// Everything under `[leniency]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Changes {
    pub(super) general: Change,
    pub(super) of_sources: Vec<(ToolSource, Change)>,
}

impl Changes {
    /// What is set here, else there.
    pub(super) fn or(self, other: &Self) -> Self {
        let mut of_sources = self.of_sources;
        for (source, change) in &other.of_sources {
            match of_sources.iter_mut().find(|(own, _)| own == source) {
                Some((_, own)) => *own = std::mem::take(own).or(change),
                None => of_sources.push((*source, change.clone())),
            }
        }
        Self { general: self.general.or(&other.general), of_sources }
    }
}

/// What may stand under `leniency`.
pub(super) fn schema() -> Json {
    let mut schema = field::schema(FIELDS);
    if let Some(properties) = schema.get_mut("properties").and_then(Json::as_object_mut) {
        for source in SOURCES {
            let mut of_source = field::schema(FIELDS);
            if let Some(of_source) = of_source.as_object_mut() {
                let help = format!("The same for tools whose source is {}.", source.as_str());
                of_source.insert("description".to_owned(), help.into());
            }
            properties.insert(source.as_str().to_owned(), of_source);
        }
    }
    schema
}

fn repairs_schema() -> Json {
    let rules: Vec<&str> = RepairRule::ALL.iter().map(|rule| rule.as_str()).collect();
    json!({"anyOf": [{"type": "boolean"}, {"type": "array", "items": {"enum": rules}}]})
}

/// Reads what stands under `leniency`.
pub(super) fn read(scope: &mut Scope<'_>, node: &Node) -> Option<Changes> {
    let mut changes = Changes::default();
    for entry in scope.table("leniency", node)? {
        let source = SOURCES.into_iter().find(|source| source.as_str() == entry.key);
        let Some(source) = source else {
            one(scope, &mut changes.general, entry, "leniency");
            continue;
        };
        let key = format!("leniency.{}", entry.key);
        let mut change = Change::default();
        for entry in scope.table(&key, &entry.node).unwrap_or_default() {
            one(scope, &mut change, entry, &key);
        }
        changes.of_sources.push((source, change));
    }
    Some(changes)
}

fn one(scope: &mut Scope<'_>, change: &mut Change, entry: &Entry, parent: &str) {
    let key = format!("{parent}.{}", entry.key);
    match entry.key.as_str() {
        "repairs" => change.repairs = repairs(scope, &key, &entry.node),
        "unknown_fields" => change.unknown_fields = unknown_fields(scope, &key, &entry.node),
        "null_as_absent" => change.null_as_absent = scope.boolean(&key, &entry.node),
        _ => unknown(scope, entry),
    }
}

/// A key of neither kind.
fn unknown(scope: &mut Scope<'_>, entry: &Entry) {
    let source = nearest(&entry.key, SOURCES.iter().map(|source| source.as_str()));
    match source.filter(|_| field::meant(&entry.key, FIELDS).is_none()) {
        Some(source) => {
            let message = format!("unknown key `{}`; did you mean `{source}`?", shown(&entry.key));
            scope.problem(entry.at, ConfigProblemKind::UnknownKey, message);
        }
        None => scope.unknown(entry, FIELDS),
    }
}

fn repairs(scope: &mut Scope<'_>, key: &str, node: &Node) -> Option<Vec<RepairRule>> {
    match &node.value {
        Value::Boolean(on) => Some(if *on { RepairRule::ALL.to_vec() } else { Vec::new() }),
        Value::List(items) => {
            let rule = |item: &Node| match &item.value {
                Value::Text(id) => RepairRule::of_id(id),
                _ => None,
            };
            let mut rules = Vec::new();
            for item in items {
                match rule(item) {
                    Some(rule) => rules.push(rule),
                    None => return scope.wrong(key, item, &one_of(RepairRule::ALL.map(RepairRule::as_str))),
                }
            }
            Some(rules)
        }
        _ => scope.wrong(key, node, "true, false or a list of repairs"),
    }
}

fn unknown_fields(scope: &mut Scope<'_>, key: &str, node: &Node) -> Option<UnknownFields> {
    match &node.value {
        Value::Text(text) if text == "refuse" => Some(UnknownFields::Refuse),
        Value::Text(text) if text == "as_schema" => Some(UnknownFields::AsSchema),
        _ => scope.wrong(key, node, &one_of(["refuse", "as_schema"])),
    }
}

fn one_of<const N: usize>(values: [&str; N]) -> String {
    format!("one of {}", values.map(|value| format!("`{value}`")).join(", "))
}
