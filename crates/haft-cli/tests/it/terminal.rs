//! Foreign text can not steer a terminal, and colour is for terminals alone.

use serde_json::json;

use crate::haft::{Run, command, haft, haft_with, validate};

/// Clears the screen, sets a title, reverses the direction, isolates, rings, deletes.
const HOSTILE: &str = "x\u{1b}[2J\u{1b}]0;t\u{7}\u{9b}31m\u{202e}\u{2066}\u{200f}\u{061c}\u{7f}\u{2028}y";

fn is_unsafe(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[track_caller]
fn assert_safe(run: &Run) {
    assert!(!run.stdout.contains(is_unsafe), "{run:#?}");
    assert!(!run.stderr.contains(is_unsafe), "{run:#?}");
}

fn hostile_tools() -> String {
    json!([
        {"name": HOSTILE, "title": HOSTILE, "description": HOSTILE, "inputSchema": {
            "type": "object", "description": HOSTILE, "properties": {HOSTILE: {"enum": [HOSTILE]}},
        }},
        {"name": format!("{HOSTILE}2"), "inputSchema": {"type": HOSTILE}},
        {"type": HOSTILE},
    ])
    .to_string()
}

#[test]
fn text_of_a_tools_file_is_escaped_everywhere() {
    let tools = hostile_tools();
    let commands: [&[&str]; 7] = [
        &["list", "--tools", "-"],
        &["list", "--tools", "-", "--json"],
        &["list", "--tools", "-", "--as", "mcp"],
        &["list", "--tools", "-", "--as", "openai"],
        &["list", "--tools", "-", "--as", "anthropic"],
        &["show", "--tools", "-", HOSTILE],
        &["show", "--tools", "-", HOSTILE, "--json"],
    ];
    for arguments in commands {
        let run = haft_with(arguments, &tools).exits(0);
        assert_safe(&run);
        assert!(run.stderr.contains("refused"), "{run:#?}");
        assert!(run.stdout.contains("x\\u{1b}[2J") || run.stdout.contains("x\\u001b[2J"), "{run:#?}");
    }
}

#[test]
fn escaped_json_means_the_same() {
    let run = haft_with(&["list", "--tools", "-", "--json"], hostile_tools()).exits(0);
    assert_eq!(run.json()[0]["description"], HOSTILE);
}

#[test]
fn text_of_calls_and_arguments_is_escaped_too() {
    let call = json!({"name": HOSTILE, "arguments": {HOSTILE: "no"}}).to_string();
    let run = validate(&hostile_tools(), &call).exits(1);
    assert_safe(&run);
    assert_eq!(run.json_lines()[0]["name"], HOSTILE);
    assert_safe(&haft(&["show", HOSTILE]).exits(2));
    assert_safe(&haft(&["list", "--tools", HOSTILE]).exits(2));
    assert_safe(&haft(&["call", HOSTILE, HOSTILE]).exits(1));
}

#[test]
fn colour_is_only_where_it_was_asked_for() {
    let colored = |arguments: &[&str], variable: Option<&str>| {
        let mut command = command(arguments);
        command.envs(variable.map(|name| (name, "1")));
        let output = command.output().unwrap();
        [output.stdout, output.stderr].map(|bytes| bytes.contains(&0x1b))
    };
    assert_eq!(colored(&["list"], None), [false, false]);
    assert_eq!(colored(&["list"], Some("CLICOLOR_FORCE")), [false, false]);
    assert_eq!(colored(&["show", "x", "--color", "always"], None), [false, true]);
    assert_eq!(colored(&["list", "--color", "always"], None), [true, false]);
    assert_eq!(colored(&["list", "--color", "never"], None), [false, false]);
}
