//! `#[haft::toolkit]`: what becomes of the methods of an `impl`.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use haft::{
    ApprovalNeed, BatchingStrategy, CallContext, Dispatcher, Extension, State, Tool, ToolCall, ToolContext,
    ToolRegistry, Toolkit,
};
use serde_json::{Value, json};

/// Counts what was done, for all calls together.
#[derive(Debug, Default)]
struct Counter {
    count: AtomicUsize,
    step: usize,
}

#[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema, Clone, Debug, PartialEq)]
struct Point {
    x: i32,
}

#[haft::toolkit(name = "counting", snake_case)]
impl Counter {
    const START: usize = 0;

    /// Counts on.
    ///
    /// As often as is said.
    #[tool(idempotent = false, timeout = "2s", tags("count"), approve = |a| a.times > 100)]
    async fn count(
        &self,
        /// How often.
        #[schemars(range(min = 1))]
        times: usize,
        context: ToolContext,
    ) -> String {
        tokio::task::yield_now().await;
        let before = self.count.fetch_add(times * self.step, Ordering::SeqCst);
        format!("{} after {}", context.tool_name(), before + times * self.step)
    }

    /// Says how far it is.
    #[haft::tool(name = "how_far", read_only)]
    fn far(&self, scale: State<usize>) -> usize {
        self.get() * *scale
    }

    /// Starts anew.
    #[tool]
    async fn restart(self: Arc<Self>) -> Result<(), std::num::ParseIntError> {
        tokio::task::yield_now().await;
        self.count.store(Self::START, Ordering::SeqCst);
        Ok(())
    }

    /// Turns a point around.
    #[tool(blocking)]
    fn turn(point: Point, by: Extension<i32>) -> Point {
        Point { x: -point.x * *by }
    }

    /// Is not there.
    #[cfg(any())]
    #[tool]
    fn absent(&self, nothing: Nowhere) {}

    fn get(&self) -> usize {
        self.count.load(Ordering::SeqCst)
    }
}

fn registry(kit: Toolkit) -> ToolRegistry {
    ToolRegistry::builder().toolkit(kit).state(10_usize).build().unwrap()
}

async fn call(registry: &ToolRegistry, name: &str, arguments: &str) -> String {
    let context = CallContext::new().with(2_i32);
    let dispatcher = Dispatcher::new(registry.clone());
    dispatcher.call(name, arguments, context).await.unwrap().text().into_owned()
}

