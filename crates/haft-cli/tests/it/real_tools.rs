//! Tool lists of real MCP servers.

use std::{fs, path::PathBuf};

use serde_json::{Value, json};

use crate::haft::haft;
use crate::haft::haft_with;

/// A folder of the data sets; without it the test says that it is skipped, or fails where nothing may be skipped.
fn data(test: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("HAFT_DATA");
    if folder.is_none() {
        assert!(std::env::var("HAFT_STRICT").as_deref() != Ok("1"), "{test}: HAFT_DATA is not set");
        eprintln!("skipped: {test}: HAFT_DATA is not set");
    }
    folder.map(PathBuf::from)
}

#[test]
fn every_list_of_a_real_server_loads_and_judges() {
    let Some(data) = data("every_list_of_a_real_server_loads_and_judges") else { return };
    let mut files: Vec<PathBuf> =
        fs::read_dir(data.join("mcp_tools")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() > 40, "{} lists", files.len());
    let mut refused = Vec::new();
    for file in files {
        let document: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        let tools = document["tools"].as_array().unwrap();
        let calls: Vec<String> = tools
            .iter()
            .map(|tool| json!({"name": tool["name"], "arguments": {"no such field": 1}}).to_string())
            .collect();
        let file = file.to_str().unwrap();
        let run = haft_with(&["validate", "--tools", file], calls.join("\n"));
        let verdicts = run.json_lines();
        assert_eq!(verdicts.len(), tools.len(), "{file}");
        for (tool, verdict) in tools.iter().zip(&verdicts) {
            assert_eq!(verdict["name"], tool["name"], "{file}");
            let kind = &verdict["error"]["kind"];
            let judged = verdict["valid"] == true || kind == "validation" || kind == "not-found";
            assert!(judged, "{file}: {verdict}");
        }
        let all_valid = verdicts.iter().all(|verdict| verdict["valid"] == true);
        assert_eq!(run.code, i32::from(!all_valid), "{file}");
        let not_found = verdicts.iter().filter(|verdict| verdict["error"]["kind"] == "not-found").count();
        assert_eq!(not_found, run.stderr.lines().count(), "{file}: {}", run.stderr);
        refused.extend(run.stderr.lines().map(str::to_owned));
        let listed = haft(&["list", "--tools", file, "--as", "mcp"]).exits(0).json();
        assert_eq!(listed["tools"].as_array().unwrap().len(), tools.len() - not_found, "{file}");
    }
    insta::assert_snapshot!(refused.join("\n"), @"");
}
