//! Registries while they are in use: other tools, catalogs that they follow, plug-ins, hints.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
    mpsc,
};

use haft_core::BatchingStrategy::{self, Chunked, Parallel, Serial};
use haft_core::{
    AfterCall, Args, BatchingHint, BeforeCall, BuildError, BuildProblem, CallContext, Contributions,
    Dispatcher, Hook, HookCall, HookFuture, Leniency, Plugin, RegistryBuilder, State, Tool, ToolCall,
    ToolCatalog, ToolOutput, ToolRegistry, ToolRequest, Toolkit, TurnHandle,
};
use proptest::{collection::vec, prelude::*};
use serde_json::{Value, json};
use tower_layer::layer_fn;
use tower_service::Service;

use crate::script::runner;

fn says(name: &str, what: &str) -> Tool {
    let what = what.to_owned();
    Tool::builder(name).description("Says what it is.").run_sync(move || what.clone()).unwrap()
}

fn names(registry: &ToolRegistry) -> Vec<String> {
    registry.iter().map(|tool| tool.name().to_owned()).collect()
}

fn told(error: &BuildError) -> Vec<(u16, String)> {
    error.problems().iter().map(|problem| (problem.code(), problem.to_string())).collect()
}

async fn call(dispatcher: &Dispatcher, name: &str) -> String {
    dispatcher.call(name, "", CallContext::new()).await.unwrap().text().into_owned()
}

