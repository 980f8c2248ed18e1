//! Calls that a function makes from inside of its own.

use std::time::Duration;

use haft_core::{
    Args, CallContext, Dispatcher, EventBody, Question, Semaphore, Tool, ToolCall, ToolContext, ToolError,
    ToolRegistry, TurnOutcome,
};
use proptest::prelude::*;
use serde_json::{Value, json};

/// A tool that calls each of the tools that its argument names, with the rest of the list.
fn caller(name: &str, define: impl FnOnce(haft_core::ToolBuilder) -> haft_core::ToolBuilder) -> Tool {
    let schema =
        json!({"type": "object", "properties": {"then": {"type": "array", "items": {"type": "string"}}}});
    define(Tool::builder(name).description("Calls other tools.").schema(schema))
        .run(|Args(arguments): Args<Value>, context: ToolContext| async move {
            let then: Vec<String> = serde_json::from_value(arguments["then"].clone()).unwrap_or_default();
            tokio::task::yield_now().await;
            let Some((next, rest)) = then.split_first() else { return Ok::<_, ToolError>("end".to_owned()) };
            let arguments = if rest.is_empty() { json!({}) } else { json!({"then": rest}) };
            let result = context.call(next, &arguments.to_string()).await?;
            Ok(match result.error() {
                None => format!("{next} > {}", result.text()),
                Some(error) => format!("{next} ! {}", error.kind()),
            })
        })
        .unwrap()
}

fn dispatcher() -> Dispatcher {
    let tools = vec![
        caller("plain", |tool| tool.read_only(true)),
        caller("serial", |tool| tool),
        caller("capped", |tool| tool.read_only(true).max_concurrency(1)),
        caller("keyed", |tool| tool.chunk_by("then")),
        Tool::builder("wait")
            .description("Asks.")
            .run(|context: ToolContext| async move {
                let answer = context.ask(Question::new("Well?")).await?;
                Ok::<_, ToolError>(answer.as_text().unwrap_or_default().to_owned())
            })
            .unwrap(),
        Tool::builder("sleep")
            .description("Sleeps.")
            .run(|| async {
                tokio::time::sleep(Duration::from_secs(3600)).await;
                "slept"
            })
            .unwrap(),
    ];
    Dispatcher::builder(ToolRegistry::builder().tools(tools).build().unwrap()).concurrency(2).build()
}

async fn call(name: &str, then: &[&str]) -> String {
    let arguments = json!({"then": then}).to_string();
    dispatcher().call(name, &arguments, CallContext::new()).await.unwrap().text().into_owned()
}

#[tokio::test]
async fn a_nested_call_goes_the_whole_path_in_its_parents_slot() {
    assert_eq!(call("plain", &["plain", "serial", "keyed"]).await, "plain > serial > keyed > end");
    assert_eq!(call("plain", &["nobody"]).await, "nobody ! not-found");
    assert_eq!(call("capped", &["capped"]).await, "capped ! not-run", "its parent holds the only slot");
    assert_eq!(call("capped", &["plain", "capped"]).await, "plain > capped ! not-run");
    assert_eq!(call("plain", &["plain"; 12]).await, format!("{}plain ! not-run", "plain > ".repeat(7)));
}

