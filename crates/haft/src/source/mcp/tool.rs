//! Tools of a server, made to be tools of this side.

use std::{
    collections::HashMap,
    sync::{Arc, Weak},
};

use haft_core::{
    Args, DefinitionError, ErrorCode, OutputSchema, Tool, ToolAnnotations, ToolBuilder, ToolContext,
    ToolError, ToolName, ToolSource,
};
use serde_json::{Map, Value};

use crate::{people::People, trace::Traced};

use super::{
    McpError, McpProblem,
    call::Call,
    list::Listed,
    name::tool_names,
    presentation::{presentation, text},
    remote::{Made, Remote},
};

/// Makes tools of what a server lists. One that has not changed stays the tool that it was.
pub(super) fn make_tools(
    remote: &Arc<Remote>,
    listed: Vec<Listed>,
    before: &[Made],
    problems: &mut Vec<McpProblem>,
) -> Vec<Made> {
    let before: HashMap<&str, &Made> = before.iter().map(|made| (made.listed.name.as_str(), made)).collect();
    let originals: Vec<&str> = listed.iter().map(|tool| tool.name.as_str()).collect();
    let names = tool_names(&remote.server.name, &originals);
    let mut tools = Vec::with_capacity(listed.len());
    for (listed, name) in listed.into_iter().zip(names) {
        let made = match (name, before.get(listed.name.as_str())) {
            (Ok(name), Some(made)) if made.listed == listed && made.tool.name() == name.as_str() => {
                Ok((*made).clone())
            }
            (Ok(name), _) => make(remote, &name, listed.clone()),
            (Err(error), _) => Err(error.to_string()),
        };
        match made {
            Ok(made) => {
                problems.extend(made.problem.clone());
                tools.push(made);
            }
            Err(why) => problems.push(McpProblem::LeftOut { name: listed.name, why }),
        }
    }
    tools
}

fn make(remote: &Arc<Remote>, name: &ToolName, listed: Listed) -> Result<Made, String> {
    let raw = &listed.raw;
    let hints = raw.get("annotations").and_then(Value::as_object);
    let title = text(raw, "title").or_else(|| text(hints?, "title"));
    let described = text(raw, "description").or_else(|| title.clone());
    let described = described
        .unwrap_or_else(|| format!("The tool {:?} of the MCP server {:?}.", listed.name, remote.server.name));
    let schema = raw.get("inputSchema").cloned().unwrap_or_default();
    let (output, problem) = match raw.get("outputSchema").filter(|schema| !schema.is_null()) {
        None => (None, None),
        Some(schema) => match OutputSchema::new(schema.clone()) {
            Ok(_) => (Some(schema.clone()), None),
            Err(error) => {
                let problem = McpProblem::Unchecked { name: listed.name.clone(), why: error.to_string() };
                (None, Some(problem))
            }
        },
    };
    let mut builder = Tool::builder(name.as_str())
        .description(described)
        .toolkit(&remote.server.name)
        .source(ToolSource::Mcp)
        .original_name(&listed.name)
        .annotations(annotations(hints))
        .trust_annotations(remote.server.trust_annotations)
        .timeout(remote.server.ceiling)
        .presentation(presentation(raw))
        .schema(schema);
    if let Some(title) = title {
        builder = builder.display_name(title);
    }
    let declares_output = output.is_some();
    if let Some(output) = output {
        builder = builder.output_schema(output);
    }
    let tool = finished(builder, Arc::downgrade(remote), listed.name.as_str().into(), declares_output);
    let tool = tool.map_err(|error| {
        let told: Vec<String> = error.problems().iter().map(ToString::to_string).collect();
        told.join("; ")
    })?;
    Ok(Made { listed, tool, problem })
}

fn annotations(hints: Option<&Map<String, Value>>) -> ToolAnnotations {
    let hint = |name: &str| hints?.get(name)?.as_bool();
    let mut annotations = ToolAnnotations::new();
    annotations.read_only = hint("readOnlyHint");
    annotations.destructive = hint("destructiveHint");
    annotations.idempotent = hint("idempotentHint");
    annotations.open_world = hint("openWorldHint");
    annotations
}

fn finished(
    builder: ToolBuilder,
    remote: Weak<Remote>,
    name: Arc<str>,
    declares_output: bool,
) -> Result<Tool, DefinitionError> {
    builder.run(move |Args(arguments): Args<Value>, context: ToolContext, people: People, trace: Traced| {
        let (remote, name) = (remote.clone(), Arc::clone(&name));
        async move {
            let closed = || ToolError::of(ErrorCode::Mcp, McpError::Closed.to_string());
            let remote = remote.upgrade().ok_or_else(closed)?;
            let Value::Object(arguments) = arguments else {
                return Err(ToolError::of(ErrorCode::Mcp, "the arguments of an MCP tool are an object"));
            };
            let (remote, context, people) = (&*remote, &context, &people);
            let trace = trace.0.as_deref();
            let call = Call { remote, tool: &name, declares_output, context, people, trace, resumed: false };
            call.run(arguments).await
        }
    })
}