struct Motto(&'static str);

fn motto() -> Tool {
    Tool::builder("motto").description("The motto.").run_sync(|motto: State<Motto>| motto.0).unwrap()
}

/// Waits until it may go on, so that the tools can change while a turn runs.
fn gate(gate: &Arc<tokio::sync::Semaphore>) -> Tool {
    let gate = Arc::clone(gate);
    let run = move || {
        let gate = Arc::clone(&gate);
        async move { drop(gate.acquire().await) }
    };
    Tool::builder("gate").description("Waits.").run(run).unwrap()
}

#[tokio::test]
async fn a_turn_keeps_the_tools_that_it_began_with() {
    let open = Arc::new(tokio::sync::Semaphore::new(0));
    let registry = ToolRegistry::builder().tools([gate(&open), says("a", "before")]).build().unwrap();
    let dispatcher = Dispatcher::new(registry.clone());
    let calls = || vec![ToolCall::new("1", "gate", ""), ToolCall::new("2", "a", "")];
    let finish = async |turn: TurnHandle| {
        let results = turn.finish().await.unwrap().finished().unwrap();
        results.into_iter().map(|result| result.text().into_owned()).collect::<Vec<_>>()
    };
    let mut changes = registry.changes();
    let before = dispatcher.turn(calls()).start().unwrap().0;
    registry.update(|builder| builder.without("a").tool(says("a", "after"))).unwrap();
    let after = dispatcher.turn(calls()).start().unwrap().0;
    registry.replace(ToolRegistry::builder().tool(says("b", "other"))).unwrap();
    open.add_permits(2);
    assert_eq!(finish(before).await, ["", "before"]);
    assert_eq!(finish(after).await, ["", "after"]);
    assert_eq!((names(&registry), registry.generation()), (vec!["b".to_owned()], 2));
    assert!(call(&dispatcher, "a").await.contains("there is no tool"));
    // Two changes that nobody waited for are one.
    assert_eq!(changes.changed().await, Some(2));
    drop((dispatcher, registry));
    assert_eq!(changes.changed().await, None);
}

type Change = fn(RegistryBuilder) -> RegistryBuilder;

#[tokio::test]
async fn a_failed_change_changes_nothing() {
    let registry = ToolRegistry::builder()
        .toolkit(Toolkit::new("kit").tool(says("a", "a")))
        .tool(motto())
        .state(Motto("Simplify"))
        .build()
        .unwrap();
    let rows: [(Change, u16, &str); 9] = [
        (|builder| builder.tool(says("a", "other")), 2201, "one of the toolkit \"kit\""),
        (|builder| builder.toolkit(Toolkit::new("kit")), 2202, "one has a, the other no tools"),
        (|builder| builder.tool(Tool::builder("x").run_sync(|| "")), 2002, "\"x\""),
        (|builder| builder.state(Motto("Another")), 2206, "Motto"),
        (|builder| builder.without("moto"), 2219, "to leave out; did you mean \"motto\"?"),
        (
            |builder| builder.hint(BatchingHint::new("b", BatchingStrategy::Serial)),
            2220,
            "there is no such tool",
        ),
        (|builder| builder.leniency(Leniency::none()), 2224, "set when it is built"),
        (|builder| builder.plugin(&Hooking), 2223, "\"hooking\" brings hooks"),
        (|builder| builder.plugin(&Hooking).plugin(&Hooking), 2222, "two plug-ins are named \"hooking\""),
    ];
    let changes = registry.changes();
    for (change, code, says) in rows {
        let error = registry.update(change).unwrap_err();
        assert!(
            told(&error).iter().any(|(told, text)| *told == code && text.contains(says)),
            "{code}: {error}"
        );
    }
    assert_eq!(registry.replace(ToolRegistry::builder().tool(motto())).unwrap_err().code(), 2203);
    assert_eq!((names(&registry), registry.generation()), (vec!["a".to_owned(), "motto".to_owned()], 0));
    drop(registry);
    assert_eq!(changes.clone().changed().await, None, "nobody was told");
}

/// A tool of which one call may run at once, and how many did at most.
fn capped(most: &Arc<Mutex<(usize, usize)>>) -> Tool {
    let most = Arc::clone(most);
    let run = move || {
        let most = Arc::clone(&most);
        async move {
            {
                let mut most = most.lock().unwrap();
                most.0 += 1;
                most.1 = most.1.max(most.0);
            }
            for _ in 0..8 {
                tokio::task::yield_now().await;
            }
            most.lock().unwrap().0 -= 1;
        }
    };
    Tool::builder("capped").description("Counts.").read_only(true).max_concurrency(1).run(run).unwrap()
}

/// What was there goes on as it is: its state, its toolkit, the caps on its calls.
#[tokio::test]
async fn what_stays_goes_on_as_it_is() {
    let most = Arc::default();
    let capped = capped(&most);
    let kit = || Toolkit::new("kit").tool(&capped);
    let registry =
        ToolRegistry::builder().toolkit(kit()).tool(motto()).state(Motto("Simplify")).build().unwrap();
    let dispatcher = Dispatcher::new(registry.clone());
    let start = async || {
        let turn = dispatcher.turn(vec![ToolCall::new("1", "capped", "")]).start().unwrap().0;
        tokio::task::yield_now().await;
        turn
    };
    let first = start().await;
    registry.update(|builder| builder.tool(says("new", "new"))).unwrap();
    let second = start().await;
    registry.update(|builder| builder.without("capped").toolkit(kit())).unwrap();
    let third = start().await;
    assert_eq!(names(&registry), ["motto", "new", "capped"]);
    assert_eq!(registry.get("capped").unwrap().definition().toolkit.as_deref(), Some("kit"));
    assert_eq!(call(&dispatcher, "motto").await, "Simplify");
    for turn in [first, second, third] {
        assert!(turn.finish().await.unwrap().finished().unwrap().iter().all(|result| !result.is_error()));
    }
    assert_eq!(*most.lock().unwrap(), (0, 1));
}

/// Tools that a host keeps itself.
#[derive(Default)]
struct Store {
    tools: Mutex<Vec<Tool>>,
    generation: AtomicUsize,
    asked: AtomicUsize,
}

impl Store {
    fn set(&self, tools: Vec<Tool>) {
        *self.tools.lock().unwrap() = tools;
        self.generation.fetch_add(1, Ordering::SeqCst);
    }
}

impl ToolCatalog for Store {
    fn tools(&self) -> Vec<Tool> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        self.tools.lock().unwrap().clone()
    }

    fn generation(&self) -> u64 {
        self.generation.load(Ordering::SeqCst) as u64
    }
}

