//! The tools of a command: built-in ones, and those of the configured servers that it needs.

mod policy;

use std::time::Duration;

use haft::{
    DispatcherBuilder, ToolRegistry,
    config::{Config, ConfigError, ConfigProblem, Environment},
};

use self::policy::AskUnlessReadOnly;
use crate::{host::Host, settings::Configuration};

/// The tools of a command, and what they run with.
pub(crate) struct Workbench {
    pub(crate) config: Config,
    pub(crate) registry: ToolRegistry,
}

impl Workbench {
    /// The built-in tools, as the configuration wants them; servers are started where they are asked for.
    pub(crate) fn open(settings: &Configuration, host: &mut Host) -> anyhow::Result<Self> {
        let environment = Environment::of_process()?;
        let config = Config::load(&environment, &settings.source).map_err(|error| told(error, host))?;
        let config = if settings.strict { config.repairing_nothing() } else { config };
        let registry = config.registry_builder()?.build()?;
        Ok(Self { config, registry })
    }

    /// A dispatcher of these tools: what changes nothing runs, anything else is asked about.
    pub(crate) fn dispatcher(&self) -> DispatcherBuilder {
        self.config.dispatcher_builder(self.registry.clone()).hook(AskUnlessReadOnly)
    }

    /// Makes the tools of all servers ones of the registry.
    pub(crate) async fn connect_all(&mut self, host: &mut Host) {
        self.tell(host, |_| true);
        self.connect(host, |_| true).await;
    }

    /// The same, with the servers that take longer left to come later.
    pub(crate) async fn connect_within(&mut self, _limit: Duration, host: &mut Host) {
        self.connect_all(host).await;
    }

    /// Makes the tools of those servers ones of the registry that tools of these names would be of.
    ///
    /// A name that none of them has may be one that a server gives its tool: then all are asked.
    pub(crate) async fn connect_for(&mut self, tools: &[&str], host: &mut Host) {
        let missing = |bench: &Self| -> Vec<String> {
            let missing = tools.iter().filter(|tool| !bench.registry.contains(tool));
            missing.map(|tool| (*tool).to_owned()).collect()
        };
        let wanted = missing(self);
        if wanted.is_empty() {
            return;
        }
        let needed = |server: &str| wanted.iter().any(|tool| is_of(tool, server));
        self.connect(host, needed).await;
        let wanted = missing(self);
        if wanted.iter().any(|tool| !tool.contains(SEPARATOR)) {
            self.connect(host, |_| true).await;
        }
        // What is there after all is worth no word.
        if !missing(self).is_empty() {
            self.tell(host, |server| {
                wanted.iter().any(|tool| is_of(tool, server) || !tool.contains(SEPARATOR))
            });
        }
    }

    /// Tells what was left out: of these servers, and of whole files.
    fn tell(&self, host: &mut Host, wanted: impl Fn(&str) -> bool) {
        let concerns = |problem: &&ConfigProblem| problem.server.as_deref().is_none_or(&wanted);
        self.config.problems().iter().filter(concerns).for_each(|problem| host.note(problem));
    }

    async fn connect(&mut self, _host: &mut Host, _wanted: impl Fn(&str) -> bool) {
        std::future::ready(()).await;
    }

    /// Ends what was started.
    pub(crate) async fn close(self) {
        std::future::ready(()).await;
    }
}

/// What stands between a server's name and that of its tool.
const SEPARATOR: &str = "__";

/// Whether the tool would be one of the server: by its name, or by one that is repaired to it.
fn is_of(tool: &str, server: &str) -> bool {
    let plain = |name: &str| name.to_ascii_lowercase().replace('-', "_");
    plain(tool).strip_prefix(&plain(server)).is_some_and(|rest| rest.starts_with(SEPARATOR))
}

/// All that is wrong, one a line; the last is the error.
fn told(error: ConfigError, host: &mut Host) -> anyhow::Error {
    let Some((last, others)) = error.problems().split_last() else { return error.into() };
    for problem in others {
        host.problem(problem);
    }
    anyhow::anyhow!("{last}")
}
