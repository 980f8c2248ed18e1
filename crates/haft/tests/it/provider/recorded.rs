//! Recorded messages of each provider: what they call is run, and what goes back is compared with a golden file.

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use haft::{
    Args, Content, Dispatcher, Tool, ToolError, ToolOutput, ToolRegistry, ToolResult, TurnOutcome,
    provider::Provider,
};
use serde_json::{Value, json};

/// The suffix of the file with what goes back.
const RESULTS: &str = ".results.json";

fn text(arguments: &Value, key: &str) -> String {
    arguments[key].as_str().unwrap_or_default().to_owned()
}

fn tool<F>(name: &str, schema: Value, run: F) -> Tool
where
    F: Fn(Value) -> Result<ToolOutput, ToolError> + Clone + Send + Sync + 'static,
{
    Tool::builder(name)
        .description("One of the tools that recorded messages call.")
        .schema(schema)
        .read_only(true)
        .run_sync(move |Args(arguments): Args<Value>| run(arguments))
        .unwrap()
}

fn blocks(which: &str) -> ToolOutput {
    let picture = |kind: &str| -> Content {
        serde_json::from_value(json!({"type": "image", "data": "iVBORw0KGgo=", "mimeType": kind})).unwrap()
    };
    let others = json!([
        {"type": "audio", "data": "UklGRg==", "mimeType": "audio/wav"},
        {"type": "resource_link", "uri": "file:///log.txt", "name": "log"},
        {"type": "resource", "resource": {"uri": "file:///a.txt", "text": "of a"}},
        {"type": "resource", "resource": {"uri": "file:///b.bin", "blob": "AAAA"}}
    ]);
    ToolOutput::blocks(match which {
        "none" => Vec::new(),
        "blank" => vec![Content::text(""), Content::text(" \n")],
        "picture" => vec![picture("image/png")],
        _ => {
            let mut all = vec![
                Content::text("a chart"),
                Content::text(""),
                picture("image/png"),
                picture("image/tiff"),
            ];
            all.extend(serde_json::from_value::<Vec<Content>>(others).unwrap());
            all
        }
    })
}

