//! `haft call`: runs one tool.

use std::{borrow::Cow, io::Write as _};

use haft::{CallContext, ErrorBody, Repair, ToolResult};
use serde::Serialize;

use crate::{
    asking,
    host::{Exit, Host},
    input::Input,
    output,
    settings::{Arguments, Call},
    workbench::Workbench,
};

pub(super) fn run(settings: Call, host: &mut Host) -> anyhow::Result<Exit> {
    let arguments = match settings.arguments {
        Arguments::Text(text) => text,
        Arguments::Stdin => {
            super::announce(&Input::Stdin, "arguments", host);
            Input::Stdin.read()?
        }
    };
    let mut bench = Workbench::open(&settings.configuration, host)?;
    super::block_on(async {
        bench.connect_for(&[&settings.name], host).await;
        let dispatcher = asking::attend(bench.dispatcher(), &bench.registry, settings.yes).build();
        let context = CallContext::new().cancellation(host.interrupt.cancels());
        let called = dispatcher.call(&settings.name, &arguments, context).await;
        // Told at once: a server may take its time to end.
        let told = called.map_err(Into::into).and_then(|result| tell(&result, settings.json, host));
        bench.close().await;
        told
    })?
}

fn tell(result: &ToolResult, json: bool, host: &mut Host) -> anyhow::Result<Exit> {
    if json {
        output::write_json(&mut host.stdout, &Report::of(result))?;
    } else {
        print(result, host)?;
    }
    host.stdout.flush()?;
    Ok(host.interrupt.outcome(Exit::failed_if(result.is_error())))
}

/// The text as the model would get it, ended as a line.
fn print(result: &ToolResult, host: &mut Host) -> anyhow::Result<()> {
    let text = result.text();
    let shown = match result.outcome() {
        // JSON says the same when it is made safe, so that a pipe into a terminal is safe too.
        Err(_) => output::safe_json(text.into_owned()).into(),
        Ok(_) if host.stdout_is_terminal => Cow::Owned(output::block(&text).into_owned()),
        Ok(_) => text,
    };
    host.stdout.write_all(shown.as_bytes())?;
    if !shown.is_empty() && !shown.ends_with('\n') {
        host.stdout.write_all(b"\n")?;
    }
    Ok(())
}

/// The result, and what is known about the call.
#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    result: &'a ToolResult,
    #[serde(rename = "toolName")]
    tool_name: &'a str,
    #[serde(skip_serializing_if = "<[Repair]>::is_empty")]
    repaired: &'a [Repair],
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ErrorBody<'a>>,
}

impl<'a> Report<'a> {
    fn of(result: &'a ToolResult) -> Self {
        let tool_name = result.tool_name();
        let error = result.error().map(|error| ErrorBody::new(tool_name, error));
        Self { result, tool_name, repaired: result.repaired(), error }
    }
}
