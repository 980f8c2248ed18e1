//! Mistakes in definitions: all are found at once, name both sides, and say how to mend them.

use std::time::Duration;

use haft_core::{
    Args, BatchingStrategy, BuildError, BuildProblem, CallContext, DefinitionError, DefinitionProblem,
    Dispatcher, Extension, Json, Recovery, StartError, State, Tool, ToolCall, ToolRegistry, ToolSource,
    Toolkit,
};
use serde_json::{Value, json};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Text {
    #[expect(dead_code, reason = "only the schema is looked at")]
    text: String,
}

fn fine(name: &str) -> Tool {
    Tool::builder(name).description("Is fine.").run_sync(|| "fine").unwrap()
}

fn definition(made: Result<Tool, DefinitionError>) -> Vec<(u16, String)> {
    let error = made.unwrap_err();
    assert_eq!(error.code(), error.problems()[0].code());
    error.problems().iter().map(|problem| (problem.code(), problem.to_string())).collect()
}

/// One row a mistake: its number, and what its message says.
#[test]
fn every_mistake_of_a_definition_is_told() {
    let invalid = || json!({"type": "object", "properties": {"a": {"type": "strin"}}});
    let builder = |name: &str| Tool::builder(name).description("Is there.");
    let rows: Vec<(Result<Tool, DefinitionError>, u16, &str)> = vec![
        (builder("a b").run_sync(|| ""), 2001, "\"a_b\" would do"),
        (builder("").run_sync(|| ""), 2001, "may not be empty"),
        (Tool::builder("a").run_sync(|| ""), 2002, "say what the tool does and when to call it"),
        (Tool::builder("a").description(" \n").run_sync(|| ""), 2002, "the description is empty"),
        (builder("a").schema(invalid()).run_sync(|| ""), 2003, "/properties/a/type"),
        (builder("a").schema(json!({"type": "string"})).run_sync(|| ""), 2003, "always one object"),
        (builder("a").schema(json!(3)).run_sync(|| ""), 2003, "always one object"),
        (builder("a").run_sync(|_: Args<String>| ""), 2003, "always one object"),
        (builder("a").output_schema(invalid()).run_sync(|| ""), 2004, "/properties/a/type"),
        (builder("a").run_sync(|_: Args<Text>, _: Args<Text>| ""), 2005, "2 times: one `Args<T>` holds all"),
        (
            builder("a").required_field("b", "b, please").run_sync(|_: Args<Text>| ""),
            2006,
            "\"b\" is no field",
        ),
        (builder("a").required_field("b", "b, please").run_sync(|| ""), 2006, "\"b\" is no field"),
        (builder("a").max_concurrency(0).run_sync(|| ""), 2007, "max_concurrency is zero"),
        (builder("a").timeout(Duration::ZERO).run_sync(|| ""), 2007, "timeout is zero"),
    ];
    for (made, code, says) in rows {
        let told = definition(made);
        assert!(
            told.iter().any(|(told, text)| *told == code && text.contains(says)),
            "{code} {says}: {told:?}"
        );
    }
}

#[test]
fn all_mistakes_of_a_definition_are_told_at_once() {
    let made = Tool::builder("a b")
        .schema(json!({"properties": 1}))
        .output_schema(json!({"properties": 1}))
        .required_field("b", "b, please")
        .max_concurrency(0)
        .timeout(Duration::ZERO)
        .run_sync(|_: Args<Value>, _: Args<Value>| "");
    let error = made.unwrap_err();
    let codes: Vec<u16> = error.problems().iter().map(DefinitionProblem::code).collect();
    assert_eq!(codes, [2001, 2002, 2005, 2003, 2004, 2007, 2007]);
    assert_eq!(error.tool(), "a b");
    assert!(error.to_string().starts_with("tool \"a b\": the tool name"), "{error}");
}

