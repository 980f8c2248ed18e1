//! What is demanded of objects.

use std::sync::atomic::AtomicU8;

use serde_json::{Map, Value};

use super::super::super::check::Pattern;
use super::super::super::dialect::Dialect;
use super::super::super::pointer;
use super::super::node::{NodeId, ObjectChecks, Property, Unlisted, print};
use super::{Compiler, Use};

/// Most properties of one object: one bit each.
const MOST_PROPERTIES: usize = 64;

impl Compiler<'_, '_> {
    /// `composed`: other subschemas apply to the same object.
    pub(super) fn object(
        &mut self,
        place: &str,
        keywords: &Map<String, Value>,
        (used, composed): (Use, bool),
        depth: usize,
    ) -> Option<ObjectChecks> {
        let elsewhere = if used == Use::Part { NodeId::ELSEWHERE } else { NodeId::ANY };
        let mut checks = ObjectChecks { others: elsewhere, ..ObjectChecks::default() };
        let count = |keyword: &str, otherwise: usize| match keywords.get(keyword) {
            None => Some(otherwise),
            Some(value) => usize::try_from(value.as_u64()?).ok(),
        };
        checks.least = count("minProperties", 0)?;
        checks.most = count("maxProperties", usize::MAX)?;
        let speaks = ["additionalProperties", "patternProperties", "unevaluatedProperties"]
            .iter()
            .any(|keyword| keywords.contains_key(*keyword));
        if let Some(others) = keywords.get("additionalProperties") {
            checks.others =
                self.compile(&pointer::child(place, "additionalProperties"), others, used, depth)?;
        }
        if let Some(unevaluated) = keywords.get("unevaluatedProperties") {
            // Older dialects do not know the keyword.
            if *unevaluated != Value::Bool(false) || self.dialect < Dialect::Draft201909 {
                return None;
            }
            // With other subschemas beside, their properties count too.
            if !composed && !keywords.contains_key("additionalProperties") {
                checks.others = NodeId::NOTHING;
            }
        }
        if let Some(named) = keywords.get("patternProperties") {
            let here = pointer::child(place, "patternProperties");
            for (pattern, schema) in named.as_object()? {
                let id = self.compile(&pointer::child(&here, pattern), schema, used, depth)?;
                checks.patterns.push((Pattern::new(pattern), id));
            }
        }
        self.properties(place, keywords, &mut checks, (used, depth))?;
        require(keywords, &mut checks)?;
        checks.unlisted = match speaks {
            true => Unlisted::Spoken,
            false if self.rules.closing && checks.lists => Unlisted::Closed,
            false => Unlisted::Silent,
        };
        // At first the order of the schema is as good as any.
        checks.followers = (0..=checks.properties.len())
            .filter_map(|next| u8::try_from(next).ok())
            .map(AtomicU8::new)
            .collect();
        checks.prints = checks.properties.iter().map(|property| print(&property.name)).collect();
        let peculiar = |property: &Property| {
            // Names are compared as they are written.
            let escaped = |character: char| character.is_control() || matches!(character, '"' | '\\');
            property.name.starts_with("$serde_json::")
                || property.name.contains(escaped)
                || checks.patterns.iter().any(|(pattern, _)| pattern.matches(&property.name))
        };
        let plain = checks.properties.len() <= MOST_PROPERTIES && !checks.properties.iter().any(peculiar);
        plain.then_some(checks)
    }

    fn properties(
        &mut self,
        place: &str,
        keywords: &Map<String, Value>,
        checks: &mut ObjectChecks,
        (used, depth): (Use, usize),
    ) -> Option<()> {
        let Some(named) = keywords.get("properties") else { return Some(()) };
        checks.lists = true;
        let here = pointer::child(place, "properties");
        for (name, schema) in named.as_object()? {
            let here = pointer::child(&here, name);
            let node = self.compile(&here, schema, used, depth)?;
            let default = self.rules.defaults.get(&here).cloned();
            // What is filled is walked like what was sent; only a plain value stays as it is.
            if default
                .as_ref()
                .is_some_and(|default| default.is_object() || default.is_array() || default.is_f64())
            {
                return None;
            }
            checks.fills |= default.is_some();
            checks.properties.push(Property { name: name.as_str().into(), node, listed: true, default });
        }
        Some(())
    }
}

/// A name that is required and not listed is a property of which nothing more is said.
fn require(keywords: &Map<String, Value>, checks: &mut ObjectChecks) -> Option<()> {
    let Some(names) = keywords.get("required") else { return Some(()) };
    for name in names.as_array()? {
        let name = name.as_str()?;
        let listed = checks.properties.iter().position(|property| &*property.name == name);
        let place = match listed {
            Some(place) => place,
            None if checks.patterns.is_empty() => {
                let (name, node) = (name.into(), checks.others);
                checks.properties.push(Property { name, node, listed: false, default: None });
                checks.properties.len() - 1
            }
            None => return None,
        };
        checks.required |= 1_u64.checked_shl(u32::try_from(place).ok()?)?;
    }
    Some(())
}
