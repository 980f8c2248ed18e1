//! `haft config`: the configuration that is in effect, and the schema of haft.toml.

use crate::{
    host::{Exit, Host},
    output,
    settings::Config,
    workbench::Workbench,
};

pub(super) fn run(settings: &Config, host: &mut Host) -> anyhow::Result<Exit> {
    match settings {
        Config::Schema => output::write_pretty_json(&mut host.stdout, &haft::config::Config::schema())?,
        Config::Effective(configuration) => {
            let bench = Workbench::open(configuration, host)?;
            output::write_pretty_json(&mut host.stdout, &bench.config)?;
        }
    }
    Ok(Exit::Success)
}
