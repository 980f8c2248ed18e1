//! Which checks of the conformance suite are expected to fail, each with its reason.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Context as _;
use serde::Deserialize;

use super::conformance::{Problem, Side};
use crate::workspace::Workspace;

const FILE: &str = "crates/xtask/interop/expected-failures.json";

/// One entry of the file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    side: Side,
    revision: String,
    scenario: String,
    /// One check of the scenario; all where none is named.
    #[serde(default)]
    check: Option<String>,
    reason: String,
}

/// The whole file.
#[derive(Debug)]
pub(crate) struct Expected(Vec<Entry>);

impl Expected {
    pub(crate) fn read(workspace: &Workspace) -> anyhow::Result<Self> {
        let text = workspace.text(Path::new(FILE))?.with_context(|| format!("{FILE} is no UTF-8"))?;
        Self::parse(&text).with_context(|| format!("cannot understand {FILE}"))
    }

    fn parse(text: &str) -> anyhow::Result<Self> {
        let entries: Vec<Entry> = serde_json::from_str(text)?;
        for entry in &entries {
            anyhow::ensure!(entry.reason.trim().len() > 10, "{} has no reason", entry.scenario);
        }
        Ok(Self(entries))
    }

    /// What differs from the file in one run: failures that it does not expect, and entries that nothing fails for.
    pub(crate) fn compare(&self, side: Side, revision: &str, problems: &[Problem]) -> Vec<String> {
        let entries = || self.0.iter().filter(|entry| entry.side == side && entry.revision == revision);
        let mut differences = BTreeSet::new();
        for problem in problems.iter().filter(|problem| !entries().any(|entry| entry.covers(problem))) {
            let Problem { scenario, check, message } = problem;
            differences.insert(format!("{side} {revision} {scenario}: {check}: {message}"));
        }
        for entry in entries().filter(|entry| !problems.iter().any(|problem| entry.covers(problem))) {
            let check = entry.check.as_deref().map(|check| format!(": {check}")).unwrap_or_default();
            differences.insert(format!(
                "{side} {revision} {}{check}: is expected to fail, but does not; take it out of {FILE}",
                entry.scenario
            ));
        }
        differences.into_iter().collect()
    }
}

impl Entry {
    fn covers(&self, problem: &Problem) -> bool {
        self.scenario == problem.scenario && self.check.as_ref().is_none_or(|check| *check == problem.check)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTRIES: &str = r#"[
        {"side": "client", "revision": "2025-11-25", "scenario": "auth/dpop", "reason": "an extension that we lack"},
        {"side": "client", "revision": "2025-11-25", "scenario": "a", "check": "b", "reason": "a reason of some length"}
    ]"#;

    fn problem(scenario: &str, check: &str) -> Problem {
        Problem { scenario: scenario.to_owned(), check: check.to_owned(), message: "no".to_owned() }
    }

    #[test]
    fn what_is_expected_is_no_difference() {
        let expected = Expected::parse(ENTRIES).unwrap();
        let problems = [problem("auth/dpop", "x"), problem("auth/dpop", "y"), problem("a", "b")];
        assert!(expected.compare(Side::Client, "2025-11-25", &problems).is_empty());
        assert!(expected.compare(Side::Server, "2025-11-25", &[]).is_empty());
    }

    #[test]
    fn other_failures_and_stale_entries_are_differences() {
        let expected = Expected::parse(ENTRIES).unwrap();
        let found =
            expected.compare(Side::Client, "2025-11-25", &[problem("auth/dpop", "x"), problem("a", "c")]);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(
            found.iter().any(|line| line.starts_with("client 2025-11-25 a: b: is expected to fail")),
            "{found:?}"
        );
        assert!(found.iter().any(|line| line == "client 2025-11-25 a: c: no"), "{found:?}");
        assert_eq!(expected.compare(Side::Client, "2026-07-28", &[problem("auth/dpop", "x")]).len(), 1);
    }

    #[test]
    fn an_entry_needs_a_reason_and_no_other_fields() {
        let entry = |reason: &str| {
            format!(r#"[{{"side": "server", "revision": "r", "scenario": "s", "reason": "{reason}"}}]"#)
        };
        assert!(Expected::parse(&entry("it is not there yet")).is_ok());
        assert!(Expected::parse(&entry(" ")).is_err());
        assert!(Expected::parse(r#"[{"side": "server", "revision": "r", "scenario": "s"}]"#).is_err());
    }
}