fn following(store: &Arc<Store>) -> RegistryBuilder {
    ToolRegistry::builder().catalog(Arc::clone(store))
}

#[tokio::test]
async fn a_registry_follows_a_catalog() {
    let store = Arc::new(Store::default());
    let registry = following(&store).tool(says("own", "own")).state(Motto("Simplify")).build().unwrap();
    let dispatcher = Dispatcher::new(registry.clone());
    let mut changes = registry.changes();
    for (tools, listed) in [
        (vec![says("a", "1")], vec!["a", "own"]),
        (vec![says("b", "2"), motto()], vec!["b", "motto", "own"]),
        (vec![], vec!["own"]),
    ] {
        store.set(tools);
        assert_eq!(names(&registry), listed);
        for name in listed {
            assert!(!call(&dispatcher, name).await.contains("there is no tool"));
        }
        registry.refresh().unwrap();
    }
    assert_eq!((changes.changed().await, store.asked.load(Ordering::SeqCst)), (Some(3), 4));
    // What is changed by hand stays changed, whatever the catalog does.
    store.set(vec![says("a", "1"), says("b", "2")]);
    registry.update(|builder| builder.without("own").without("a").tool(says("c", "3"))).unwrap();
    assert_eq!(names(&registry), ["b", "c"]);
    store.set(vec![says("b", "2"), says("a", "1"), says("d", "4")]);
    assert_eq!(names(&registry), ["b", "d", "c"]);
    store.set(vec![says("d", "4")]);
    assert_eq!(names(&registry), ["d", "c"]);
}

/// A catalog whose tools take as long as somebody wants.
struct Slow {
    store: Store,
    asked: mpsc::Sender<()>,
    go_on: Mutex<mpsc::Receiver<()>>,
}

impl ToolCatalog for Slow {
    fn tools(&self) -> Vec<Tool> {
        let tools = self.store.tools();
        self.asked.send(()).unwrap();
        self.go_on.lock().unwrap().recv().unwrap();
        tools
    }

    fn generation(&self) -> u64 {
        self.store.generation()
    }
}

#[test]
fn what_changes_while_tools_are_taken_is_told_as_well() {
    let (asked, is_asked) = mpsc::channel();
    let (go_on, goes_on) = mpsc::channel();
    let catalog = Arc::new(Slow { store: Store::default(), asked, go_on: Mutex::new(goes_on) });
    go_on.send(()).unwrap();
    let registry = ToolRegistry::builder().catalog(Arc::clone(&catalog)).build().unwrap();
    is_asked.recv().unwrap();
    let mut changes = registry.changes();
    std::thread::scope(|scope| {
        catalog.store.set(vec![says("a", "1")]);
        let first = scope.spawn(|| registry.refresh());
        is_asked.recv().unwrap();
        // The first has its list; the second has to wait for it.
        catalog.store.set(vec![says("a", "1"), says("b", "2")]);
        let second = scope.spawn(|| registry.refresh());
        go_on.send(()).unwrap();
        go_on.send(()).unwrap();
        first.join().unwrap().unwrap();
        second.join().unwrap().unwrap();
    });
    // Nobody has asked for the tools in between.
    let changed = tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(changes.changed());
    assert_eq!(changed, Some(2));
    assert_eq!(names(&registry), ["a", "b"]);
}

/// One bad tool of a catalog costs itself alone, once the registry is built.
#[test]
fn a_bad_tool_of_a_catalog_is_left_out() {
    let store = Arc::new(Store::default());
    store.set(vec![motto()]);
    assert_eq!(following(&store).build().unwrap_err().code(), 2203);
    store.set(vec![says("a", "1")]);
    let registry = following(&store).tool(says("own", "own")).build().unwrap();
    store.set(vec![motto(), says("a", "2"), says("a", "3"), says("own", "4"), says("b", "5")]);
    let error = registry.refresh().unwrap_err();
    let codes: Vec<u16> = error.problems().iter().map(BuildProblem::code).collect();
    assert_eq!(codes, [2203, 2201, 2201]);
    assert_eq!(names(&registry), ["a", "own", "b"]);
    store.set(vec![says("a", "2")]);
    registry.refresh().unwrap();
}

