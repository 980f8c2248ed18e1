//! What a function asks for by type, and what it can learn about its call.

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use haft_core::{
    Args, CallContext, CallRequest, CancellationToken, CountingIds, Dispatcher, ErrorCode, EventBody,
    Extension, Extract, Json, Message, Progress, Role, State, Tool, ToolBuilder, ToolCall, ToolContext,
    ToolError, ToolRegistry, ToolResult, TypedTool,
};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::script;

fn tool(name: &str) -> ToolBuilder {
    Tool::builder(name).description("Tells what it knows.")
}

fn of(tools: impl IntoIterator<Item = Tool>) -> ToolRegistry {
    ToolRegistry::builder().tools(tools).build().unwrap()
}

/// Tells all that a context knows.
fn tells() -> Tool {
    tool("tell")
        .run(|context: ToolContext| async move {
            Json(json!({
                "id": context.tool_call_id().as_str(),
                "tool": context.tool_name(),
                "session": context.session_id(),
                "messages": context.messages().iter().map(|message| message.text.as_str()).collect::<Vec<_>>(),
                "attempt": context.attempt(),
                "key": context.idempotency_key(),
                "left": context.deadline().map(|at| (at - Instant::now()).as_secs()),
                "cancelled": context.cancellation().is_cancelled(),
            }))
        })
        .unwrap()
}

fn told(result: &ToolResult) -> Value {
    result.outcome().unwrap().structured().unwrap()
}

async fn turn(dispatcher: &Dispatcher, session: &'static str, ids: &[&str]) -> Vec<Value> {
    let calls = ids.iter().map(|id| ToolCall::new(*id, "tell", "{}")).collect();
    let (turn, _) = dispatcher.turn(calls).session(session).start().unwrap();
    turn.finish().await.unwrap().finished().unwrap().iter().map(told).collect()
}

#[test]
fn a_context_tells_of_its_call() {
    script::paused().block_on(async {
        let dispatcher = Dispatcher::new(of([tells()]));
        let seen = vec![Message::new(Role::User, "how long?"), Message::new(Role::Assistant, "let me look")];
        let (turn, _) = dispatcher
            .turn(vec![ToolCall::new("call_1", "tell", "{}")])
            .session("s-1")
            .messages(seen)
            .timeout(Duration::from_secs(90))
            .start()
            .unwrap();
        let mut told = told(&turn.finish().await.unwrap().finished().unwrap()[0]);
        let key = told["key"].take();
        assert_eq!(key.as_str().map(str::len), Some(64));
        assert_eq!(
            told,
            json!({"id": "call_1", "tool": "tell", "session": "s-1", "messages": ["how long?", "let me look"],
                "attempt": 1, "key": null, "left": 90, "cancelled": false})
        );
    });
}

/// Without a turn behind the call: an id that is made, the same in every run that counts alike.
#[test]
fn a_call_alone_has_an_id_of_its_own() {
    script::paused().block_on(async {
        let run = async || {
            let dispatcher = Dispatcher::builder(of([tells()])).ids(CountingIds::default()).build();
            let mut all = Vec::new();
            for _ in 0..2 {
                all.push(told(&dispatcher.call("tell", "{}", CallContext::new()).await.unwrap()));
            }
            all
        };
        let (first, again) = (run().await, run().await);
        assert_eq!(first, again);
        assert_ne!(first[0]["id"], first[1]["id"]);
        assert_ne!(first[0]["key"], first[1]["key"]);
        assert_eq!((&first[0]["session"], &first[0]["messages"]), (&Value::Null, &json!([])));
    });
}

/// A digest of session, turn, position and id: the same for the same call, another for every other.
#[test]
fn an_idempotency_key_stands_for_one_call() {
    script::paused().block_on(async {
        let run = async || {
            let dispatcher = Dispatcher::builder(of([tells()])).ids(CountingIds::default()).build();
            let mut all = Vec::new();
            for (session, ids) in [
                ("s", ["a", "b", "c"]),
                ("s", ["a", "b", "c"]),
                ("t", ["b", "a", "ab"]),
                ("", ["x", "y", "z"]),
            ] {
                all.extend(turn(&dispatcher, session, &ids).await);
            }
            all
        };
        let (first, again) = (run().await, run().await);
        assert_eq!(first, again, "the same in every run that counts alike");
        let keys: BTreeSet<&str> = first.iter().map(|told| told["key"].as_str().unwrap()).collect();
        assert_eq!(keys.len(), first.len());
    });
}

