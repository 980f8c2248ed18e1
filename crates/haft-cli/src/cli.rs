//! The command line as it is typed, with its help.

use std::{ffi::OsString, path::PathBuf};

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use haft::{Profile, Projection};

use crate::server::named;

/// The tool layer for AI agents: lists, checks and runs the tools that models call.
///
/// Where a FILE is absent or `-`, standard input is read.
#[derive(Debug, Parser)]
#[command(name = "haft", version, max_term_width = 100, after_help = EXAMPLES, after_long_help = EXAMPLES_AND_CODES)]
pub(crate) struct Cli {
    /// When to use colour; `auto` is on a terminal, unless `NO_COLOR` is set
    #[arg(long, value_enum, value_name = "WHEN", default_value_t, global = true)]
    color: ColorWhen,
    /// Print JSON, for programs; what is JSON anyway stays as it is, and `turn` prints it on one line
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Take this configuration alone, a haft.toml or an mcp.json, instead of those that are found
    #[arg(long, value_name = "FILE", global = true, conflicts_with = "no_config")]
    pub(crate) config: Option<PathBuf>,
    /// Take no configuration: the built-in tools alone
    #[arg(long, global = true)]
    pub(crate) no_config: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Cli {
    pub(crate) fn color(&self) -> anstream::ColorChoice {
        match self.color {
            ColorWhen::Auto => anstream::ColorChoice::Auto,
            ColorWhen::Always => anstream::ColorChoice::Always,
            ColorWhen::Never => anstream::ColorChoice::Never,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
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
    Completions(Completions),
    #[command(hide = true)]
    Supervise(Supervise),
}

/// List the tools: the built-in ones and those of the configured servers, or those of a file
///
/// A server that can not be used is reported on standard error, and its tools are left out. An entry of the file that can not be used is reported on standard error. Exit code 0, also for an empty list; 1 when the
/// file has entries and none of them can be used.
#[derive(Debug, Args)]
#[command(after_help = LIST_EXAMPLES)]
pub(crate) struct List {
    #[command(flatten)]
    pub(crate) tools: ToolsArgument,
    /// Print them as a provider or protocol takes them in a request
    #[arg(long = "as", value_enum, value_name = "TARGET")]
    pub(crate) target: Option<Target>,
    /// List the built-in tools by the names that haft.toml knows them by, with those that are off
    #[arg(long, conflicts_with_all = ["file", "target"])]
    pub(crate) builtin: bool,
}

/// Show one tool: what it does, its arguments, its schema
#[derive(Debug, Args)]
#[command(after_help = SHOW_EXAMPLES)]
pub(crate) struct Show {
    /// The tool's name, or its name at its source
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) tools: ToolsArgument,
}

/// Run one tool and print what it answers
///
/// A tool of a configured server is called `SERVER__TOOL`; that server alone is started. The arguments are checked first. A tool that changes something waits for approval: a person at the terminal is asked to
/// approve, reject or edit the call, and where nobody can be asked it is denied. Exit code 0 when the tool succeeded, 1 when it failed: the body that a model would
/// read is then printed.
#[derive(Debug, Args)]
#[command(after_help = CALL_EXAMPLES)]
pub(crate) struct Call {
    /// The tool's name
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// Its arguments, as a model sends them; `-` reads standard input [default: {}]
    #[arg(value_name = "JSON", allow_hyphen_values = true)]
    pub(crate) arguments: Option<String>,
    /// Repair nothing: what is not as the schema has it is refused, and a tool is called by its exact name
    #[arg(long)]
    pub(crate) strict: bool,
    /// Approve the call without asking
    #[arg(long)]
    pub(crate) yes: bool,
}

/// Run the calls of a model's message and print the messages to send back
///
/// FILE is the body of a provider's response, its message alone, or a conversation that ends with it. All calls are checked
/// before the first starts, and each gets one result, in the model's order, whatever was wrong with it. Printed is one JSON
/// document, `{"messages": […]}`: what to append to the conversation after the model's message. The tools are the built-in
/// ones and those of the configured servers, of which those are started that the calls need.
///
/// Tools that change nothing run; calls of others wait for approval. A person at the terminal is asked to approve, reject or
/// edit each; where nobody can be asked, the call is denied, and the message says so.
///
/// Exit code 0 also when calls failed, 2 when there is no message; a message without calls is answered by no messages. After
/// Ctrl-C what runs is told to end, the messages are still printed, and the exit code is 130; a second Ctrl-C ends at once.
#[derive(Debug, Args)]
#[command(after_help = TURN_EXAMPLES)]
pub(crate) struct Turn {
    /// The message [default: standard input]
    #[arg(value_name = "FILE")]
    pub(crate) message: Option<PathBuf>,
    /// Whose message it is
    #[arg(long, value_enum, value_name = "PROVIDER", default_value_t)]
    pub(crate) from: From,
    /// How many calls run at once; 1 runs them strictly in order [default: 32]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) concurrency: Option<u32>,
    /// Write what happens to this file, which is overwritten, one JSON object a line; `-` is standard error
    #[arg(long, value_name = "FILE")]
    pub(crate) events: Option<PathBuf>,
    /// Exit with 1 when a call failed
    #[arg(long)]
    pub(crate) fail_on_error: bool,
    /// Repair nothing: what is not as the schema has it is refused, and a tool is called by its exact name
    #[arg(long)]
    pub(crate) strict: bool,
    /// Approve every call without asking
    #[arg(long)]
    pub(crate) yes: bool,
}

/// Serve the tools to MCP clients: on standard input and output, or over HTTP
///
/// A client that starts haft itself, as editors do, speaks to it over standard input and output until it leaves; over HTTP
/// any number of clients do, at `http://ADDR/mcp`. Clients of every revision of the protocol are answered.
///
/// Tools that change nothing run; calls of others wait for approval: the client shows its user a form to approve or reject
/// each. Where it can not, the call is denied, and the message says so.
///
/// Over HTTP only programs and pages of this machine may ask. At an address that others reach, every client has to show a
/// token, `Authorization: Bearer …`: the one of --token-file, or one that is made and printed here once.
///
/// Exit code 0 when the client left or haft was told to end (SIGTERM), 130 after Ctrl-C: what runs has two seconds to end.
#[derive(Debug, Args)]
#[command(after_help = SERVE_EXAMPLES)]
pub(crate) struct Serve {
    /// Serve over HTTP at this address [default: 127.0.0.1:8848]
    #[arg(long, value_name = "ADDR", num_args = 0..=1, default_missing_value = "127.0.0.1:8848")]
    pub(crate) http: Option<String>,
    /// The file that holds the token which clients have to show
    #[arg(long, value_name = "FILE", requires = "http")]
    pub(crate) token_file: Option<PathBuf>,
    /// Let haft be reached by this name as well, such as that of a proxy before it
    #[arg(long = "allow-host", value_name = "HOST", requires = "http", value_parser = named::host)]
    pub(crate) hosts: Vec<String>,
    /// Let pages of this origin ask as well, such as `https://app.example.com`
    #[arg(long = "allow-origin", value_name = "ORIGIN", requires = "http", value_parser = named::origin)]
    pub(crate) origins: Vec<String>,
    /// How many calls run at once, of all clients together [default: 32]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) concurrency: Option<u32>,
    /// Repair nothing: what is not as the schema has it is refused, and a tool is called by its exact name
    #[arg(long)]
    pub(crate) strict: bool,
    /// Approve every call without asking
    #[arg(long)]
    pub(crate) yes: bool,
}

/// Judge calls against any list of tools; nothing runs
///
/// Each line of CALLS is `{"name": …, "arguments": …}`. Arguments that are text are what a model sent, an object is taken as
/// it is, any other JSON is judged as sent, and none is the empty object. For each line, in order, one line is printed:
/// `{"name", "valid", "arguments"?, "repaired"?, "error"?}`; also for a line that is no JSON or blank, while blank lines at
/// the end are no lines. Exit code 0 when all are valid, 1 when some are not; no call at
/// all is noted, and 0.
///
/// The tools are judged as foreign ones: no defaults are filled in, and a name that providers refuse is changed and still
/// found under its own. A tool that can not be used is reported, and its calls are `not-found`.
///
/// What models are known to write otherwise than a schema has it, and that can be meant in one way only, is repaired:
/// `"5"` for the number, `"DAY"` for `"day"`, a name with `-` for `_`. `repaired` says by which rule and at which place.
#[derive(Debug, Args)]
#[command(after_help = VALIDATE_EXAMPLES)]
pub(crate) struct Validate {
    /// The tools: an MCP tools/list result, or definitions in any provider's form, as a list or one a line
    #[arg(long, value_name = "FILE")]
    pub(crate) tools: PathBuf,
    /// The calls, one JSON object a line [default: standard input]
    #[arg(value_name = "CALLS.jsonl")]
    pub(crate) calls: Option<PathBuf>,
    /// Repair nothing: what is not as the schema has it is refused, and a tool is called by its exact name
    #[arg(long)]
    pub(crate) strict: bool,
}

/// Print a schema of arguments as a provider takes it
///
/// One bare JSON Schema goes in, the projected one alone comes out. Exit code 1 when it has no such form: what is wrong is
/// then said with its place.
#[derive(Debug, Args)]
#[command(after_help = SCHEMA_EXAMPLES)]
pub(crate) struct Schema {
    /// The schema [default: standard input]
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Whose form it takes
    #[arg(long = "as", value_enum, value_name = "TARGET")]
    pub(crate) target: Target,
    /// Say on standard error what was dropped, weakened, narrowed or rewritten; with --json as one JSON document
    #[arg(long)]
    pub(crate) report: bool,
}

/// Say what providers would refuse or weaken, and what makes a tool hard to use
///
/// Exit code 1 when a provider would refuse a tool. With --json one document, `{"tools": N, "rows": […]}`: how many tools were
/// read, and one row a tool, provider and lint. A row about all providers has the provider `any`.
#[derive(Debug, Args)]
#[command(after_help = LINT_EXAMPLES)]
pub(crate) struct Lint {
    #[command(flatten)]
    pub(crate) tools: ToolsArgument,
    /// Look at these providers only
    #[arg(long = "for", value_enum, value_name = "PROVIDER", value_delimiter = ',', num_args = 1..)]
    pub(crate) providers: Vec<Target>,
    /// Say nothing of this kind, everywhere or about one tool
    #[arg(long, value_name = "LINT[=TOOL]", value_delimiter = ',')]
    pub(crate) allow: Vec<String>,
}

/// Check the configuration, its servers and this machine, and say what to mend
///
/// Every server is started or connected to, and its tools are listed; no tool is called. Exit code 0 when all is well, 1 when
/// something is to be mended.
#[derive(Debug, Args)]
#[command(after_help = DOCTOR_EXAMPLES)]
pub(crate) struct Doctor {}

/// Trust the configuration of a folder, so that the programs in it are started
///
/// A configuration in the working directory that names servers waits until a person has looked at it. What would be started is
/// shown, and a person at the terminal is asked; where nobody can be asked, nothing is trusted unless --yes is given. Trust is
/// for this content of this file: once it changes, it waits again. Exit code 1 when it is not trusted.
#[derive(Debug, Args)]
#[command(after_help = TRUST_EXAMPLES)]
pub(crate) struct Trust {
    /// The file [default: all in the working directory that wait]
    #[arg(value_name = "FILE", conflicts_with = "list")]
    pub(crate) file: Option<PathBuf>,
    /// Trust it without asking
    #[arg(long, conflicts_with_all = ["list", "revoke"])]
    pub(crate) yes: bool,
    /// List the files that are trusted, and whether they have changed since
    #[arg(long, conflicts_with = "revoke")]
    pub(crate) list: bool,
    /// Trust it no more
    #[arg(long)]
    pub(crate) revoke: bool,
}

/// Show the configuration that is in effect, as JSON and without secrets
///
/// With the files that count, the nearest first, and what is left out of them.
#[derive(Debug, Args)]
#[command(after_help = CONFIG_EXAMPLES)]
pub(crate) struct Config {
    #[command(subcommand)]
    pub(crate) part: Option<ConfigPart>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigPart {
    /// Print the JSON Schema of haft.toml, for editors
    Schema,
}

/// Print completions for a shell
#[derive(Debug, Args)]
#[command(after_help = COMPLETIONS_EXAMPLES)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    pub(crate) shell: Shell,
}

/// Own a program: it speaks on this input and output, and ends, with all that it started, when the input is closed
#[derive(Debug, Args)]
pub(crate) struct Supervise {
    /// The program and its arguments
    #[arg(value_name = "COMMAND", required = true, num_args = 1.., trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) program: Vec<OsString>,
}

#[derive(Debug, Args)]
pub(crate) struct ToolsArgument {
    /// Take the tools of this file, an MCP tools/list result or definitions in any provider's form
    #[arg(long = "tools", value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum ColorWhen {
    #[default]
    Auto,
    Always,
    Never,
}

/// Whose message is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum From {
    /// Told by its form
    #[default]
    Auto,
    /// An OpenAI chat completion, which most compatible servers write
    OpenaiChat,
    /// An OpenAI response
    OpenaiResponses,
    /// An Anthropic message
    Anthropic,
    /// A Gemini response
    Gemini,
}

/// Whose form a list of tools takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Target {
    /// An MCP tools/list result
    Mcp,
    /// The `tools` of an OpenAI chat completion
    #[value(name = "openai")]
    OpenAi,
    /// The same in strict mode, for the tools that it can say
    #[value(name = "openai-strict")]
    OpenAiStrict,
    /// The `tools` of an Anthropic message
    Anthropic,
    /// The `tools` of a Gemini request
    Gemini,
    /// The shortest listing from which a tool can be called, as an MCP tools/list result
    Lean,
    /// The OpenAI form as Groq takes it
    Groq,
    /// The OpenAI form as Mistral takes it
    Mistral,
    /// The OpenAI form as Ollama takes it
    Ollama,
}

