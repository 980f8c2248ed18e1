//! The configuration that is in effect as JSON, for people and programs; no secret is in it.

use std::{collections::BTreeMap, path::Path};

use haft_core::{Leniency, RepairRule, UnknownFields};
use serde::{Serialize, Serializer};

use super::{
    builtins,
    display::ShownServer,
    duration,
    effective::{Config, ConfigFile, ConfigServer, ServerState},
    file::ConfigOrigin,
};

#[derive(Serialize)]
struct Report<'a> {
    files: Vec<FileReport<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    concurrency: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timeout: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    grace: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    blocking_threads: Option<usize>,
    builtin: Vec<&'static str>,
    leniency: LeniencyReport,
    servers: Vec<ServerReport<'a>>,
    problems: Vec<ProblemReport>,
    remarks: &'a [String],
}

#[derive(Serialize)]
struct FileReport<'a> {
    path: &'a Path,
    origin: &'static str,
    trust: &'static str,
}

#[derive(Serialize)]
struct LeniencyReport {
    repairs: Vec<&'static str>,
    unknown_fields: &'static str,
    null_as_absent: bool,
    #[serde(flatten)]
    of_sources: BTreeMap<&'static str, LeniencyReport>,
}

#[derive(Serialize)]
struct ServerReport<'a> {
    name: &'a str,
    file: &'a Path,
    state: &'static str,
    #[serde(flatten)]
    shown: Option<&'a ShownServer>,
}

#[derive(Serialize)]
struct ProblemReport {
    code: u16,
    message: String,
}

impl ServerState {
    /// The name in reports.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Ready(_) => "ready",
            Self::Disabled => "disabled",
            Self::Shadowed => "shadowed",
            Self::Untrusted => "untrusted",
            Self::Faulty(_) => "faulty",
        }
    }
}

impl ConfigOrigin {
    /// The name in reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Named => "named",
            Self::Folder => "folder",
            Self::User => "user",
        }
    }
}

impl LeniencyReport {
    fn of(leniency: &Leniency) -> Self {
        let on = RepairRule::ALL.into_iter().filter(|rule| leniency.repairs(*rule));
        Self {
            repairs: on.map(RepairRule::as_str).collect(),
            unknown_fields: match leniency.unknown_fields {
                UnknownFields::AsSchema => "as_schema",
                _ => "refuse",
            },
            null_as_absent: leniency.null_as_absent,
            of_sources: BTreeMap::new(),
        }
    }
}

/// What is in effect; no secret is in it.
impl Serialize for Config {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let files = self.files.iter().map(|file| {
            let ConfigFile { path, origin, trust, .. } = file;
            FileReport { path, origin: origin.as_str(), trust: trust.as_str() }
        });
        let servers = self.servers.iter().map(|server| {
            let ConfigServer { name, file, shown, state } = server;
            ServerReport { name, file, state: state.as_str(), shown: shown.as_ref() }
        });
        let problems = self.problems.iter();
        let problems =
            problems.map(|problem| ProblemReport { code: problem.code(), message: problem.to_string() });
        let mut leniency = LeniencyReport::of(&self.leniency());
        let sources = self.source_leniencies();
        leniency.of_sources = sources
            .iter()
            .map(|(source, leniency)| (source.as_str(), LeniencyReport::of(leniency)))
            .collect();
        let settings = &self.settings;
        let report = Report {
            files: files.collect(),
            concurrency: settings.concurrency,
            timeout: settings.timeout.map(duration::write),
            grace: settings.grace.map(duration::write),
            blocking_threads: settings.blocking_threads,
            builtin: builtins::SPECS.iter().filter(|spec| self.has(spec)).map(|spec| spec.name).collect(),
            leniency,
            servers: servers.collect(),
            problems: problems.collect(),
            remarks: &self.remarks,
        };
        report.serialize(serializer)
    }
}
