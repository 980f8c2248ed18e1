//! Hooks before and after calls: what they see, replace and deny, and what their own failures cost.

use std::sync::{Arc, Mutex};

use haft_core::{
    AfterCall, Args, BeforeCall, CallContext, Dispatcher, Hook, HookCall, HookFuture, Tool, ToolCall,
    ToolError, ToolOutput, ToolRegistry, ToolResult,
};
use serde_json::{Value, json};

/// A hook that does what the call's text says, and notes what it sees.
#[derive(Debug, Clone)]
struct Scripted {
    name: &'static str,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Scripted {
    fn note(&self, what: &str) {
        self.seen.lock().unwrap().push(format!("{} {what}", self.name));
    }
}

impl Hook for Scripted {
    fn before<'a>(&'a self, call: &'a HookCall) -> HookFuture<'a, BeforeCall> {
        self.note(&format!("before {} {}", call.call.id, call.arguments));
        let text = call.arguments["text"].as_str().unwrap_or_default().to_owned();
        Box::pin(async move {
            tokio::task::yield_now().await;
            match text.as_str() {
                "replace" => Ok(BeforeCall::Replace(json!({"text": "replaced"}))),
                "spoil" => Ok(BeforeCall::Replace(json!({"text": 7}))),
                "deny" => Ok(BeforeCall::Deny { reason: "not today".into() }),
                "fail" => Err(ToolError::new("hook down")),
                "panic" => panic!("hook panics"),
                _ => Ok(BeforeCall::Continue),
            }
        })
    }

    fn after<'a>(
        &'a self,
        call: &'a HookCall,
        result: Result<&'a ToolOutput, &'a ToolError>,
    ) -> HookFuture<'a, AfterCall> {
        let said =
            result.map_or_else(|error| error.kind().to_string(), |output| output.to_text().into_owned());
        self.note(&format!("after {} {said}", call.call.id));
        Box::pin(async move {
            match said.as_str() {
                "said cover" => Ok(AfterCall::Replace(Ok(ToolOutput::text("covered")))),
                "said reject" => Ok(AfterCall::Replace(Err(ToolError::new("the output is secret")))),
                "said break" => Err(ToolError::new("hook down")),
                "said crash" => panic!("hook panics"),
                _ => Ok(AfterCall::Keep),
            }
        })
    }
}

