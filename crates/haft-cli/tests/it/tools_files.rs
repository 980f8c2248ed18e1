//! The forms in which a file may hold tools.

use serde_json::{Value, json};

use crate::haft::{haft_with, validate};

fn schema() -> Value {
    json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]})
}

/// The same tool in every form.
fn forms() -> Vec<(&'static str, String)> {
    let mcp = json!({"name": "weather", "description": "Says.", "inputSchema": schema()});
    let chat = json!({"type": "function", "function": {"name": "weather", "description": "Says.", "parameters": schema()}});
    let responses = json!({"type": "function", "name": "weather", "parameters": schema(), "strict": false});
    let anthropic = json!({"name": "weather", "description": "Says.", "input_schema": schema()});
    let custom = json!({"type": "custom", "name": "weather", "input_schema": schema()});
    let gemini = json!({"functionDeclarations": [{"name": "weather", "parameters": {
        "type": "OBJECT", "properties": {"city": {"type": "STRING"}}, "required": ["city"],
    }}]});
    let snake = json!({"function_declarations": [{"name": "weather", "parameters_json_schema": schema()}]});
    let amazon = json!({"toolSpec": {"name": "weather", "inputSchema": {"json": schema()}}});
    let plain = json!({"name": "weather", "schema": schema()});
    vec![
        ("an MCP result", json!({"tools": [mcp]}).to_string()),
        ("an MCP response", json!({"jsonrpc": "2.0", "id": 1, "result": {"tools": [mcp]}}).to_string()),
        ("a bare list", json!([mcp]).to_string()),
        ("OpenAI chat completions", json!([chat]).to_string()),
        ("a request with tools", json!({"model": "x", "messages": [], "tools": [chat]}).to_string()),
        ("OpenAI responses", json!([responses]).to_string()),
        ("Anthropic", json!([anthropic]).to_string()),
        ("Anthropic with a type", json!([custom]).to_string()),
        ("Gemini, one object", gemini.to_string()),
        ("Gemini, a list", json!([gemini]).to_string()),
        ("Gemini, a request", json!({"tools": [gemini]}).to_string()),
        (
            "Gemini, snake case",
            json!({"tools": snake}).to_string().replace("\"tools\":{", "\"tools\":[{").replace("]}}", "]}]}"),
        ),
        ("Amazon", json!({"tools": [amazon]}).to_string()),
        (
            "Amazon, a request",
            json!({"toolConfig": {"tools": [amazon], "toolChoice": {"auto": {}}}}).to_string(),
        ),
        ("OpenAI's older form", json!({"model": "x", "functions": [chat["function"]]}).to_string()),
        ("plain", json!([plain]).to_string()),
        ("one definition", plain.to_string()),
        ("one a line", format!("{plain}\n{}\n\n", json!({"name": "other"}))),
        ("with a mark in front", format!("\u{feff}{}", json!([plain]))),
    ]
}

#[test]
fn every_form_holds_the_same_tool() {
    let calls =
        "{\"name\":\"weather\",\"arguments\":{\"city\":\"Oslo\"}}\n{\"name\":\"weather\",\"arguments\":{}}";
    for (form, text) in forms() {
        let run = validate(&text, calls).quiet();
        let verdicts: Vec<Value> = run.json_lines().iter().map(|verdict| verdict["valid"].clone()).collect();
        assert_eq!(verdicts, [true, false], "{form}: {run:#?}\n{text}");
    }
}

#[test]
fn no_schema_takes_no_arguments_and_a_missing_description_is_the_name() {
    let tools = r#"[{"name":"a"},{"name":"b","inputSchema":null,"description":" "},{"type":"function","function":{"name":"c"}}]"#;
    let run = haft_with(&["list", "--tools", "-", "--as", "anthropic"], tools).exits(0).quiet();
    for tool in run.json().as_array().unwrap() {
        assert_eq!(tool["description"], tool["name"]);
        assert_eq!(
            tool["input_schema"],
            json!({"type": "object", "properties": {}, "additionalProperties": false})
        );
    }
    let run = validate(tools, "{\"name\":\"a\"}\n{\"name\":\"b\",\"arguments\":{\"x\":1}}").exits(1).quiet();
    assert_eq!(run.json_lines()[0]["valid"], true);
    assert_eq!(run.json_lines()[1]["error"]["issues"][0]["path"], "/x");
}

