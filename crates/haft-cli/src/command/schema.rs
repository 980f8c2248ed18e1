//! `haft schema`: one bare schema as a provider takes it.

use std::io::Write as _;

use haft::Projected;
use serde_json::Value;

use crate::{
    host::{Exit, Host},
    output,
    settings::{ReportForm, Schema},
};

pub(super) fn run(settings: &Schema, host: &mut Host) -> anyhow::Result<Exit> {
    super::announce(&settings.file, "a schema", host);
    let text = settings.file.read()?;
    let schema: Value = serde_json::from_str(&text).map_err(|error| settings.file.not_json(&error))?;
    match settings.target.schema(&schema) {
        Ok(projected) => {
            output::write_pretty_json(&mut host.stdout, &projected.value)?;
            host.stdout.flush()?;
            report(&projected, settings.report, host)?;
            Ok(Exit::Success)
        }
        Err(error) => {
            host.problem(error);
            Ok(Exit::Failure)
        }
    }
}

/// Says on standard error what was changed.
fn report(projected: &Projected, form: ReportForm, host: &mut Host) -> anyhow::Result<()> {
    match form {
        ReportForm::None => {}
        ReportForm::Lines => {
            for row in projected.report.rows() {
                host.note(row);
            }
            if projected.report.is_empty() {
                host.note("nothing was changed");
            }
        }
        ReportForm::Json => {
            let report = serde_json::json!({
                "strict": projected.strict,
                "renamed": projected.renamed,
                "rows": projected.report,
            });
            host.tell_json(&output::json(&report)?);
        }
    }
    Ok(())
}
