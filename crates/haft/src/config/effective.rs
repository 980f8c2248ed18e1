//! The configuration that is in effect: what the files say together, the nearest first.

use std::path::PathBuf;

use haft_core::{
    DefinitionError, Digest, Dispatcher, DispatcherBuilder, Leniency, RegistryBuilder, RepairRule, Tool,
    ToolRegistry, ToolSource,
};

use super::{
    builtins::{self, Builtin, Choice, Spec},
    display::ShownServer,
    environment::Environment,
    file::{self, ConfigOrigin},
    leniency::Change,
    problem::{ConfigError, ConfigProblem, ConfigProblemKind},
    search::{self, ConfigSource},
    settings::{self, Settings},
    trust::Trust,
};
use crate::{SystemClock, redact::Secrets, source::mcp::McpServer};

/// What a user has set, from every file that counts; without any, the built-in tools and nothing else.
///
/// ```
/// use haft::config::{Config, ConfigSource, Environment};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = std::env::temp_dir().join(format!("haft-config-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let file = folder.join("haft.toml");
/// std::fs::write(&file, r#"
///     concurrency = 4
///     builtin = ["math"]
///
///     [servers.search]
///     url = "https://example.com/mcp"
///     headers = { authorization = "Bearer ${TOKEN}" }
/// "#)?;
/// let environment = Environment::empty(&folder).with_variable("TOKEN", "s3cr3t");
/// let config = Config::load(&environment, &ConfigSource::File(file))?;
///
/// let registry = config.registry_builder()?.build()?;
/// assert_eq!(registry.iter().map(|tool| tool.name().to_owned()).collect::<Vec<_>>(), ["calculate"]);
/// let dispatcher = config.dispatcher_builder(registry).build();
/// assert_eq!(config.mcp_servers().len(), 1);
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Config {
    pub(super) files: Vec<ConfigFile>,
    pub(super) settings: Settings,
    pub(super) servers: Vec<ConfigServer>,
    pub(super) problems: Vec<ConfigProblem>,
    pub(super) remarks: Vec<String>,
    pub(super) repairs_nothing: bool,
    pub(super) secrets: Secrets,
}

/// A file that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConfigFile {
    /// Where it lies.
    pub path: PathBuf,
    /// How it was found.
    pub origin: ConfigOrigin,
    /// Whether its servers may be started.
    pub trust: Trust,
    /// What its content is told by.
    pub digest: Digest,
}

/// A server that a file names.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ConfigServer {
    /// Its name here.
    pub name: String,
    /// The file that it stands in.
    pub file: PathBuf,
    /// What would be started or asked, without secrets; none where that can not be told.
    pub shown: Option<ShownServer>,
    /// Whether it is used.
    pub state: ServerState,
}

/// Whether a server is used.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ServerState {
    /// It is.
    Ready(Box<McpServer>),
    /// The file says that it is not.
    Disabled,
    /// A nearer file has a server of this name.
    Shadowed,
    /// Nobody has trusted its file yet.
    Untrusted,
    /// What is said of it can not be.
    Faulty(Box<ConfigProblem>),
}

impl Config {
    /// Looks for files, reads them, and fills in what the environment has.
    ///
    /// A server that can not be used is left out and told in [`problems`](Self::problems), and so are the servers of a
    /// file in the working directory that nobody has trusted.
    ///
    /// # Errors
    /// A file that was named can not be read, or a `haft.toml` is wrong outside of its servers: with everything that is.
    pub fn load(environment: &Environment, source: &ConfigSource) -> Result<Self, ConfigError> {
        let mut config = Self::default();
        let mut wrong = Vec::new();
        for (path, origin) in search::places(environment, source) {
            let needed = search::is_needed(&path, origin);
            match file::load(&path) {
                Ok(Some(text)) => match file::read(&text.path, &text.content) {
                    Ok(content) => config.add(environment, text, origin, content),
                    Err(problems) if needed => wrong.extend(problems),
                    Err(problems) => config.problems.extend(problems),
                },
                Ok(None) if origin == ConfigOrigin::Named => {
                    let message = "the file does not exist";
                    wrong.push(ConfigProblem::new(ConfigProblemKind::Unreadable, path, message));
                }
                Ok(None) => {}
                Err(problem) if needed => wrong.push(problem),
                Err(problem) => config.problems.push(problem),
            }
        }
        ConfigError::of(wrong).map_or(Ok(config), Err)
    }

    /// The JSON Schema of `haft.toml`, for editors.
    pub fn schema() -> serde_json::Value {
        settings::schema()
    }