impl Target {
    pub(crate) fn target(self) -> haft::Target {
        match self {
            Self::Mcp => Projection::Mcp.into(),
            Self::OpenAi => Projection::OpenAi.into(),
            Self::OpenAiStrict => Projection::OpenAiStrict.into(),
            Self::Anthropic => Projection::Anthropic.into(),
            Self::Gemini => Projection::Gemini.into(),
            Self::Lean => Projection::Lean.into(),
            Self::Groq => Profile::Groq.into(),
            Self::Mistral => Profile::Mistral.into(),
            Self::Ollama => Profile::Ollama.into(),
        }
    }
}

const EXAMPLES: &str = "\
Examples:
  haft list
  haft call calculate '{\"expression\": \"0.1 + 0.2\"}'
  haft turn response.json
  haft serve
  haft validate --tools tools.json calls.jsonl
  haft doctor

`haft help COMMAND` says more, with examples.";

const EXAMPLES_AND_CODES: &str = "\
Examples:
  haft list
  haft call calculate '{\"expression\": \"0.1 + 0.2\"}'
  haft turn response.json
  haft serve
  haft validate --tools tools.json calls.jsonl
  haft doctor

Exit codes:
  0    done
  1    a call failed (call; turn with --fail-on-error), some calls are not valid (validate),
       no tool of a file can be used (list), a tool or schema has no form for a provider (lint, schema),
       something is to be mended (doctor), a file is not trusted (trust)
  2    wrong use, or nothing to work on
  130  interrupted";

