//! `haft doctor`: the configuration, its servers and this machine, and what to mend.

mod check;
mod configuration;
mod platform;

use haft::config::{Config, Environment};

use self::check::{Check, Report};
use crate::{
    host::{Exit, Host},
    output,
    settings::Doctor,
};

pub(super) fn run(settings: &Doctor, host: &mut Host) -> anyhow::Result<Exit> {
    let environment = Environment::of_process()?;
    let mut checks: Vec<Check> = match Config::load(&environment, &settings.configuration.source) {
        Ok(config) => configuration::checks(&config),
        Err(error) => configuration::mistakes(&error),
    };
    checks.extend(platform::checks(&environment));
    let report = Report::of(checks);
    if settings.json {
        output::write_pretty_json(&mut host.stdout, &report)?;
    } else {
        report.print(host)?;
    }
    Ok(host.interrupt.outcome(Exit::failed_if(!report.healthy)))
}