fn problems(built: Result<ToolRegistry, BuildError>) -> Vec<(u16, String)> {
    let error = built.unwrap_err();
    assert_eq!(error.code(), error.problems()[0].code());
    for problem in error.problems() {
        assert!(error.to_string().contains(&problem.to_string()), "{error}");
    }
    error.problems().iter().map(|problem| (problem.code(), problem.to_string())).collect()
}

struct Motto;
struct Anthem;

/// One row a mistake: its number, and all that its message has to name.
#[test]
fn every_mistake_of_a_registry_is_told_and_names_both_sides() {
    let builder = ToolRegistry::builder;
    let other = |name: &str| Tool::builder(name).description("Is another.").run_sync(|| "other").unwrap();
    let needs = || Tool::builder("needs").description("Asks.").run_sync(|_: State<Motto>| "");
    let rows: Vec<(Result<ToolRegistry, BuildError>, u16, &[&str])> = vec![
        (builder().tool(Tool::builder("a").run_sync(|| "")).build(), 2002, &["tool \"a\"", "description"]),
        (builder().tool_as("a b", fine("a")).build(), 2001, &["tool \"a\"", "\"a_b\" would do"]),
        (
            builder().tool(fine("a")).tool(other("a")).build(),
            2201,
            &["\"a\"", "\"Is fine.\"", "\"Is another.\"", "native without a toolkit", "tool_as"],
        ),
        (
            builder().tool_as("c", fine("a")).tool_as("c", fine("b")).build(),
            2201,
            &["two tools are named \"c\"", "rename one"],
        ),
        (
            builder().toolkit(Toolkit::new("k").tool(fine("a"))).tool(other("a")).build(),
            2201,
            &["of the toolkit \"k\"", "native without a toolkit"],
        ),
        (
            builder()
                .toolkit(Toolkit::new("k").tool(fine("a")))
                .toolkit(Toolkit::new("k").tool(fine("b")))
                .build(),
            2202,
            &["\"k\"", "one has a", "the other b", "rename one"],
        ),
        (
            builder().toolkit(Toolkit::new("k")).toolkit(Toolkit::new("k")).build(),
            2202,
            &["one has no tools, the other no tools"],
        ),
        (
            builder().tool(needs()).build(),
            2203,
            &["\"needs\"", "State<it::definitions::Motto>", "`.state(…)`"],
        ),
        (
            builder()
                .toolkit(
                    Toolkit::new("k")
                        .tool(Tool::builder("a").description("Is.").toolkit("j").run_sync(|| "")),
                )
                .build(),
            2204,
            &["\"a\"", "\"j\"", "\"k\"", "one toolkit"],
        ),
        (
            builder().toolkit(Toolkit::new("k").snake_case().tool(fine("fetchURL-now"))).build(),
            2205,
            &["\"fetchURL-now\"", "\"k\"", "\"fetch_url_now\""],
        ),
        (builder().state(Motto).state(Motto).build(), 2206, &["it::definitions::Motto", "wrap one"]),
    ];
    for (built, code, says) in rows {
        let told = problems(built);
        let row = told.iter().find(|(told, _)| *told == code).unwrap_or_else(|| panic!("{code}: {told:?}"));
        for part in says {
            assert!(row.1.contains(part), "{part:?} is not in {:?}", row.1);
        }
    }
}

#[test]
fn all_mistakes_of_a_registry_are_told_at_once() {
    let needs = Tool::builder("needs")
        .description("Asks.")
        .run_sync(|_: State<Motto>, _: State<Anthem>, _: State<Motto>| "");
    let built = ToolRegistry::builder()
        .state(1_u8)
        .state(2_u8)
        .tool(needs)
        .tool(Tool::builder("").run_sync(|| ""))
        .tool(fine("a"))
        .tool(fine("a"))
        .toolkit(Toolkit::new("k").snake_case().tools([fine("B"), fine("c")]))
        .toolkit(Toolkit::new("k").tool(fine("d")))
        .build();
    let told = problems(built);
    let codes: Vec<u16> = told.iter().map(|(code, _)| *code).collect();
    assert_eq!(codes, [2206, 2203, 2203, 2001, 2201, 2205, 2202]);
    assert!(told[1].1.contains("Motto") && told[2].1.contains("Anthem"));
}

