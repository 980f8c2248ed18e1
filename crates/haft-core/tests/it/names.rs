//! Names: what a tool can be called, how foreign names become such, and what an unknown one is answered with.

use std::collections::{BTreeMap, BTreeSet};

use haft_core::{
    CallContext, Dispatcher, ErrorBody, ErrorCode, ErrorStyle, InvalidToolName, Tool, ToolName, ToolRegistry,
    assign_names, sanitize,
};
use proptest::{collection::vec, prelude::*};
use serde_json::Value;

use crate::script::runner;

fn is_name(text: &str) -> bool {
    (1..=64).contains(&text.len()) && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

/// Texts that are close to names, and to each other.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ab_. ]{0,3}",
        "[a-zA-Z0-9_-]{1,64}",
        "\\PC{0,80}",
        "op_x{60,64}[xyz .]{0,4}",
        any::<String>(),
    ]
}

#[test]
fn a_name_is_what_every_provider_takes() {
    runner(1_000)
        .run(&text(), |text| {
            let name = ToolName::new(&text);
            assert_eq!(name.is_ok(), is_name(&text), "{text:?}");
            assert_eq!(
                name.is_ok(),
                Tool::simple(text.clone(), |input: String| async move { input }).is_ok()
            );
            let made = sanitize(&text);
            assert_eq!(made.is_err(), text.is_empty());
            if let Ok(made) = made {
                assert!(is_name(made.as_str()));
                let kept = text.chars().take(64).zip(made.as_str().chars());
                for (before, after) in kept {
                    assert!(before == after || after == '_', "{text:?} → {made}");
                }
                assert_eq!(sanitize(made.as_str()).as_ref(), Ok(&made), "a name is left alone");
            }
            Ok(())
        })
        .unwrap();
}

#[test]
fn a_faulty_name_is_told_with_one_that_would_do() {
    let told = |name: &str| ToolName::new(name).unwrap_err().to_string();
    assert_eq!(told(""), "a tool's name may not be empty");
    assert_eq!(
        told("get user"),
        "the tool name \"get user\" has the character ' '; letters, digits, '_' and '-' are allowed: \"get_user\" would do"
    );
    assert!(told(&"x".repeat(65)).ends_with("has 65 characters; 64 are allowed"));
    assert_eq!(ToolName::new("").unwrap_err().code(), 2001);
    assert_eq!(sanitize("").unwrap_err().code(), 2001);
}

fn assigned<'a>(originals: &[&'a str]) -> BTreeMap<&'a str, Result<ToolName, InvalidToolName>> {
    let names = assign_names(originals);
    assert_eq!(names.len(), originals.len());
    let mut first = BTreeMap::new();
    for (original, name) in originals.iter().zip(names) {
        first.entry(*original).or_insert(name);
    }
    first
}

/// B28, B29, B32: names of at most 64 characters, each of one tool, valid ones kept, whatever the order.
#[test]
fn foreign_names_become_names_of_one_tool_each() {
    runner(1_000)
        .run(&(vec(text(), 0..12), any::<u64>()), |(originals, seed)| {
            let originals: Vec<&str> = originals.iter().map(String::as_str).collect();
            let names = assigned(&originals);
            let mut taken = BTreeSet::new();
            for (original, name) in &names {
                let Ok(name) = name else { continue };
                assert!(is_name(name.as_str()));
                assert!(taken.insert(name.clone()), "{name} is assigned twice");
                if is_name(original) {
                    assert_eq!(name.as_str(), *original);
                }
            }
            for original in originals.iter().filter(|original| is_name(original)) {
                assert!(names[original].is_ok(), "a valid name is kept");
            }
            let mut shuffled = originals.clone();
            let length = shuffled.len().max(1);
            shuffled.rotate_left(usize::try_from(seed % length as u64).unwrap());
            shuffled.reverse();
            assert_eq!(assigned(&shuffled), names, "the order matters");
            Ok(())
        })
        .unwrap();
}

#[test]
fn names_that_meet_are_told_apart_by_the_original() {
    let names = |originals: &[&str]| -> Vec<String> {
        let names = assign_names(originals).into_iter();
        names
            .map(|name| name.map_or_else(|error| format!("error: {error}"), |name| name.to_string()))
            .collect()
    };
    assert_eq!(names(&["get user", "get.user"]), ["get_user_d77d8fbc", "get_user_9c0265de"]);
    // What has its digest already is a valid name, and is kept.
    let taken = ["get user", "get_user", "get_user_d77d8fbc"];
    assert_eq!(names(&taken)[1..], ["get_user", "get_user_d77d8fbc"]);
    assert!(
        names(&taken)[0].starts_with("error: no name is left for the tool \"get user\""),
        "{:?}",
        names(&taken)
    );
    // Another changed name that meets the one with the digest gets its own.
    let chained = ["get user", "get_user", "get user_d77d8fbc"];
    let chained = names(&chained);
    assert_eq!(chained[..2], ["get_user_d77d8fbc", "get_user"]);
    assert!(chained[2].starts_with("get_user_d77d8fbc_"), "{chained:?}");
    assert_eq!(
        names(&["a b", "a b"]),
        ["a_b", "error: two tools of one source are named \"a b\"; the first is kept"]
    );
    // B29: room for the digest is made within the 64.
    let long = [format!("op_{}", "x".repeat(70)), format!("op_{}y", "x".repeat(70))];
    for name in names(&[&long[0], &long[1]]) {
        assert_eq!(name.len(), 64);
        assert!(name.starts_with("op_xxx"));
    }
}

