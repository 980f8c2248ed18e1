//! The public conformance suite: runs it against our example server or client, and reads what its checks found.

use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use serde::Deserialize;

use super::install::Peers;
use crate::command::{Background, Command};
use crate::workspace::Workspace;

/// The revisions of the protocol that the suite is run for: the last one with sessions, and the one without.
pub(crate) const REVISIONS: [&str; 2] = ["2025-11-25", "2026-07-28"];

/// How long one run of the suite may take; on an idle machine it takes some ten seconds.
const LIMIT: Duration = Duration::from_secs(240);
/// How long the example server may take until it listens.
const START: Duration = Duration::from_secs(30);

/// Which half of the protocol is judged.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Side {
    Server,
    Client,
}

impl Side {
    pub(crate) const ALL: [Self; 2] = [Self::Server, Self::Client];

    /// The example that is judged.
    fn example(self) -> &'static str {
        match self {
            Self::Server => "conformance_server",
            Self::Client => "conformance_client",
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Server => "server",
            Self::Client => "client",
        })
    }
}

/// The suite beside the examples that it judges.
#[derive(Debug)]
pub(crate) struct Suite {
    node: PathBuf,
    script: PathBuf,
    examples: PathBuf,
    results: PathBuf,
}

/// What one run found.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    /// Checks that failed or warned.
    pub(crate) problems: Vec<Problem>,
}

/// A check that did not pass.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) scenario: String,
    pub(crate) check: String,
    pub(crate) message: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Check {
    id: String,
    status: String,
    #[serde(default)]
    error_message: Option<String>,
}

impl Suite {
    /// Builds the examples as the tests of the workspace are built, so that nothing is compiled twice.
    pub(crate) fn prepare(workspace: &Workspace, peers: &Peers) -> anyhow::Result<Self> {
        let build = Command::cargo(["build", "--quiet", "--workspace", "--all-features"]);
        let build = Side::ALL.iter().fold(build, |build, side| build.args(["--example", side.example()]));
        let output = build.current_dir(&workspace.root).output()?;
        ensure!(output.success, "the examples do not build:\n{}", output.text);
        Ok(Self {
            node: peers.node(),
            script: peers.npm("@modelcontextprotocol/conformance/dist/index.js"),
            examples: workspace.target.join("debug/examples"),
            results: peers.folder.join("conformance"),
        })
    }

    pub(crate) fn run(&self, side: Side, revision: &str) -> anyhow::Result<Outcome> {
        let results = self.results.join(format!("{side}-{revision}"));
        drop(fs::remove_dir_all(&results)); // of an earlier run, if there was one
        fs::create_dir_all(&results).context("cannot make a folder for the results")?;
        let command = Command::at(&self.node).arg(&self.script);
        let (command, _server) = match side {
            Side::Server => {
                let server = self.server()?;
                let url = server.first.replace("127.0.0.1", "localhost");
                ensure!(url.starts_with("http://"), "the example server printed no address but `{url}`");
                (command.args(["server", "--url", &url]), Some(server))
            }
            Side::Client => {
                let client = self.examples.join(side.example());
                (command.args(["client", "--timeout=60000", "--command"]).arg(&client), None)
            }
        };
        let command = command.args(["--requirements", revision, "--output-dir"]).arg(&results);
        let output = command.env("NO_PROXY", "*").output_within(LIMIT)?;
        let total = total(&output.text)
            .with_context(|| format!("the suite came to no end:\n{}", tail(&output.text)))?;
        let outcome = read(side, &results)?;
        // What could not run at all has no results, but is counted.
        if total != (outcome.passed, outcome.failed) {
            bail!("the suite counted {total:?}, its results are {outcome:?}:\n{}", tail(&output.text));
        }
        Ok(outcome)
    }

    fn server(&self) -> anyhow::Result<Background> {
        Command::at(&self.examples.join(Side::Server.example())).background(START)
    }
}

