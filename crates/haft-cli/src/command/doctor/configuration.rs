//! The files that count, whether they are trusted, and what is left out of them.

use haft::config::{Config, ConfigError, ConfigOrigin, ConfigProblem, Trust};

use super::check::{Check, State};

const AREA: &str = "configuration";

/// Each file, then what is wrong, then what is good to know.
pub(super) fn checks(config: &Config) -> Vec<Check> {
    let mut checks: Vec<Check> = config
        .files()
        .iter()
        .filter(|file| file.trust.is_enough())
        .map(|file| {
            let whose = match file.origin {
                ConfigOrigin::User => "yours",
                ConfigOrigin::Named => "named on the command line",
                _ if file.trust == Trust::Given => "of the working directory, trusted",
                _ => "of the working directory; it starts nothing and needs no trust",
            };
            Check::new(AREA, file.path.display().to_string(), State::Ok, whose)
        })
        .collect();
    // What costs one server is told with the server.
    let of_files = config.problems().iter().filter(|problem| problem.server.is_none());
    checks.extend(of_files.map(wrong));
    for remark in config.remarks() {
        let (file, remark) = remark.split_once(": ").unwrap_or((AREA, remark));
        checks.push(Check::new(AREA, file, State::Note, remark));
    }
    if checks.is_empty() {
        checks.push(Check::new(AREA, "none", State::Ok, "the built-in tools are there, and no servers"));
    }
    checks
}

/// A configuration that can not be used at all.
pub(super) fn mistakes(error: &ConfigError) -> Vec<Check> {
    error.problems().iter().map(wrong).collect()
}

fn wrong(problem: &ConfigProblem) -> Check {
    let place = problem.place.map_or(String::new(), |(line, column)| format!(":{line}:{column}"));
    let name = format!("{}{place}", problem.file.display());
    Check::new(AREA, name, State::Wrong, problem.message.clone())
}