/// Nor does it keep anybody from changing the registry, or from following another catalog.
#[tokio::test]
async fn a_bad_tool_of_a_catalog_keeps_no_change_out() {
    for looked_at in [false, true] {
        let (store, other) = (Arc::new(Store::default()), Arc::new(Store::default()));
        let registry = following(&store).tool(says("own", "own")).build().unwrap();
        store.set(vec![motto(), says("own", "4"), says("b", "5")]);
        if looked_at {
            registry.refresh().unwrap_err();
        }
        registry.update(|builder| builder.tool(says("new", "new"))).unwrap();
        registry.update(|builder| builder.catalog(Arc::clone(&other))).unwrap();
        other.set(vec![says("late", "6")]);
        assert_eq!(names(&registry), ["own", "b", "new", "late"]);
        let codes = |error: haft_core::BuildError| -> Vec<u16> {
            error.problems().iter().map(BuildProblem::code).collect()
        };
        assert_eq!(codes(registry.refresh().unwrap_err()), [2203, 2201], "it is still told");
        // A mistake of the change itself is one.
        let error = registry.update(|builder| builder.tool(says("b", "again"))).unwrap_err();
        assert_eq!(codes(error), [2201]);
        // So is one that reads like what is told already.
        let error = registry.update(|builder| builder.tool(says("own", "own"))).unwrap_err();
        assert_eq!(codes(error), [2201]);
        assert_eq!(names(&registry), ["own", "b", "new", "late"]);
        let dispatcher = Dispatcher::new(registry.clone());
        assert_eq!(call(&dispatcher, "own").await, "4");
        // What was in the way has gone.
        store.set(vec![]);
        assert_eq!((call(&dispatcher, "own").await, names(&registry).len()), ("own".to_owned(), 3));
        registry.refresh().unwrap();
    }
}

/// A registry that follows another has its tools with their state and their caps, and the tools of those that it follows.
#[tokio::test]
async fn registries_follow_registries() {
    let store = Arc::new(Store::default());
    let first = following(&store).tool(motto()).state(Motto("Simplify")).build().unwrap();
    let second = ToolRegistry::builder().catalog(first.clone()).tool(says("own", "own")).build().unwrap();
    let dispatcher = Dispatcher::new(second.clone());
    assert_eq!(call(&dispatcher, "motto").await, "Simplify");
    first.update(|builder| builder.tool(says("new", "new"))).unwrap();
    store.set(vec![says("deep", "deep")]);
    assert_eq!(names(&second), ["deep", "motto", "new", "own"]);
    assert_eq!(call(&dispatcher, "deep").await, "deep");
    assert_eq!(second.find("new").map(|tool| tool.name().to_owned()).as_deref(), Some("new"));
    let session = second.enabled(["motto", "deep"]).unwrap();
    store.set(vec![]);
    assert_eq!(names(&session), ["deep", "motto"], "a session stays as it is");
    assert_eq!(call(&Dispatcher::new(session), "motto").await, "Simplify");
}

/// Any row of changes leaves just the tools that it says, in the order of registration.
#[test]
fn changes_in_a_row_add_up() {
    let change = (any::<bool>(), prop::sample::select(vec!["a", "b", "c", "d"]));
    runner(300)
        .run(&vec(vec(change, 0..4), 0..6), |rounds| {
            let registry = ToolRegistry::builder().build().unwrap();
            let mut model: Vec<&str> = Vec::new();
            for round in &rounds {
                let mut next = model.clone();
                let mut valid = true;
                for (add, name) in round {
                    match next.iter().position(|present| present == name) {
                        Some(at) if !add => drop(next.remove(at)),
                        None if *add => next.push(name),
                        _ => valid = false,
                    }
                }
                let changed = registry.update(|builder| {
                    round.iter().fold(builder, |builder, (add, name)| {
                        if *add { builder.tool(says(name, name)) } else { builder.without(*name) }
                    })
                });
                assert_eq!(changed.is_ok(), valid, "{round:?}: {changed:?}");
                if valid {
                    model = next;
                }
                assert_eq!(names(&registry), model);
                for name in ["a", "b", "c", "d"] {
                    assert_eq!(registry.get(name).is_some(), model.contains(&name));
                }
            }
            Ok(())
        })
        .unwrap();
}