/// All of a turn sees one set of tools, whatever the registry gets in the meantime.
#[tokio::test]
async fn a_nested_call_sees_the_tools_that_were_there_when_its_turn_began() {
    let registry = ToolRegistry::builder().build().unwrap();
    let changed = registry.clone();
    let swaps = Tool::builder("swaps")
        .description("Takes a tool away, brings another, and calls both.")
        .run(move |context: ToolContext| {
            let changed = changed.clone();
            async move {
                let new = Tool::simple("new", |input: String| async move { input });
                changed.update(|builder| builder.without("old").tool(new)).unwrap();
                let old = context.call("old", r#"{"input": "still here"}"#).await?;
                let new = context.call("new", r#"{"input": "not yet"}"#).await?;
                Ok::<_, ToolError>(format!("{}, {}", old.text(), new.error().unwrap().kind()))
            }
        })
        .unwrap();
    let old = Tool::simple("old", |input: String| async move { input });
    registry.update(|builder| builder.tool(swaps).tool(old)).unwrap();
    let dispatcher = Dispatcher::new(registry);
    let (turn, _) = dispatcher.turn(vec![ToolCall::new("a", "swaps", "{}")]).start().unwrap();
    let results = turn.finish().await.unwrap().finished().unwrap();
    assert_eq!(results[0].text(), "still here, not-found");
}

#[tokio::test]
async fn a_question_inside_suspends_the_turn_and_its_answer_gets_there() {
    let dispatcher = dispatcher();
    let calls = vec![ToolCall::new("c", "plain", r#"{"then": ["plain", "wait"]}"#)];
    let (handle, _events) = dispatcher.turn(calls).session("s").start().unwrap();
    let TurnOutcome::Suspended(waiting) = handle.finish().await.unwrap() else {
        panic!("it did not suspend")
    };
    let id = waiting.pending()[0].id.clone();
    let resumed = dispatcher.resume("s", &waiting.turn).await.unwrap().answer(&id, "fine").unwrap();
    let (handle, _events) = resumed.start().unwrap();
    let results = handle.finish().await.unwrap().finished().unwrap();
    assert_eq!(results[0].text(), "plain > wait > fine");
}

#[tokio::test(start_paused = true)]
async fn nested_calls_end_with_their_parent_and_name_it() {
    let dispatcher = dispatcher();
    let calls = vec![ToolCall::new("c", "plain", r#"{"then": ["plain", "sleep"]}"#)];
    let (handle, mut events) = dispatcher.turn(calls).start().unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    handle.cancel();
    let results = handle.finish().await.unwrap().finished().unwrap();
    assert_eq!(results[0].error().unwrap().kind().as_str(), "cancelled");
    let mut parents = Vec::new();
    while let Some(event) = events.next().await {
        if let EventBody::Started { call } = &event.body {
            parents.push((call.id.to_string(), call.parent.as_ref().map(ToString::to_string)));
        }
    }
    let expected = [("c", None), ("c.0", Some("c")), ("c.0.0", Some("c.0"))];
    let expected: Vec<_> =
        expected.iter().map(|(id, parent)| (id.to_string(), parent.map(str::to_owned))).collect();
    assert_eq!(parents, expected);
}

#[tokio::test]
async fn outside_of_a_dispatcher_nothing_can_be_called() {
    let error = ToolContext::detached().call("plain", "{}").await.unwrap_err();
    assert_eq!(error.kind().as_str(), "not-run");
}

#[tokio::test]
async fn a_semaphore_lets_so_many_pass() {
    let semaphore = Semaphore::new(1);
    let held = semaphore.acquire().await;
    assert!(held.is_held() && semaphore.available() == 0);
    let other = tokio::spawn({
        let semaphore = semaphore.clone();
        async move { semaphore.run(async { "passed" }).await }
    });
    tokio::task::yield_now().await;
    assert!(!other.is_finished());
    drop(held);
    assert_eq!(other.await.unwrap(), "passed");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, rng_seed: proptest::test_runner::RngSeed::Fixed(11), ..ProptestConfig::default() })]

    #[test]
    fn nested_calls_keys_and_caps_always_end(
        turns in prop::collection::vec(prop::collection::vec(prop::collection::vec(0_usize..4, 1..6), 1..5), 1..4),
    ) {
        const NAMES: [&str; 4] = ["plain", "serial", "capped", "keyed"];
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let dispatcher = dispatcher();
            let mut handles = Vec::new();
            for turn in turns {
                let calls = turn.iter().enumerate().map(|(index, path)| {
                    let names: Vec<&str> = path.iter().map(|name| NAMES[*name]).collect();
                    ToolCall::new(format!("c{index}"), names[0], json!({"then": names[1..]}).to_string())
                });
                handles.push((turn.len(), dispatcher.turn(calls.collect()).start().unwrap().0));
            }
            for (calls, handle) in handles {
                // With time paused, a lock-up shows as the clock running on to the limit.
                let finished = tokio::time::timeout(Duration::from_secs(3600), handle.finish()).await;
                let results = finished.expect("the turn ended").unwrap().finished().unwrap();
                prop_assert_eq!(results.len(), calls);
            }
            Ok(())
        })?;
    }
}