/// Whichever bound comes first.
#[test]
fn a_deadline_is_the_first_of_all_bounds() {
    script::paused().block_on(async {
        let long = Duration::MAX;
        let tools = |limit: Option<Duration>| {
            let builder = tool("left");
            let builder =
                limit.map_or(Tool::builder("left").description("Tells."), |limit| builder.timeout(limit));
            of([builder
                .run(|context: ToolContext| async move {
                    Json(context.deadline().map(|at| (at - Instant::now()).as_secs()))
                })
                .unwrap()])
        };
        let seconds = |seconds| Some(Duration::from_secs(seconds));
        for (of_tool, of_calls, of_turn, left) in [
            (None, None, None, None),
            (seconds(5), None, None, Some(5)),
            (seconds(5), seconds(3), None, Some(5)),
            (None, seconds(3), None, Some(3)),
            (seconds(5), None, seconds(2), Some(2)),
            (seconds(5), None, seconds(20), Some(5)),
            (None, None, seconds(20), Some(20)),
            (Some(long), Some(long), Some(long), None),
        ] {
            let mut builder = Dispatcher::builder(tools(of_tool)).grace(long);
            if let Some(limit) = of_calls {
                builder = builder.timeout(limit);
            }
            let dispatcher = builder.build();
            let mut turn = dispatcher.turn(vec![ToolCall::new("c", "left", "{}")]);
            if let Some(limit) = of_turn {
                turn = turn.timeout(limit);
            }
            let results = turn.start().unwrap().0.finish().await.unwrap().finished().unwrap();
            assert_eq!(told(&results[0]), json!(left), "{of_tool:?} {of_calls:?} {of_turn:?}");
        }
    });
}

/// A function that listens has the grace period, one that does not is dropped at once.
#[test]
fn a_function_that_listens_may_end_by_itself() {
    script::paused().block_on(async {
        let listens = tool("listens").read_only(true).run(|context: ToolContext| async move {
            context.cancellation().cancelled().await;
            tokio::time::sleep(Duration::from_secs(1)).await;
            "saved what there was"
        });
        let slow = tool("slow").read_only(true).run(|token: CancellationToken| async move {
            token.cancelled().await;
            tokio::time::sleep(Duration::from_secs(60)).await;
        });
        let deaf = tool("deaf").read_only(true).run(std::future::pending::<()>);
        let registry = of([listens, slow, deaf].map(Result::unwrap));
        let dispatcher = Dispatcher::builder(registry).grace(Duration::from_secs(5)).build();
        let calls = ["listens", "slow", "deaf"].map(|name| ToolCall::new(name, name, "{}")).to_vec();
        let token = CancellationToken::new();
        let (turn, _) = dispatcher.turn(calls.clone()).cancellation(token.clone()).start().unwrap();
        tokio::time::sleep(Duration::from_secs(10)).await;
        let begun = Instant::now();
        token.cancel();
        let results = turn.finish().await.unwrap().finished().unwrap();
        assert_eq!(begun.elapsed().as_secs(), 5);
        assert_eq!(results[0].text(), "saved what there was");
        assert!(results[1..].iter().all(|result| result.error().unwrap().code() == ErrorCode::Cancelled));
        // Its own time is over: what it still returns comes too late.
        let (turn, _) = dispatcher.turn(calls).timeout(Duration::from_secs(10)).start().unwrap();
        let results = turn.finish().await.unwrap().finished().unwrap();
        assert_eq!(results[0].text(), "saved what there was");
        assert!(results[1..].iter().all(|result| result.error().unwrap().code() == ErrorCode::Timeout));
        // A turn that is over takes nothing of another with it.
        assert!(!CancellationToken::new().is_cancelled() && token.is_cancelled());
    });
}

#[test]
fn a_call_on_a_cancelled_token_does_not_run() {
    script::paused().block_on(async {
        static RAN: AtomicBool = AtomicBool::new(false);
        let run = tool("run").run_sync(|| RAN.store(true, Ordering::Relaxed));
        let dispatcher = Dispatcher::new(of([run.unwrap()]));
        let token = CancellationToken::new();
        token.cancel();
        let alone =
            dispatcher.call("run", "{}", CallContext::new().cancellation(token.clone())).await.unwrap();
        let (turn, _) =
            dispatcher.turn(vec![ToolCall::new("c", "run", "{}")]).cancellation(token).start().unwrap();
        let of_turn = turn.finish().await.unwrap().finished().unwrap().remove(0);
        assert_eq!(alone.text(), of_turn.text());
        assert_eq!(alone.error().unwrap().code(), ErrorCode::NotRun);
        assert!(!RAN.load(Ordering::Relaxed));
    });
}