struct Bringing {
    name: &'static str,
    bring: fn(&mut Contributions),
}

impl Plugin for Bringing {
    fn name(&self) -> &str {
        self.name
    }

    fn contribute(&self, contributions: &mut Contributions) {
        (self.bring)(contributions);
    }
}

fn bring(name: &'static str, bring: fn(&mut Contributions)) -> Bringing {
    Bringing { name, bring }
}

#[tokio::test]
async fn a_plugin_brings_what_belongs_together() {
    let weather = bring("weather", |all| {
        all.state(Motto("Rain"))
            .tools([motto(), says("a", "a")])
            .tool(says("b", "b"))
            .toolkit(Toolkit::new("kit").tool(says("c", "c")))
            .hint(BatchingHint::new("own", BatchingStrategy::Parallel).max_concurrency(2));
    });
    let registry = ToolRegistry::builder().tool(says("own", "own")).plugin(&weather).build().unwrap();
    assert_eq!(names(&registry), ["own", "motto", "a", "b", "c"]);
    assert_eq!(registry.batching_strategy("own"), Some(BatchingStrategy::Parallel));
    assert_eq!(registry.get("own").unwrap().definition().max_concurrency, Some(2));
    assert_eq!(call(&Dispatcher::new(registry.clone()), "motto").await, "Rain");
    // It stays through changes.
    registry.update(|builder| builder.without("a")).unwrap();
    assert_eq!(names(&registry), ["own", "motto", "b", "c"]);
    assert_eq!(registry.batching_strategy("own"), Some(BatchingStrategy::Parallel));
    assert_eq!(registry.update(|builder| builder.plugin(&weather)).unwrap_err().code(), 2222);
}

#[test]
fn mistakes_of_plugins_name_the_plugin() {
    let builder = ToolRegistry::builder;
    let rows: Vec<(RegistryBuilder, u16, &[&str])> = vec![
        (
            builder().plugin(&bring("p", |all| {
                all.tool(motto());
            })),
            2203,
            &["the plug-in \"p\": tool \"motto\""],
        ),
        (
            builder().state(Motto("")).plugin(&bring("p", |all| {
                all.state(Motto(""));
            })),
            2206,
            &["the plug-in \"p\": state of type", "Motto"],
        ),
        (
            builder()
                .plugin(&bring("p", |all| {
                    all.tool(says("a", ""));
                }))
                .plugin(&bring("q", |all| {
                    all.tool(says("a", ""));
                })),
            2201,
            &[
                "the plug-in \"q\": two tools",
                "without a toolkit of the plug-in \"p\"",
                "of the plug-in \"q\"",
            ],
        ),
        (
            builder().tool(says("a", "")).plugin(&bring("p", |all| {
                all.tool(says("a", ""));
            })),
            2201,
            &["native without a toolkit (", "of the plug-in \"p\""],
        ),
        (
            builder().plugin(&bring("p", |all| {
                all.toolkit(Toolkit::new("k").renamed("a", "b"));
            })),
            2211,
            &["the plug-in \"p\": the toolkit \"k\", `renamed(\"a\", \"b\")`"],
        ),
        (
            builder().plugin(&bring("p", |all| {
                all.tool(Tool::builder("x").run_sync(|| ""));
            })),
            2002,
            &["the plug-in \"p\": tool \"x\""],
        ),
    ];
    assert_told(rows);
}

