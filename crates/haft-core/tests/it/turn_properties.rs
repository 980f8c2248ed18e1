//! n calls in, n results out, in the model's order, whatever the tools do.

use std::{sync::Arc, time::Duration};

use haft_core::{
    Dispatcher, ErrorCode, EventBody, ToolCall, ToolErrorKind, ToolEvent, ToolResult, TurnError, TurnOutcome,
};
use proptest::{collection::vec, option, prelude::*};

use crate::script::{self, CAP, Do, LANES, MODES, Mark, Script, TIMED};

/// A call of a turn, as the model sent it.
#[derive(Debug, Clone)]
enum Sent {
    Run {
        lane: &'static str,
        mode: &'static str,
        plan: Do,
    },
    Unknown,
    BadArguments {
        lane: &'static str,
        text: &'static str,
    },
    NoName,
    /// Bears the id of the call that stands so many places before.
    SameId(usize),
}

#[derive(Debug, Clone)]
struct Case {
    calls: Vec<Sent>,
    concurrency: usize,
    turn_timeout: Option<u64>,
    call_timeout: Option<u64>,
}

fn plan(timers: bool) -> BoxedStrategy<Do> {
    let kinds = ErrorCode::ALL.map(ErrorCode::kind).to_vec();
    let ends = prop_oneof![
        4 => Just(Do::Text),
        1 => Just(Do::Nothing),
        1 => Just(Do::Fail),
        2 => proptest::sample::select(kinds).prop_map(Do::Kind),
        1 => Just(Do::Refuse),
        1 => Just(Do::Panic),
        1 => "[a-z]{0,8}".prop_map(Do::PanicWithText),
        1 => Just(Do::PanicWithBomb),
        1 => Just(Do::BombFuture),
        3 => (0_usize..4).prop_map(Do::Yield),
        1 => Just(Do::Propagate),
    ];
    if !timers {
        return ends.boxed();
    }
    prop_oneof![
        6 => ends,
        4 => prop_oneof![1_u64..40, 1_000_u64..1_100].prop_map(Do::Sleep),
        1 => Just(Do::Never),
        1 => Just(Do::NeverWithBomb),
        2 => Just(Do::UntilCancelled),
    ]
    .boxed()
}

fn sent(timers: bool) -> impl Strategy<Value = Sent> {
    let modes = if timers { &MODES[..4] } else { &MODES };
    let lane = || proptest::sample::select(LANES.to_vec());
    let run = (lane(), proptest::sample::select(modes.to_vec()), plan(timers))
        .prop_map(|(lane, mode, plan)| Sent::Run { lane, mode, plan });
    let text = proptest::sample::select(vec![
        "",
        "{}",
        "null",
        "[]",
        r#"{"key":"one"}"#,
        r#"{"key":1,"more":2}"#,
        r#"{"key":1"#,
        "{key}",
        r#"{"key":1,"key":2}"#,
    ]);
    prop_oneof![
        12 => run,
        1 => Just(Sent::Unknown),
        1 => (lane(), text).prop_map(|(lane, text)| Sent::BadArguments { lane, text }),
        1 => Just(Sent::NoName),
        1 => (1_usize..4).prop_map(Sent::SameId),
    ]
}

fn case(timers: bool) -> impl Strategy<Value = Case> {
    let limit = move |millis: &[u64]| {
        let millis = proptest::sample::select(millis.to_vec());
        if timers { option::of(millis).boxed() } else { Just(None).boxed() }
    };
    (vec(sent(timers), 0..10), 1_usize..=4, limit(&[20, 500, 100_000]), limit(&[60, 2_000])).prop_map(
        |(calls, concurrency, turn_timeout, call_timeout)| {
            // Something has to end a turn that has calls without end.
            let endless = |sent: &Sent| {
                matches!(sent, Sent::Run { plan: Do::Never | Do::NeverWithBomb | Do::UntilCancelled, .. })
            };
            let needed = call_timeout.is_none() && calls.iter().any(endless);
            let turn_timeout = turn_timeout.or(needed.then_some(5_000));
            Case { calls, concurrency, turn_timeout, call_timeout }
        },
    )
}

