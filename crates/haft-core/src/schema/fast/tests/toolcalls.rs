//! Real calls of real tools: nearly all that are valid take the fast road.

use serde::Deserialize;
use serde_json::Value;

use super::super::read_value;
use super::instances;
use super::random::Random;
use super::roads::Both;

/// A file of the data set; says that the test was skipped where there is none.
#[expect(clippy::disallowed_methods, reason = "the test reads a data set and says so when it is skipped")]
pub(super) fn data(test: &str, file: &str) -> Option<String> {
    let Some(folder) = std::env::var_os("HAFT_DATA") else {
        assert!(std::env::var("HAFT_STRICT").as_deref() != Ok("1"), "HAFT_DATA is not set");
        eprintln!("skipped: {test}: HAFT_DATA is not set");
        return None;
    };
    Some(std::fs::read_to_string(std::path::Path::new(&folder).join(file)).unwrap())
}

#[derive(Deserialize)]
struct Row {
    tool: Option<Tool>,
    call: Call,
    valid: bool,
}

#[derive(Deserialize)]
struct Tool {
    parameters: Value,
}

#[derive(Deserialize)]
struct Call {
    #[serde(default)]
    arguments: Value,
}

#[test]
fn most_valid_calls_are_decided_fast() {
    let Some(text) = data("most_valid_calls_are_decided_fast", "toolcalls/toolcalls.sample.jsonl") else {
        return;
    };
    for local in [false, true] {
        let (mut valid, mut fast) = (0, 0);
        for row in text.lines().map(|line| serde_json::from_str::<Row>(line).unwrap()) {
            let Some(tool) = row.tool else { continue };
            let Some(both) = Both::of(tool.parameters, local) else { continue };
            let text = row.call.arguments.to_string();
            if let Some(difference) = both.difference(&text) {
                panic!("{difference}");
            }
            if row.valid && both.complete(&text).is_ok() {
                valid += 1;
                let read = both.checks.as_ref().is_some_and(|checks| read_value(&text, checks).is_some());
                fast += usize::from(read);
            }
        }
        eprintln!(
            "{fast} of {valid} valid calls are decided fast ({})",
            if local { "local" } else { "remote" }
        );
        assert!(fast * 100 >= valid * 95, "{fast} of {valid}");
    }
}

#[derive(Deserialize)]
struct Server {
    tools: Vec<Listed>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    #[serde(default)]
    input_schema: Value,
}

/// Texts generated for the tools of real servers: most that are valid take the fast road.
#[test]
#[expect(clippy::disallowed_methods, reason = "the test reads a data set")]
fn most_texts_for_real_tools_are_decided_fast() {
    const TEXTS: usize = 20;
    let name = "most_texts_for_real_tools_are_decided_fast";
    if data(name, "mcp_tools.features.json").is_none() {
        return;
    }
    let folder = std::path::Path::new(&std::env::var_os("HAFT_DATA").unwrap()).join("mcp_tools");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    let mut random = Random(5);
    let (mut tools, mut planned, mut valid, mut fast) = (0, 0, 0, 0);
    for file in files {
        let server: Server = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
        for both in server.tools.into_iter().filter_map(|tool| Both::of(tool.input_schema, false)) {
            tools += 1;
            planned += usize::from(both.checks.is_some());
            for _ in 0..TEXTS {
                let text = instances::text(&mut random, &both.schema);
                if let Some(difference) = both.difference(&text) {
                    panic!("{difference}");
                }
                if both.complete(&text).is_ok() {
                    valid += 1;
                    let read = both.checks.as_ref().is_some_and(|checks| read_value(&text, checks).is_some());
                    fast += usize::from(read);
                }
            }
        }
    }
    eprintln!("{tools} tools, {planned} with a plan: {fast} of {valid} valid texts are decided fast");
    assert!(fast * 100 >= valid * 90, "{fast} of {valid}");
}