#[test]
fn one_bad_tool_never_costs_the_others() {
    let deep = format!(
        "{{\"name\":\"deep\",\"inputSchema\":{}{}}}",
        "{\"not\":".repeat(500),
        "1".to_owned() + &"}".repeat(500)
    );
    let bad = [
        r#"{"name":"bad type","inputSchema":{"type":"objekt"}}"#,
        r#"{"name":"bad_pattern","inputSchema":{"type":"object","properties":{"a":{"type":"string","pattern":"("}}}}"#,
        r#"{"name":"no_object","inputSchema":{"type":"string"}}"#,
        r#"{"name":"far","inputSchema":{"$ref":"https://example.org/s.json"}}"#,
        r#"{"name":"bad_output","outputSchema":{"type":7}}"#,
        r#"{"description":"nameless"}"#,
        r#"{"name":7}"#,
        r#"{"name":"told","description":["x"]}"#,
        r#"{"type":"web_search_20250305","name":"web_search"}"#,
        r#"{"type":"file_search"}"#,
        r#"{"type":"custom","name":"free","format":{"type":"text"}}"#,
        r#"{"type":"custom","custom":{"name":"free","format":{"type":"text"}}}"#,
        "17",
        &deep,
    ];
    let tools = format!("[{},{{\"name\":\"good\"}}]", bad.join(","));
    let calls = "{\"name\":\"good\"}\n{\"name\":\"bad type\"}\n{\"name\":\"far\"}";
    let run = validate(&tools, calls).exits(1);
    let verdicts = run.json_lines();
    assert_eq!(verdicts[0]["valid"], true);
    assert_eq!(verdicts[1]["error"]["kind"], "not-found");
    assert_eq!(verdicts[2]["error"]["kind"], "not-found");
    // What a schema is refused for is told by the core; here only that it is told.
    let told = run.stderr.lines().map(|line| match line.split_once("can not be used: ") {
        Some((told, why)) if why.len() > 20 => format!("{told}can not be used: …"),
        _ => line.to_owned(),
    });
    insta::assert_snapshot!(told.collect::<Vec<_>>().join("\n"), @r##"
    haft: note: the tool "bad type" at position 1 is refused: the input schema can not be used: …
    haft: note: the tool "bad_pattern" at position 2 is refused: the input schema can not be used: …
    haft: note: the tool "no_object" at position 3 is refused: the input schema can not be used: …
    haft: note: the tool "far" at position 4 is refused: the input schema can not be used: …
    haft: note: the tool "bad_output" at position 5 is refused: the output schema can not be used: …
    haft: note: the tool at position 6 is refused: it has no "name"
    haft: note: the tool at position 7 is refused: its "name" is a number, not text
    haft: note: the tool "told" at position 8 is refused: its "description" is a list, not text
    haft: note: the tool "web_search" at position 9 is refused: it is of type "web_search_20250305", which the provider runs itself: there is no schema to judge by
    haft: note: the tool at position 10 is refused: it is of type "file_search", which the provider runs itself: there is no schema to judge by
    haft: note: the tool "free" at position 11 is refused: it takes free text, not arguments: there is no schema to judge by
    haft: note: the tool "free" at position 12 is refused: it takes free text, not arguments: there is no schema to judge by
    haft: note: the tool at position 13 is refused: it is a number; a definition of a tool is an object
    haft: note: the tool "deep" at position 14 is refused: it can not be read: recursion limit exceeded at line 1 column 912
    "##);
}

#[test]
fn what_is_missing_from_a_list_is_said() {
    let run = haft_with(&["list", "--tools", "-"], r#"{"tools":[{"name":"a"}],"nextCursor":"n"}"#).exits(0);
    assert!(run.stderr.contains("one page of a longer list"), "{run:#?}");
    let run = haft_with(&["list", "--tools", "-"], r#"{"tools":[]}"#).exits(0);
    assert!(run.stderr.contains("holds no tool that can be used"), "{run:#?}");
}

#[test]
fn a_list_fails_when_none_of_its_entries_can_be_used() {
    // The file, the exit code of `list`, how many entries are reported.
    let cases = [
        ("[]", 0, 0),
        (r#"{"tools":[]}"#, 0, 0),
        (r#"[{"name":"a"},17]"#, 0, 1),
        ("[1,2]", 1, 2),
        ("[[],[null]]", 1, 1),
        (r#"[{"name":""},{"type":"web_search"},{"name":"a","inputSchema":{"type":7}}]"#, 1, 3),
        ("1 2", 1, 2),
    ];
    for (text, code, reported) in cases {
        for form in [&["--json"][..], &["--as", "mcp"], &[]] {
            let run = haft_with(&[&["list", "--tools", "-"], form].concat(), text).exits(code);
            assert_eq!(run.stderr.matches(" is refused: ").count(), reported, "{text}: {run:#?}");
            let none = run.stderr.contains("standard input holds no tool that can be used");
            assert_eq!(none, code == 1 || reported == 0, "{text}: {run:#?}");
        }
        // A call of a tool that can not be used is judged as any other: it is not found.
        let run = validate(text, r#"{"name":"b"}"#).exits(1);
        assert_eq!(run.json_lines()[0]["error"]["kind"], "not-found", "{text}");
    }
}
