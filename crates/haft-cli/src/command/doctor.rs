//! `haft doctor`: the configuration, its servers and this machine, and what to mend.

mod check;
mod configuration;
mod platform;
mod server;

use haft::config::{Config, Environment};

pub(crate) use self::server::cause;

use self::check::{Check, Report};
use crate::{
    host::{Exit, Host},
    output,
    settings::Doctor,
    workbench::Workbench,
};

pub(super) fn run(settings: &Doctor, host: &mut Host) -> anyhow::Result<Exit> {
    let environment = Environment::of_process()?;
    let platform = platform::checks(&environment);
    let mut checks = match Config::load(&environment, &settings.configuration.source) {
        Ok(config) => configured(Workbench::of(environment, config)?, host)?,
        Err(error) => configuration::mistakes(&error),
    };
    checks.extend(platform);
    let report = Report::of(checks);
    if settings.json {
        output::write_pretty_json(&mut host.stdout, &report)?;
    } else {
        report.print(host)?;
    }
    Ok(host.interrupt.outcome(Exit::failed_if(!report.healthy)))
}

/// The files, and each server, which is started for that.
fn configured(mut bench: Workbench, host: &mut Host) -> anyhow::Result<Vec<Check>> {
    let mut checks = configuration::checks(&bench.config);
    super::block_on(async {
        bench.connect_quietly(host).await;
        checks.extend(server::checks(&bench));
        bench.close().await;
        checks
    })
}
