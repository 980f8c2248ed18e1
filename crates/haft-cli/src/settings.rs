//! The command line, resolved: defaults are in, and what contradicts itself is refused before anything is read.

use anyhow::bail;
use clap_complete::Shell;

use crate::{
    cli::{self, Cli, Command, Target},
    input::Input,
};

/// What is to be done, with nothing left to be decided.
#[derive(Debug)]
pub(crate) enum Settings {
    List(List),
    Show(Show),
    Call(Call),
    Validate(Validate),
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
    pub(crate) json: bool,
}

#[derive(Debug)]
pub(crate) struct Validate {
    pub(crate) tools: Input,
    pub(crate) calls: Input,
}

impl Settings {
    /// Resolves what was typed.
    pub(crate) fn resolve(cli: Cli) -> anyhow::Result<Self> {
        Ok(match cli.command {
            Command::List(list) => Self::List(List {
                form: match list.target {
                    Some(target) => ListForm::Projected(target),
                    None if list.json => ListForm::Definitions,
                    None => ListForm::People,
                },
                tools: tools(&list.tools),
            }),
            Command::Show(show) => {
                Self::Show(Show { tools: tools(&show.tools), name: show.name, json: show.json })
            }
            Command::Call(call) => Self::Call(Call {
                name: call.name,
                arguments: match call.arguments {
                    None => Arguments::Text("{}".to_owned()),
                    Some(text) if text == "-" => Arguments::Stdin,
                    Some(text) => Arguments::Text(text),
                },
                json: call.json,
            }),
            Command::Validate(validate) => Self::Validate(self::validate(&validate)?),
            Command::Completions(completions) => Self::Completions(completions.shell),
        })
    }
}

fn tools(argument: &cli::ToolsArgument) -> Tools {
    argument.file.as_deref().map_or(Tools::Builtin, |file| Tools::Of(Input::from_argument(Some(file))))
}

fn validate(validate: &cli::Validate) -> anyhow::Result<Validate> {
    let resolved = Validate {
        tools: Input::from_argument(Some(&validate.tools)),
        calls: Input::from_argument(validate.calls.as_deref()),
    };
    if resolved.tools == Input::Stdin && resolved.calls == Input::Stdin {
        bail!("the tools and the calls can not both come from standard input; name a file for one of them");
    }
    Ok(resolved)
}
