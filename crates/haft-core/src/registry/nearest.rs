//! The error for an unknown name: the tools that exist, the nearest first where there are many.

use crate::{
    error::{ErrorCode, ToolError},
    registry::{Snapshot, folded::are_alike},
};

/// As many tools are all named.
const ALL: usize = 50;
/// Of more tools, as many are named.
const NEAREST: usize = 20;

/// As many characters of what was called are compared: no name has more.
const COMPARED: usize = 64;
/// So alike a name has to be to be meant.
const ALIKE: f64 = 0.8;

/// The name that is most like what was meant, if one is like it at all.
pub(super) fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<String> {
    let wanted = compared(name);
    let mut best: Option<(f64, &str)> = None;
    for name in names {
        let alike = strsim::jaro_winkler(&wanted, &compared(name));
        if alike >= ALIKE && best.is_none_or(|(most, _)| alike > most) {
            best = Some((alike, name));
        }
    }
    best.map(|(_, name)| name.to_owned())
}

/// The end of a message about a name that nothing has.
pub(super) fn advice(nearest: Option<&str>) -> String {
    nearest.map(|name| format!("; did you mean {name:?}?")).unwrap_or_default()
}

fn compared(name: &str) -> String {
    name.chars().take(COMPARED).collect::<String>().to_lowercase()
}

/// How alike what was called is to the name of a tool. Models put a namespace in front, or leave one away: the last part
/// alone says what is meant.
fn likeness(called: &str, name: &str) -> f64 {
    const SAME_LAST_PART: f64 = 0.95;
    let (called, name) = (compared(called), compared(name));
    let plain = |text: &str| last_part(text).replace(['-', '_'], "");
    let whole = strsim::jaro_winkler(&called, &name);
    let same = !plain(&called).is_empty() && plain(&called) == plain(&name);
    if same { whole.max(SAME_LAST_PART) } else { whole }
}

fn last_part(name: &str) -> &str {
    let parts = name.rsplit(['.', ':', '/']).next().unwrap_or_default();
    parts.rsplit("__").next().unwrap_or_default()
}

pub(super) fn not_found(name: &str, snapshot: &Snapshot) -> ToolError {
    let likeness = |known: &&str| likeness(name, known);
    let alike: Vec<&str> =
        snapshot.alike(name).into_iter().map(|registered| registered.tool.name()).collect();
    // Those that are meant most likely are never left out.
    let likeness = |name: &&str| if alike.contains(name) { f64::INFINITY } else { likeness(name) };
    let mut names: Vec<(f64, &str)> = snapshot.names().map(|name| (likeness(&name), name)).collect();
    let total = names.len();
    // The first of the best: `max_by` would take the last.
    let best = names.iter().rev().max_by(|a, b| a.0.total_cmp(&b.0)).filter(|best| best.0 >= ALIKE).copied();
    if total > ALL {
        names.sort_by(|a, b| b.0.total_cmp(&a.0));
        names.truncate(NEAREST);
    }
    let meant = snapshot.in_full(name).or_else(|| best.map(|(_, best)| best));
    let message = match (total, meant) {
        _ if alike.len() > 1 => {
            let why = if alike.iter().all(|known| are_alike(known, name)) {
                "they differ in letter case, - and _ alone"
            } else {
                "more than one tool goes by that name"
            };
            let alike: Vec<String> = alike.iter().map(|name| format!("{name:?}")).collect();
            let alike = alike.join(" or ");
            format!("there is no tool {name:?}; call {alike}, by its exact name: {why}")
        }
        (0, _) => format!("there is no tool {name:?}; no tool is registered"),
        (_, Some(meant)) => format!("there is no tool {name:?}; did you mean {meant:?}?"),
        (_, None) => format!("there is no tool {name:?}; call one of those listed"),
    };
    let tools: Vec<String> = names.into_iter().map(|(_, name)| name.to_owned()).collect();
    let more = total - tools.len();
    ToolError::of(ErrorCode::NotFound, message).detail(|details| {
        details.tools = Some(tools);
        details.more = (more > 0).then_some(more);
    })
}
