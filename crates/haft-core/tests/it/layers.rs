//! `tower` layers around tools: ours, and any whose service can be cloned.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use haft_core::{
    Args, CallContext, CircuitBreakerLayer, Dispatcher, EventBody, RateLimitLayer, RetryLayer, Tool,
    ToolCall, ToolContext, ToolError, ToolErrorKind, ToolRegistry, ToolRequest,
};
use serde_json::{Value, json};
use tokio::time::Instant;
use tower_layer::Layer;
use tower_service::Service;

/// A layer that only notes that it was passed.
#[derive(Clone)]
struct Noted(&'static str, Arc<Mutex<Vec<String>>>);

#[derive(Clone)]
struct NotedService<S>(Noted, S);

impl<S> Layer<S> for Noted {
    type Service = NotedService<S>;

    fn layer(&self, inner: S) -> NotedService<S> {
        NotedService(self.clone(), inner)
    }
}

impl<S: Service<ToolRequest>> Service<ToolRequest> for NotedService<S> {
    type Response = S::Response;
    type Error = S::Error;
    type Future = S::Future;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.1.poll_ready(context)
    }

    fn call(&mut self, request: ToolRequest) -> S::Future {
        let line = format!("{} {} {}", self.0.0, request.definition().name, request.arguments());
        self.0.1.lock().unwrap().push(line);
        self.1.call(request)
    }
}

fn scripted(
    counter: &Arc<AtomicUsize>,
    define: impl FnOnce(haft_core::ToolBuilder) -> haft_core::ToolBuilder,
) -> Tool {
    let counter = Arc::clone(counter);
    let schema = json!({"type": "object", "properties": {"fails": {"type": "integer", "default": 0}, "say": {"type": "string"}}});
    define(Tool::builder("scripted").description("Fails so many times.").schema(schema))
        .run(move |Args(arguments): Args<Value>, context: ToolContext| {
            let run = counter.fetch_add(1, Ordering::SeqCst) as u64;
            async move {
                if run >= arguments["fails"].as_u64().unwrap() {
                    return Ok(format!("attempt {}", context.attempt()));
                }
                Err(match arguments["say"].as_str() {
                    Some("refuse") => ToolError::refusal("no-way", "never"),
                    Some("wait") => ToolError::new("busy").retry_after(Duration::from_secs(60)),
                    Some("broken") => ToolError::new("broken"),
                    _ => ToolError::new("busy").retryable(true),
                })
            }
        })
        .unwrap()
}

fn dispatcher(
    tool: Tool,
    layer: impl FnOnce(haft_core::RegistryBuilder) -> haft_core::RegistryBuilder,
) -> Dispatcher {
    Dispatcher::new(layer(ToolRegistry::builder().tool(tool)).build().unwrap())
}

async fn call(dispatcher: &Dispatcher, arguments: Value) -> (String, Duration) {
    let began = Instant::now();
    let result = dispatcher.call("scripted", &arguments.to_string(), CallContext::new()).await.unwrap();
    (result.text().into_owned(), began.elapsed())
}

