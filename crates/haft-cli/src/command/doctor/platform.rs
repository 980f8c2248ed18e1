//! This machine: what haft runs on, and where it keeps things.

use haft::config::Environment;

use super::check::{Check, State};

const AREA: &str = "platform";

pub(super) fn checks(environment: &Environment) -> Vec<Check> {
    let system = format!("{} on {}", std::env::consts::ARCH, std::env::consts::OS);
    let haft = format!("{} for {system}", env!("CARGO_PKG_VERSION"));
    vec![Check::new(AREA, "haft", State::Ok, haft), programs(environment), state(environment)]
}

/// Whether the programs of servers end however haft ends.
fn programs(environment: &Environment) -> Check {
    let name = "programs of servers";
    match environment.program() {
        Some(_) if cfg!(unix) => Check::new(AREA, name, State::Ok, "end however haft ends"),
        Some(_) => Check::new(
            AREA,
            name,
            State::Note,
            "may run on where haft is killed: the system has no process groups",
        ),
        None => Check::new(
            AREA,
            name,
            State::Wrong,
            "may run on where haft is killed: its own program can not be found",
        )
        .mend("start haft by its full path"),
    }
}

/// Where trust is remembered.
fn state(environment: &Environment) -> Check {
    match environment.state_folder() {
        Some(folder) => {
            Check::new(AREA, "trust", State::Ok, format!("is remembered in {}", folder.display()))
        }
        None => {
            Check::new(AREA, "trust", State::Wrong, "can not be remembered: the user has no home directory")
                .mend("set HOME, or XDG_STATE_HOME")
        }
    }
}
