//! The command haft, as the tests run it.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::process::{Run, run};

/// The command with these arguments, in an environment that holds no configuration of its own.
pub(crate) fn haft(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_haft"));
    command.args(arguments);
    command.current_dir(env!("CARGO_TARGET_TMPDIR")).env("XDG_CONFIG_HOME", env!("CARGO_TARGET_TMPDIR"));
    command.env("NO_COLOR", "1").env("NO_PROXY", "*");
    command
}

/// Runs one tool of a configuration, approved beforehand.
pub(crate) fn call(config: &Path, tool: &str, arguments: &Value) -> Run {
    run(haft(&["call", tool, &arguments.to_string(), "--yes", "--config"]).arg(config), "")
}