const LIST_EXAMPLES: &str = "\
Examples:
  haft list                               # the built-in tools, and those of the configured servers
  haft list --builtin                     # what haft.toml can switch on and off
  haft list --config mcp.json             # with the servers of this file
  haft list --as anthropic                # as the `tools` of a request
  haft list --tools tools.json --json     # whole definitions of another source's tools";

const SHOW_EXAMPLES: &str = "\
Examples:
  haft show calculate
  haft show get_user --tools tools.json --json";

const CALL_EXAMPLES: &str = "\
Examples:
  haft call current_date
  haft call maths__calculate '{\"expression\": \"2^10\"}' --config mcp.json --yes
  haft call calculate '{\"expression\": \"2^10\"}'
  echo '{\"date\": \"2026-11-30\"}' | haft call day_name -";

const TURN_EXAMPLES: &str = "\
Examples:
  haft turn response.json
  curl -s https://api.example.com/v1/chat/completions -d @request.json | haft turn
  haft turn --from anthropic --events events.jsonl --fail-on-error message.json";

const SERVE_EXAMPLES: &str = "\
Examples:
  haft serve                                            # for a client that starts it
  haft serve --http                                     # at http://127.0.0.1:8848/mcp
  haft serve --http 0.0.0.0:8848 --token-file token.txt";