#[test]
fn the_same_tool_reached_twice_counts_once() {
    let tool = fine("a");
    let registry =
        ToolRegistry::builder().tool(&tool).tool(tool.clone()).tools([tool.clone()]).build().unwrap();
    assert_eq!(registry.len(), 1);
    // It keeps its place, and the toolkit that either way named.
    for registry in [
        ToolRegistry::builder().tool(&tool).tool(fine("b")).toolkit(Toolkit::new("k").tool(&tool)).build(),
        ToolRegistry::builder().toolkit(Toolkit::new("k").tool(&tool)).tool(fine("b")).tool(&tool).build(),
    ] {
        let tools: Vec<Tool> = registry.unwrap().iter().collect();
        assert_eq!(tools.iter().map(Tool::name).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(tools[0].definition().toolkit.as_deref(), Some("k"));
    }
    // Two toolkits are no way to reach it twice.
    let built = ToolRegistry::builder()
        .toolkit(Toolkit::new("k").tool(&tool))
        .toolkit(Toolkit::new("j").tool(&tool))
        .build();
    let told = problems(built);
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].0, 2204);
    assert!(told[0].1.contains("\"k\"") && told[0].1.contains("\"j\""), "{told:?}");
}

#[test]
fn a_tool_stands_under_as_many_names_as_it_is_given() {
    let tool = fine("a");
    let registry =
        ToolRegistry::builder().tool(&tool).tool_as("b", &tool).tool_as("c", &tool).build().unwrap();
    assert_eq!(registry.iter().map(|tool| tool.name().to_owned()).collect::<Vec<_>>(), ["a", "b", "c"]);
    assert!(registry.contains("b") && !registry.contains("d"));
    assert_eq!(tool.name(), "a");
}

/// The name that is suggested can be taken.
#[test]
fn a_suggested_name_is_a_name_in_lower_snake_case() {
    for name in
        ["fetchURL", "A", "-", "___", "3d", "_x", "HTTPServer2Go", "a-b", &"aB".repeat(32), &"9".repeat(64)]
    {
        let error = ToolRegistry::builder()
            .toolkit(Toolkit::new("k").snake_case().tool(fine(name)))
            .build()
            .unwrap_err();
        let [BuildProblem::NotSnakeCase { suggestion, .. }] = error.problems() else {
            panic!("{name}: {error}")
        };
        let built =
            ToolRegistry::builder().toolkit(Toolkit::new("k").snake_case().tool(fine(suggestion))).build();
        assert!(built.is_ok(), "{name} → {suggestion}");
    }
    for name in ["a", "fetch_url", "x2_y", "a__b"] {
        assert!(
            ToolRegistry::builder().toolkit(Toolkit::new("k").snake_case().tool(fine(name))).build().is_ok()
        );
    }
}

/// A caller who did not bring what a tool asks for begins nothing, not even the calls beside it.
#[test]
fn a_missing_extension_is_told_before_anything_is_accepted() {
    struct Caller;
    let asks = Tool::builder("asks").description("Asks.").run_sync(|_: Extension<Caller>| "");
    let registry = ToolRegistry::builder().tool(asks).tool(fine("fine")).build().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let dispatcher = Dispatcher::new(registry);
        let mut events = dispatcher.subscribe();
        let calls = || vec![ToolCall::new("1", "fine", "{}"), ToolCall::new("2", "asks", "{}")];
        let error = dispatcher.turn(calls()).start().unwrap_err();
        assert_eq!(error.code(), 2301);
        let StartError::MissingExtension { tool, type_name } = &error else { panic!("{error}") };
        assert_eq!(tool, "asks");
        assert!(type_name.ends_with("::Caller"));
        assert!(error.to_string().contains("`.with(…)`"));
        let error = dispatcher.call("asks", "{}", CallContext::new()).await.unwrap_err();
        assert_eq!(error.code(), 2301);
        // The turn that comes next has the first event.
        let results =
            dispatcher.turn(calls()).session("s").with(Caller).start().unwrap().0.finish().await.unwrap();
        assert!(results.finished().unwrap().iter().all(|result| !result.is_error()));
        let first = events.next().await.unwrap();
        assert_eq!((first.seq, first.session.as_deref()), (0, Some("s")));
    });
}

