//! The command line, resolved: defaults are in, and what contradicts itself is refused before anything is read.

use std::path::{Path, PathBuf};

use anyhow::bail;
use clap_complete::Shell;
use haft::{Leniency, Linter, Target, config::ConfigSource, provider::Provider};

use crate::{
    cli::{self, Cli, Command, From},
    input::Input,
    same_file,
};

/// What is to be done, with nothing left to be decided.
#[derive(Debug)]
pub(crate) enum Settings {
    List(List),
    Show(Show),
    Call(Call),
    Turn(Turn),
    Serve(Serve),
    Validate(Validate),
    Schema(Schema),
    Lint(Lint),
    Doctor(Doctor),
    Trust(Trust),
    Config(Config),
    Completions(Shell),
}

/// Which configuration counts, and what is typed above it.
#[derive(Clone, Debug)]
pub(crate) struct Configuration {
    pub(crate) source: ConfigSource,
    /// Whether nothing is repaired.
    pub(crate) strict: bool,
}

/// Where tools come from.
#[derive(Debug)]
pub(crate) enum Tools {
    Configured(Configuration),
    Of(Input),
}

/// How a list of tools is printed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ListForm {
    People,
    /// Those that come with haft, by spec name.
    Builtin,
    BuiltinJson,
    Definitions,
    Projected(Target),
}

#[derive(Debug)]
pub(crate) struct List {
    pub(crate) tools: Tools,
    pub(crate) form: ListForm,
}

#[derive(Debug)]
pub(crate) struct Show {
    pub(crate) tools: Tools,
    pub(crate) name: String,
    pub(crate) json: bool,
}

/// Arguments as given, or where to read them.
#[derive(Debug)]
pub(crate) enum Arguments {
    Text(String),
    Stdin,
}

#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) name: String,
    pub(crate) arguments: Arguments,
    pub(crate) configuration: Configuration,
    /// Whether every call is approved.
    pub(crate) yes: bool,
    pub(crate) json: bool,
}

/// Where events go.
#[derive(Debug)]
pub(crate) enum Sink {
    Stderr,
    File(PathBuf),
}

#[derive(Debug)]
pub(crate) struct Turn {
    pub(crate) message: Input,
    /// Whose message it is; told by its form where it is not said.
    pub(crate) provider: Option<Provider>,
    pub(crate) concurrency: Option<usize>,
    pub(crate) events: Option<Sink>,
    pub(crate) fail_on_error: bool,
    pub(crate) configuration: Configuration,
    /// Whether every call is approved.
    pub(crate) yes: bool,
    pub(crate) on_one_line: bool,
}

#[derive(Debug)]
pub(crate) struct Serve {
    /// Where HTTP is served; on standard input and output where it is not.
    pub(crate) http: Option<Http>,
    pub(crate) concurrency: Option<usize>,
    pub(crate) configuration: Configuration,
    /// Whether every call is approved.
    pub(crate) yes: bool,
}

/// How HTTP is served.
#[derive(Debug)]
pub(crate) struct Http {
    pub(crate) address: String,
    pub(crate) token_file: Option<PathBuf>,
    pub(crate) hosts: Vec<String>,
    pub(crate) origins: Vec<String>,
}

#[derive(Debug)]
pub(crate) struct Validate {
    pub(crate) tools: Input,
    pub(crate) calls: Input,
    pub(crate) leniency: Leniency,
}

#[derive(Debug)]
pub(crate) struct Schema {
    pub(crate) file: Input,
    pub(crate) target: Target,
    pub(crate) report: ReportForm,
}

/// How a report is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReportForm {
    None,
    Lines,
    Json,
}

#[derive(Debug)]
pub(crate) struct Lint {
    pub(crate) tools: Tools,
    pub(crate) linter: Linter,
    pub(crate) json: bool,
}

#[derive(Debug)]
pub(crate) struct Doctor {
    pub(crate) configuration: Configuration,
    pub(crate) json: bool,
}

/// What is to be done about trust.
#[derive(Debug)]
pub(crate) enum TrustAction {
    /// Show what would be started, and ask; or not.
    Trust {
        yes: bool,
    },
    Revoke,
    List,
}

#[derive(Debug)]
pub(crate) struct Trust {
    pub(crate) action: TrustAction,
    /// The file; all of the working directory where there is none.
    pub(crate) file: Option<PathBuf>,
    pub(crate) json: bool,
}

/// What of the configuration is shown.
#[derive(Debug)]
pub(crate) enum Config {
    Effective(Configuration),
    Schema,
}