/// Reads the results of all scenarios: one folder each, which is named after it and the time.
fn read(side: Side, results: &Path) -> anyhow::Result<Outcome> {
    let mut outcome = Outcome { passed: 0, failed: 0, problems: Vec::new() };
    for file in checks_below(results)? {
        let text = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        let checks: Vec<Check> =
            serde_json::from_str(&text).with_context(|| format!("cannot understand {}", file.display()))?;
        let folder = file.parent().and_then(|folder| folder.strip_prefix(results).ok());
        let scenario = scenario(side, &folder.unwrap_or(Path::new("")).to_string_lossy());
        for Check { id, status, error_message } in checks {
            match status.as_str() {
                "SUCCESS" => outcome.passed += 1,
                "FAILURE" => outcome.failed += 1,
                _ => {}
            }
            if matches!(status.as_str(), "FAILURE" | "WARNING") {
                let message = error_message.unwrap_or(status);
                outcome.problems.push(Problem { scenario: scenario.clone(), check: id, message });
            }
        }
    }
    Ok(outcome)
}

/// All files `checks.json` in a folder; the name of a scenario may have slashes.
fn checks_below(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.file_name() == Some(OsStr::new("checks.json")) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The scenario of `server-tools-list-2026-11-30T07-32-49-739Z`; without `server-` where a client was judged.
fn scenario(side: Side, folder: &str) -> String {
    let name = match side {
        Side::Server => folder.strip_prefix("server-").unwrap_or(folder),
        Side::Client => folder,
    };
    let time = "-2026-11-30T07-32-49-739Z".len();
    name.len().checked_sub(time).and_then(|end| name.get(..end)).unwrap_or(name).to_owned()
}

/// The numbers of the last line `Total: 47 passed, 22 failed`, with or without `, 0 warnings`.
fn total(text: &str) -> Option<(usize, usize)> {
    let line = text.lines().rev().find_map(|line| line.trim().strip_prefix("Total: "))?;
    let (passed, rest) = line.split_once(" passed, ")?;
    let (failed, _) = rest.split_once(" failed")?; // warnings may follow
    Some((passed.parse().ok()?, failed.parse().ok()?))
}

fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines.into_iter().rev().take(40).rev().collect::<Vec<&str>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scenarios_are_named_by_their_folder() {
        let time = "2026-11-30T07-32-49-739Z";
        assert_eq!(
            scenario(Side::Server, &format!("server-server-sse-polling-{time}")),
            "server-sse-polling"
        );
        assert_eq!(scenario(Side::Client, &format!("auth/dpop-nonce-{time}")), "auth/dpop-nonce");
        assert_eq!(scenario(Side::Client, "short"), "short");
    }

    #[test]
    fn the_total_is_the_last_one_that_was_printed() {
        let text =
            "Total: 1 passed, 0 failed\n✓ ping: 2 passed, 0 failed\n\nTotal: 47 passed, 22 failed\n\nrest\n";
        assert_eq!(total(text), Some((47, 22)));
        assert_eq!(total("Total: 304 passed, 11 failed, 0 warnings"), Some((304, 11)));
        assert_eq!(total("Passed: 3/3, 0 failed"), None);
    }

    #[test]
    fn results_are_read_below_folders_of_any_depth() {
        let folder = std::env::temp_dir().join(format!("haft-conformance-{}", std::process::id()));
        let scenario = folder.join("auth/dpop-2026-11-30T07-32-49-739Z");
        fs::create_dir_all(&scenario).unwrap();
        let checks = r#"[
            {"id": "a", "status": "SUCCESS", "name": "A"},
            {"id": "b", "status": "FAILURE", "errorMessage": "no token"},
            {"id": "c", "status": "WARNING"},
            {"id": "d", "status": "INFO"},
            {"id": "e", "status": "SKIPPED"}
        ]"#;
        fs::write(scenario.join("checks.json"), checks).unwrap();
        let outcome = read(Side::Client, &folder).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!((outcome.passed, outcome.failed), (1, 1));
        let problems: Vec<_> = outcome
            .problems
            .iter()
            .map(|p| (p.scenario.as_str(), p.check.as_str(), p.message.as_str()))
            .collect();
        assert_eq!(problems, [("auth/dpop", "b", "no token"), ("auth/dpop", "c", "WARNING")]);
    }
}