fn dispatcher(hooks: &[&'static str]) -> (Dispatcher, Arc<Mutex<Vec<String>>>) {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let schema = json!({"type": "object", "properties": {"text": {"type": "string", "default": "nothing"}}});
    let noted = Arc::clone(&seen);
    let tool = Tool::builder("say").description("Says a text.").read_only(true).schema(schema).run_sync(
        move |Args(arguments): Args<Value>| {
            let text = arguments["text"].as_str().unwrap().to_owned();
            noted.lock().unwrap().push(format!("ran {text}"));
            format!("said {text}")
        },
    );
    let mut builder = Dispatcher::builder(ToolRegistry::builder().tool(tool).build().unwrap());
    for name in hooks {
        builder = builder.hook(Scripted { name, seen: Arc::clone(&seen) });
    }
    (builder.build(), seen)
}

/// The same call alone and in a turn.
async fn both_ways(text: &str) -> [(ToolResult, Vec<String>); 2] {
    let arguments = json!({"text": text}).to_string();
    let (alone, seen) = dispatcher(&["one"]);
    let result = alone.call("say", &arguments, CallContext::new().call_id("c")).await.unwrap();
    let alone = (result, seen.lock().unwrap().clone());
    let (turn, seen) = dispatcher(&["one"]);
    let (handle, _events) = turn.turn(vec![ToolCall::new("c", "say", arguments)]).start().unwrap();
    let result = handle.finish().await.unwrap().finished().unwrap().remove(0);
    let seen = seen.lock().unwrap().clone();
    [alone, (result, seen)]
}

#[tokio::test]
async fn hooks_see_replace_deny_and_fail() {
    let cases = [
        ("hi", "said hi", true, "said hi"),
        ("replace", "said replaced", true, "said replaced"),
        ("spoil", r#""kind":"validation""#, false, "validation"),
        ("deny", r#""kind":"denied","code":1004,"reason":"not today""#, false, "denied"),
        (
            "fail",
            r#""message":"a hook of the host failed: hook down","kind":"execution""#,
            false,
            "execution",
        ),
        ("panic", r#""error":"ToolPanicError""#, false, "execution"),
        ("cover", "covered", true, "said cover"),
        ("reject", r#""message":"the output is secret","kind":"execution""#, true, "said reject"),
        (
            "break",
            r#""message":"a hook of the host failed: hook down","kind":"execution""#,
            true,
            "said break",
        ),
        ("crash", r#""error":"ToolPanicError""#, true, "said crash"),
    ];
    for (text, expected, ran, seen_after) in cases {
        for (result, seen) in both_ways(text).await {
            assert!(result.text().contains(expected), "{text}: {}", result.text());
            assert_eq!(seen.iter().any(|line| line.starts_with("ran")), ran, "{text}: {seen:?}");
            assert_eq!(seen[0], format!("one before c {}", json!({"text": text})), "{text}");
            assert_eq!(
                seen.last().unwrap(),
                &format!("one after c {seen_after}"),
                "{text}: every end is seen"
            );
        }
    }
}

#[tokio::test]
async fn hooks_run_in_order_and_see_effective_arguments_and_every_failure() {
    let (dispatcher, seen) = dispatcher(&["one", "two"]);
    let calls = vec![
        ToolCall::new("a", "say", ""),
        ToolCall::new("b", "shout", "{}"),
        ToolCall::new("c", "say", "{"),
    ];
    let (handle, _events) = dispatcher.turn(calls).start().unwrap();
    let results = handle.finish().await.unwrap().finished().unwrap();
    assert_eq!(results[0].text(), "said nothing");
    let mut seen = seen.lock().unwrap().clone();
    seen.sort();
    assert_eq!(
        seen,
        [
            "one after a said nothing",
            "one after b not-found",
            "one after c validation",
            r#"one before a {"text":"nothing"}"#,
            "ran nothing",
            "two after a said nothing",
            "two after b not-found",
            "two after c validation",
            r#"two before a {"text":"nothing"}"#,
        ]
    );
}

/// A hook that never comes back.
#[derive(Debug)]
struct Stuck;

impl Hook for Stuck {
    fn before<'a>(&'a self, call: &'a HookCall) -> HookFuture<'a, BeforeCall> {
        let stuck = call.arguments["text"] == "before";
        Box::pin(async move {
            if stuck {
                std::future::pending::<()>().await;
            }
            Ok(BeforeCall::Continue)
        })
    }

    fn after<'a>(
        &'a self,
        _: &'a HookCall,
        result: Result<&'a ToolOutput, &'a ToolError>,
    ) -> HookFuture<'a, AfterCall> {
        let stuck = result.is_ok();
        Box::pin(async move {
            if stuck {
                std::future::pending::<()>().await;
            }
            Ok(AfterCall::Keep)
        })
    }
}

#[tokio::test(start_paused = true)]
async fn a_hook_that_hangs_does_not_hold_up_a_cancelled_turn() {
    for (text, kind) in [("before", Some("not-run")), ("after", None)] {
        let (plain, _) = dispatcher(&[]);
        let dispatcher = Dispatcher::builder(plain.registry().clone()).hook(Stuck).build();
        let calls = vec![ToolCall::new("c", "say", json!({"text": text}).to_string())];
        let (handle, _events) = dispatcher.turn(calls).start().unwrap();
        tokio::task::yield_now().await;
        handle.cancel();
        let results = handle.finish().await.unwrap().finished().unwrap();
        assert_eq!(results[0].error().map(|error| error.kind().as_str()), kind, "{text}");
    }
}

/// Puts one output in the place of every other.
#[derive(Debug)]
struct Puts(ToolOutput);

impl Hook for Puts {
    fn after<'a>(
        &'a self,
        _: &'a HookCall,
        _: Result<&'a ToolOutput, &'a ToolError>,
    ) -> HookFuture<'a, AfterCall> {
        Box::pin(std::future::ready(Ok(AfterCall::Replace(Ok(self.0.clone())))))
    }
}

/// A client that trusts a declared output schema meets no other output, whoever put it there.
#[tokio::test]
async fn what_a_hook_puts_in_the_place_of_an_output_is_checked_too() {
    let plain = ToolOutput::text("***");
    let right = ToolOutput::json(&json!({"n": 0}));
    let wrong = ToolOutput::json(&json!({"n": "***"}));
    for (declares, put, kind) in [
        (false, &plain, None),
        (false, &wrong, None),
        (true, &right, None),
        (true, &plain, Some("output")),
        (true, &wrong, Some("output")),
    ] {
        let mut count = Tool::builder("count").description("Counts.");
        if declares {
            count = count.output_schema(json!({"type": "object", "properties": {"n": {"type": "integer"}}}));
        }
        let count = count.run(|| async { ToolOutput::json(&json!({"n": 1})) });
        let registry = ToolRegistry::builder().tool(count).build().unwrap();
        let dispatcher = Dispatcher::builder(registry).hook(Puts(put.clone())).build();
        let alone = dispatcher.call("count", "{}", CallContext::new()).await.unwrap();
        let (turn, _events) = dispatcher.turn(vec![ToolCall::new("c", "count", "{}")]).start().unwrap();
        let in_turn = turn.finish().await.unwrap().finished().unwrap().remove(0);
        for result in [alone, in_turn] {
            let found = result.error().map(|error| error.kind().as_str());
            assert_eq!(found, kind, "{declares} {}", put.to_text());
        }
    }
}