fn assert_told(rows: Vec<(RegistryBuilder, u16, &[&str])>) {
    for (builder, code, says) in rows {
        let error = builder.build().unwrap_err();
        let told_of =
            |(told, text): &(u16, String)| *told == code && says.iter().all(|says| text.contains(says));
        assert!(told(&error).iter().any(told_of), "{code} {says:?}: {error}");
    }
}

#[test]
fn mistakes_of_hints_name_who_gave_them() {
    let builder = ToolRegistry::builder;
    let serial = |tool: &str| BatchingHint::new(tool, Serial);
    let rows: Vec<(RegistryBuilder, u16, &[&str])> = vec![
        (
            builder().plugin(&bring("p", |_| {})).plugin(&bring("p", |_| {})),
            2222,
            &["two plug-ins are named \"p\""],
        ),
        (
            builder().tool(says("able", "")).plugin(&bring("p", |all| {
                all.hint(BatchingHint::new("abel", BatchingStrategy::Serial));
            })),
            2220,
            &["the hint of the plug-in \"p\" for the tool \"abel\"", "mean \"able\"?"],
        ),
        (
            builder()
                .tool(says("a", ""))
                .plugin(&bring("p", |all| {
                    all.hint(BatchingHint::new("a", BatchingStrategy::Serial));
                }))
                .plugin(&bring("q", |all| {
                    all.hint(BatchingHint::new("a", BatchingStrategy::Parallel));
                })),
            2221,
            &["\"a\" has two hints", "\"p\"", "\"q\""],
        ),
        (
            builder().tool(says("a", "")).hint(serial("a")).hint(serial("a").max_concurrency(2)),
            2221,
            &["one of the host and one of the host"],
        ),
        (builder().tool(says("a", "")).hint(serial("a").max_concurrency(0)), 2220, &["the host", "zero"]),
        (builder().tool(says("a", "")).hint(serial("a").chunk_by("b")), 2220, &["\"b\"", "no argument"]),
        (
            builder().tool(says("a", "")).hint(BatchingHint::new("a", BatchingStrategy::Chunked)),
            2220,
            &["no key is declared: add `chunk_by`"],
        ),
    ];
    assert_told(rows);
}

/// A hint decides what would be inferred; the author's own word stands, and the smaller of two caps.
#[test]
fn a_hint_gives_way_to_the_author() {
    let schema = json!({"type": "object", "properties": {"key": {"type": "string"}}});
    let builder = || Tool::builder("a").description("Is.").schema(schema.clone());
    let run = |builder: haft_core::ToolBuilder| builder.run_sync(|_: Args<Value>| "").unwrap();
    let hint = |strategy| BatchingHint::new("a", strategy);
    for (tool, hint, strategy, cap) in [
        (run(builder()), hint(Parallel), Parallel, None),
        (run(builder()), hint(Parallel).max_concurrency(3), Parallel, Some(3)),
        (run(builder()), hint(Chunked).chunk_by("key"), Chunked, None),
        (run(builder().read_only(true)), hint(Serial), Serial, None),
        (run(builder().batching(Serial)), hint(Parallel), Serial, None),
        (
            run(builder().batching(Parallel).max_concurrency(2)),
            hint(Serial).max_concurrency(5),
            Parallel,
            Some(2),
        ),
        (
            run(builder().batching(Parallel).max_concurrency(5)),
            hint(Serial).max_concurrency(2),
            Parallel,
            Some(2),
        ),
    ] {
        let registry = ToolRegistry::builder().tool(&tool).hint(hint.clone()).build().unwrap();
        let definition = registry.get("a").unwrap().definition().clone();
        assert_eq!(
            (registry.batching_strategy("a"), definition.max_concurrency),
            (Some(strategy), cap),
            "{hint:?}"
        );
        // The same tool, reached twice, is the same with the hint too.
        assert_eq!(ToolRegistry::builder().tools([&tool, &tool]).hint(hint).build().unwrap().len(), 1);
    }
    // The host's hint decides over a plug-in's, in whatever order they come, also later.
    let serial = bring("p", |all| {
        all.hint(BatchingHint::new("a", Serial));
    });
    for first in [true, false] {
        let registry = ToolRegistry::builder().tool(run(builder()));
        let registry = if first {
            registry.hint(hint(Parallel)).plugin(&serial)
        } else {
            registry.plugin(&serial).hint(hint(Parallel))
        };
        assert_eq!(registry.build().unwrap().batching_strategy("a"), Some(Parallel));
    }
    let registry = ToolRegistry::builder().tool(run(builder())).plugin(&serial).build().unwrap();
    assert_eq!(registry.batching_strategy("a"), Some(Serial));
    registry.update(|builder| builder.hint(hint(Parallel))).unwrap();
    assert_eq!(registry.batching_strategy("a"), Some(Parallel));
}

