//! Where each `$ref` of a schema leads, as a JSON pointer into the same schema.

use std::collections::BTreeMap;

use serde_json::Value;

use super::super::check::resolve_uri;
use super::super::dialect::Dialect;
use super::super::pointer;

/// The base of a schema that names itself nothing.
const NO_BASE: &str = "json-schema:///";

/// A part of the schema with a URI of its own: the root, or a subschema with `$id`.
#[derive(Debug)]
struct Resource {
    uri: String,
    pointer: String,
    anchors: BTreeMap<String, String>,
}

/// The resources and anchors of one schema.
#[derive(Debug)]
pub(in crate::schema) struct References<'s> {
    root: &'s Value,
    resources: Vec<Resource>,
    dynamic: bool,
}

impl<'s> References<'s> {
    pub(in crate::schema) fn of(root: &'s Value, dialect: Dialect) -> Self {
        let mut all = Self { root, resources: Vec::new(), dynamic: false };
        all.resources.push(Resource {
            uri: NO_BASE.to_owned(),
            pointer: String::new(),
            anchors: BTreeMap::new(),
        });
        if !names_itself(root) {
            return all;
        }
        // Nesting is bounded before a plan is made; the stack only keeps the order simple.
        let mut open = vec![(String::new(), root, 0_usize)];
        while let Some((place, value, base)) = open.pop() {
            match value {
                Value::Object(members) => {
                    let base = all.enter(&place, value, base, dialect);
                    for (key, member) in members {
                        if !matches!(key.as_str(), "enum" | "const" | "default" | "examples") {
                            open.push((pointer::child(&place, key), member, base));
                        }
                    }
                }
                Value::Array(items) => {
                    for (index, item) in items.iter().enumerate() {
                        open.push((pointer::child(&place, &index.to_string()), item, base));
                    }
                }
                _ => {}
            }
        }
        all
    }

    /// Notes the identifier and anchors of a subschema; gives the resource that it belongs to.
    fn enter(&mut self, place: &str, schema: &Value, base: usize, dialect: Dialect) -> usize {
        let text = |keyword: &str| schema.get(keyword).and_then(Value::as_str);
        let mut base = base;
        if let Some(id) = text(dialect.id_keyword()) {
            if let Some(anchor) = id.strip_prefix('#') {
                // The way to name an anchor before there was a keyword for it.
                self.anchor(base, anchor, place);
            } else {
                let outer = self.resources.get(base).map_or(NO_BASE, |resource| resource.uri.as_str());
                if let Some(uri) = resolve_uri(outer, id) {
                    base = self.resources.len();
                    let uri = uri.trim_end_matches('#').to_owned();
                    self.resources.push(Resource {
                        uri,
                        pointer: place.to_owned(),
                        anchors: BTreeMap::new(),
                    });
                }
            }
        }
        if dialect >= Dialect::Draft201909 {
            self.dynamic |=
                ["$dynamicAnchor", "$recursiveAnchor"].iter().any(|keyword| schema.get(*keyword).is_some());
            for anchor in ["$anchor", "$dynamicAnchor"].into_iter().filter_map(text) {
                self.anchor(base, anchor, place);
            }
        }
        base
    }

    fn anchor(&mut self, base: usize, anchor: &str, place: &str) {
        if let Some(resource) = self.resources.get_mut(base) {
            resource.anchors.insert(anchor.to_owned(), place.to_owned());
        }
    }

    /// Whether a subschema names itself, so that references inside it start from there, or is found dynamically.
    pub(in crate::schema) fn has_embedded(&self) -> bool {
        self.dynamic || self.resources.iter().any(|resource| !resource.pointer.is_empty())
    }

    /// Whether some references are found dynamically.
    pub(in crate::schema) fn is_dynamic(&self) -> bool {
        self.dynamic
    }

    /// The JSON pointer that `reference` leads to when it stands at `place`.
    pub(in crate::schema) fn target(&self, place: &str, reference: &str) -> Option<(String, &'s Value)> {
        let base = self.base(place)?;
        let (uri, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let resource = if uri.is_empty() {
            base
        } else {
            let absolute = resolve_uri(&base.uri, uri)?;
            self.resources.iter().rev().find(|resource| resource.uri == absolute)?
        };
        let fragment = percent_decoded(fragment)?;
        let target = match fragment.as_str() {
            "" => resource.pointer.clone(),
            path if path.starts_with('/') => format!("{}{path}", resource.pointer),
            anchor => resource.anchors.get(anchor)?.clone(),
        };
        let value = pointer::find(self.root, &target)?;
        Some((target, value))
    }

    /// The innermost resource that holds `place`.
    fn base(&self, place: &str) -> Option<&Resource> {
        let holds = |resource: &&Resource| {
            place
                .strip_prefix(resource.pointer.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        // Later resources with the same pointer are the ones that named themselves.
        self.resources.iter().filter(holds).max_by_key(|resource| resource.pointer.len())
    }
}

/// Whether any part of the schema may have a name of its own; most schemas have none, and need no walk with all places.
fn names_itself(root: &Value) -> bool {
    let mut open = vec![root];
    while let Some(value) = open.pop() {
        match value {
            Value::Object(members) => {
                for (key, member) in members {
                    if matches!(
                        key.as_str(),
                        "id" | "$id" | "$anchor" | "$dynamicAnchor" | "$recursiveAnchor"
                    ) && !member.is_object()
                    {
                        return true;
                    }
                    open.push(member);
                }
            }
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
    false
}

fn percent_decoded(text: &str) -> Option<String> {
    if !text.contains('%') {
        return Some(text.to_owned());
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let high = char::from(rest.next()?).to_digit(16)?;
            let low = char::from(rest.next()?).to_digit(16)?;
            bytes.push(u8::try_from(high * 16 + low).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}
