//! Each server: started or connected to, and its tools listed.

use haft::{
    config::{Config, ConfigServer, ServerState, ShownServer},
    source::mcp::{McpServerState, McpServerStatus},
};
use serde_json::{Map, Value, json};

use super::check::{Check, State};
use crate::workbench::Workbench;

const AREA: &str = "server";

/// Every server that a file names.
pub(super) fn checks(bench: &Workbench) -> Vec<Check> {
    let statuses = bench.status();
    bench.config.servers().iter().map(|server| check(bench, server, &statuses)).collect()
}

fn check(bench: &Workbench, server: &ConfigServer, statuses: &[McpServerStatus]) -> Check {
    let check = |state, message: &str| Check::new(AREA, &server.name, state, message);
    match &server.state {
        ServerState::Ready(_) => {
            let status = statuses.iter().find(|status| status.name == server.name);
            status.map_or_else(
                || check(State::Wrong, "was not tried"),
                |status| connected(bench, server, status),
            )
        }
        ServerState::Disabled => check(State::Off, "is switched off by its file"),
        ServerState::Shadowed => check(State::Off, "stands in a nearer file too, which counts"),
        ServerState::Untrusted => check(State::Off, "waits until its file is trusted"),
        // A server may have several mistakes.
        ServerState::Faulty(_) => {
            let problems = bench.config.problems().iter();
            let own = problems.filter(|problem| {
                problem.server.as_ref() == Some(&server.name) && problem.file == server.file
            });
            let told: Vec<String> = own
                .map(|problem| {
                    let place = problem
                        .place
                        .map_or(String::new(), |(line, column)| format!(" (line {line}, column {column})"));
                    format!("{}{place}", problem.message)
                })
                .collect();
            check(State::Wrong, &told.join("; ")).mend(format!("mend its entry in {}", server.file.display()))
        }
        _ => check(State::Note, "is in a state that is not known here"),
    }
}

/// A server that was tried.
fn connected(bench: &Workbench, server: &ConfigServer, status: &McpServerStatus) -> Check {
    let config = &bench.config;
    let mut check = match status.state {
        McpServerState::Ready => {
            let count = status.tools.len();
            let mut said = vec![format!("{count} {}", if count == 1 { "tool" } else { "tools" })];
            said.extend(status.protocol.clone());
            said.extend(status.software.clone());
            said.extend(bench.took(&server.name).map(|took| format!("in {:.2} s", took.as_secs_f64())));
            Check::new(AREA, &server.name, State::Ok, config.redact(&said.join(", ")))
        }
        _ => {
            let check = Check::new(AREA, &server.name, State::Wrong, config.redact(cause(status)));
            check.mend(mend(config, server, status))
        }
    };
    let problems: Vec<String> =
        status.problems.iter().map(|problem| config.redact(&problem.to_string())).collect();
    if check.state == State::Ok && !problems.is_empty() {
        check.state = State::Note;
        check.mend = Some(problems.join("\n"));
    }
    check.facts = Some(facts(bench, server, status, &problems));
    check
}

/// What programs want to know of a server.
fn facts(
    bench: &Workbench,
    server: &ConfigServer,
    status: &McpServerStatus,
    problems: &[String],
) -> Map<String, Value> {
    let config = &bench.config;
    let mut facts = Map::new();
    facts.insert("tools".to_owned(), json!(status.tools));
    facts.insert("era".to_owned(), json!(status.era));
    facts.insert("protocol".to_owned(), json!(status.protocol));
    facts.insert("software".to_owned(), json!(status.software.as_deref().map(|text| config.redact(text))));
    let instructions = status.instructions.as_deref().map(|text| config.redact(text));
    facts.insert("instructions".to_owned(), json!(instructions));
    facts.insert("seconds".to_owned(), json!(bench.took(&server.name).map(|took| took.as_secs_f64())));
    facts.insert("code".to_owned(), json!(status.code));
    facts.insert("problems".to_owned(), json!(problems));
    facts.insert("stderr".to_owned(), json!(said(config, status)));
    facts.retain(|_, value| !value.is_null() && value.as_array().is_none_or(|items| !items.is_empty()));
    facts
}

/// What the program wrote to standard error, last.
fn said(config: &Config, status: &McpServerStatus) -> Vec<String> {
    status.stderr.iter().map(|line| config.redact(line)).collect()
}

/// Why a server can not be used, in one line; what its program wrote is told apart.
pub(crate) fn cause(status: &McpServerStatus) -> &str {
    let error = status.error.as_deref().and_then(|error| error.lines().next());
    not_started(status).or(error).unwrap_or("it can not be used")
}

/// What the supervisor of the program says, where there was none to be started.
fn not_started(status: &McpServerStatus) -> Option<&str> {
    let mut said = status.stderr.iter().filter_map(|line| line.strip_prefix("haft: "));
    said.find(|line| line.starts_with("the program ") && line.contains(" can not be started: "))
}

/// What to do about a server that can not be used: by the number of the error, then what its program wrote.
fn mend(config: &Config, server: &ConfigServer, status: &McpServerStatus) -> String {
    let program = |shown: &ShownServer| shown.command.first().cloned().unwrap_or_default();
    let program = server.shown.as_ref().map(program).unwrap_or_default();
    // A supervised program that can not be started is one that ended at once.
    let code = if not_started(status).is_some() { Some(2703) } else { status.code };
    let what = match code {
        Some(2712) => "mend its `cwd`".to_owned(),
        Some(2703) if program.contains(' ') => {
            "a command is one program: give its arguments in `args`".to_owned()
        }
        Some(2703) => format!(
            "install {program}, or give its full path; a relative one counts from the working directory"
        ),
        Some(2704) => "mend the address or the header in its entry".to_owned(),
        Some(2705) => "start the server, and see that the address and the port are right".to_owned(),
        Some(2706 | 2709) if !program.is_empty() => {
            "see that the program is an MCP server, and what it answers".to_owned()
        }
        Some(2706 | 2709) => {
            "see that the address is that of an MCP server, mostly one that ends in /mcp, and that it is not of an older kind \
             than streamable HTTP"
                .to_owned()
        }
        Some(2713) => "see why the server fails, mostly in its log; haft tries again by itself".to_owned(),
        Some(2707) => "see what it waits for, or give it longer: `connect_timeout`".to_owned(),
        Some(2708) => "give a token: `headers` with `Authorization = \"Bearer ${NAME}\"`".to_owned(),
        Some(2710) => "start its program by hand and see why it ends".to_owned(),
        _ => "look at its entry, and at what it writes".to_owned(),
    };
    let lines = said(config, status);
    let last = lines.iter().skip(lines.len().saturating_sub(5)).map(|line| format!("it wrote: {line}"));
    std::iter::once(what).chain(last).collect::<Vec<_>>().join("\n")
}