/// The chunk of the call at a position.
fn chunk(position: usize) -> usize {
    position % 2
}

impl Case {
    fn calls(&self) -> Vec<ToolCall> {
        let call = |(position, sent): (usize, &Sent)| {
            let id = self.id(position);
            let arguments = format!(r#"{{"key":{position},"chunk":{}}}"#, chunk(position));
            match sent {
                Sent::Run { lane, mode, .. } => ToolCall::new(id, format!("{lane}_{mode}"), arguments),
                Sent::BadArguments { lane, text } => ToolCall::new(id, format!("{lane}_plain"), *text),
                Sent::Unknown => ToolCall::new(id, "no_such_tool", arguments),
                Sent::NoName => ToolCall::new(id, "", arguments),
                Sent::SameId(_) => ToolCall::new(id, "parallel_plain", arguments),
            }
        };
        self.calls.iter().enumerate().map(call).collect()
    }

    fn script(&self) -> Arc<Script> {
        Script::new(self.calls.iter().enumerate().map(|(position, sent)| match sent {
            Sent::Run { plan, .. } => (position, plan.clone()),
            _ => (position, Do::Text),
        }))
    }

    fn sent_as(&self, position: usize) -> &Sent {
        &self.calls[position]
    }

    fn id(&self, position: usize) -> String {
        match self.sent_as(position) {
            Sent::SameId(back) if position > 0 => self.id(position.saturating_sub(*back)),
            _ => format!("c{position}"),
        }
    }

    /// Whether a call bears the id of one before it.
    fn is_repeated(&self, position: usize) -> bool {
        self.id(position) != format!("c{position}")
    }

    /// What stands in `error` when the call came to its own end; `None` for an output.
    fn own_end(&self, position: usize) -> Option<&'static str> {
        if self.is_repeated(position) {
            return Some("MalformedToolCallError");
        }
        let (mode, plan) = match self.sent_as(position) {
            Sent::Run { mode, plan, .. } => (*mode, plan),
            Sent::Unknown => return Some("ToolNotFoundError"),
            Sent::BadArguments { .. } => return Some("ToolArgumentsValidationError"),
            Sent::NoName => return Some("MalformedToolCallError"),
            Sent::SameId(_) => return None,
        };
        let asynchronous = !matches!(mode, "sync" | "blocking");
        let limit = if mode == "timed" { Some(TIMED) } else { self.call_timeout };
        match plan {
            Do::Text | Do::Nothing | Do::Yield(_) => None,
            Do::Fail => Some("ParseIntError"),
            Do::Kind(kind) => Some(ErrorCode::of_kind(*kind).error_name()),
            Do::Refuse => Some("ToolRefusal"),
            Do::Panic | Do::PanicWithText(_) | Do::PanicWithBomb => Some("ToolPanicError"),
            Do::BombFuture => asynchronous.then_some("ToolPanicError"),
            Do::Sleep(millis) => {
                (asynchronous && limit.is_some_and(|limit| limit < *millis)).then_some("ToolTimeoutError")
            }
            Do::Never | Do::NeverWithBomb | Do::UntilCancelled => asynchronous.then_some("ToolTimeoutError"),
            Do::Propagate => Some("ToolExecutionError"),
        }
    }

    fn propagates(&self, position: usize) -> bool {
        matches!(self.sent_as(position), Sent::Run { plan: Do::Propagate, .. })
    }
}

struct Ran {
    results: Vec<ToolResult>,
    events: Vec<Arc<ToolEvent>>,
    aborted_by: Option<String>,
    calls: Vec<ToolCall>,
    script: Arc<Script>,
}