/// The tools that the recorded messages call.
fn registry() -> ToolRegistry {
    let place = json!({
        "type": "object",
        "properties": {"city": {"type": "string"}, "unit": {"enum": ["celsius", "fahrenheit"]}},
        "required": ["city"]
    });
    let number =
        json!({"type": "object", "properties": {"number": {"type": "string"}}, "required": ["number"]});
    let say = json!({"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]});
    let draw =
        json!({"type": "object", "properties": {"blocks": {"type": "string"}}, "required": ["blocks"]});
    let nothing = json!({"type": "object", "properties": {}});
    ToolRegistry::builder()
        .tool(tool("get_weather", place, |arguments| {
            Ok(ToolOutput::text(format!("17 degrees in {}", text(&arguments, "city"))))
        }))
        .tool(tool("find_order", number, |arguments| {
            Ok(ToolOutput::json(&json!({"order": text(&arguments, "number")})))
        }))
        .tool(tool("say", say, |arguments| Ok(ToolOutput::text(text(&arguments, "text")))))
        .tool(tool("draw", draw, |arguments| Ok(blocks(&text(&arguments, "blocks")))))
        .tool(tool("forget", nothing.clone(), |_| Ok(ToolOutput::empty())))
        .tool(tool("fail", nothing, |_| Err(ToolError::new("the disk is full"))))
        .tool(Tool::simple("shout", |input: String| async move { input.to_uppercase() }))
        .build()
        .unwrap()
}

async fn run(provider: Provider, response: &str) -> Result<(Vec<String>, Vec<ToolResult>), String> {
    let calls = provider.calls(response).map_err(|error| format!("{}: {error}", error.code()))?;
    let notes = calls.notes().iter().map(ToString::to_string).collect();
    let ids: Vec<_> = calls.iter().map(|call| call.id.clone()).collect();
    let (turn, _events) = Dispatcher::new(registry()).turn(calls.into_vec()).start().unwrap();
    let TurnOutcome::Finished(results) = turn.finish().await.unwrap() else { panic!("no tool asks") };
    assert_eq!(results.iter().map(|result| result.id().clone()).collect::<Vec<_>>(), ids);
    Ok((notes, results))
}

/// Each note and each message on a line of its own.
async fn golden(provider: Provider, response: &str) -> String {
    let (notes, results) = match run(provider, response).await {
        Ok(ran) => ran,
        Err(error) => return format!("{{\n  \"error\": {}\n}}\n", json!(error)),
    };
    let notes = notes.into_iter().map(|note| json!(note).to_string()).collect();
    let messages = provider.messages(&results).iter().map(ToString::to_string).collect();
    let mut golden = String::from("{");
    for (key, lines, end) in [("notes", notes, ","), ("messages", messages, "")] {
        let lines: Vec<String> = lines;
        let inner =
            if lines.is_empty() { String::new() } else { format!("\n    {}\n  ", lines.join(",\n    ")) };
        write!(golden, "\n  \"{key}\": [{inner}]{end}").unwrap();
    }
    golden + "\n}\n"
}

fn recorded(provider: Provider) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/providers").join(provider.name());
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let (golden, messages): (Vec<_>, Vec<_>) =
        files.into_iter().partition(|path| path.to_string_lossy().ends_with(RESULTS));
    for path in golden {
        let message = PathBuf::from(path.to_string_lossy().replace(RESULTS, ".json"));
        assert!(messages.contains(&message), "{}: of no message", path.display());
    }
    messages
}

#[tokio::test]
#[expect(
    clippy::disallowed_methods,
    reason = "the test is told by the environment to rewrite its golden files"
)]
async fn results_go_back_as_each_provider_wants_them() {
    let bless = std::env::var_os("HAFT_BLESS").is_some();
    for provider in Provider::ALL {
        let files = recorded(*provider);
        assert!(files.len() >= 8, "{provider}: {} recorded messages", files.len());
        for path in files {
            let found = golden(*provider, &fs::read_to_string(&path).unwrap()).await;
            let expected = path.with_extension("").to_string_lossy().into_owned() + RESULTS;
            if bless {
                fs::write(&expected, &found).unwrap();
            }
            let wanted = fs::read_to_string(&expected).unwrap_or_default();
            assert_eq!(found, wanted, "{expected}: HAFT_BLESS=1 rewrites it");
        }
    }
}

#[test]
fn each_recorded_message_is_told_apart() {
    for provider in Provider::ALL {
        for path in recorded(*provider) {
            let response = fs::read_to_string(&path).unwrap();
            let is_error = path.ends_with("error-response.json");
            assert_eq!(Provider::detect(&response).is_err(), is_error, "{}", path.display());
            if is_error {
                continue;
            }
            assert_eq!(Provider::detect(&response), Ok(*provider), "{}", path.display());
            for other in Provider::ALL.iter().filter(|other| *other != provider) {
                let error = other.calls(&response).unwrap_err();
                assert_eq!(error.code(), 2405, "{}: {error}", path.display());
            }
        }
    }
}

/// Some providers match a result to its call by the name, so it must be the one that the model wrote.
#[tokio::test]
async fn the_name_goes_back_as_the_model_wrote_it() {
    let echo = Tool::builder("get_user").original_name("get user").description("Finds a user.");
    let echo = echo.schema(json!({"type": "object"})).run_sync(|| "Ada").unwrap();
    let dispatcher = Dispatcher::new(ToolRegistry::builder().tool(echo).build().unwrap());
    for (provider, response) in [
        (Provider::Gemini, r#"{"role":"model","parts":[{"functionCall":{"name":"get user","args":{}}}]}"#),
        (
            Provider::OpenaiChat,
            r#"{"role":"assistant","function_call":{"name":"get user","arguments":"{}"}}"#,
        ),
    ] {
        let calls = provider.calls(response).unwrap().into_vec();
        let (turn, _events) = dispatcher.turn(calls).start().unwrap();
        let results = turn.finish().await.unwrap().finished().unwrap();
        assert_eq!(results[0].tool_name(), "get_user");
        let message = provider.messages(&results)[0].to_string();
        assert!(message.contains(r#""name":"get user""#) && message.contains("Ada"), "{message}");
    }
}