fn registry(names: &[&str]) -> ToolRegistry {
    let tool = |name: &&str| Tool::builder(*name).description("Is there.").run_sync(|| "called");
    ToolRegistry::builder().tools(names.iter().map(tool)).build().unwrap()
}

/// B28: what is listed can be called by exactly that name, and by the original one.
#[test]
fn every_listed_name_reaches_its_tool() {
    runner(200)
        .run(&vec(text(), 1..10), |originals| {
            let originals: BTreeSet<String> = originals.into_iter().collect();
            let originals: Vec<&str> = originals.iter().map(String::as_str).collect();
            let named: Vec<(&str, ToolName)> = originals
                .iter()
                .zip(assign_names(&originals))
                .filter_map(|(original, name)| Some((*original, name.ok()?)))
                .collect();
            let tools = named.iter().map(|(original, name)| {
                let said = (*original).to_owned();
                Tool::builder(name.as_str())
                    .description("Says its original name.")
                    .original_name(*original)
                    .run_sync(move || said.clone())
            });
            let registry = ToolRegistry::builder().tools(tools).build().unwrap();
            let dispatcher = Dispatcher::new(registry.clone());
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            let call =
                |name: &str| runtime.block_on(dispatcher.call(name, "{}", CallContext::new())).unwrap();
            for tool in registry.iter() {
                let original = tool.definition().original_name.clone().unwrap();
                let result = call(tool.name());
                assert_eq!((result.text(), result.tool_name()), (original.as_str().into(), tool.name()));
                // An alias gives way to a tool of that name.
                if !named.iter().any(|(other, name)| name.as_str() == original && *other != original) {
                    let result = call(&original);
                    assert_eq!((result.text(), result.tool_name()), (original.as_str().into(), tool.name()));
                }
            }
            Ok(())
        })
        .unwrap();
}

fn not_found(registry: &ToolRegistry, name: &str, style: ErrorStyle) -> (Value, String) {
    let error = registry.not_found(name);
    assert_eq!(error.code(), ErrorCode::NotFound);
    let body = ErrorBody::new(name, &error);
    (serde_json::from_str(&body.to_json()).unwrap(), body.to_text(style))
}

/// B37: an unknown name is always answered, with the tools that there are.
#[test]
fn an_unknown_name_is_answered_with_the_tools_there_are() {
    let (body, _) = not_found(&registry(&[]), "list_things", ErrorStyle::Object);
    assert_eq!(body["tools"], serde_json::json!([]));
    assert_eq!(body["message"], "there is no tool \"list_things\"; no tool is registered");

    let names: Vec<String> = (0..60).map(|n| format!("tool_{n:02}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let (body, refusal) = not_found(&registry(&names[..50]), "tol_07", ErrorStyle::Refusal);
    assert_eq!(body["tools"], serde_json::json!(names[..50]), "all, in the order of registration");
    assert_eq!(body.get("more"), None);
    assert_eq!(body["message"], "there is no tool \"tol_07\"; did you mean \"tool_07\"?");
    assert!(refusal.starts_with("refused\tunknown-tool\t"));
    assert!(refusal.ends_with(&format!("\ntools\t{}", names[..50].join("\t"))));

    let (body, refusal) = not_found(&registry(&names), "tol_07", ErrorStyle::Refusal);
    let tools = body["tools"].as_array().unwrap();
    assert_eq!((tools.len(), &tools[0], &body["more"]), (20, &"tool_07".into(), &40.into()));
    assert!(refusal.ends_with("\nmore\t40"));

    let (body, _) = not_found(&registry(&["weather", "calculate"]), "xyzzy", ErrorStyle::Object);
    assert_eq!(body["message"], "there is no tool \"xyzzy\"; call one of those listed");
}

/// Models put a namespace in front of a name that they were given, or leave a server's away: the last part says which is
/// meant.
#[test]
fn a_namespace_too_many_or_too_few_leads_to_the_name() {
    let registry =
        registry(&["search_functions", "Bash", "mcp__gh__create-issue", "create_page", "default_search"]);
    for (called, meant) in [
        ("functions.Bash", "Bash"),
        ("functions.bash", "Bash"),
        ("tools/Bash", "Bash"),
        ("default_api:Bash", "Bash"),
        ("create_issue", "mcp__gh__create-issue"),
        ("gh.create_issue", "mcp__gh__create-issue"),
        ("mcp__github__create_issue", "mcp__gh__create-issue"),
        ("Bash()", "Bash"),
    ] {
        let (body, _) = not_found(&registry, called, ErrorStyle::Object);
        assert_eq!(body["message"], format!("there is no tool {called:?}; did you mean {meant:?}?"));
    }
}

/// A name without end is answered as soon as any other.
#[test]
fn a_huge_unknown_name_costs_no_more() {
    let names: Vec<String> = (0..2_000).map(|n| format!("tool_{n}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let registry = registry(&names);
    let (body, _) = not_found(&registry, &"tool_7".repeat(100_000), ErrorStyle::Object);
    let message = body["message"].as_str().unwrap();
    assert_eq!(message.chars().count(), 2_000 + "... (truncated)".len());
    assert_eq!(body["tools"].as_array().unwrap().len(), 20);
}
