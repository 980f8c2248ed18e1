//! `haft list`, `haft show`, `haft completions`, help.

use serde_json::{Value, json};

use crate::haft::{Folder, haft, haft_with};

#[test]
fn the_built_in_tools_are_listed_one_a_line() {
    let run = haft(&["list"]).exits(0).quiet();
    let names: Vec<&str> = run.stdout.lines().filter_map(|line| line.split("  ").next()).collect();
    assert_eq!(names, ["calculate   ", "current_date", "day_name    "].map(str::trim_end), "{run:#?}");
}

const TOOLS: &str = r#"{"tools":[
    {"name":"get user","title":"User","description":"Reads a user.\nOnly one.","annotations":{"readOnlyHint":true},
     "inputSchema":{"type":"object","properties":{"id":{"type":"integer"}},"required":["id"]},
     "outputSchema":{"type":"object","properties":{"name":{"type":"string"}}}},
    {"name":"ping"}
]}"#;

#[test]
fn each_target_has_its_own_form() {
    let input = json!({"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]});
    let output = json!({"type": "object", "properties": {"name": {"type": "string"}}});
    let empty = json!({"type": "object", "properties": {}, "additionalProperties": false});
    let text = "Reads a user.\nOnly one.";
    let cases: [(&str, Value); 3] = [
        (
            "mcp",
            json!({"tools": [
                {"name": "get_user", "title": "User", "description": text, "inputSchema": input, "outputSchema": output,
                 "annotations": {"readOnlyHint": true}},
                {"name": "ping", "description": "ping", "inputSchema": empty},
            ]}),
        ),
        (
            "openai",
            json!([
                {"type": "function", "function": {"name": "get_user", "description": text, "parameters": input}},
                {"type": "function", "function": {"name": "ping", "description": "ping", "parameters": empty}},
            ]),
        ),
        (
            "anthropic",
            json!([
                {"name": "get_user", "description": text, "input_schema": input},
                {"name": "ping", "description": "ping", "input_schema": empty},
            ]),
        ),
    ];
    for (target, expected) in cases {
        let run = haft_with(&["list", "--tools", "-", "--as", target], TOOLS).exits(0).quiet();
        assert_eq!(run.json(), expected, "{target}");
    }
}

#[test]
fn a_list_goes_round_through_every_target() {
    let folder = Folder::new();
    let tools = folder.file("tools.json", TOOLS);
    let fields = |run: &str| {
        let list: Vec<Value> = serde_json::from_str(run).unwrap();
        list.into_iter()
            .map(|tool| (tool["name"].clone(), tool["description"].clone(), tool["inputSchema"].clone()))
            .collect::<Vec<_>>()
    };
    let original = haft(&["list", "--json", "--tools", &tools]).exits(0).quiet();
    for target in ["mcp", "openai", "anthropic"] {
        let projected = haft(&["list", "--tools", &tools, "--as", target]).exits(0);
        let again = haft_with(&["list", "--json", "--tools", "-"], projected.stdout).exits(0).quiet();
        assert_eq!(fields(&again.stdout), fields(&original.stdout), "{target}");
    }
}

#[test]
fn a_list_for_people_names_what_was_renamed() {
    let run = haft_with(&["list", "--tools", "-"], TOOLS).exits(0).quiet();
    insta::assert_snapshot!(run.stdout, @r#"
    get_user  Reads a user. (named "get user" at its source)
    ping      ping
    "#);
}

#[test]
fn one_tool_is_shown_by_either_name() {
    let by_name = haft_with(&["show", "get_user", "--tools", "-"], TOOLS).exits(0).quiet();
    let by_original = haft_with(&["show", "get user", "--tools", "-"], TOOLS).exits(0).quiet();
    assert_eq!(by_name, by_original);
    insta::assert_snapshot!(by_name.stdout, @r#"
    get_user
    Reads a user.
    Only one.

    source: mcp
    name at its source: get user
    title: User
    hints: read-only
    arguments:
    {
      "properties": {
        "id": {
          "type": "integer"
        }
      },
      "required": [
        "id"
      ],
      "type": "object"
    }
    output:
    {
      "properties": {
        "name": {
          "type": "string"
        }
      },
      "type": "object"
    }
    "#);
}

#[test]
fn the_definition_of_one_tool_is_json() {
    let definition = haft(&["show", "calculate", "--json"]).exits(0).quiet().json();
    assert_eq!(definition["name"], "calculate");
    assert_eq!(definition["source"], "builtin");
    assert_eq!(definition["inputSchema"]["required"], json!(["expression"]));
    let all = haft(&["list", "--json"]).exits(0).json();
    assert_eq!(all[0], definition);
}

#[test]
fn an_unknown_name_is_told_with_the_nearest() {
    let run = haft(&["show", "day-name"]).exits(2);
    assert_eq!(run.stdout, "");
    insta::assert_snapshot!(run.stderr, @r#"haft: error: there is no tool "day-name"; did you mean "day_name"? (the tools are calculate, current_date, day_name)"#);
}

#[test]
fn every_command_has_help_with_examples() {
    let commands = ["list", "show", "call", "validate", "completions"];
    for command in commands {
        let run = haft(&[command, "--help"]).exits(0).quiet();
        assert!(run.stdout.contains("Examples:\n  "), "{command}: {}", run.stdout);
    }
    let run = haft(&["--help"]).exits(0).quiet();
    assert!(
        commands.iter().all(|command| run.stdout.contains(command)) && run.stdout.contains("Exit codes:")
    );
    assert_eq!(haft(&["--version"]).exits(0).stdout, format!("haft {}\n", env!("CARGO_PKG_VERSION")));
}
