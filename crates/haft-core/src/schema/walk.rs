//! What happens to arguments before they are checked, directed by the schema: nulls dropped, whole floats made integers,
//! defaults filled, unknown fields found.

use serde_json::{Map, Number, Value};

use super::canon;
use super::finding::{Finding, Rank};
use super::issue::{Issue, shown};
use super::leniency::{Leniency, Repair, UnknownFields};
use super::plan::{Entry, Plan, Pool, Role};
use super::pointer;

/// What the walk did and found.
#[derive(Debug, Default)]
pub(super) struct Walked {
    pub(super) repaired: Vec<Repair>,
    pub(super) findings: Vec<Finding>,
}

/// Walks `arguments` along `plan`. Defaults are filled where the plan holds some.
pub(super) fn walk(plan: &Plan, leniency: &Leniency, arguments: &mut Value) -> Walked {
    let mut walk = Walk { plan, leniency, done: Walked::default() };
    let pool = Pool::root(plan, arguments);
    walk.value(arguments, &pool, "");
    walk.done
}

struct Walk<'p> {
    plan: &'p Plan,
    leniency: &'p Leniency,
    done: Walked,
}

impl Walk<'_> {
    /// Recursion is bounded by the depth to which arguments are read.
    fn value(&mut self, value: &mut Value, pool: &Pool, path: &str) {
        match value {
            Value::Object(members) => {
                self.drop_nulls(members, pool, path);
                self.fill_defaults(members, pool);
                self.find_unknown(members, pool, path);
            }
            Value::Number(number) => self.whole(number, pool, path),
            _ => {}
        }
        match value {
            Value::Object(_) => self.members(value, pool, path),
            Value::Array(items) => {
                for (index, item) in items.iter_mut().enumerate() {
                    let seeds = self.plan.item(pool, index);
                    self.descend(item, seeds, &pointer::child(path, &index.to_string()));
                }
            }
            _ => {}
        }
    }

    fn members(&mut self, object: &mut Value, pool: &Pool, path: &str) {
        for (name, member) in object.as_object_mut().into_iter().flatten() {
            let seeds = self.plan.property(pool, name);
            self.descend(member, seeds, &pointer::child(path, name));
        }
    }

    fn descend(&mut self, value: &mut Value, seeds: Vec<Entry>, path: &str) {
        if !seeds.is_empty() {
            let pool = Pool::grown(self.plan, seeds, value);
            self.value(value, &pool, path);
        }
    }

    fn drop_nulls(&mut self, members: &mut Map<String, Value>, pool: &Pool, path: &str) {
        if !self.leniency.null_as_absent || !members.values().any(Value::is_null) {
            return;
        }
        members.retain(|name, member| {
            let kept = !member.is_null() || !self.plan.drops_null(&self.plan.declarations(pool, name));
            if !kept {
                self.done.repaired.push(Repair::null(pointer::child(path, name)));
            }
            kept
        });
    }

    fn fill_defaults(&self, members: &mut Map<String, Value>, pool: &Pool) {
        for entry in pool.live().filter(|entry| entry.role == Role::Conjunct) {
            let properties = self.plan.node(entry.id).and_then(|node| node.properties.as_ref());
            for (name, property) in properties.into_iter().flatten() {
                let default = self.plan.default(*property);
                if let Some(default) = default.filter(|_| !members.contains_key(name)) {
                    members.insert(name.clone(), default.clone());
                }
            }
        }
    }

    /// Rule: where the schema lists properties and is silent about others, the others are refused.
    fn find_unknown(&mut self, members: &Map<String, Value>, pool: &Pool, path: &str) {
        if self.leniency.unknown_fields == UnknownFields::AsSchema || !self.closes(pool, path) {
            return;
        }
        let names = self.plan.names(pool);
        let fields: Vec<&str> = names.iter().copied().collect();
        for (name, member) in members.iter().filter(|(name, _)| !names.contains(name.as_str())) {
            let issue = Issue::unknown(&pointer::child(path, name), member, &fields);
            self.done.findings.push(Finding::new(Rank::Unknown, issue));
        }
    }

    fn closes(&self, pool: &Pool, path: &str) -> bool {
        let demanding = pool.entries().filter(|entry| entry.role > Role::Condition);
        let nodes: Vec<_> = demanding.filter_map(|entry| self.plan.node(entry.id)).collect();
        let listing = nodes.iter().any(|node| node.properties.is_some());
        // Below the root an object without `properties` is free-form; a root that admits nothing takes nothing.
        let bare_root = path.is_empty() && !nodes.iter().any(|node| node.demands);
        (listing || bare_root) && !nodes.iter().any(|node| node.speaks)
    }

    /// A whole float becomes the integer that it is where the schema wants one.
    fn whole(&mut self, number: &mut Number, pool: &Pool, path: &str) {
        if !number.is_f64() && (number.is_i64() || number.is_u64()) {
            return;
        }
        let Some(float) = number.as_f64().filter(|float| float.fract() == 0.0) else { return };
        let kinds: Vec<_> =
            pool.live().filter_map(|entry| self.plan.node(entry.id)).map(|node| node.kinds).collect();
        if !kinds.iter().any(|kinds| kinds.wants_integer()) {
            return;
        }
        let integer = canon::whole(float);
        let signed = integer.and_then(|integer| i64::try_from(integer).ok()).map(Number::from);
        let exact =
            signed.or_else(|| integer.and_then(|integer| u64::try_from(integer).ok()).map(Number::from));
        let alternatives = kinds.iter().any(|kinds| kinds.names_number());
        match exact {
            Some(exact) => *number = exact,
            None if alternatives => {}
            None => self.done.findings.push(out_of_range(path, shown(&Value::Number(number.clone())))),
        }
    }
}

/// An integer that no 64-bit type holds.
pub(super) fn out_of_range(path: &str, digits: String) -> Finding {
    let expected = format!("integer from {} to {}", i64::MIN, u64::MAX);
    let advice =
        "Larger numbers cannot be passed on exactly: send a smaller one, or text where the field takes text";
    Finding::new(Rank::Other, Issue::stated(path, expected, digits, advice))
}
