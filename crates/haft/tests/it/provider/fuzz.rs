//! Mutated messages: whatever the text, there are calls with distinct generated ids or an error of one line, never a panic.

use std::{fs, path::Path};

use haft::{
    ToolOutput, ToolResult,
    provider::{Note, Provider},
};

use crate::fuzzing::{Random, one_line};

/// The fuzz body: takes any bytes.
fn reads(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let mut read = false;
    match Provider::detect(&text) {
        Ok(_) => {}
        Err(error) => one_line(&error.to_string()),
    }
    for provider in Provider::ALL {
        let calls = match provider.calls(&text) {
            Ok(calls) => calls,
            Err(error) => {
                one_line(&error.to_string());
                continue;
            }
        };
        read |= !calls.is_empty();
        for note in calls.notes() {
            one_line(&note.to_string());
            if let Note::GeneratedId { position, id, .. } = note {
                assert_eq!(calls.as_slice()[*position].id, *id);
                assert_eq!(calls.iter().filter(|call| call.id == *id).count(), 1, "{id} in {text:?}");
            }
        }
        let results: Vec<ToolResult> = calls
            .iter()
            .map(|call| ToolResult::succeeded(call.id.clone(), &call.name, ToolOutput::empty()))
            .collect();
        let messages = provider.messages(&results);
        assert_eq!(messages.is_empty(), results.is_empty());
        for message in messages {
            assert!(message.as_json().starts_with('{'));
        }
    }
    read
}

const FRAGMENTS: &[&str] = &[
    "null",
    "[]",
    "{}",
    "\"\"",
    "7",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\\",
    "\\ud83d",
    "\\u0000",
    "\u{202e}",
    "\"id\":",
    "\"name\":",
    "\"role\":\"assistant\",",
    "\"type\":\"tool_use\",",
    "\"tool_calls\":[",
    "\"content\":",
    "\"choices\":",
    "\"error\":{\"message\":\"\\n\"},",
    "\"output\":[",
    "\"parts\":[",
    "\"candidates\":[",
];

fn mutate(random: &mut Random, bytes: &mut Vec<u8>) {
    let at = random.below(bytes.len() + 1);
    let end = at + random.below(24.min(bytes.len() - at + 1));
    match random.below(4) {
        0 => drop(bytes.splice(at..at, FRAGMENTS[random.below(FRAGMENTS.len())].bytes())),
        1 => drop(bytes.splice(at..end, FRAGMENTS[random.below(5)].bytes())),
        2 => drop(bytes.drain(at..end)),
        _ => {
            let repeated = bytes[at..end].repeat(random.below(4));
            bytes.splice(at..at, repeated);
        }
    }
}

#[test]
fn every_text_is_read_or_refused() {
    let mut random = Random::new();
    let (mut tried, mut read) = (0, 0);
    for provider in Provider::ALL {
        let folder =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/providers").join(provider.name());
        let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.retain(|path| !path.to_string_lossy().ends_with(".results.json"));
        files.sort();
        for path in files {
            let seed = fs::read(path).unwrap();
            assert!(seed.len() < 20_000);
            for _ in 0..60 {
                let mut bytes = seed.clone();
                for _ in 0..=random.below(3) {
                    mutate(&mut random, &mut bytes);
                }
                tried += 1;
                read += usize::from(reads(&bytes));
            }
        }
    }
    // Mutations that all break the JSON would try next to nothing.
    assert!(read * 10 > tried, "{read} of {tried} texts had calls");
}

#[test]
fn depth_and_size_are_no_danger() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let large = format!("\"{}\"", "x".repeat(2_000_000));
    for value in [&deep, &large] {
        for text in [
            value.clone(),
            format!(r#"{{"choices":{value}}}"#),
            format!(r#"{{"role":"assistant","content":{value}}}"#),
            format!(r#"{{"error":{value}}}"#),
            format!(
                r#"{{"role":"assistant","tool_calls":[{{"id":{value},"function":{{"name":"f","arguments":{value}}}}}]}}"#
            ),
            format!(
                r#"{{"role":"assistant","content":[{{"type":"tool_use","id":"a","name":"f","input":{value}}}]}}"#
            ),
        ] {
            reads(text.as_bytes());
        }
    }
    reads("{\"a\":".repeat(100_000).as_bytes());
}
