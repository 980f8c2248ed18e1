//! The testing kit: what it shows of a turn, and which faults its simulation finds.

use std::{sync::Arc, time::Duration};

use haft_core::{
    ApprovalDecision, Args, BeforeCall, CallContext, Clock, CountingIds, Dispatcher, Extension, Hook,
    HookCall, HookFuture, MemoryJournal, Message, Probed, Question, Recovery, RegistryBuilder, RetryLayer,
    Role, State, Tool, ToolBuilder, ToolCall, ToolContext, ToolError, ToolOutput, ToolRegistry,
    testing::{Answers, EffectLog, Moment, Script, Simulation, TestClock, TestContext},
};
use serde::Serialize;
use serde_json::{Value, json};

type Ended = Result<(), Box<dyn std::error::Error>>;

struct Caller(&'static str);
struct Desk(u32);

#[derive(Serialize)]
struct Sum {
    amount: u32,
}

fn pay() -> Tool {
    let schema = json!({"properties": {"amount": {"type": "integer"}}, "required": ["amount"]});
    Tool::builder("pay")
        .description("Pays.")
        .schema(schema)
        .approve_if(|arguments| arguments["amount"].as_u64() > Some(10))
        .run(|Args(arguments): Args<Value>, context: ToolContext| async move {
            context.progress(1.0, Some(2.0), None);
            format!("paid {}", arguments["amount"])
        })
        .unwrap()
}

fn deploy() -> Tool {
    let deploy = Tool::builder("deploy").description("Deploys.");
    deploy
        .run(|context: ToolContext| async move {
            let branch = context.ask(Question::new("Which branch?")).await?;
            Ok::<_, ToolError>(format!("deployed {}", branch.as_text().unwrap_or("?")))
        })
        .unwrap()
}

fn click() -> Tool {
    Tool::builder("click").description("Clicks.").external().unwrap()
}

fn dispatcher() -> Dispatcher {
    let registry = ToolRegistry::builder().tools([pay(), deploy(), click()]).build().unwrap();
    Dispatcher::builder(registry).ids(CountingIds::default()).journal(Arc::new(MemoryJournal::new())).build()
}

#[tokio::test]
async fn a_tool_alone_gets_all_that_it_asks_for() -> Ended {
    let tool = Tool::builder("stamp").description("Stamps.").run(
        |desk: State<Desk>, caller: Extension<Caller>, context: ToolContext| async move {
            context.progress(3.0, None, None);
            format!(
                "{} {} {} {} {} {:?}",
                desk.0,
                caller.0,
                context.tool_call_id(),
                context.attempt(),
                context.messages().len(),
                context.session_id()
            )
        },
    )?;
    let context = TestContext::new()
        .call_id("c1")
        .session("s")
        .attempt(2)
        .message(Message::new(Role::User, "Stamp it."))
        .state(Desk(7))
        .with(Caller("ada"));
    assert_eq!(context.call(&tool, json!({})).await.unwrap().to_text(), "7 ada c1 2 1 Some(\"s\")");
    assert_eq!(context.build().tool_call_id().as_str(), "c1");

    let missing = TestContext::new().call(&tool, json!({})).await.unwrap_err();
    assert!(missing.message().contains("State<"), "{}", missing.message());
    let refused = TestContext::new().call(&pay(), json!({"amount": "five"})).await.unwrap_err();
    assert_eq!(refused.message(), "amount: expected integer, got \"five\"");
    assert_eq!(TestContext::new().call(&pay(), Sum { amount: 500 }).await.unwrap().to_text(), "paid 500");
    Ok(())
}

#[tokio::test]
async fn a_question_alone_is_answered_from_the_list_or_denied() {
    let answers = Answers::new().answer("Which branch?", "main");
    let context = TestContext::new().answers(&answers);
    assert_eq!(context.call(&deploy(), json!({})).await.unwrap().to_text(), "deployed main");
    assert_eq!(answers.questions(), [Question::new("Which branch?")]);
    let again = context.call(&deploy(), json!({})).await.unwrap_err();
    assert_eq!(again.kind().as_str(), "denied", "an answer is used once");
}

#[tokio::test]
async fn what_a_function_tells_can_be_observed() {
    let (context, mut events) = TestContext::new().observed();
    context.progress(1.0, None, Some("half"));
    assert_eq!(events.next().await.unwrap().body.name(), "tool.progress");
}

#[tokio::test]
async fn a_script_shows_results_events_and_journal() -> Ended {
    let answers = Answers::new()
        .decide("a", ApprovalDecision::Edit { arguments: r#"{"amount": 20}"#.into() })
        .answer("Which branch?", "main")
        .result("click", ToolOutput::text("clicked"));
    let played = Script::new()
        .call("a", "pay", json!({"amount": 500}))
        .call("b", "deploy", json!({}))
        .call("c", "click", json!({}))
        .call("d", "klick", json!({}))
        .context(CallContext::new().session("s"))
        .answers(answers.clone())
        .run(&dispatcher())
        .await?;
    played
        .expect_results(&[
            "a pay: paid 20\n\nA person changed the arguments before the call ran: {\"amount\":20}",
            "b deploy: deployed main",
            "c click: clicked",
            "d klick: [not-found] there is no tool \"klick\"; did you mean \"click\"?",
        ])?
        .expect_events_of(
            "a",
            &[
                "tool.started",
                "tool.approval_requested",
                "tool.approval_resolved",
                "tool.executing",
                "tool.progress",
                "tool.completed",
            ],
        )?
        .expect_journal(&[
            "turn_opened",
            "call_accepted a {\"amount\":500}",
            "call_decided a ask",
            "approval_requested a",
            "call_suspended a for approval",
            "call_accepted b {}",
            "call_decided b allow",
            "call_accepted c {}",
            "call_decided c allow",
            "call_finished d failed",
            "approval_resolved a edit {\"amount\": 20}",
            "call_started a attempt 1",
            "call_finished a",
            "call_started b attempt 1",
            "question_asked b Which branch?",
            "call_suspended b for question",
            "question_answered b \"main\"",
            "call_started b attempt 2",
            "call_finished b",
            "call_started c attempt 1",
            "call_suspended c for external",
            "question_answered c {\"isError\":false,\"output\":\"clicked\"}",
            "call_finished c",
            "turn_closed",
        ])?;
    assert_eq!((played.suspensions(), played.turn()), (3, "1"));
    assert!(answers.unused().is_empty());
    assert_eq!(answers.approvals()[0].arguments, r#"{"amount":500}"#);
    Ok(())
}

#[tokio::test]
async fn a_difference_is_shown_line_by_line() -> Ended {
    let played = Script::new()
        .call("a", "pay", json!({"amount": 5}))
        .call("b", "pay", json!({"amount": 50}))
        .run(&dispatcher())
        .await?;
    assert!(played.results().is_empty());
    let difference = played.expect_results(&["a pay: paid 5"]).unwrap_err();
    assert_eq!(
        difference.to_string(),
        "the results differ (- expected, + found):\n- a pay: paid 5\n+ b pay: waits for an approval"
    );
    let difference = played.expect_events(&["tool.started a", "tool.failed a", "tool.completed a"]);
    assert_eq!(
        format!("{:?}", difference.unwrap_err()),
        "the events differ (- expected, + found):\n  tool.started a\n- tool.failed a\n+ tool.started b\n\
         + tool.approval_requested b\n+ tool.executing a\n+ tool.progress a\n  tool.completed a"
    );
    Ok(())
}

#[tokio::test]
async fn events_bear_the_time_of_the_test() {
    let clock = TestClock::at(5);
    clock.advance(Duration::from_millis(7));
    assert_eq!(clock.now_millis(), 12);
    let registry = ToolRegistry::builder().tool(pay()).build().unwrap();
    let dispatcher = Dispatcher::builder(registry).clock(clock).build();
    let played = Script::new().call("a", "pay", json!({"amount": 1})).run(&dispatcher).await.unwrap();
    assert!(played.events().iter().all(|event| event.at == Some(12)));
}

fn tool(name: &str) -> ToolBuilder {
    Tool::builder(name).description("A tool of the test.")
}

fn calls(names: &[&str]) -> Vec<ToolCall> {
    names.iter().enumerate().map(|(place, name)| ToolCall::new(format!("c{place}"), *name, "{}")).collect()
}

/// Tools that keep their promises, each by another contract.
fn careful(effects: &EffectLog) -> RegistryBuilder {
    let world = |effects: &EffectLog| effects.clone();
    let (keyed, once, ask, probe, looks) =
        (world(effects), world(effects), world(effects), world(effects), world(effects));
    let probed = effects.clone();
    ToolRegistry::builder()
        .tool(tool("keyed").recovery(Recovery::Keyed).run(move |context: ToolContext| {
            let effects = keyed.clone();
            async move {
                tokio::time::sleep(Duration::from_millis(5)).await;
                // The other side knows the key.
                if !effects.contains(&context.idempotency_key()) {
                    effects.record(&context, "charged");
                }
            }
        }))
        .tool(tool("once").recovery(Recovery::Never).run_sync(move |context: ToolContext| {
            once.record(&context, "sent");
        }))
        .tool(tool("confirmed").needs_approval(true).run(move |context: ToolContext| {
            let effects = ask.clone();
            async move {
                let answer = context.ask(Question::new("Sure?")).await?;
                tokio::task::yield_now().await;
                effects.record(&context, format!("wiped {}", answer.as_value()));
                Ok::<_, ToolError>("wiped")
            }
        }))
        .tool(
            tool("probed")
                .probe(move |_: Value, context: ToolContext| {
                    let done = probed.contains(&context.idempotency_key());
                    async move {
                        Ok(if done { Probed::Done(ToolOutput::text("booked")) } else { Probed::NotDone })
                    }
                })
                .run_sync(move |context: ToolContext| {
                    probe.record(&context, "booked");
                    "booked"
                }),
        )
        .tool(tool("looks").read_only(true).run(move || {
            let seen = looks.all().len();
            async move {
                tokio::task::yield_now().await;
                seen.to_string()
            }
        }))
        .tool(click())
}

fn answers() -> Answers {
    Answers::new().approve("confirmed").answer("Sure?", "yes").result("click", ToolOutput::text("clicked"))
}

#[tokio::test(start_paused = true)]
async fn tools_that_keep_their_promises_pass_the_simulation() {
    let turn = calls(&[
        "looks",
        "keyed",
        "looks",
        "looks",
        "once",
        "confirmed",
        "nobody",
        "probed",
        "click",
        "looks",
    ]);
    let simulation = Simulation::new(careful).calls(turn).answers(answers()).seeds(0..3);
    let report = simulation.clone().run().await.unwrap();
    assert!(report.crashes > 100 && report.cancellations > 200, "{report:?}");
    assert_eq!(simulation.run().await.unwrap(), report, "the same seeds give the same runs");
}

#[tokio::test(start_paused = true)]
async fn seeds_are_orders() {
    let turn = calls(&["looks", "looks", "looks", "looks"]);
    let report = Simulation::new(careful).calls(turn).seeds(0..16).run().await.unwrap();
    assert!(report.orders >= 8, "{report:?}");
}

/// A planted fault: the tools, the calls, and the moment and words that name it.
async fn found(
    build: impl Fn(&EffectLog) -> RegistryBuilder + Send + Sync + 'static,
    names: &[&str],
) -> (Moment, String) {
    let simulation = Simulation::new(build).calls(calls(names)).answers(answers()).seeds(0..8);
    let fault = simulation.run().await.unwrap_err();
    (fault.moment().clone(), fault.to_string())
}

#[tokio::test(start_paused = true)]
async fn a_contract_that_promises_too_much_is_found() {
    let build = |effects: &EffectLog| {
        let effects = effects.clone();
        ToolRegistry::builder().tool(
            tool("charge")
                .recovery(Recovery::Keyed)
                .run_sync(move |context: ToolContext| effects.record(&context, "charged")),
        )
    };
    let (moment, told) = found(build, &["charge"]).await;
    assert!(matches!(&moment, Moment::Crashed { last, .. } if last == "call_started c0 attempt 1"), "{told}");
    assert!(told.contains("\"charged\" was done twice under one idempotency key"), "{told}");
}

#[tokio::test(start_paused = true)]
async fn an_effect_before_a_question_is_found() {
    let build = |effects: &EffectLog| {
        let effects = effects.clone();
        ToolRegistry::builder().tool(tool("charge").run(move |context: ToolContext| {
            effects.record(&context, "charged");
            async move { context.ask(Question::new("Sure?")).await.map(drop) }
        }))
    };
    let (moment, told) = found(build, &["charge"]).await;
    assert_eq!(moment, Moment::Undisturbed, "{told}");
}

#[tokio::test(start_paused = true)]
async fn a_probe_that_does_not_look_is_found() {
    let build = |effects: &EffectLog| {
        let effects = effects.clone();
        let book = tool("book").probe(|_: Value, _| async { Ok(Probed::NotDone) });
        ToolRegistry::builder()
            .tool(book.run_sync(move |context: ToolContext| effects.record(&context, "booked")))
    };
    let (moment, told) = found(build, &["book"]).await;
    assert!(matches!(moment, Moment::Crashed { .. }), "{told}");
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_nothing_ends_is_found() {
    let build = |_: &EffectLog| {
        ToolRegistry::builder().tool(tool("hangs").read_only(true).run(std::future::pending::<()>))
    };
    let (moment, told) = found(build, &["hangs"]).await;
    assert_eq!(moment, Moment::Undisturbed);
    assert!(told.contains("did not end within 600 seconds"), "{told}");
    let (_, told) = found(careful, &["confirmed", "confirmed"]).await;
    assert!(told.ends_with("c1 confirmed: waits for an approval, and the answers have none"), "{told}");
}

/// Everything that can stand around a call, at once: an answerer in the process, hooks that wait, chunks, retries, nested
/// calls, a caller's own values.
#[tokio::test(start_paused = true)]
async fn a_whole_host_passes_the_simulation() {
    let build = |effects: &EffectLog| {
        let (flaky, inner, chunk) = (effects.clone(), effects.clone(), effects.clone());
        careful(effects)
            .tool(
                tool("flaky")
                    .recovery(Recovery::Keyed)
                    .layer(RetryLayer::new(3, Duration::from_millis(10)))
                    .run(move |context: ToolContext, caller: Extension<Caller>| {
                        let effects = flaky.clone();
                        async move {
                            if context.attempt() < 2 {
                                return Err(ToolError::new("busy").retryable(true));
                            }
                            if !effects.contains(&context.idempotency_key()) {
                                effects.record(&context, "tried");
                            }
                            Ok(caller.0)
                        }
                    }),
            )
            .tool(tool("outer").run(|context: ToolContext| async move {
                let result = context.call("inner", "{}").await?;
                Ok::<_, ToolError>(result.text().into_owned())
            }))
            .tool(tool("inner").run_sync(move |context: ToolContext| {
                inner.record(&context, "within");
                "within"
            }))
            .tool(
                tool("chunk").schema(json!({"properties": {"key": {"type": "string"}}})).chunk_by("key").run(
                    move |context: ToolContext| {
                        chunk.record(&context, "in line");
                        tokio::task::yield_now()
                    },
                ),
            )
    };
    let names = ["looks", "flaky", "confirmed", "outer", "chunk", "chunk", "probed", "looks"];
    let mut turn = calls(&names);
    for (place, key) in [(4, "a"), (5, "a")] {
        turn[place].arguments = json!({"key": key}).to_string();
    }
    turn.push(ToolCall::new("c8", "chunk", r#"{"key": "b"}"#));
    for concurrency in [1, 3] {
        let simulation = Simulation::new(build)
            .calls(turn.clone())
            .context(CallContext::new().session("s").with(Caller("ada")))
            .dispatcher(move |builder| {
                builder
                    .concurrency(concurrency)
                    .answerer(answers())
                    .hook(Slow)
                    .timeout(Duration::from_secs(5))
            })
            .answers(answers())
            .seeds(0..1);
        let report = simulation.run().await.unwrap();
        assert!(report.crashes > 30 && report.cancellations > 100, "{report:?}");
    }
}

#[derive(Debug)]
struct Slow;

impl Hook for Slow {
    fn before<'a>(&'a self, _: &'a HookCall) -> HookFuture<'a, BeforeCall> {
        Box::pin(async {
            tokio::time::sleep(Duration::from_millis(1)).await;
            Ok(BeforeCall::Continue)
        })
    }
}

#[tokio::test(start_paused = true)]
async fn whoever_lets_an_interrupted_call_run_again_answers_for_it() {
    let build = |effects: &EffectLog| {
        let effects = effects.clone();
        ToolRegistry::builder()
            .tool(tool("send").run_sync(move |context: ToolContext| effects.record(&context, "sent")))
    };
    let simulation = || Simulation::new(build).calls(calls(&["send"]));
    simulation().run().await.unwrap();
    let again = Answers::new().recover("send", ApprovalDecision::Approve);
    let fault = simulation().answers(again).run().await.unwrap_err();
    assert!(fault.to_string().contains("\"sent\" was done twice"), "{fault}");
}