#[tokio::test]
async fn layers_stand_around_the_function_below_policy() {
    let (counter, lines) = (Arc::default(), Arc::new(Mutex::new(Vec::new())));
    let tool = scripted(&counter, |tool| {
        tool.layer(Noted("inner", Arc::clone(&lines)))
            .layer(Noted("own", Arc::clone(&lines)))
            .approve_if(|arguments| arguments["say"] == "ask")
    });
    let dispatcher = dispatcher(tool, |registry| registry.layer(Noted("outer", Arc::clone(&lines))));
    assert_eq!(call(&dispatcher, json!({})).await.0, "attempt 1");
    let passed = ["outer", "own", "inner"].map(|name| format!(r#"{name} scripted {{"fails":0}}"#));
    assert_eq!(*lines.lock().unwrap(), passed);
    for refused in [json!({"say": 1}), json!({"say": "ask"})] {
        assert!(call(&dispatcher, refused).await.0.contains(r#""kind":""#));
    }
    assert_eq!(lines.lock().unwrap().len(), 3, "what may not run reaches no layer");
}

#[tokio::test(start_paused = true)]
async fn only_what_is_safe_and_says_so_is_tried_again() {
    let cases = [
        (true, json!({"fails": 2}), 3, "attempt 3", 3),
        (true, json!({"fails": 9}), 3, "busy", 3),
        (true, json!({"fails": 1, "say": "wait"}), 2, "attempt 2", 60),
        (true, json!({"fails": 1, "say": "broken"}), 1, "broken", 0),
        (true, json!({"fails": 1, "say": "refuse"}), 1, "no-way", 0),
        (false, json!({"fails": 1}), 1, "busy", 0),
    ];
    for (safe, arguments, runs, said, seconds) in cases {
        let counter = Arc::new(AtomicUsize::new(0));
        let tool = scripted(&counter, |tool| tool.idempotent(safe));
        let dispatcher =
            dispatcher(tool, |registry| registry.layer(RetryLayer::new(3, Duration::from_secs(1))));
        let (text, took) = call(&dispatcher, arguments.clone()).await;
        assert!(text.contains(said), "{arguments}: {text}");
        assert_eq!(counter.load(Ordering::SeqCst), runs, "{arguments}");
        assert_eq!(took.as_secs(), seconds, "{arguments}");
    }
}

#[tokio::test(start_paused = true)]
async fn observers_are_told_of_every_attempt() {
    let counter = Arc::new(AtomicUsize::new(0));
    let tool = scripted(&counter, |tool| tool.read_only(true));
    let dispatcher = dispatcher(tool, |registry| registry.layer(RetryLayer::new(4, Duration::from_secs(1))));
    let (handle, mut events) =
        dispatcher.turn(vec![ToolCall::new("c", "scripted", r#"{"fails": 2}"#)]).start().unwrap();
    handle.finish().await.unwrap();
    let mut attempts = Vec::new();
    while let Some(event) = events.next().await {
        if let EventBody::Retrying { attempt, .. } = event.body {
            attempts.push(attempt);
        }
    }
    assert_eq!(attempts, [2, 3]);
}

#[tokio::test(start_paused = true)]
async fn a_rate_limit_makes_calls_wait_their_turn() {
    let counter = Arc::new(AtomicUsize::new(0));
    let tool = scripted(&counter, |tool| tool.read_only(true));
    let dispatcher =
        dispatcher(tool, |registry| registry.layer(RateLimitLayer::new(2, Duration::from_secs(10))));
    let calls = (0..5).map(|index| ToolCall::new(format!("c{index}"), "scripted", "{}")).collect();
    let began = Instant::now();
    let (handle, _events) = dispatcher.turn(calls).start().unwrap();
    let results = handle.finish().await.unwrap().finished().unwrap();
    assert!(results.iter().all(|result| !result.is_error()));
    assert_eq!(began.elapsed().as_secs(), 20);
}

/// Calls that can not wait as long, or are given up while they wait, take no turn from those that come after them.
#[tokio::test(start_paused = true)]
async fn a_turn_that_is_given_up_is_free_again() {
    let counter = Arc::new(AtomicUsize::new(0));
    let tool = scripted(&counter, |tool| tool.read_only(true).timeout(Duration::from_secs(5)));
    let limited =
        dispatcher(tool, |registry| registry.layer(RateLimitLayer::new(1, Duration::from_secs(60))));
    for minute in 0..3 {
        assert_eq!(call(&limited, json!({})).await, ("attempt 1".into(), Duration::ZERO), "minute {minute}");
        for second in 0..50 {
            let (text, took) = call(&limited, json!({})).await;
            let told = format!(r#""retry_after":{}"#, 60 - second);
            assert!(text.contains(r#""kind":"not-run""#) && text.contains(&told), "{text}");
            assert_eq!(took, Duration::ZERO, "nothing is gained by waiting");
            tokio::time::advance(Duration::from_secs(1)).await;
        }
        tokio::time::advance(Duration::from_secs(10)).await;
    }
    assert_eq!(counter.load(Ordering::SeqCst), 3);

    let tool = scripted(&counter, |tool| tool.read_only(true));
    let patient =
        dispatcher(tool, |registry| registry.layer(RateLimitLayer::new(1, Duration::from_secs(60))));
    let began = Instant::now();
    assert_eq!(call(&patient, json!({})).await.0, "attempt 1");
    for _ in 0..10 {
        let waits = call(&patient, json!({}));
        assert!(tokio::time::timeout(Duration::from_secs(1), waits).await.is_err());
    }
    assert_eq!(call(&patient, json!({})).await.0, "attempt 1");
    assert_eq!(began.elapsed().as_secs(), 60);
}

/// Whoever stands in line before a call is reckoned with: it does not wait for a turn that it can not live to see.
#[tokio::test(start_paused = true)]
async fn nobody_stands_in_a_line_that_is_too_long() {
    let ran = Arc::new(Mutex::new(Vec::new()));
    let tool = |name: &'static str, seconds| {
        let ran = Arc::clone(&ran);
        let tool = Tool::builder(name).description("Notes.").timeout(Duration::from_secs(seconds));
        tool.run(move || {
            ran.lock().unwrap().push(name);
            async {}
        })
    };
    let registry = ToolRegistry::builder().tools([tool("patient", 300), tool("hasty", 90)]);
    let registry = registry.layer(RateLimitLayer::new(1, Duration::from_secs(60))).build().unwrap();
    let dispatcher = Dispatcher::new(registry);
    let begin = |name: &'static str| {
        let dispatcher = dispatcher.clone();
        tokio::spawn(async move { dispatcher.call(name, "{}", CallContext::new()).await.unwrap() })
    };
    let began = Instant::now();
    begin("patient").await.unwrap();
    let (second, third) = (begin("patient"), begin("patient"));
    tokio::time::sleep(Duration::from_secs(2)).await;
    // The line gets no shorter by that.
    for _ in 0..2 {
        let text = begin("hasty").await.unwrap().text().into_owned();
        assert!(text.contains(r#""kind":"not-run""#) && text.contains(r#""retry_after":178"#), "{text}");
        assert_eq!(began.elapsed().as_secs(), 2);
    }
    third.abort();
    assert!(third.await.is_err());
    second.await.unwrap();
    // One who has left stands there no longer.
    assert!(!begin("hasty").await.unwrap().is_error());
    assert_eq!((began.elapsed().as_secs(), ran.lock().unwrap().len()), (120, 3));
}

/// However many give up and when, no stretch of time sees more calls begin than are allowed.
#[tokio::test(start_paused = true)]
async fn no_stretch_of_time_sees_more_calls_than_are_allowed() {
    let mut seed = 7_u64;
    let mut below = move |limit: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % limit
    };
    for (calls, per) in [(1, 10), (2, 10), (3, 7), (5, 30)] {
        let began = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&began);
        let tool = Tool::builder("noted").description("Notes when.").run(move || {
            noted.lock().unwrap().push(Instant::now());
            async {}
        });
        let per = Duration::from_secs(per);
        let registry = ToolRegistry::builder().tool(tool).layer(RateLimitLayer::new(calls, per));
        let dispatcher = Dispatcher::new(registry.build().unwrap());
        let mut waiting = tokio::task::JoinSet::new();
        for _ in 0..200 {
            let (dispatcher, patience) = (dispatcher.clone(), Duration::from_secs(below(60)));
            waiting.spawn(async move {
                let call = dispatcher.call("noted", "{}", CallContext::new());
                tokio::time::timeout(patience, call).await.is_ok()
            });
            tokio::time::sleep(Duration::from_millis(below(4_000))).await;
        }
        let ran = waiting.join_all().await.into_iter().filter(|ran| *ran).count();
        let began = began.lock().unwrap();
        assert!(ran > 20 && ran < 200 && ran <= began.len(), "{ran} of 200");
        let crowded = began.windows(calls + 1).find(|window| window[calls] - window[0] < per);
        assert_eq!(crowded, None, "{calls} in {per:?}");
    }
}

/// What never reached a source says nothing about it.
#[tokio::test(start_paused = true)]
async fn a_source_that_was_not_asked_has_not_failed() {
    for kind in [ToolErrorKind::Denied, ToolErrorKind::Rejected, ToolErrorKind::NotRun] {
        let run = AtomicUsize::new(0);
        let tool = Tool::builder("moody").description("Ends in other ways.").run(move || {
            let broken = matches!(run.fetch_add(1, Ordering::SeqCst), 5 | 7);
            let error = ToolError::new("ended");
            std::future::ready(Err::<(), _>(if broken { error } else { error.with_kind(kind) }))
        });
        let registry =
            ToolRegistry::builder().tool(tool).layer(CircuitBreakerLayer::new(2, Duration::from_secs(30)));
        let dispatcher = Dispatcher::new(registry.build().unwrap());
        let mut told = Vec::new();
        for _ in 0..9 {
            let result = dispatcher.call("moody", "{}", CallContext::new()).await.unwrap();
            told.push(result.error().unwrap().message() == "ended");
        }
        assert_eq!(told, [true, true, true, true, true, true, true, true, false], "{kind:?}");
    }
}

/// A call that is let through after the rest and says nothing leaves the next one to be let through.
#[tokio::test(start_paused = true)]
async fn a_trial_that_says_nothing_is_made_again() {
    let run = AtomicUsize::new(0);
    let tool = Tool::builder("moody").description("Ends in other ways.").run(move || {
        let run = run.fetch_add(1, Ordering::SeqCst);
        async move {
            match run {
                0 => Err(ToolError::new("broken")),
                1 => Err(ToolError::new("ended").with_kind(ToolErrorKind::NotRun)),
                2 => std::future::pending().await,
                _ => Ok("ran"),
            }
        }
    });
    let breaker = CircuitBreakerLayer::new(1, Duration::from_secs(30));
    let dispatcher = Dispatcher::new(ToolRegistry::builder().tool(tool).layer(breaker).build().unwrap());
    let call =
        || async { dispatcher.call("moody", "{}", CallContext::new()).await.unwrap().text().into_owned() };
    assert!(call().await.contains("broken"));
    assert!(call().await.contains("given a rest"));
    tokio::time::advance(Duration::from_secs(31)).await;
    assert!(call().await.contains("ended"), "one is let through");
    assert!(
        tokio::time::timeout(Duration::from_secs(1), call()).await.is_err(),
        "and so is the next, which is given up"
    );
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(call().await, "ran");
    assert_eq!(call().await, "ran");
}

#[tokio::test(start_paused = true)]
async fn a_failing_source_gets_a_rest() {
    let counter = Arc::new(AtomicUsize::new(0));
    let tool = scripted(&counter, |tool| tool.read_only(true));
    let dispatcher =
        dispatcher(tool, |registry| registry.layer(CircuitBreakerLayer::new(2, Duration::from_secs(30))));
    let broken = json!({"fails": 3, "say": "broken"});
    for _ in 0..2 {
        assert!(call(&dispatcher, broken.clone()).await.0.contains("broken"));
    }
    let (text, _) = call(&dispatcher, broken.clone()).await;
    assert!(text.contains(r#""kind":"not-run""#) && text.contains(r#""retry_after":30"#), "{text}");
    tokio::time::advance(Duration::from_secs(31)).await;
    assert!(
        call(&dispatcher, broken.clone()).await.0.contains(r#""message":"broken""#),
        "one is let through"
    );
    assert!(call(&dispatcher, broken.clone()).await.0.contains("not-run"), "and its failure decides");
    tokio::time::advance(Duration::from_secs(31)).await;
    assert_eq!(call(&dispatcher, broken.clone()).await.0, "attempt 1");
    assert_eq!(call(&dispatcher, broken).await.0, "attempt 1");
}

#[tokio::test]
async fn an_error_keeps_its_kind_through_layers_that_know_only_boxed_ones() {
    let error: Box<dyn std::error::Error + Send + Sync> =
        ToolError::refusal("no-way", "never").row(["a", "b"]).into();
    let error = ToolError::from_boxed(error);
    assert_eq!(error.refused().unwrap().body(), "refused\tno-way\tnever\na\tb");
}
