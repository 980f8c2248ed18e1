//! `haft schema` and `haft lint`.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::haft::{Folder, haft, haft_with};

const SCHEMA: &str = r#"{"type":"object","properties":{"tags":{"type":["array","null"],"items":{"type":"string"},"uniqueItems":true}}}"#;

#[test]
fn the_projected_schema_stands_alone_on_standard_output() {
    let expected = json!({"type": "object", "properties": {
        "tags": {"type": "array", "nullable": true, "items": {"type": "string"}, "description": "No item twice."},
    }});
    let run = haft_with(&["schema", "--as", "gemini"], SCHEMA).exits(0).quiet();
    assert_eq!(run.json(), expected);
    let folder = Folder::new();
    let run = haft(&["schema", &folder.file("s.json", SCHEMA), "--as", "gemini", "--report"]).exits(0);
    assert_eq!(run.json(), expected);
    assert!(run.stderr.contains("dropped uniqueItems at /properties/tags/uniqueItems"), "{run:#?}");
    let run = haft_with(&["schema", "-", "--as", "gemini", "--report", "--json"], SCHEMA).exits(0);
    let report: Value = serde_json::from_str(&run.stderr).unwrap();
    assert_eq!(report["rows"][0]["kind"], "dropped");
    assert_eq!(report["rows"][0]["pointer"], "/properties/tags/uniqueItems");
    let run =
        haft_with(&["schema", "--as", "lean", "--report"], r#"{"type":"object","properties":{}}"#).exits(0);
    assert!(run.stderr.contains("nothing was changed"), "{run:#?}");
}

#[test]
fn a_schema_without_a_form_is_refused_with_its_place() {
    for (target, schema, place) in [
        ("mcp", r#"{"properties":{"x":"string"}}"#, "/properties/x"),
        ("lean", r#"{"properties":{"x":{}}}"#, "/properties/x"),
        ("openai-strict", "[1]", "at its root"),
    ] {
        let run = haft_with(&["schema", "--as", target], schema).exits(1);
        assert_eq!(run.stdout, "");
        assert!(run.stderr.contains(place), "{run:#?}");
    }
    haft_with(&["schema", "--as", "mcp"], "{").exits(2);
    haft_with(&["schema", "--as", "mcp"], "").exits(2);
    haft_with(&["schema"], SCHEMA).exits(2);
    haft_with(&["schema", "--as", "vax"], SCHEMA).exits(2);
}

/// Servers that speak OpenAI's form with habits of their own are targets like the others.
#[test]
fn servers_with_habits_of_their_own_are_targets() {
    let expected = |tags: Value| json!({"type": "object", "properties": {"tags": tags}});
    let text = json!({"type": "string"});
    for (target, kind) in [
        ("groq", json!(["array", "null"])),
        ("mistral", json!(["array", "null"])),
        ("ollama", json!("array")),
    ] {
        let run = haft_with(&["schema", "--as", target], SCHEMA).exits(0).quiet();
        assert_eq!(
            run.json(),
            expected(json!({"type": kind, "items": text, "uniqueItems": true})),
            "{target}"
        );
    }
    let run = haft_with(&["schema", "--as", "groq"], r#"{"properties":{"x":5}}"#).exits(1);
    assert!(run.stderr.contains("no groq form: at `/properties/x`: "), "{run:#?}");
    let tools = r#"[{"name": "look_up", "inputSchema": {"type": "object", "properties": {
        "q": {"type": "string", "pattern": "^(?!x)"}, "limit": {"type": ["integer", "null"]}
    }, "required": ["q"]}}]"#;
    let run = haft_with(&["lint", "--tools", "-", "--json", "--for", "groq,ollama"], tools).exits(0).quiet();
    let rows = run.json();
    let of = |row: &Value| format!("{} {}", row["provider"].as_str().unwrap(), row["lint"].as_str().unwrap());
    let found: Vec<_> = rows["rows"].as_array().unwrap().iter().map(of).collect();
    let about: Vec<_> = found.iter().filter(|row| !row.starts_with("any")).collect();
    assert_eq!(about, ["groq dropped", "ollama dropped", "ollama narrowed"]);
}

#[test]
fn the_built_in_tools_need_no_advice() {
    for of in [&["lint", "--json"][..], &["lint", "--json", "--for", "groq", "mistral", "ollama"]] {
        let run = haft(of).exits(0).quiet();
        assert_eq!(run.json(), json!({"tools": 3, "rows": []}));
    }
}

const TOOLS: &str = r#"[
    {"name": "search", "description": "Finds things.", "inputSchema": {"type": "object", "properties": {"q": {}}}},
    {"name": "no_schema_of_its_own", "inputSchema": {"type": "object", "properties": {"x": "string"}}}
]"#;

#[test]
fn what_would_be_refused_decides_the_exit_code() {
    let run = haft_with(&["lint", "--tools", "-", "--json"], TOOLS).exits(1).quiet();
    let report = run.json();
    assert_eq!(report["tools"], 2);
    let rows = report["rows"].as_array().unwrap();
    let key = |row: &Value| (row["tool"].to_string(), row["provider"].to_string(), row["lint"].to_string());
    assert_eq!(rows.iter().map(key).collect::<BTreeSet<_>>().len(), rows.len());
    let refused: Vec<_> = rows.iter().filter(|row| row["level"] == "refused").collect();
    assert_eq!(refused.len(), 7, "six for the tool that is none, one for the field of no one type");
    let run = haft_with(&["lint", "--tools", "-", "--json", "--for", "gemini", "mcp"], TOOLS).exits(1);
    let providers: BTreeSet<String> = run.json()["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["provider"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(providers, ["any", "gemini", "mcp"].map(str::to_owned).into());
    let allowed = ["lint", "--tools", "-", "--for", "lean", "--allow", "refused"];
    haft_with(&allowed, TOOLS).exits(0);
    let one = ["lint", "--tools", "-", "--for", "lean", "--allow", "refused=search", "--json"];
    assert_eq!(haft_with(&one, TOOLS).exits(1).json()["rows"][0]["tool"], "no_schema_of_its_own");
    haft_with(&["lint", "--tools", "-", "--allow", "vague"], TOOLS).exits(2);
}

#[test]
fn advice_for_people_says_how_to_mend() {
    let tools = r#"[{"name": "search", "description": "Search", "inputSchema": {}}]"#;
    let run = haft_with(&["lint", "--tools", "-"], tools).exits(0).quiet();
    insta::assert_snapshot!(run.stdout, @r#"
    search
      advice    any            vague-name: "search" does not say what it acts on
                               name what it acts on as well, such as search_customers
      advice    any            description-is-name: the description is the name
                               say what the name does not say
      advice    any            short-description: the description has 6 characters
                               say what it does, when to call it and what comes back
    1 tool: 0 refused, 0 weakened, 3 to improve
    "#);
}

#[test]
fn every_target_is_listed() {
    let profiles = ["groq", "mistral", "ollama"];
    for target in
        ["mcp", "openai", "openai-strict", "anthropic", "gemini", "lean"].into_iter().chain(profiles)
    {
        let run = haft(&["list", "--as", target]).exits(0).quiet();
        assert!(run.json().to_string().contains("calculate"), "{target}");
    }
    let run = haft_with(
        &["list", "--tools", "-", "--as", "lean"],
        r#"[{"name":"a","inputSchema":{"properties":{"x":{}}}},{"name":"b"}]"#,
    )
    .exits(0);
    assert_eq!(run.json()["tools"][0]["name"], "b");
    assert!(run.stderr.contains("\"a\" is left out"), "{run:#?}");
}
