//! Tests with real peers: the public conformance suite, and servers and clients that others wrote.

mod conformance;
mod expected;
mod install;

use std::time::{Duration, Instant};

pub(crate) use self::conformance::{REVISIONS, Side, Suite};
use self::expected::Expected;
pub(crate) use self::install::Peers;
use crate::command::Command;
use crate::report::Report;
use crate::test::{Environment, Skip};
use crate::workspace::Workspace;

/// How many checks pass at least: what is left out or skipped is no failure, and would not be missed.
const LEAST: [(Side, &str, usize); 4] = [
    (Side::Server, "2025-11-25", 83),
    (Side::Server, "2026-07-28", 197),
    (Side::Client, "2025-11-25", 224),
    (Side::Client, "2026-07-28", 408),
];

/// How long the tests with servers and clients may take, with building them.
const LIMIT: Duration = Duration::from_secs(1200);

/// The step `interop` of `cargo xtask test`.
pub(crate) fn check(workspace: &Workspace, environment: &Environment) -> anyhow::Result<Report> {
    let peers = match Peers::install(workspace) {
        Ok(peers) => peers,
        Err(why) => {
            let skip = Skip { name: "interop".to_owned(), why: format!("no peers: {why:#}") };
            return Ok(Report { skipped: vec![skip], ..Report::default() });
        }
    };
    anstream::println!("  building");
    let suite = Suite::prepare(workspace, &peers)?;
    let mut report = servers_and_clients(workspace, environment, &peers)?;
    let mut details = vec![std::mem::take(&mut report.detail)];
    let expected = Expected::read(workspace)?;
    for side in Side::ALL {
        for revision in REVISIONS {
            let started = Instant::now();
            let outcome = suite.run(side, revision)?;
            let counts = format!("{side} {revision}: {}/{}", outcome.passed, outcome.failed);
            anstream::println!("  conformance of the {counts} ({:.1} s)", started.elapsed().as_secs_f64());
            report.failures.extend(expected.compare(side, revision, &outcome.problems));
            report.failures.extend(too_few(side, revision, outcome.passed));
            details.push(counts);
        }
    }
    report.detail = details.join("; ");
    Ok(report)
}

fn too_few(side: Side, revision: &str, passed: usize) -> Option<String> {
    let least = LEAST.iter().find(|(of, when, _)| *of == side && *when == revision);
    let least = least.map_or(1, |(_, _, least)| *least);
    (passed < least)
        .then(|| format!("{side} {revision}: only {passed} checks passed; {least} are expected at least"))
}

/// Runs the test binary that lists and calls real servers, and has real clients list and call ours.
fn servers_and_clients(
    workspace: &Workspace,
    environment: &Environment,
    peers: &Peers,
) -> anyhow::Result<Report> {
    anstream::println!("  real servers and clients");
    let command =
        Command::cargo(["test", "--workspace", "--all-features", "--test=interop", "--no-fail-fast"])
            .current_dir(&workspace.root)
            .env("HAFT_INTEROP", &peers.folder);
    crate::test::run_tests(environment, command, |command| command.output_within(LIMIT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_that_are_gone_are_missed() {
        for side in Side::ALL {
            for revision in REVISIONS {
                assert!(
                    LEAST.iter().any(|(of, when, _)| *of == side && *when == revision),
                    "{side} {revision}"
                );
            }
        }
        assert_eq!(too_few(Side::Server, "2025-11-25", 83), None);
        assert!(too_few(Side::Server, "2025-11-25", 82).is_some());
        assert!(too_few(Side::Client, "unknown", 0).is_some());
    }
}