#[test]
fn a_detached_context_is_there_for_tests() {
    let context = ToolContext::detached();
    assert_eq!((context.session_id(), context.attempt(), context.deadline()), (None, 1, None));
    assert!(context.messages().is_empty() && !context.cancellation().is_cancelled());
    assert_eq!(context.idempotency_key(), context.clone().idempotency_key());
    context.progress(1.0, None, Some("nobody hears"));
    Progress::detached().report(1.0, 2.0);
}

struct Bank(&'static str);
struct Caller(&'static str);

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Amount {
    amount: u32,
}

/// One's own extractor, of what the caller brought.
struct Initial(char);

impl Extract for Initial {
    type Bound = ();

    fn extract((): &(), request: &mut CallRequest<'_>) -> Result<Self, ToolError> {
        let caller = request
            .extension::<Caller>()
            .ok_or_else(|| ToolError::refusal("no-caller", "Say who you are."))?;
        Ok(Self(caller.0.chars().next().unwrap_or('?')))
    }
}

#[test]
fn a_function_asks_by_type_in_any_order() {
    script::paused().block_on(async {
        let all = tool("all").run(
            |progress: Progress,
             bank: State<Bank>,
             context: ToolContext,
             Args(Amount { amount }): Args<Amount>,
             caller: Extension<Caller>,
             token: CancellationToken,
             Initial(initial): Initial,
             again: State<Bank>| async move {
                progress.report(1.0, 1.0);
                assert!(Arc::ptr_eq(&bank.clone().into_inner(), &again.into_inner()));
                format!(
                    "{} {} {amount} {} {} {initial}",
                    bank.0,
                    context.tool_call_id(),
                    caller.0,
                    token.is_cancelled()
                )
            },
        );
        let synchronous = tool("sync").run_sync(
            |caller: Extension<Caller>, Args(amount): Args<Amount>, bank: State<Bank>| {
                format!("{} {} {}", caller.0, amount.amount, bank.0)
            },
        );
        let none = tool("none").run_blocking(|| "none");
        let registry =
            ToolRegistry::builder().tools([all, synchronous, none]).state(Bank("b")).build().unwrap();
        let dispatcher = Dispatcher::new(registry);
        let context = || CallContext::new().call_id("c1").with(Caller("ada"));
        let call = async |name: &str| {
            dispatcher.call(name, r#"{"amount":7}"#, context()).await.unwrap().text().into_owned()
        };
        assert_eq!(call("all").await, "b c1 7 ada false a");
        assert_eq!(call("sync").await, "ada 7 b");
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let none = of([tool("none").run_blocking(|| "none").unwrap()]);
    let result = runtime.block_on(Dispatcher::new(none).call("none", "{}", CallContext::new())).unwrap();
    assert_eq!(result.text(), "none");
}

/// A parameter that can not be made fails the call, and the function does not run.
#[test]
fn an_extractor_may_refuse() {
    script::paused().block_on(async {
        static RAN: AtomicBool = AtomicBool::new(false);
        let greet = tool("greet").run(|_: Initial| async { RAN.store(true, Ordering::Relaxed) });
        let dispatcher = Dispatcher::new(of([greet.unwrap()]));
        let result = dispatcher.call("greet", "{}", CallContext::new()).await.unwrap();
        assert_eq!(result.error().unwrap().refused().unwrap().code(), "no-caller");
        assert!(!RAN.load(Ordering::Relaxed));
    });
}

/// What a type's own `Deserialize` refuses is a wrong argument like any other.
#[test]
fn a_type_may_refuse_more_than_its_schema() {
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Even {
        #[serde(deserialize_with = "even")]
        n: u32,
    }
    fn even<'de, D: serde::Deserializer<'de>>(from: D) -> Result<u32, D::Error> {
        let n: u32 = serde::Deserialize::deserialize(from)?;
        if n.is_multiple_of(2) { Ok(n) } else { Err(serde::de::Error::custom("it has to be even")) }
    }
    script::paused().block_on(async {
        let half = tool("half").run(|Args(Even { n }): Args<Even>| async move { (n / 2).to_string() });
        let dispatcher = Dispatcher::new(of([half.unwrap()]));
        let call = async |text: &str| dispatcher.call("half", text, CallContext::new()).await.unwrap();
        assert_eq!(call(r#"{"n":4}"#).await.text(), "2");
        let result = call(r#"{"n":5}"#).await;
        let body: Value = serde_json::from_str(&result.text()).unwrap();
        assert_eq!(
            (&body["kind"], &body["code"], &body["fields"]),
            (&json!("validation"), &json!(1001), &json!(["n"]))
        );
        assert!(body["message"].as_str().unwrap().contains("it has to be even"), "{body}");
    });
}

#[test]
fn a_tool_runs_alone_without_a_registry() {
    script::quiet_panics();
    script::paused().block_on(async {
        let context = ToolContext::detached;
        let code = |made: Result<haft_core::ToolOutput, ToolError>| made.unwrap_err().code();
        let double = tool("double")
            .run_blocking(|Args(Amount { amount }): Args<Amount>| (amount * 2).to_string())
            .unwrap();
        assert_eq!(double.call(r#"{"amount":4}"#, context()).await.unwrap().to_text(), "8");
        assert_eq!(code(double.call(r#"{"amount":"four"}"#, context()).await), ErrorCode::Arguments);
        let needs = tool("needs").run_sync(|_: State<Bank>| "").unwrap();
        assert_eq!(code(needs.call("{}", context()).await), ErrorCode::NotRun);
        let asks = tool("asks").run_sync(|_: Extension<Bank>| "").unwrap();
        assert_eq!(code(asks.call("{}", context()).await), ErrorCode::NotRun);
        for panics in [
            tool("a").run(|| async { panic!("scripted") as &'static str }),
            tool("b").run_sync(|| panic!("scripted") as &'static str),
            tool("c").run_blocking(|| panic!("scripted") as &'static str),
        ] {
            assert_eq!(panics.unwrap().call("{}", context()).await.unwrap_err().name(), "ToolPanicError");
        }
    });
}

#[test]
fn a_typed_tool_keeps_its_types() {
    script::paused().block_on(async {
        let half = TypedTool::new(tool("half"), |Amount { amount }: Amount, _| async move {
            if amount % 2 == 0 { Ok(amount / 2) } else { Err(ToolError::new("it is odd")) }
        })
        .unwrap();
        assert_eq!(
            half.call(half.check(r#"{"amount":8}"#).ok().unwrap(), ToolContext::detached()).await.ok(),
            Some(4)
        );
        assert_eq!(half.check(r#"{"amount":-1}"#).err().unwrap().code(), ErrorCode::Arguments);
        assert_eq!(
            half.clone().call(Amount { amount: 3 }, ToolContext::detached()).await.unwrap_err().message(),
            "it is odd"
        );
        assert_eq!(half.tool().definition().output.as_ref().unwrap().published()["type"], "integer");
        let dispatcher = Dispatcher::new(ToolRegistry::builder().tool(half).build().unwrap());
        assert_eq!(dispatcher.call("half", r#"{"amount":8}"#, CallContext::new()).await.unwrap().text(), "4");
    });
}

#[test]
fn progress_is_told_to_whoever_observes() {
    script::paused().block_on(async {
        let copy = tool("copy").run(|progress: Progress| async move {
            progress.report(1.0, 4.0);
            tokio::task::yield_now().await;
            progress.message(2.5, "half");
        });
        let (turn, mut events) = Dispatcher::new(of([copy.unwrap()]))
            .turn(vec![ToolCall::new("c", "copy", "{}")])
            .start()
            .unwrap();
        turn.finish().await.unwrap();
        let mut told = Vec::new();
        while let Some(event) = events.next().await {
            if let EventBody::Progress { progress, total, message, .. } = &event.body {
                told.push((*progress, *total, message.clone()));
            }
        }
        assert_eq!(told, [(1.0, Some(4.0), None), (2.5, None, Some("half".to_owned()))]);
    });
}

/// Secrets of the host that a function is handed appear in no debug output.
#[test]
fn what_the_host_shares_is_not_shown() {
    let state = State::new(Bank("secret"));
    let extension = Extension::new(Caller("secret"));
    let context = CallContext::new().with(Caller("secret")).session("s");
    for shown in [format!("{state:?}"), format!("{extension:?}"), format!("{context:?}")] {
        assert!(!shown.contains("secret"), "{shown}");
    }
    assert_eq!((state.0, extension.into_inner().0), ("secret", "secret"));
    let missing =
        ToolRegistry::builder().tool(tool("needs").run_sync(|_: State<Bank>| "")).build().unwrap_err();
    assert_eq!(missing.code(), 2203);
}