struct Hooking;

#[derive(Debug)]
struct Denies;

impl Hook for Denies {
    fn before<'a>(&'a self, _: &'a HookCall) -> HookFuture<'a, BeforeCall> {
        Box::pin(async { Ok(BeforeCall::Deny { reason: "the plug-in says so".to_owned() }) })
    }

    fn after<'a>(
        &'a self,
        _: &'a HookCall,
        _: Result<&'a ToolOutput, &'a haft_core::ToolError>,
    ) -> HookFuture<'a, AfterCall> {
        Box::pin(async { Ok(AfterCall::Keep) })
    }
}

impl Plugin for Hooking {
    fn name(&self) -> &'static str {
        "hooking"
    }

    fn contribute(&self, contributions: &mut Contributions) {
        contributions.hook(Denies);
    }
}

#[tokio::test]
async fn a_plugin_brings_hooks_to_every_dispatcher_of_the_registry() {
    let registry = ToolRegistry::builder().tool(says("a", "a")).plugin(&Hooking).build().unwrap();
    for registry in [registry.clone(), registry.enabled(["a"]).unwrap()] {
        assert!(call(&Dispatcher::new(registry), "a").await.contains("the plug-in says so"));
    }
    // The tools can be replaced by what has the same plug-in.
    registry.replace(ToolRegistry::builder().tool(says("b", "b")).plugin(&Hooking)).unwrap();
    assert!(call(&Dispatcher::new(registry), "b").await.contains("the plug-in says so"));
}

/// A layer that says which one it is, around what it is put around.
#[derive(Clone)]
struct Says<S>(&'static str, S);

impl<S: Service<ToolRequest, Response = ToolOutput>> Service<ToolRequest> for Says<S>
where
    S::Future: Send + 'static,
    S::Error: 'static,
{
    type Response = ToolOutput;
    type Error = S::Error;
    type Future = std::pin::Pin<Box<dyn Future<Output = Result<ToolOutput, S::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut std::task::Context<'_>) -> std::task::Poll<Result<(), S::Error>> {
        self.1.poll_ready(context)
    }

    fn call(&mut self, request: ToolRequest) -> Self::Future {
        let (name, running) = (self.0, self.1.call(request));
        Box::pin(async move { Ok(ToolOutput::text(format!("{name}({})", running.await?.to_text()))) })
    }
}

/// Layers go around the tools that are added from then on, and around those of other registries.
#[tokio::test]
async fn layers_stay_around_what_they_were_put_around() {
    let layer = |name| layer_fn(move |inner| Says(name, inner));
    let registry = ToolRegistry::builder().tool(says("a", "a")).layer(layer("in")).build().unwrap();
    registry.update(|builder| builder.tool(says("b", "b"))).unwrap();
    registry.update(|builder| builder.tool(says("c", "c")).layer(layer("out"))).unwrap();
    let outer = ToolRegistry::builder().catalog(registry.clone()).layer(layer("other")).build().unwrap();
    for (name, inner) in [("a", "in(a)"), ("b", "in(b)"), ("c", "out(in(c))")] {
        assert_eq!(call(&Dispatcher::new(registry.clone()), name).await, inner);
        assert_eq!(call(&Dispatcher::new(outer.clone()), name).await, format!("other({inner})"));
    }
}
