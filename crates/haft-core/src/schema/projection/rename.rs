//! Arguments whose names a provider refuses get others, and get theirs back when a call arrives.

use std::fmt;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde::{Serialize, Serializer, ser::SerializeMap};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use super::super::pointer;
use super::keyword::{Holds, holds};
use super::report::{ChangeKind, ProjectionReport};

/// An argument with another name in a projection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Renamed {
    /// Its name in the tool's own schema.
    pub original: String,
    /// Its name as the provider sees it.
    pub sent: String,
}

/// Most characters of a name.
const LONGEST: usize = 64;
const SUFFIX: usize = 9;

/// Renames the properties of the root whose names are not `allowed`.
pub(super) fn properties(
    root: &mut Map<String, Value>,
    allowed: impl Fn(&str) -> bool,
    report: &mut ProjectionReport,
) -> Vec<Renamed> {
    let Some(Value::Object(properties)) = root.get_mut("properties") else { return Vec::new() };
    let mut refused: Vec<String> = properties.keys().filter(|name| !allowed(name)).cloned().collect();
    refused.sort_unstable();
    if refused.is_empty() {
        return Vec::new();
    }
    let before = properties.clone();
    let mut renamed = Vec::new();
    for original in refused {
        let sent = plain(&original);
        let sent =
            if properties.contains_key(&sent) || sent.is_empty() { hashed(&sent, &original) } else { sent };
        let Some(schema) = properties.remove(&original) else { continue };
        properties.insert(sent.clone(), schema);
        let why =
            format!("the provider refuses the name; it is sent as {sent:?} and gets its name back in a call");
        report.add(ChangeKind::Rewritten, &pointer::child("/properties", &original), "name", why);
        renamed.push(Renamed { original, sent });
    }
    keep_inner(root, before);
    for keyword in ["required", "dependentRequired"] {
        if let Some(value) = root.get_mut(keyword) {
            rename_in(value, &renamed);
        }
    }
    renamed
}

/// What refers to the root from inside itself keeps the own names: only the outermost ones come back in a call.
fn keep_inner(root: &mut Map<String, Value>, properties: Map<String, Value>) {
    let mut inner = root.clone();
    inner.insert("properties".to_owned(), Value::Object(properties));
    inner.remove("$defs");
    inner.remove("definitions");
    let mut name = "arguments".to_owned();
    while root.get("$defs").is_some_and(|definitions| definitions.get(&name).is_some()) {
        name.push('_');
    }
    let mut found = false;
    redirect(root, &name, &mut found);
    if found {
        redirect(&mut inner, &name, &mut found);
        if let Value::Object(definitions) = root.entry("$defs").or_insert_with(|| Value::Object(Map::new())) {
            definitions.insert(name, Value::Object(inner));
        }
    }
}

/// Lets references to the root, or to one of its properties, lead to the definition of that name.
fn redirect(keywords: &mut Map<String, Value>, name: &str, found: &mut bool) {
    if let Some(Value::String(reference)) = keywords.get_mut("$ref")
        && let Some(rest) = reference.strip_prefix('#')
        && (rest.is_empty() || rest.starts_with("/properties/"))
    {
        *reference = format!("#/$defs/{name}{rest}");
        *found = true;
    }
    for (keyword, value) in keywords {
        let list: Vec<&mut Value> = match (holds(keyword), value) {
            (Holds::Named | Holds::NamedOrNames, Value::Object(named)) => named.values_mut().collect(),
            (Holds::List | Holds::OneOrList, Value::Array(list)) => list.iter_mut().collect(),
            (Holds::One | Holds::OneOrList, one) => vec![one],
            _ => Vec::new(),
        };
        for one in list.into_iter().filter_map(Value::as_object_mut) {
            redirect(one, name, found);
        }
    }
}

/// Renames in lists of names, also in those by name.
fn rename_in(value: &mut Value, renamed: &[Renamed]) {
    match value {
        Value::String(name) => {
            if let Some(one) = renamed.iter().find(|one| one.original == *name) {
                name.clone_from(&one.sent);
            }
        }
        Value::Array(names) => names.iter_mut().for_each(|name| rename_in(name, renamed)),
        Value::Object(named) => {
            for (mut name, mut value) in std::mem::take(named) {
                rename_in(&mut value, renamed);
                if let Some(one) = renamed.iter().find(|one| one.original == name) {
                    name.clone_from(&one.sent);
                }
                named.insert(name, value);
            }
        }
        _ => {}
    }
}

/// `name` with `_` for every character but letters and digits, beginning with a letter or `_`, as most providers want it.
pub(super) fn plain(name: &str) -> String {
    let mut made: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if made.starts_with(|c: char| c.is_ascii_digit()) {
        made.insert(0, '_');
    }
    if made.len() > LONGEST { hashed(&made, name) } else { made }
}

/// `made`, told apart by 8 hex digits of the original's SHA-256, within 64 characters.
pub(super) fn hashed(made: &str, original: &str) -> String {
    let kept: String = made.chars().take(LONGEST - SUFFIX).collect();
    let hash = Sha256::digest(original).iter().take(4).fold(0_u32, |hash, byte| hash << 8 | u32::from(*byte));
    format!("{kept}_{hash:08x}")
}

/// Gives the arguments of a call their own names back; text that is no JSON object stays as it is.
pub(super) fn restored(arguments: &str, renamed: &[Renamed]) -> Option<String> {
    let members: Members = serde_json::from_str(arguments).ok()?;
    let own = |sent: &str| renamed.iter().find(|one| one.sent == sent).map(|one| one.original.clone());
    let members = members.0.into_iter().map(|(name, value)| (own(&name).unwrap_or(name), value)).collect();
    serde_json::to_string(&Members(members)).ok()
}

/// The members of an object in their order, also those of one name, values as written.
struct Members(Vec<(String, Box<RawValue>)>);

impl<'de> serde::Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;
        impl<'de> Visitor<'de> for Collect {
            type Value = Members;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Collect)
    }
}

impl Serialize for Members {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}
