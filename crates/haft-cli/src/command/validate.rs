//! `haft validate`: one verdict a line, as a stream; nothing runs.

mod fields;
mod line;
mod text;

use std::{iter, mem};

use anyhow::Context as _;
use haft::{ErrorBody, ErrorCode, Repair, ToolError, Validation};
use serde::Serialize;
use serde_json::{Value, value::RawValue};

use self::line::{Faulty, Sent};
use crate::{
    host::{Exit, Host},
    lines::{self, Line},
    output,
    settings::Validate,
    tools_file::ToolsFile,
};

/// Most bytes of a line: arguments of 4 MiB are judged, and as text in JSON they may be longer.
const MOST_BYTES: u64 = 32 * 1024 * 1024;

pub(super) fn run(settings: &Validate, host: &mut Host) -> anyhow::Result<Exit> {
    let tools = super::foreign_tools(&settings.tools, settings.leniency.clone(), host)?;
    super::announce(&settings.calls, "calls, one a line,", host);
    let mut reader = settings.calls.open()?;
    let (mut number, mut blank, mut all_valid) = (0, 0, true);
    loop {
        // Whoever writes a call and waits for its verdict gets it before the next is awaited.
        if reader.buffer().is_empty() {
            std::io::Write::flush(&mut host.stdout)?;
        }
        let next = lines::next(&mut reader, MOST_BYTES);
        let Some(line) = next.with_context(|| format!("{} can not be read", settings.calls))? else { break };
        if line.is_blank() {
            blank += 1;
            continue;
        }
        // A blank line counts once another follows; blank lines at the end are none.
        for line in iter::repeat_with(|| Line::Bytes(Vec::new())).take(mem::take(&mut blank)).chain([line]) {
            number += 1;
            all_valid &= judge(&line, number, &tools, host)?;
        }
    }
    if number == 0 {
        host.note(format_args!("{} holds no call; {}", settings.calls, line::EXPECTED));
    }
    Ok(Exit::failed_if(!all_valid))
}

/// Judges a line and writes its verdict; says whether it is valid.
fn judge(line: &Line, number: usize, tools: &ToolsFile, host: &mut Host) -> anyhow::Result<bool> {
    match line::read(line, number) {
        Ok(Sent { name, call }) => {
            let validation = tools.validate(&call);
            let unknown = validation.is_none().then(|| tools.registry.not_found(&call.name));
            let verdict = match (&validation, &unknown) {
                (Some(validation), _) => Verdict::of(name, validation),
                (None, error) => Verdict::refused(Some(name), &call.name, error.as_ref()),
            };
            output::write_json(&mut host.stdout, &verdict)?;
            Ok(verdict.valid)
        }
        Err(Faulty { name, tool, fault }) => {
            let error = ToolError::of(ErrorCode::MalformedCall, fault);
            let verdict = Verdict::refused(name, tool.as_deref().unwrap_or_default(), Some(&error));
            output::write_json(&mut host.stdout, &verdict)?;
            Ok(false)
        }
    }
}

/// A line of output.
#[derive(Serialize)]
struct Verdict<'a> {
    /// As it stood in the input, byte for byte; null where there was none.
    name: Option<&'a RawValue>,
    valid: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<&'a Value>,
    #[serde(skip_serializing_if = "<[Repair]>::is_empty")]
    repaired: &'a [Repair],
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ErrorBody<'a>>,
}

impl<'a> Verdict<'a> {
    fn of(name: &'a RawValue, validation: &'a Validation) -> Self {
        Self {
            name: Some(name),
            valid: validation.valid,
            arguments: validation.arguments.as_ref(),
            repaired: &validation.repaired,
            error: validation.error.as_ref().map(|error| ErrorBody::new(&validation.tool_name, error)),
        }
    }

    fn refused(name: Option<&'a RawValue>, tool: &'a str, error: Option<&'a ToolError>) -> Self {
        let error = error.map(|error| ErrorBody::new(tool, error));
        Self { name, valid: false, arguments: None, repaired: &[], error }
    }
}