#[test]
fn a_turn_outside_a_runtime_is_an_error_and_a_call_a_value() {
    let waits = Tool::builder("waits").description("Waits.").run(std::future::pending::<()>);
    let registry = ToolRegistry::builder().tool(waits).tool(fine("fine")).build().unwrap();
    let dispatcher = Dispatcher::new(registry);
    let error = dispatcher.turn(vec![ToolCall::new("1", "fine", "{}")]).start().unwrap_err();
    assert_eq!((error.code(), &error), (2302, &StartError::NoRuntime));
    let at_once = |name: &str| {
        let mut call = std::pin::pin!(dispatcher.call(name, "{}", CallContext::new()));
        match call.as_mut().poll(&mut std::task::Context::from_waker(std::task::Waker::noop())) {
            std::task::Poll::Ready(result) => result.unwrap(),
            std::task::Poll::Pending => panic!("{name} waits"),
        }
    };
    assert_eq!(at_once("fine").text(), "fine");
    assert!(at_once("waits").error().unwrap().message().contains("no tokio runtime"));
    assert_eq!(dispatcher.status().running, 0);
}

/// A required text keeps a bound that asks for more, and a foreign schema stays as it was but for that.
#[test]
fn a_required_text_only_ever_asks_for_more() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string", "minLength": 3}, "b": {"type": "string"}}});
    let builder = || Tool::builder("a").description("Is.").schema(schema.clone());
    let local = builder()
        .required_field("a", "a!")
        .required_field("b", "b!")
        .run(|Args(all): Args<Value>| async { Json(all) });
    let published = local.unwrap().definition().input.published().clone();
    assert_eq!(published["properties"]["a"]["minLength"], 3);
    assert_eq!(published["properties"]["b"]["minLength"], 1);
    assert_eq!(published["required"], json!(["a", "b"]));
    let remote = builder().source(haft_core::ToolSource::Mcp).required_field("a", "a!").run_sync(|| "");
    assert_eq!(remote.unwrap().definition().input.published().get("additionalProperties"), None);
}

/// A server could call anything harmless: its word counts for scheduling, and for the rest only where it is trusted.
#[test]
fn the_word_of_a_remote_tool_counts_for_scheduling_only_unless_it_is_trusted() {
    for (source, trusted, believed) in [
        (ToolSource::Native, None, true),
        (ToolSource::Builtin, None, true),
        (ToolSource::Mcp, None, false),
        (ToolSource::Http, None, false),
        (ToolSource::A2a, None, false),
        (ToolSource::Mcp, Some(true), true),
        (ToolSource::Native, Some(false), false),
    ] {
        let mut builder = Tool::builder("look").description("Looks.").source(source).read_only(true);
        if let Some(trusted) = trusted {
            builder = builder.trust_annotations(trusted);
        }
        let tool = builder.run_sync(|| "").unwrap();
        let definition = tool.definition();
        let told = (source, trusted);
        assert_eq!(definition.is_read_only(), believed, "{told:?}");
        assert_eq!(
            definition.recovery(),
            if believed { Recovery::Repeat } else { Recovery::Ask },
            "{told:?}"
        );
        assert_eq!(definition.batching_strategy(), BatchingStrategy::Parallel, "{told:?}");
    }
}
