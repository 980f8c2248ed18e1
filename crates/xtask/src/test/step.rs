//! The steps: what each one runs and when it counts as passed.

use clap::ValueEnum;

use super::environment::Environment;
use super::libtest;
use crate::command::{Command, Output};
use crate::report::Report;
use crate::tidy;
use crate::workspace::Workspace;

/// One check, named as on the command line.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum Step {
    /// The code is formatted
    Fmt,
    /// No lint fires
    Clippy,
    /// All tests and documentation examples pass
    Test,
    /// Each crate builds alone, haft with each feature alone
    Features,
    /// The core behaves alike however another crate has `serde_json` keep maps and numbers
    Unified,
    /// The documentation builds without a broken link
    Doc,
    /// The house rules hold
    Tidy,
    /// The public conformance suite passes, and servers and clients that others wrote work with haft
    Interop,
}

impl Step {
    pub(super) const ALL: &'static [Self] = &[
        Self::Fmt,
        Self::Clippy,
        Self::Test,
        Self::Features,
        Self::Unified,
        Self::Doc,
        Self::Tidy,
        Self::Interop,
    ];

    pub(super) fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    pub(super) fn about(self) -> String {
        self.to_possible_value()
            .and_then(|value| value.get_help().map(ToString::to_string))
            .unwrap_or_default()
    }

    /// Whether `--fast` runs it: the others build the workspace once more, or need more than Rust.
    pub(super) fn is_fast(self) -> bool {
        match self {
            Self::Fmt | Self::Clippy | Self::Test | Self::Tidy => true,
            Self::Features | Self::Unified | Self::Doc | Self::Interop => false,
        }
    }

    pub(super) fn check(self, workspace: &Workspace, environment: &Environment) -> anyhow::Result<Report> {
        let cargo =
            |arguments: &[&str]| Command::cargo(arguments.iter().copied()).current_dir(&workspace.root);
        match self {
            Self::Fmt => all([cargo(&["fmt", "--all", "--check"])]),
            // The second names what `--all-targets` leaves out, since `cargo test` does.
            Self::Clippy => all([["--all-targets"], ["--test=interop"]].map(|targets| {
                let clippy = cargo(&["clippy", "--workspace", "--all-features", "--quiet"]);
                clippy.args(targets).args(["--", "-Dwarnings"])
            })),
            Self::Test => {
                let command = cargo(&["test", "--workspace", "--all-features", "--no-fail-fast"]);
                tests(environment, command, Command::output)
            }
            Self::Features => features(workspace),
            Self::Unified => tests(
                environment,
                cargo(&[
                    "test",
                    "--package=haft-core",
                    "--features=serde_json/preserve_order,serde_json/arbitrary_precision",
                    "--no-fail-fast",
                ]),
                Command::output,
            ),
            Self::Doc => {
                // Libraries only: the page of the binary `haft` would overwrite that of the library.
                let doc = cargo(&["doc", "--workspace", "--lib", "--all-features", "--no-deps", "--quiet"]);
                all([doc.env("RUSTDOCFLAGS", "-Dwarnings")])
            }
            Self::Tidy => tidy::check(workspace),
            #[cfg(unix)]
            Self::Interop => crate::interop::check(workspace, environment),
            #[cfg(not(unix))]
            Self::Interop => {
                let why = "processes are ended by group, which this system does not know".to_owned();
                let skip = libtest::Skip { name: "interop".to_owned(), why };
                Ok(Report { skipped: vec![skip], ..Report::default() })
            }
        }
    }
}

/// Passes when every command succeeds.
fn all(commands: impl IntoIterator<Item = Command>) -> anyhow::Result<Report> {
    let mut report = Report::default();
    let mut run = 0_usize;
    for command in commands {
        run += 1;
        let shown = command.to_string();
        let Output { success, text } = command.output()?;
        if !success {
            report.failures.push(format!("$ {shown}\n{text}"));
        }
    }
    if run > 1 {
        report.detail = format!("{run} builds");
    }
    Ok(report)
}

/// Passes when the command succeeds and a test ran; keeps what was skipped.
///
/// `--show-output` makes libtest print what passing tests said, which is where the skips stand.
pub(crate) fn tests(
    environment: &Environment,
    command: Command,
    run: impl FnOnce(Command) -> anyhow::Result<Output>,
) -> anyhow::Result<Report> {
    let command = environment.apply(command.args(["--", "--show-output"]));
    let shown = command.to_string();
    let command = if std::env::var_os("INSTA_UPDATE").is_some() {
        command
    } else {
        command.env("INSTA_UPDATE", "no") // a test leaves no file behind
    };
    let Output { success, text } = run(command)?;
    let summary = libtest::read(&text);
    let detail = counts(summary.passed, summary.failed, summary.skipped.len());
    let mut report = Report {
        failures: Vec::new(),
        detail,
        passed: summary.passed,
        failed: summary.failed,
        skipped: summary.skipped,
    };
    if !success {
        report.failures.push(format!("$ {shown}\n{}", libtest::without_successes(&text)));
    } else if report.passed + report.skipped.len() == 0 {
        report.failures.push(format!("$ {shown}\n{text}\nno test ran"));
    }
    Ok(report)
}

/// The counts as people and programs read them.
pub(super) fn counts(passed: usize, failed: usize, skipped: usize) -> String {
    let skipped = if skipped == 0 { String::new() } else { format!(", {skipped} skipped") };
    format!("{passed} passed, {failed} failed{skipped}")
}

/// A crate that builds in the workspace may lack a feature that another member switches on.
fn features(workspace: &Workspace) -> anyhow::Result<Report> {
    let check = |arguments: &[String]| {
        let arguments = arguments.iter().map(String::as_str);
        // clippy, since RUSTFLAGS=-Dwarnings would build every dependency again.
        Command::cargo(["clippy", "--quiet"])
            .args(arguments)
            .args(["--", "-Dwarnings"])
            .current_dir(&workspace.root)
    };
    let mut commands = Vec::new();
    for package in &workspace.packages {
        if package.name == "xtask" {
            continue; // it is what runs
        }
        let name = format!("--package={}", package.name);
        commands.push(check(std::slice::from_ref(&name)));
        if package.features.is_empty() {
            continue;
        }
        commands.push(check(&[name.clone(), "--no-default-features".to_owned()]));
        for feature in package.features.keys().filter(|feature| *feature != "default") {
            commands.push(check(&[
                name.clone(),
                "--no-default-features".to_owned(),
                format!("--features={feature}"),
            ]));
        }
    }
    all(commands)
}
