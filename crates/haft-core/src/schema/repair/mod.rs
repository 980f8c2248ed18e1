//! Repairs of what models are known to send. Each rule has a file; none is tried before the arguments as they stand were
//! refused, and none counts unless the whole check accepts what came of it.

mod empty_text;
mod enum_case;
mod json_text;
mod pass;
mod place;
mod rule;
mod scalar_text;
mod single_value;
mod surrounding_text;

pub use rule::RepairRule;
pub(super) use rule::RepairRules;
pub(super) use surrounding_text::cut_off;

use std::collections::BTreeSet;

use serde_json::Value;

use super::finding::Rank;
use super::json::{self, FaultKind, Limits};
use super::judge::{Judgement, examine};
use super::leniency::{Leniency, Repair};
use super::plan::Effort;
use super::road::Road;

/// How often what was repaired is looked at again: text that holds JSON may hold what else is to be repaired.
const ROUNDS: usize = 8;

/// The arguments that a refused text holds, where that is plain, and how they were found in it.
pub(super) fn read(road: &Road, text: &str, leniency: &Leniency) -> Option<(Value, Vec<Repair>)> {
    match json::read(text, &Limits::default()) {
        Ok(reading) => unwrapped(reading.value, leniency).filter(|_| reading.defects.is_empty()),
        Err(fault) => {
            let tried = fault.kind == FaultKind::Malformed && leniency.repairs(RepairRule::SurroundingText);
            let object = tried.then(|| surrounding_text::object(text, road)).flatten()?;
            Some((object, vec![Repair::new(RepairRule::SurroundingText, "")]))
        }
    }
}

/// The same for a value that has been read already.
pub(super) fn unwrapped(value: Value, leniency: &Leniency) -> Option<(Value, Vec<Repair>)> {
    match value {
        Value::Object(_) => Some((value, Vec::new())),
        Value::String(text) if leniency.repairs(RepairRule::JsonText) => {
            Some((json_text::bag(&text)?, vec![Repair::new(RepairRule::JsonText, "")]))
        }
        _ => None,
    }
}

/// Repairs what is wrong until nothing is, or until no rule applies.
pub(super) fn mended(
    road: &Road,
    mut arguments: Value,
    mut repaired: Vec<Repair>,
    leniency: &Leniency,
) -> Option<Judgement> {
    for _ in 0..=ROUNDS {
        if road.plan.effort(&arguments) != Effort::Fair {
            return None;
        }
        let examined = examine(road, arguments.clone(), leniency);
        if examined.findings.is_empty() {
            repaired.extend(examined.repaired);
            return Some(Judgement { verdict: Ok(examined.arguments), repaired });
        }
        let others = examined.findings.iter().filter(|finding| finding.rank == Rank::Other);
        let wrong: BTreeSet<&str> = others.map(|finding| finding.issue.path.as_str()).collect();
        let made = pass::pass(&road.plan, leniency, &wrong, &mut arguments);
        if made.is_empty() {
            return None;
        }
        repaired.extend(made);
    }
    None
}
