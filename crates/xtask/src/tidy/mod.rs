//! `cargo xtask tidy`: the house rules that neither rustc nor clippy can see, one rule per function.

mod dependencies;
mod documents;
mod manifests;
mod phrases;
mod source;

use std::process::ExitCode;

use crate::report::Report;
use crate::workspace::Workspace;

pub(crate) fn run(workspace: &Workspace) -> anyhow::Result<ExitCode> {
    let report = check(workspace)?;
    for failure in &report.failures {
        anstream::println!("{failure}");
    }
    anstream::println!("{}", report.detail);
    Ok(if report.is_failure() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Every finding of every rule.
pub(crate) fn check(workspace: &Workspace) -> anyhow::Result<Report> {
    let files = workspace.files()?;
    let mut report = Report::default();
    let sizes = source::check(workspace, &files, &mut report.failures)?;
    phrases::check(workspace, &files, &mut report.failures)?;
    documents::check(workspace, &files, &mut report.failures)?;
    manifests::check(workspace, &mut report.failures)?;
    dependencies::check(workspace, &mut report.failures)?;
    report.detail = format!("{} files; {sizes}", files.len());
    Ok(report)
}
