//! The complete road: from argument text to the effective arguments, or every reason against them.
//!
//! Text → strict reading → normalisation along the schema → JSON Schema's verdict → issues in order; where there are
//! issues, repairs, which go the same way.

use serde_json::{Map, Value};

use super::finding::{Finding, Rank, ordered};
use super::issue::{Issue, cut};
use super::json::{self, Defect, Fault, FaultKind, Limits};
use super::leniency::{Leniency, Repair};
use super::plan::Effort;
use super::repair;
use super::road::Road;
use super::walk::{Walked, out_of_range, walk};

/// What came of judging one call's arguments.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Judgement {
    /// The effective arguments, always an object, or why there are none.
    pub verdict: Result<Value, Refused>,
    /// What was changed to accept them, or to judge them, in the order it happened.
    pub repaired: Vec<Repair>,
}

/// Why arguments were refused.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refused {
    /// Every issue: unknown fields, then missing ones, then others. Never empty.
    pub issues: Vec<Issue>,
    /// Set when the text could not be read as JSON at all.
    pub reason: Option<RefusalReason>,
}

/// Why a text is no JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RefusalReason {
    /// The text ends before its value does.
    Truncated,
    /// The text is wrong before its end.
    Malformed,
}

impl RefusalReason {
    /// The name in an error body: `truncated` or `malformed`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Truncated => "truncated",
            Self::Malformed => "malformed",
        }
    }
}

/// Judges the argument text of one call.
pub(super) fn judge(road: &Road, arguments: &str, leniency: &Leniency) -> Judgement {
    judge_changed(road, arguments, leniency, |_| {})
}

/// Judges an argument text, some of whose values are set once it has been read, each time that it is read.
pub(super) fn judge_changed(
    road: &Road,
    arguments: &str,
    leniency: &Leniency,
    mut change: impl FnMut(&mut Value),
) -> Judgement {
    let judgement = match read(arguments) {
        Ok(mut value) => {
            change(&mut value);
            examine(road, value, leniency).into_judgement()
        }
        Err(reasons) => refused(reasons, Vec::new()),
    };
    if judgement.verdict.is_ok() || !leniency.repairs_arguments() {
        return judgement;
    }
    // Read once more: what the check did to the value belongs to the verdict without repairs.
    let repaired = repair::read(road, arguments, leniency).and_then(|(mut value, made)| {
        change(&mut value);
        repair::mended(road, value, made, leniency)
    });
    repaired.unwrap_or(judgement)
}

/// Judges arguments that have been read already.
pub(super) fn judge_value(road: &Road, arguments: Value, leniency: &Leniency) -> Judgement {
    let original = leniency.repairs_arguments().then(|| arguments.clone());
    let judgement = examine(road, arguments, leniency).into_judgement();
    if judgement.verdict.is_ok() {
        return judgement;
    }
    let unwrapped = original.and_then(|original| repair::unwrapped(original, leniency));
    let repaired = unwrapped.and_then(|(value, made)| repair::mended(road, value, made, leniency));
    repaired.unwrap_or(judgement)
}

/// Nothing, and `null`, are no arguments.
fn read(arguments: &str) -> Result<Value, Refused> {
    if arguments.trim().is_empty() {
        return Ok(Value::Object(Map::new()));
    }
    let reading = json::read(arguments, &Limits::default()).map_err(|fault| {
        let malformed = fault.kind == FaultKind::Malformed;
        let cut_off = malformed.then(|| repair::cut_off(arguments)).flatten();
        unreadable(arguments, &cut_off.unwrap_or(fault))
    })?;
    match reading.value {
        _ if !reading.defects.is_empty() => {
            let findings = reading.defects.into_iter().map(defective).collect();
            Err(Refused { issues: ordered(findings), reason: None })
        }
        Value::Null => Ok(Value::Object(Map::new())),
        value => Ok(value),
    }
}

/// What a check found, and what it did to the arguments on the way.
#[derive(Debug)]
pub(super) struct Examined {
    pub(super) arguments: Value,
    pub(super) repaired: Vec<Repair>,
    pub(super) findings: Vec<Finding>,
}

impl Examined {
    fn into_judgement(self) -> Judgement {
        if self.findings.is_empty() {
            return Judgement { verdict: Ok(self.arguments), repaired: self.repaired };
        }
        refused(Refused { issues: ordered(self.findings), reason: None }, self.repaired)
    }
}

/// The whole check, without repairs.
pub(super) fn examine(road: &Road, arguments: Value, leniency: &Leniency) -> Examined {
    let mut arguments = match arguments {
        Value::Null => Value::Object(Map::new()),
        Value::Object(_) => arguments,
        other => {
            let issue = Issue::mismatch("", "one JSON object with the arguments", &other);
            let findings = vec![Finding::new(Rank::Other, issue)];
            return Examined { arguments: other, repaired: Vec::new(), findings };
        }
    };
    let effort = road.plan.effort(&arguments);
    let walked = match effort {
        Effort::Hopeless => Walked::default(),
        _ => walk(&road.plan, leniency, &mut arguments),
    };
    let mut findings = walked.findings;
    findings.extend(road.findings_with(effort, &arguments));
    Examined { arguments, repaired: walked.repaired, findings }
}

fn refused(refused: Refused, repaired: Vec<Repair>) -> Judgement {
    Judgement { verdict: Err(refused), repaired }
}

/// A text that is no JSON, told with its place; the model never gets a guess at what it may have meant.
fn unreadable(text: &str, fault: &Fault) -> Refused {
    let (reason, what, advice) = match fault.kind {
        FaultKind::Truncated => (
            Some(RefusalReason::Truncated),
            "the arguments were cut off",
            "Nothing was run. Send the whole call again; if the output limit cut it, send less in one call",
        ),
        FaultKind::Malformed => (
            Some(RefusalReason::Malformed),
            "the arguments are not valid JSON",
            "Nothing was run. Send the call again with one valid JSON object",
        ),
        FaultKind::TooLarge => {
            (None, "the arguments are too large", "Nothing was run. Send less in one call")
        }
    };
    let message = format!("{what}: {} at {}. {advice}", fault.reason, fault.position);
    let issue = Issue::told("", "one JSON object", excerpt(text, fault), message);
    Refused { issues: vec![issue], reason }
}

/// The text around the fault.
fn excerpt(text: &str, fault: &Fault) -> String {
    const BEFORE: usize = 40;
    let offset = fault.position.offset.min(text.len());
    let head = text.get(..offset).unwrap_or_default();
    let start = head.char_indices().rev().nth(BEFORE).map_or(0, |(start, _)| start);
    let gap = if start == 0 { "" } else { "…" };
    format!("{gap}{}", cut(text.get(start..).unwrap_or_default()))
}

fn defective(defect: Defect) -> Finding {
    match defect {
        Defect::IntegerRange { path, digits } => out_of_range(&path, cut(&digits)),
        Defect::FloatRange { path, digits } => {
            let expected = format!("number from {:e} to {:e}", f64::MIN, f64::MAX);
            Finding::new(Rank::Other, Issue::stated(&path, expected, cut(&digits), ""))
        }
        Defect::DuplicateKey { path, key } => {
            let text =
                format!("field `{key}` is given more than once: send it once, with the value that is meant");
            let issue = Issue::told(&path, "each field once", "the field twice".to_owned(), text);
            Finding::new(Rank::Other, issue)
        }
    }
}
