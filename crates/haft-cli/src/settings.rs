//! The command line, resolved: defaults are in, and what contradicts itself is refused before anything is read.

use std::path::{Path, PathBuf};

use anyhow::bail;
use clap_complete::Shell;
use haft::{Leniency, Linter, Projection, provider::Provider};

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
    Completions(Shell),
}

/// Where tools come from.
#[derive(Debug)]
pub(crate) enum Tools {
    Builtin,
    Of(Input),
}

/// How a list of tools is printed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ListForm {
    People,
    Definitions,
    Projected(Projection),
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
    pub(crate) leniency: Leniency,
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
    pub(crate) leniency: Leniency,
    /// Whether every call is approved.
    pub(crate) yes: bool,
    pub(crate) on_one_line: bool,
}

#[derive(Debug)]
pub(crate) struct Serve {
    /// Where HTTP is served; on standard input and output where it is not.
    pub(crate) http: Option<Http>,
    pub(crate) concurrency: Option<usize>,
    pub(crate) leniency: Leniency,
    /// Whether every call is approved.
    pub(crate) yes: bool,
}

/// How HTTP is served.
#[derive(Debug)]
pub(crate) struct Http {
    pub(crate) address: String,
    pub(crate) token_file: Option<PathBuf>,
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
    pub(crate) projection: Projection,
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

impl Settings {
    /// Resolves what was typed.
    pub(crate) fn resolve(cli: Cli) -> anyhow::Result<Self> {
        let json = cli.json;
        Ok(match cli.command {
            Command::List(list) => Self::List(List {
                form: match list.target {
                    Some(target) => ListForm::Projected(target.projection()),
                    None if json => ListForm::Definitions,
                    None => ListForm::People,
                },
                tools: tools(&list.tools),
            }),
            Command::Show(show) => Self::Show(Show { tools: tools(&show.tools), name: show.name, json }),
            Command::Call(call) => Self::Call(Call {
                name: call.name,
                arguments: match call.arguments {
                    None => Arguments::Text("{}".to_owned()),
                    Some(text) if text == "-" => Arguments::Stdin,
                    Some(text) => Arguments::Text(text),
                },
                leniency: leniency(call.strict),
                yes: call.yes,
                json,
            }),
            Command::Turn(turn) => Self::Turn(self::turn(turn, json)?),
            Command::Serve(serve) => Self::Serve(self::serve(serve)),
            Command::Validate(validate) => Self::Validate(self::validate(&validate)?),
            Command::Schema(schema) => Self::Schema(Schema {
                file: Input::from_argument(schema.file.as_deref()),
                projection: schema.target.projection(),
                report: match (schema.report, json) {
                    (false, _) => ReportForm::None,
                    (true, false) => ReportForm::Lines,
                    (true, true) => ReportForm::Json,
                },
            }),
            Command::Lint(lint) => {
                Self::Lint(Lint { linter: linter(&lint)?, tools: tools(&lint.tools), json })
            }
            Command::Completions(completions) => Self::Completions(completions.shell),
            Command::Supervise(_) => bail!("a supervisor runs before anything is resolved"),
        })
    }
}

fn leniency(strict: bool) -> Leniency {
    if strict { Leniency::strict() } else { Leniency::default() }
}

fn tools(argument: &cli::ToolsArgument) -> Tools {
    argument.file.as_deref().map_or(Tools::Builtin, |file| Tools::Of(Input::from_argument(Some(file))))
}

fn turn(turn: cli::Turn, on_one_line: bool) -> anyhow::Result<Turn> {
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
        leniency: leniency(turn.strict),
        yes: turn.yes,
        on_one_line,
    })
}

fn serve(serve: cli::Serve) -> Serve {
    let (token_file, origins) = (serve.token_file, serve.origins);
    Serve {
        http: serve.http.map(|address| Http { address, token_file, origins }),
        concurrency: serve.concurrency.and_then(|calls| usize::try_from(calls).ok()),
        leniency: leniency(serve.strict),
        yes: serve.yes,
    }
}

fn linter(lint: &cli::Lint) -> anyhow::Result<Linter> {
    let mut linter = Linter::new();
    for target in &lint.providers {
        linter = linter.provider(target.projection());
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
