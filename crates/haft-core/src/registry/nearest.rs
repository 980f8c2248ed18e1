//! The error for an unknown name: the tools that exist, the nearest first where there are many.

use crate::{
    error::{ErrorCode, ToolError},
    registry::Snapshot,
};

/// As many tools are all named.
const ALL: usize = 50;
/// Of more tools, as many are named.
const NEAREST: usize = 20;

pub(super) fn not_found(name: &str, snapshot: &Snapshot) -> ToolError {
    let mut names: Vec<&str> = snapshot.names().collect();
    let total = names.len();
    let nearest = nearest(name, &names);
    if total > ALL {
        names.sort_by(|a, b| distance(name, b).total_cmp(&distance(name, a)));
        names.truncate(NEAREST);
    }
    let message = match (total, nearest) {
        (0, _) => format!("there is no tool {name:?}; no tool is registered"),
        (_, Some(nearest)) => format!("there is no tool {name:?}; did you mean {nearest:?}?"),
        (_, None) => format!("there is no tool {name:?}; call one of those listed"),
    };
    let tools: Vec<String> = names.into_iter().map(str::to_owned).collect();
    let more = total - tools.len();
    ToolError::of(ErrorCode::NotFound, message).detail(|details| {
        details.tools = Some(tools);
        details.more = (more > 0).then_some(more);
    })
}

fn distance(a: &str, b: &str) -> f64 {
    strsim::jaro_winkler(&a.to_lowercase(), &b.to_lowercase())
}

/// The one name that is close enough to be meant.
fn nearest<'a>(name: &str, names: &[&'a str]) -> Option<&'a str> {
    let best = names.iter().max_by(|a, b| distance(name, a).total_cmp(&distance(name, b)))?;
    (distance(name, best) >= 0.8).then_some(*best)
}
