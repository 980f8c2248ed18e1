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
            details.push(counts);
        }
    }
    report.detail = details.join("; ");
    Ok(report)
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