const VALIDATE_EXAMPLES: &str = "\
Examples:
  haft validate --tools tools.json calls.jsonl
  haft validate --strict --tools tools.json calls.jsonl
  echo '{\"name\": \"add\", \"arguments\": {\"a\": 1}}' | haft validate --tools tools.json
  some-mcp-client tools/list | haft validate --tools - calls.jsonl";

const SCHEMA_EXAMPLES: &str = "\
Examples:
  haft schema arguments.json --as gemini
  haft schema --as openai-strict --report < arguments.json";

const LINT_EXAMPLES: &str = "\
Examples:
  haft lint
  haft lint --tools tools.json --for gemini openai-strict
  haft lint --tools tools.json --allow unstated-default,vague-name=search --json";

const DOCTOR_EXAMPLES: &str = "\
Examples:
  haft doctor
  haft doctor --config mcp.json --json";

const TRUST_EXAMPLES: &str = "\
Examples:
  haft trust --yes                # what lies in the working directory
  haft trust --list
  haft trust --revoke haft.toml";

const CONFIG_EXAMPLES: &str = "\
Examples:
  haft config
  haft config --config mcp.json
  haft config schema > haft.schema.json";

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  haft completions bash > ~/.local/share/bash-completion/completions/haft
  haft completions zsh > ~/.zfunc/_haft
  haft completions fish > ~/.config/fish/completions/haft.fish";

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_sound() {
        super::Cli::command().debug_assert();
    }
}
