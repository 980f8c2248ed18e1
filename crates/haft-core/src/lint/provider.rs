//! What a provider would refuse, or get less of.

use super::{Lint, LintRow};
use crate::schema::projection::Reports;
use crate::schema::{ChangeKind, Projection, ReportRow, Target};
use crate::tool::Tool;

/// From so many characters on, some servers refuse a description.
const LONGEST: usize = 1024;

pub(super) fn rows(provider: Target, tool: &Tool, reports: &Reports<'_>, rows: &mut Vec<LintRow>) {
    let name = tool.name();
    let report = match reports.report(provider) {
        Ok(report) => report,
        Err(error) => {
            rows.push(LintRow::new(name, Lint::Refused, error.reason).of(provider).at(vec![error.pointer]));
            return;
        }
    };
    let projection = provider.projection();
    let sent = projection.tool_name(name);
    if sent != name {
        let message = format!("the provider refuses the name; it is sent as {sent:?}");
        rows.push(LintRow::new(name, Lint::Renamed, message).of(provider));
    }
    let length = tool.definition().description.chars().count();
    if matches!(projection, Projection::OpenAi | Projection::OpenAiStrict) && length > LONGEST {
        let message = format!(
            "the description has {length} characters; servers that speak this form may refuse over {LONGEST}"
        );
        rows.push(LintRow::new(name, Lint::LongDescription, message).of(provider));
    }
    for lint in [Lint::NotStrict, Lint::Dropped, Lint::Weakened, Lint::Narrowed, Lint::Renamed] {
        let found: Vec<&ReportRow> = report.rows().iter().filter(|row| lint_of(row) == Some(lint)).collect();
        let Some(first) = found.first() else { continue };
        let message = format!("{}: {}", whats(&found), first.why);
        let mut places: Vec<String> = found.iter().map(|row| row.pointer.clone()).collect();
        places.dedup();
        let row = LintRow::new(name, lint, message).of(provider).at(places);
        match rows.iter_mut().find(|known| known.provider == Some(provider) && known.lint == lint) {
            Some(known) => known.places.extend(row.places),
            None => rows.push(row),
        }
    }
}

/// The lint that a change is; a change that loses nothing is none.
fn lint_of(row: &ReportRow) -> Option<Lint> {
    let of_closed_object =
        row.what == "additionalProperties" && !row.pointer.ends_with("/additionalProperties");
    match row.kind {
        _ if row.what == "strict" => Some(Lint::NotStrict),
        // Further properties are refused at every call anyhow.
        ChangeKind::Dropped | ChangeKind::Narrowed if of_closed_object => None,
        ChangeKind::Dropped => Some(Lint::Dropped),
        ChangeKind::Weakened => Some(Lint::Weakened),
        ChangeKind::Narrowed => Some(Lint::Narrowed),
        ChangeKind::Rewritten if row.what == "name" => Some(Lint::Renamed),
        ChangeKind::Rewritten => None,
    }
}

/// The keywords that rows are about, cut where there are many.
fn whats(rows: &[&ReportRow]) -> String {
    const MOST: usize = 5;
    let mut whats: Vec<&str> = Vec::new();
    for row in rows {
        if !whats.contains(&&*row.what) {
            whats.push(&row.what);
        }
    }
    let more = whats.len().saturating_sub(MOST);
    whats.truncate(MOST);
    if more > 0 { format!("{} and {more} more", whats.join(", ")) } else { whats.join(", ") }
}