    /// The files that count, the nearest first.
    pub fn files(&self) -> &[ConfigFile] {
        &self.files
    }

    /// Every server that a file names, used or not.
    pub fn servers(&self) -> &[ConfigServer] {
        &self.servers
    }

    /// The servers to connect to.
    pub fn mcp_servers(&self) -> Vec<McpServer> {
        self.servers.iter().filter_map(ConfigServer::ready).cloned().collect()
    }

    /// What was left out, and what to do about it.
    pub fn problems(&self) -> &[ConfigProblem] {
        &self.problems
    }

    /// What is good to know and changes nothing: keys that were passed over, names that were changed.
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }

    /// A text of a server, or about one, without the values that came from the environment and those of variables and
    /// headers: `***` stands for each that has at least six characters.
    pub fn redact(&self, text: &str) -> String {
        self.secrets.redact(text)
    }

    /// The same with all repairs off, whatever the files say.
    #[must_use]
    pub fn repairing_nothing(mut self) -> Self {
        self.repairs_nothing = true;
        self
    }

    /// A builder with the built-in tools that are wanted, and with the leniency that was set.
    ///
    /// # Errors
    /// None in practice, as for [`builtin::tools`](crate::builtin::tools).
    pub fn registry_builder(&self) -> Result<RegistryBuilder, DefinitionError> {
        let mut builder = ToolRegistry::builder().tools(self.builtin_tools()?).leniency(self.leniency());
        for (source, leniency) in self.source_leniencies() {
            builder = builder.leniency_for(source, leniency);
        }
        Ok(builder)
    }

    /// How much more than the schemas themselves is accepted where nothing is set for a source.
    pub fn leniency(&self) -> Leniency {
        self.restricted(self.settings.leniency.general.applied(Leniency::default()))
    }

    /// The same for the sources that something is set for.
    pub(super) fn source_leniencies(&self) -> Vec<(ToolSource, Leniency)> {
        let changes = &self.settings.leniency;
        let of = |(source, change): &(ToolSource, Change)| {
            let change = change.clone().or(&changes.general);
            (*source, self.restricted(change.applied(Leniency::default())))
        };
        changes.of_sources.iter().map(of).collect()
    }

    /// A builder with the clock of this machine, and with the limits that were set.
    pub fn dispatcher_builder(&self, registry: ToolRegistry) -> DispatcherBuilder {
        let Settings { concurrency, timeout, grace, blocking_threads, .. } = &self.settings;
        let mut builder = Dispatcher::builder(registry).clock(SystemClock);
        if let Some(calls) = concurrency {
            builder = builder.concurrency(*calls);
        }
        if let Some(timeout) = timeout {
            builder = builder.timeout(*timeout);
        }
        if let Some(grace) = grace {
            builder = builder.grace(*grace);
        }
        if let Some(threads) = blocking_threads {
            builder = builder.blocking_threads(*threads);
        }
        builder
    }

    /// Every built-in tool that haft knows of by its spec name, in use or not.
    pub fn builtins(&self) -> Vec<Builtin> {
        let of = |spec: &'static Spec| {
            let tools = spec.tools.iter().filter_map(|definition| definition().ok());
            Builtin {
                name: spec.name,
                enabled: self.has(spec),
                tools: tools.map(|tool| tool.name().to_owned()).collect(),
            }
        };
        builtins::SPECS.iter().map(of).collect()
    }

    /// Whether the tools of a spec are wanted, and there.
    pub(super) fn has(&self, spec: &Spec) -> bool {
        let choice = self.settings.builtin.as_ref().unwrap_or(&Choice::Every(true));
        !spec.tools.is_empty() && choice.has(spec.name)
    }

    fn builtin_tools(&self) -> Result<Vec<Tool>, DefinitionError> {
        let specs = builtins::SPECS.iter().filter(|spec| self.has(spec));
        specs.flat_map(|spec| spec.tools).map(|definition| definition()).collect()
    }

    fn restricted(&self, leniency: Leniency) -> Leniency {
        if !self.repairs_nothing {
            return leniency;
        }
        RepairRule::ALL.into_iter().fold(leniency, |leniency, rule| leniency.with_repair(rule, false))
    }
}

impl ConfigServer {
    /// The server, where it is used.
    pub fn ready(&self) -> Option<&McpServer> {
        match &self.state {
            ServerState::Ready(server) => Some(server),
            _ => None,
        }
    }

    /// Whether a server of the same name in a farther file is not looked at: also one that was switched off here is.
    pub(super) const fn hides(&self) -> bool {
        matches!(self.state, ServerState::Ready(_) | ServerState::Disabled | ServerState::Faulty(_))
    }
}