#[tokio::test]
async fn all_tools_work_on_one_value() {
    let counter = Arc::new(Counter { step: 3, ..Counter::default() });
    let registry = registry(Counter::toolkit(Arc::clone(&counter)));
    let names: Vec<String> = registry.iter().map(|tool| tool.name().to_owned()).collect();
    assert_eq!(names, ["count", "how_far", "restart", "turn"]);
    assert_eq!(call(&registry, "count", r#"{"times": 2}"#).await, "count after 6");
    assert_eq!(call(&registry, "how_far", "{}").await, "60");
    assert_eq!(call(&registry, "turn", r#"{"point": {"x": 4}}"#).await, r#"{"x":-8}"#);
    assert_eq!(counter.get(), 6);
    assert_eq!(call(&registry, "restart", "").await, "");
    assert_eq!(counter.get(), 0);
    assert!(call(&registry, "count", r#"{"times": 0}"#).await.contains("≥ 1"));
    assert!(call(&registry, "count", r#"{"times": 1, "self": 1}"#).await.contains("unknown field `self`"));

    // Calls of one turn share it too, and the value lives as long as its tools.
    let dispatcher = Dispatcher::new(registry);
    let calls = (0..20).map(|id| ToolCall::new(id.to_string(), "count", r#"{"times": 1}"#)).collect();
    let turn = dispatcher.turn(calls).start().unwrap().0;
    assert_eq!(Arc::strong_count(&counter), 1 + 3);
    assert!(turn.finish().await.unwrap().finished().unwrap().iter().all(|result| !result.is_error()));
    assert_eq!(counter.get(), 60);
    drop(dispatcher);
    assert_eq!(Arc::strong_count(&counter), 1);
}

#[tokio::test]
async fn two_values_are_two_toolkits() {
    let make = |step| Counter::toolkit(Counter { step, ..Counter::default() });
    let both = ToolRegistry::builder()
        .toolkit(
            Toolkit::new("both").including(make(1).prefixed("one_")).including(make(5).prefixed("five_")),
        )
        .state(1_usize)
        .build()
        .unwrap();
    assert_eq!(call(&both, "one_count", r#"{"times": 2}"#).await, "one_count after 2");
    assert_eq!(call(&both, "five_count", r#"{"times": 2}"#).await, "five_count after 10");
    assert_eq!(call(&both, "one_how_far", "").await, "2");
}

#[test]
fn options_and_comments_reach_the_definitions() {
    let registry = registry(Counter::toolkit(Counter::default()));
    let count = registry.get("count").unwrap();
    let definition = count.definition();
    assert_eq!(definition.description, "Counts on.\n\nAs often as is said.");
    assert_eq!(definition.toolkit.as_deref(), Some("counting"));
    assert_eq!(definition.annotations.idempotent, Some(false));
    assert_eq!(
        (definition.tags.as_slice(), definition.timeout.unwrap().as_secs()),
        (&["count".to_owned()][..], 2)
    );
    let schema = definition.input.published();
    assert_eq!(schema["properties"]["times"]["description"], "How often.");
    assert_eq!(schema["properties"]["times"]["minimum"], 1);
    assert!(matches!(&definition.approval, ApprovalNeed::When(asks) if asks(&json!({"times": 101}))));
    assert_eq!(registry.batching_strategy("how_far"), Some(BatchingStrategy::Parallel));
    assert!(registry.get("turn").unwrap().definition().output.is_some());
}

#[tokio::test]
async fn methods_stay_methods() {
    let counter = Arc::new(Counter { step: 1, ..Counter::default() });
    assert_eq!(counter.count(3, ToolContext::detached()).await, "detached after 3");
    assert_eq!(counter.far(State::new(2)), 6);
    Arc::clone(&counter).restart().await.unwrap();
    assert_eq!(Counter::turn(Point { x: 1 }, Extension::new(1)), Point { x: -1 });
}

/// No value is asked for where no tool works on one.
struct Unit;

#[haft::toolkit]
impl Unit {
    /// Adds two numbers.
    #[tool]
    fn add(a: u8, b: u8) -> u16 {
        u16::from(a) + u16::from(b)
    }
}

/// The type of the `impl` can stand in its own methods, also where it is generic.
#[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
struct Tree {
    leaves: Vec<Tree>,
}

#[haft::toolkit]
impl Tree {
    /// Counts the leaves of another.
    #[tool]
    fn leaves(other: Option<Self>, more: (Vec<Self>, u8)) -> usize {
        other.map_or(0, |other| other.leaves.len()) + more.0.len()
    }
}

trait Store: Send + Sync + 'static {
    fn look(&self, key: &str) -> String;
}

struct Upper;

impl Store for Upper {
    fn look(&self, key: &str) -> String {
        key.to_uppercase()
    }
}

struct HTTPShelf<S>(S);

mod inner {
    use super::{HTTPShelf, Store};

    #[haft::toolkit(crate = "haft")]
    impl<S> HTTPShelf<S>
    where
        S: Store,
    {
        #![allow(dead_code)]

        /// Looks a key up.
        #[tool(read_only)]
        pub(super) async fn look(&self, mut key: String, #[serde(default)] r#type: Option<u8>) -> String {
            key.push_str(&r#type.unwrap_or_default().to_string());
            std::future::ready(()).await;
            self.0.look(&key)
        }
    }
}

#[tokio::test]
async fn toolkits_of_all_kinds_of_types() {
    let registry = registry(Unit::toolkit());
    assert_eq!(registry.get("add").unwrap().definition().toolkit.as_deref(), Some("unit"));
    assert_eq!(call(&registry, "add", r#"{"a": 200, "b": 100}"#).await, "300");

    let registry = self::registry(Tree::toolkit());
    let sent = r#"{"other": {"leaves": [{"leaves": []}]}, "more": [[{"leaves": []}], 0]}"#;
    assert_eq!(call(&registry, "leaves", sent).await, "2");

    let registry = self::registry(HTTPShelf::toolkit(HTTPShelf(Upper)));
    assert_eq!(registry.get("look").unwrap().definition().toolkit.as_deref(), Some("httpshelf"));
    assert_eq!(call(&registry, "look", r#"{"key": "a", "type": 5}"#).await, "A5");
}

#[tokio::test]
async fn a_tool_of_a_method_runs_alone() {
    let registry = registry(Counter::toolkit(Counter { step: 2, ..Counter::default() }));
    let count: Tool = registry.get("count").unwrap();
    let output = count.call(r#"{"times": 4}"#, ToolContext::detached()).await.unwrap();
    assert_eq!(output.to_text(), "detached after 8");
    let _: Value = serde_json::to_value(&count).unwrap();
}