impl Settings {
    /// Resolves what was typed.
    pub(crate) fn resolve(cli: Cli) -> anyhow::Result<Self> {
        let json = cli.json;
        let source = match (cli.config, cli.no_config) {
            (Some(path), _) => ConfigSource::File(path),
            (None, true) => ConfigSource::Nothing,
            (None, false) => ConfigSource::Found,
        };
        let configuration = |strict: bool| Configuration { source: source.clone(), strict };
        Ok(match cli.command {
            Command::List(list) => Self::List(List {
                form: match list.target {
                    Some(target) => ListForm::Projected(target.target()),
                    None if list.builtin && json => ListForm::BuiltinJson,
                    None if list.builtin => ListForm::Builtin,
                    None if json => ListForm::Definitions,
                    None => ListForm::People,
                },
                tools: tools(&list.tools, configuration(false)),
            }),
            Command::Show(show) => {
                Self::Show(Show { tools: tools(&show.tools, configuration(false)), name: show.name, json })
            }
            Command::Call(call) => Self::Call(Call {
                name: call.name,
                arguments: match call.arguments {
                    None => Arguments::Text("{}".to_owned()),
                    Some(text) if text == "-" => Arguments::Stdin,
                    Some(text) => Arguments::Text(text),
                },
                configuration: configuration(call.strict),
                yes: call.yes,
                json,
            }),
            Command::Turn(turn) => {
                let configuration = configuration(turn.strict);
                Self::Turn(self::turn(turn, configuration, json)?)
            }
            Command::Serve(serve) => {
                let configuration = configuration(serve.strict);
                Self::Serve(self::serve(serve, configuration))
            }
            Command::Validate(validate) => Self::Validate(self::validate(&validate)?),
            Command::Schema(schema) => Self::Schema(Schema {
                file: Input::from_argument(schema.file.as_deref()),
                target: schema.target.target(),
                report: match (schema.report, json) {
                    (false, _) => ReportForm::None,
                    (true, false) => ReportForm::Lines,
                    (true, true) => ReportForm::Json,
                },
            }),
            Command::Lint(lint) => Self::Lint(Lint {
                linter: linter(&lint)?,
                tools: tools(&lint.tools, configuration(false)),
                json,
            }),
            Command::Doctor(cli::Doctor {}) => {
                Self::Doctor(Doctor { configuration: configuration(false), json })
            }
            Command::Trust(trust) => Self::Trust(Trust {
                action: match (trust.list, trust.revoke) {
                    (true, _) => TrustAction::List,
                    (_, true) => TrustAction::Revoke,
                    _ => TrustAction::Trust { yes: trust.yes },
                },
                file: trust.file,
                json,
            }),
            Command::Config(config) => Self::Config(match config.part {
                Some(cli::ConfigPart::Schema) => Config::Schema,
                None => Config::Effective(configuration(false)),
            }),
            Command::Completions(completions) => Self::Completions(completions.shell),
            Command::Supervise(_) => bail!("a supervisor runs before anything is resolved"),
        })
    }
}

fn leniency(strict: bool) -> Leniency {
    if strict { Leniency::strict() } else { Leniency::default() }
}

fn tools(argument: &cli::ToolsArgument, configuration: Configuration) -> Tools {
    match argument.file.as_deref() {
        Some(file) => Tools::Of(Input::from_argument(Some(file))),
        None => Tools::Configured(configuration),
    }
}

fn turn(turn: cli::Turn, configuration: Configuration, on_one_line: bool) -> anyhow::Result<Turn> {
    let message = Input::from_argument(turn.message.as_deref());
    let events = turn.events.map(|path| if path == Path::new("-") { Sink::Stderr } else { Sink::File(path) });
    if let Some(Sink::File(path)) = &events {
        if same_file::is_input(path, &message) {
            bail!(
                "the events would overwrite {message}, which holds the message; name another file for them"
            );
        }
        if same_file::is_stdout(path) {
            bail!(
                "the events and the messages would overwrite each other in the file {}; name another file for one of them",
                path.display()
            );
        }
    }
    Ok(Turn {
        message,
        provider: match turn.from {
            From::Auto => None,
            From::OpenaiChat => Some(Provider::OpenaiChat),
            From::OpenaiResponses => Some(Provider::OpenaiResponses),
            From::Anthropic => Some(Provider::Anthropic),
            From::Gemini => Some(Provider::Gemini),
        },
        concurrency: turn.concurrency.and_then(|calls| usize::try_from(calls).ok()),
        events,
        fail_on_error: turn.fail_on_error,
        configuration,
        yes: turn.yes,
        on_one_line,
    })
}

fn serve(serve: cli::Serve, configuration: Configuration) -> Serve {
    let (token_file, hosts, origins) = (serve.token_file, serve.hosts, serve.origins);
    Serve {
        http: serve.http.map(|address| Http { address, token_file, hosts, origins }),
        concurrency: serve.concurrency.and_then(|calls| usize::try_from(calls).ok()),
        configuration,
        yes: serve.yes,
    }
}

fn linter(lint: &cli::Lint) -> anyhow::Result<Linter> {
    let mut linter = Linter::new();
    for target in &lint.providers {
        linter = linter.provider(target.target());
    }
    for allowed in &lint.allow {
        linter = match allowed.split_once('=') {
            Some((id, tool)) => linter.allow_for(tool, id.parse()?),
            None => linter.allow(allowed.parse()?),
        };
    }
    Ok(linter)
}

fn validate(validate: &cli::Validate) -> anyhow::Result<Validate> {
    let resolved = Validate {
        tools: Input::from_argument(Some(&validate.tools)),
        calls: Input::from_argument(validate.calls.as_deref()),
        leniency: leniency(validate.strict),
    };
    if resolved.tools == Input::Stdin && resolved.calls == Input::Stdin {
        bail!("the tools and the calls can not both come from standard input; name a file for one of them");
    }
    Ok(resolved)
}