fn run(case: &Case) -> Ran {
    script::quiet_panics();
    let script = case.script();
    let calls = case.calls();
    script::paused().block_on(async {
        let mut builder = Dispatcher::builder(script::registry(&script)).concurrency(case.concurrency);
        if let Some(millis) = case.call_timeout {
            builder = builder.timeout(Duration::from_millis(millis));
        }
        let dispatcher = builder.build();
        let mut turn = dispatcher.turn(calls.clone());
        if let Some(millis) = case.turn_timeout {
            turn = turn.timeout(Duration::from_millis(millis));
        }
        let (turn, mut stream) = turn.start().unwrap();
        let (aborted_by, results) = match turn.finish().await {
            Ok(TurnOutcome::Finished(results)) => (None, results),
            Err(TurnError::Aborted { id, results, .. }) => (Some(id.to_string()), results),
            other => panic!("{other:?}"),
        };
        let mut events = Vec::new();
        while let Some(event) = stream.next().await {
            events.push(event);
        }
        let status = dispatcher.status();
        assert_eq!((status.turns, status.running), (0, 0));
        script::no_task_left().await;
        assert_eq!(dispatcher.status().detached, 0);
        Ran { results, events, aborted_by, calls, script }
    })
}

/// One result a call, in order, of the right id and name, and right about whether the function ran.
fn check_results(case: &Case, ran: &Ran) {
    assert_eq!(ran.results.len(), ran.calls.len());
    let ended_early = case.turn_timeout.is_some() || ran.aborted_by.is_some();
    for (position, (call, result)) in ran.calls.iter().zip(&ran.results).enumerate() {
        assert_eq!(result.id(), &call.id);
        assert_eq!(result.tool_name(), call.name);
        let name = result.error().map(haft_core::ToolError::name);
        let begun = ran.script.interval(position).is_some();
        match name {
            Some("ToolNotRunError") if case.own_end(position) != name => {
                assert!(ended_early && !begun, "{position}: not run, begun: {begun}");
            }
            Some("ToolTimeoutError") if case.own_end(position) != name => {
                assert!(case.turn_timeout.is_some() && begun, "{position}: timeout");
            }
            name => {
                assert_eq!(name, case.own_end(position), "{position}: {result:?}");
                let refused = case.is_repeated(position)
                    || matches!(
                        case.sent_as(position),
                        Sent::Unknown | Sent::BadArguments { .. } | Sent::NoName
                    );
                assert_eq!(begun, !refused, "{position}");
            }
        }
    }
}

/// A propagating error that was raised aborts the run, and is sealed as `execution`.
fn check_abort(case: &Case, ran: &Ran) {
    let raised =
        ran.results.iter().filter(|result| result.error().is_some_and(haft_core::ToolError::propagates));
    let raised: Vec<&ToolResult> = raised.collect();
    assert_eq!(ran.aborted_by.as_deref(), raised.first().map(|result| result.id().as_str()));
    for result in raised {
        assert_eq!(result.error().unwrap().kind(), ToolErrorKind::Execution);
    }
    let any = (0..case.calls.len()).any(|position| case.propagates(position));
    if any && case.turn_timeout.is_none() {
        assert!(ran.aborted_by.is_some());
    }
}

/// `seq` is dense; each call is started, may execute, and ends once.
fn check_events(ran: &Ran) {
    for (expected, event) in ran.events.iter().enumerate() {
        assert_eq!(event.seq, expected as u64);
    }
    for (position, call) in ran.calls.iter().enumerate() {
        // Two calls may have one id: they are told apart by the arguments that name their position, or by all else.
        let started = ran
            .events
            .iter()
            .position(|event| matches!(&event.body, EventBody::Started { call: told } if **told == *call));
        let started = started.unwrap_or_else(|| panic!("{position} was not started"));
        let ends: Vec<usize> = ran
            .events
            .iter()
            .enumerate()
            .filter_map(|(index, event)| match &event.body {
                EventBody::Completed { call: told, result } if **told == *call => {
                    assert!(!result.is_error());
                    Some(index)
                }
                EventBody::Failed { call: told, result } if **told == *call => {
                    assert!(result.is_error());
                    Some(index)
                }
                _ => None,
            })
            .collect();
        assert_eq!(ends.len(), 1, "{position}: {:?}", ran.events);
        assert!(started < ends[0]);
    }
    let executing =
        ran.events.iter().filter(|event| matches!(event.body, EventBody::Executing { .. })).count();
    let begun = ran.script.log().iter().filter(|(_, mark)| *mark == Mark::Begin).count();
    assert_eq!(executing, begun);
}

