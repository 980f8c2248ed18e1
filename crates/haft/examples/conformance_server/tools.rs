//! Tools of the registry that ask nobody.

use std::{
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use haft::{
    Args, Content, DefinitionError, Tool, ToolContext, ToolError, ToolOutput, ToolRegistry, ToolSource,
    serve::mcp::{ClientLog, LogLevel},
};
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::{
    content::{AUDIO, IMAGE},
    host::Fixture,
};

/// What the suite wants between two notifications.
const PAUSE: Duration = Duration::from_millis(50);

pub(crate) fn all(
    fixture: &Fixture,
    registry: &Arc<OnceLock<ToolRegistry>>,
) -> Result<Vec<Tool>, DefinitionError> {
    Ok(vec![
        text()?,
        content("test_image_content", || vec![image()])?,
        content("test_audio_content", || {
            vec![Content::Audio { data: AUDIO.into(), mime_type: "audio/wav".into() }]
        })?,
        content("test_embedded_resource", || {
            vec![resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")]
        })?,
        content("test_multiple_content_types", || {
            let json = r#"{"test":"data","value":123}"#;
            let resource = resource("test://mixed-content-resource", "application/json", json);
            vec![Content::text("Multiple content types test:"), image(), resource]
        })?,
        error()?,
        logging("test_tool_with_logging")?,
        logging("test_logging_tool")?,
        progress()?,
        schema()?,
        header()?,
        slow()?,
        tool_change(registry)?,
        prompt_change(fixture)?,
    ])
}

fn text() -> Result<Tool, DefinitionError> {
    let text = Tool::builder("test_simple_text").description("Returns a text.").read_only(true);
    text.run_sync(|| "This is a simple text response for testing.")
}

fn content(name: &str, blocks: fn() -> Vec<Content>) -> Result<Tool, DefinitionError> {
    let tool = Tool::builder(name).description("Returns blocks of content.").read_only(true);
    tool.run_sync(move || ToolOutput::blocks(blocks()))
}

fn image() -> Content {
    Content::Image { data: IMAGE.into(), mime_type: "image/png".into() }
}

fn resource(uri: &str, mime_type: &str, text: &str) -> Content {
    Content::Resource { resource: json!({"uri": uri, "mimeType": mime_type, "text": text}) }
}

fn error() -> Result<Tool, DefinitionError> {
    let tool = Tool::builder("test_error_handling").description("Fails.").read_only(true);
    tool.run_sync(|| Err::<String, _>(ToolError::new("This tool intentionally returns an error for testing")))
}

/// Writes to the client's log; whether the client wants to see it is not the tool's concern.
fn logging(name: &str) -> Result<Tool, DefinitionError> {
    let tool = Tool::builder(name).description("Writes to the log.").read_only(true);
    tool.run(|log: ClientLog| async move {
        for entry in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
            log.write(LogLevel::Info, entry);
            sleep(PAUSE).await;
        }
        "Logging test completed"
    })
}

fn progress() -> Result<Tool, DefinitionError> {
    let tool = Tool::builder("test_tool_with_progress").description("Reports progress.").read_only(true);
    tool.run(|context: ToolContext| async move {
        for (done, message) in [(0.0, "Starting"), (50.0, "Halfway"), (100.0, "Complete")] {
            context.progress(done, Some(100.0), Some(message));
            sleep(PAUSE).await;
        }
        "Progress test completed"
    })
}

/// A schema as another server would have it, which clients are to see untouched.
fn schema() -> Result<Tool, DefinitionError> {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {"address": {
            "$anchor": "address",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }},
        "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
        "allOf": [{"anyOf": [{"required": ["name"]}, {"required": ["address"]}]}],
        "if": {"required": ["address"]},
        "then": {"properties": {"address": {"required": ["street"]}}},
        "else": {"required": ["name"]},
        "additionalProperties": false,
    });
    let tool = Tool::builder("json_schema_2020_12_tool").description("Has a schema of many keywords.");
    tool.source(ToolSource::Mcp).schema(schema).run_sync(|Args(arguments): Args<Value>| {
        format!("Hello, {}!", arguments.get("name").and_then(Value::as_str).unwrap_or("world"))
    })
}

/// An argument that clients mirror in a header.
fn header() -> Result<Tool, DefinitionError> {
    let schema = json!({
        "type": "object",
        "properties": {"value": {"type": "string", "x-mcp-header": "Value"}},
        "required": ["value"],
    });
    let tool =
        Tool::builder("test_custom_header").description("Takes an argument that is mirrored in a header.");
    tool.schema(schema).run_sync(|Args(arguments): Args<Value>| {
        arguments.get("value").and_then(Value::as_str).unwrap_or_default().to_owned()
    })
}

fn slow() -> Result<Tool, DefinitionError> {
    let tool = Tool::builder("test_reconnection").description("Takes a moment.").read_only(true);
    tool.run(|| async {
        sleep(2 * PAUSE).await;
        "Reconnection test completed"
    })
}

/// Adds a tool to the registry, which clients are told.
fn tool_change(registry: &Arc<OnceLock<ToolRegistry>>) -> Result<Tool, DefinitionError> {
    let (registry, count) = (Arc::clone(registry), AtomicU64::new(0));
    let tool = Tool::builder("test_trigger_tool_change").description("Changes the list of tools.");
    tool.run_sync(move || {
        let number = count.fetch_add(1, Ordering::Relaxed);
        let (gone, added) = (format!("added_{number}"), format!("added_{}", number + 1));
        let added = Tool::builder(added).description("Was added.").run_sync(|| "added")?;
        if let Some(registry) = registry.get() {
            registry.update(|builder| {
                let builder = if number > 0 { builder.without(&gone) } else { builder };
                builder.tool(added)
            })?;
        }
        Ok::<_, ToolError>("Tool list change triggered")
    })
}

fn prompt_change(fixture: &Fixture) -> Result<Tool, DefinitionError> {
    let fixture = fixture.clone();
    let tool = Tool::builder("test_trigger_prompt_change").description("Changes the list of prompts.");
    tool.run(move || {
        let fixture = fixture.clone();
        async move {
            fixture.tell_prompt_change().await;
            "Prompt list change triggered"
        }
    })
}
