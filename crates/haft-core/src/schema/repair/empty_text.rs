//! `""` for a field that may be left out and that does not take it.

use super::super::plan::{Plan, Pool, Role};

/// Whether the field `name` of the object that `pool` applies to is listed and nothing requires it.
pub(super) fn is_optional(plan: &Plan, pool: &Pool, name: &str) -> bool {
    let demanding = pool.entries().filter(|entry| entry.role > Role::Condition);
    let required = |node: &super::super::plan::Node| node.required.iter().any(|required| required == name);
    !demanding.filter_map(|entry| plan.node(entry.id)).any(required)
        && !plan.declarations(pool, name).is_empty()
}
