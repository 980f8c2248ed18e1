//! Group `mcp`: what serving costs, as the benchmark of haft prints it beside peers, and how the conformance suite counts.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use serde::Deserialize;

use super::call;
use super::figure::{Figure, Goal};
use crate::command::Command;
use crate::interop::{Peers, REVISIONS, Side, Suite};
use crate::workspace::Workspace;

pub(super) const ABOUT: &str = "\
A server with the tool `echo`, as the ratio to the same served by a loop by hand, on a core of its own; one load client on another. \
`stdio-p50`: the median wait with one call in flight; `stdio-rate` and `stdio-cpu`: calls a second and CPU time a call with 32; \
`http-stateless-rate` (2025-11-25) and `http-modern-rate` (2026-07-28): calls a second over 32 connections; `start`: from the start of the \
process to the first list; `idle-memory`: resident then. `-command` is the binary `haft serve` with its built-in tools, `-rmcp` that SDK \
as documented, `-rmcp-best` with its best settings (the goal of our rates), `-typescript` the TypeScript SDK 1. Medians of five \
interleaved rounds. The calls are plain, and answered in front of rmcp's loop: what is in doubt, calls of HTTP sessions, and over HTTP \
those that ask for progress or the log, pass through it at its rate. `conformance-…`: checks of the public suite in all scenarios of a \
revision, scored or not.

`idle-memory` and `start` (3.77 and 2.61 before): a tool's schema that is made of ordinary keywords in their ordinary form is seen to \
be sound by a look at each, without compiling the validator of JSON Schema's own schema, which was most of the instructions until the \
first list (callgrind, of the benchmark's server). Then `idle-memory` alone (2.81 before): over streams a plain handshake or \
`server/discover`, pings and lists are answered without rmcp, whose loop begins with the first message that is more than that; its \
types for reading and writing were 1.4 MB of code. A server that is called, or asked for more, has that code too. What is left is \
mostly code (`smaps` of the same): the kernel maps 64 KiB around each page that is run, and what is run once at the start (closing and \
listing schemas) lies all over the program. Full link-time optimisation (`CARGO_PROFILE_BENCH_LTO=fat`) helps a little and takes much \
longer to build, so is left. Not tried: an order of functions for the linker, or packed relocations, which glibc before 2.36 can not \
load.";

/// How long all rounds may take; they take some two minutes.
const LIMIT: Duration = Duration::from_secs(900);

pub(super) fn measure(workspace: &Workspace) -> anyhow::Result<Vec<Figure>> {
    let peers = Peers::install(workspace)?;
    let mut figures = load(workspace, &peers)?;
    let suite = Suite::prepare(workspace, &peers)?;
    for side in Side::ALL {
        for revision in REVISIONS {
            let outcome = suite.run(side, revision)?;
            let figure = |what, count: usize, goal| {
                #[expect(clippy::cast_precision_loss, reason = "a count of checks is small")]
                let value = count as f64;
                Figure { name: format!("mcp/conformance-{side}-{revision}-{what}"), value, goal }
            };
            let (passed, failed) = goals(side, revision);
            figures.push(figure("passed", outcome.passed, passed));
            figures.push(figure("failed", outcome.failed, failed));
        }
    }
    Ok(figures)
}

/// What the fixtures of rmcp 3.11 come to; a client also passes the preservation of schemas, which theirs does not.
fn goals(side: Side, revision: &str) -> (Goal, Goal) {
    let (passed, failed) = match (side, revision) {
        (Side::Server, "2025-11-25") => (83.0, 0.0),
        (Side::Server, _) => (197.0, 0.0),
        (Side::Client, "2025-11-25") => (225.0, 12.0),
        (Side::Client, _) => (409.0, 12.0),
    };
    (Goal::AtLeast(passed), Goal::AtMost(failed))
}

/// Builds the servers as they are shipped, and has the benchmark load them in turns.
fn load(workspace: &Workspace, peers: &Peers) -> anyhow::Result<Vec<Figure>> {
    let benches = ["mcp", "mcp_floor", "mcp_haft", "mcp_rmcp"].map(|name| format!("--bench={name}"));
    let bench = ["bench", "--no-run", "--package=haft", "--all-features"];
    let built = executables(workspace, Command::cargo(bench).args(benches.iter().map(String::as_str)))?;
    let command = executables(workspace, Command::cargo(["build", "--release", "--package=haft-cli"]))?;
    let path = |from: &BTreeMap<String, PathBuf>, name: &str| {
        from.get(name).cloned().with_context(|| format!("cargo built no `{name}`"))
    };
    let arguments = [
        ("floor", path(&built, "mcp_floor")?),
        ("haft", path(&built, "mcp_haft")?),
        ("rmcp", path(&built, "mcp_rmcp")?),
        ("command", path(&command, "haft")?),
        ("node", peers.node()),
        ("modules", peers.folder.join("npm/")),
    ];
    let arguments = arguments.map(|(name, path)| format!("{name}={}", path.display()));
    let bench = Command::at(&path(&built, "mcp")?).args(arguments.iter().map(String::as_str));
    let output = bench.current_dir(&peers.folder).output_within(LIMIT)?;
    ensure!(output.success, "the benchmark failed:\n{}", output.text);
    call::read(&output.text)
}

#[derive(Deserialize)]
struct Artifact {
    target: Target,
    executable: Option<PathBuf>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
}

/// Builds, and tells the programs that came out by the names of their targets.
fn executables(workspace: &Workspace, build: Command) -> anyhow::Result<BTreeMap<String, PathBuf>> {
    let build = build.args(["--message-format=json-render-diagnostics"]).current_dir(&workspace.root);
    let artifacts = build.stdout()?;
    // Other lines are about other things.
    let artifacts = artifacts.lines().filter_map(|line| serde_json::from_str::<Artifact>(line).ok());
    Ok(artifacts.filter_map(|artifact| Some((artifact.target.name, artifact.executable?))).collect())
}