/// Serial calls stand alone, calls of one key and a width of one are in the model's order, caps hold.
fn check_schedule(case: &Case, ran: &Ran) {
    let stopped =
        |position: usize| ran.results[position].error().is_some_and(|error| error.effects().is_some());
    let intervals: Vec<(usize, usize, usize)> = (0..ran.calls.len())
        .filter(|position| !stopped(*position))
        .filter_map(|position| {
            let (begin, end) = ran.script.interval(position)?;
            Some((position, begin, end.expect("it ended by itself")))
        })
        .collect();
    let serial = |position: usize| {
        case.concurrency == 1 || matches!(case.sent_as(position), Sent::Run { lane: "serial", .. })
    };
    let of_one_key = |one: usize, other: usize| {
        let (name, its_name) = (&ran.calls[one].name, &ran.calls[other].name);
        name == its_name && name.starts_with("chunked") && chunk(one) == chunk(other)
    };
    for (position, begin, end) in &intervals {
        for (other, its_begin, _) in &intervals {
            let in_order = serial(*position) || serial(*other) || of_one_key(*position, *other);
            if position < other && in_order {
                assert!(end < its_begin, "{position} and {other}: {:?}", ran.script.log());
            }
        }
        let at_once = |counts: &dyn Fn(usize) -> bool| {
            intervals.iter().filter(|(other, b, e)| b <= begin && begin <= e && counts(*other)).count()
        };
        assert!(at_once(&|_| true) <= case.concurrency);
        let name = &ran.calls[*position].name;
        if name.starts_with("capped") {
            assert!(at_once(&|other| &ran.calls[other].name == name) <= CAP);
        }
    }
}

fn holds(case: &Case) {
    let ran = run(case);
    check_results(case, &ran);
    check_abort(case, &ran);
    check_events(&ran);
    check_schedule(case, &ran);
}

#[test]
fn a_turn_with_timers_has_one_result_a_call() {
    script::runner(400)
        .run(&case(true), |case| {
            holds(&case);
            Ok(())
        })
        .unwrap();
}

#[test]
fn a_turn_with_threads_has_one_result_a_call() {
    script::runner(200)
        .run(&case(false), |case| {
            holds(&case);
            Ok(())
        })
        .unwrap();
}

/// A call alone ends as it does in a turn.
#[test]
fn a_call_alone_ends_as_in_a_turn() {
    script::runner(200)
        .run(&(sent(true), option::of(Just(60_u64))), |(sent, call_timeout)| {
            let endless = matches!(sent, Sent::Run { mode, plan: Do::Never | Do::NeverWithBomb | Do::UntilCancelled, .. } if mode != "timed");
            let call_timeout = call_timeout.or(endless.then_some(2_000));
            let case = Case { calls: vec![sent], concurrency: 1, turn_timeout: None, call_timeout };
            let in_turn = run(&case);
            let script = case.script();
            let alone = script::paused().block_on(async {
                let mut builder = Dispatcher::builder(script::registry(&script));
                if let Some(millis) = case.call_timeout {
                    builder = builder.timeout(Duration::from_millis(millis));
                }
                let call = &in_turn.calls[0];
                let context = haft_core::CallContext::new().call_id(call.id.clone());
                let dispatcher = builder.build();
                let result = dispatcher.call(&call.name, &call.arguments, context).await.unwrap();
                script::no_task_left().await;
                result
            });
            assert_eq!(alone.text(), in_turn.results[0].text());
            assert_eq!(script.log().len(), in_turn.script.log().len());
            Ok(())
        })
        .unwrap();
}
