//! Foreign names: what providers refuse is changed, the same way in every order, and found under its own name.

use serde_json::{Value, json};

use crate::haft::{haft_with, validate};

fn tool(name: &str, field: &str) -> Value {
    json!({"name": name, "inputSchema": {
        "type": "object", "properties": {field: {"type": "string"}}, "required": [field],
    }})
}

#[test]
fn valid_names_are_kept_and_others_changed_whatever_the_order() {
    let long = "x".repeat(70);
    let mut tools =
        vec![tool("get user", "a"), tool("get_user", "b"), tool("get/user", "c"), tool(&long, "d")];
    for _ in 0..2 {
        let run =
            haft_with(&["list", "--json", "--tools", "-"], json!({"tools": tools}).to_string()).exits(0);
        let list = run.json();
        let name_of = |original: &str| {
            let mut tools = list.as_array().unwrap().iter();
            let found =
                tools.find(|tool| tool.get("originalName").unwrap_or(&tool["name"]) == original).unwrap();
            found["name"].as_str().unwrap().to_owned()
        };
        assert_eq!(name_of("get_user"), "get_user");
        assert_eq!(name_of("get user"), "get_user_d77d8fbc");
        assert!(name_of("get/user").starts_with("get_user_") && name_of("get/user").len() == 17);
        assert_eq!(name_of(&long), "x".repeat(64));
        tools.reverse();
    }
}

#[test]
fn calls_find_a_tool_under_both_names_and_keep_the_one_they_used() {
    let tools = json!([tool("get user", "a"), tool("get_user", "b"), tool("srv.find", "c")]).to_string();
    let call = |name: &str, field: &str| json!({"name": name, "arguments": {field: "x"}}).to_string();
    let calls = [
        call("get user", "a"),
        call("get_user_d77d8fbc", "a"),
        call("get_user", "b"),
        call("srv.find", "c"),
        call("srv_find", "c"),
    ];
    let run = validate(&tools, &calls.join("\n")).exits(0).quiet();
    let names: Vec<Value> = run.json_lines().iter().map(|verdict| verdict["name"].clone()).collect();
    assert_eq!(names, ["get user", "get_user_d77d8fbc", "get_user", "srv.find", "srv_find"]);
}

#[test]
fn a_second_tool_of_one_name_is_refused_and_the_first_kept() {
    let tools = json!([tool("find", "first"), tool("find", "second"), tool("", "third")]).to_string();
    let calls = "{\"name\":\"find\",\"arguments\":{\"first\":\"x\"}}";
    let run = validate(&tools, calls).exits(0);
    insta::assert_snapshot!(run.stderr, @r#"
    haft: note: the tool "find" at position 2 is refused: two tools of one source are named "find"; the first is kept
    haft: note: the tool "" at position 3 is refused: a tool's name may not be empty
    "#);
}

#[test]
fn a_name_of_nothing_but_blanks_is_changed_as_any_other() {
    let run = haft_with(&["list", "--tools", "-", "--json"], r#"[{"name":" "},{"name":"\u00a0\n"}]"#)
        .exits(0)
        .quiet();
    let list = run.json();
    assert_eq!(
        (&list[0]["name"], &list[0]["originalName"], &list[0]["description"]),
        (&json!("_"), &json!(" "), &json!("_"))
    );
    assert_eq!(list[1]["name"], "__");
    validate(r#"[{"name":" "}]"#, r#"{"name":" "}"#).exits(0).quiet();
}

#[test]
fn every_tool_is_found_under_its_listed_and_its_own_name() {
    let long = |end: &str| format!("{}{end}", "x".repeat(64));
    let mut names = [
        "a.b",
        "a/b",
        "a_b",
        "3d",
        "-x",
        "日本",
        "日本語",
        "buscar año",
        "\u{1b}[2J",
        "a\0b",
        "é",
        "\"",
        "{}",
    ]
    .map(str::to_owned)
    .to_vec();
    names.extend(["", "y", "yy", "z", "é"].map(long));
    names.extend((0..40).map(|n| format!("{}{}", "op".repeat(31), "\u{1f600}".repeat(n + 1))));
    let tools = json!(names.iter().map(|name| tool(name, "x")).collect::<Vec<_>>()).to_string();
    let list = haft_with(&["list", "--json", "--tools", "-"], &tools).exits(0).quiet().json();
    let listed: Vec<&str> =
        list.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(listed.len(), names.len());
    for name in &listed {
        assert!(
            name.len() <= 64 && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-'),
            "{name}"
        );
    }
    let mut different = listed.clone();
    different.sort_unstable();
    different.dedup();
    assert_eq!(different.len(), listed.len());
    let call = |name: &str| json!({"name": name, "arguments": {"x": "1"}}).to_string();
    let calls: Vec<String> =
        listed.iter().copied().chain(names.iter().map(String::as_str)).map(call).collect();
    validate(&tools, &calls.join("\n")).exits(0).quiet();
}

#[test]
fn a_refused_tool_keeps_its_name_so_that_no_other_gets_its_calls() {
    let bad = |name: &str| json!({"name": name, "inputSchema": {"type": "objekt"}});
    for mut tools in [
        vec![bad("get_user"), tool("get user", "a"), tool("get/user", "b")],
        vec![bad("get_user"), tool("get user", "a"), bad("get/user")],
        vec![
            bad("get_user"),
            bad("get_user"),
            tool("get user", "a"),
            json!({"name": "get-user", "type": "web_search"}),
        ],
    ] {
        for _ in 0..2 {
            let call = |name: &str| json!({"name": name, "arguments": {"a": "x"}}).to_string();
            let calls = [call("get_user"), call("get user"), call("get_user_d77d8fbc")];
            let run = validate(&json!(tools).to_string(), &calls.join("\n")).exits(1);
            let verdicts = run.json_lines();
            assert_eq!(verdicts[0]["error"]["kind"], "not-found", "{run:#?}");
            assert_eq!([&verdicts[1]["valid"], &verdicts[2]["valid"]], [true, true], "{run:#?}");
            tools.reverse();
        }
    }
    // What one entry is refused for does not cost another of its name.
    let tools = json!([bad("find"), tool("find", "a")]).to_string();
    let run = validate(&tools, r#"{"name":"find","arguments":{"a":"x"}}"#).exits(0);
    assert_eq!(run.stderr.matches(" is refused: ").count(), 1, "{run:#?}");
}
