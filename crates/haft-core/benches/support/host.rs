//! A dispatcher with the tools under test, and the runs that are measured.

use std::hint::black_box;

use haft_core::{Args, CallContext, Dispatcher, Json, Tool, ToolCall, ToolRegistry, TurnOutcome};
use serde_json::Value;
use tokio::runtime::{Builder, Runtime};

use super::subject::{self, Addition, NESTED, Order, SMALL};

/// How many calls the measured turn has.
pub(crate) const TURN: usize = 8;

/// A host as a service would have one, on one thread.
pub(crate) struct Host {
    runtime: Runtime,
    dispatcher: Dispatcher,
}

impl Host {
    pub(crate) fn new() -> Self {
        let add = Tool::builder("add")
            .description("Add two whole numbers.")
            .read_only(true)
            .run(|Args(addition): Args<Addition>| async move { Json(subject::add(&addition)) })
            .expect("the tool is well defined");
        let place = Tool::builder("place_order")
            .description("Place an order for a customer.")
            .read_only(true) // scheduled as the other one is
            .run(|Args(order): Args<Order>| async move { Json(subject::place(order)) })
            .expect("the tool is well defined");
        let add_value = Tool::builder("add_value")
            .description("Add two whole numbers.")
            .read_only(true)
            .schema(add.definition().input.published().clone())
            .run(|Args(arguments): Args<Value>| async move { Json(subject::add_value(&arguments)) })
            .expect("the tool is well defined");
        let place_value = Tool::builder("place_order_value")
            .description("Place an order for a customer.")
            .read_only(true)
            .schema(place.definition().input.published().clone())
            .run(|Args(order): Args<Value>| async move { Json(subject::place_value(&order)) })
            .expect("the tool is well defined");
        let registry = ToolRegistry::builder()
            .tools([add, place, add_value, place_value])
            .build()
            .expect("the tools fit together");
        let runtime = Builder::new_current_thread().enable_time().build().expect("a runtime can be made");
        let host = Self { runtime, dispatcher: Dispatcher::new(registry) };
        host.check();
        host
    }

    /// What is measured must be what the floor does.
    fn check(&self) {
        let text = |name, arguments| {
            let call = self.dispatcher.call(name, arguments, CallContext::new());
            let result = self.runtime.block_on(call).expect("the call begins");
            assert!(!result.is_error(), "{}", result.text());
            result.text().into_owned()
        };
        assert_eq!(text("add", SMALL), subject::small_floor(SMALL));
        assert_eq!(text("place_order", NESTED), subject::nested_floor(NESTED));
        assert_eq!(text("add_value", SMALL), subject::small_floor(SMALL));
        assert_eq!(text("place_order_value", NESTED), subject::nested_floor(NESTED));
        assert_eq!(self.turns(Self::prepare_turns(1)), TURN);
    }

    pub(crate) fn small(&self, runs: usize) {
        self.calls("add", SMALL, runs);
    }

    pub(crate) fn nested(&self, runs: usize) {
        self.calls("place_order", NESTED, runs);
    }

    pub(crate) fn small_value(&self, runs: usize) {
        self.calls("add_value", SMALL, runs);
    }

    pub(crate) fn nested_value(&self, runs: usize) {
        self.calls("place_order_value", NESTED, runs);
    }

    fn calls(&self, name: &str, arguments: &str, runs: usize) {
        self.runtime.block_on(async {
            for _ in 0..runs {
                let context = CallContext::new();
                let result = self.dispatcher.call(black_box(name), black_box(arguments), context).await;
                black_box(result.expect("the call begins").text());
            }
        });
    }

    /// The calls of turns as a provider's codec hands them over.
    pub(crate) fn prepare_turns(runs: usize) -> Vec<Vec<ToolCall>> {
        let call = |position| ToolCall::new(format!("call_{position}"), "add", SMALL);
        (0..runs).map(|_| (0..TURN).map(call).collect()).collect()
    }

    /// Runs turns one after another; gives how many results there were.
    pub(crate) fn turns(&self, turns: impl IntoIterator<Item = Vec<ToolCall>>) -> usize {
        let mut count = 0;
        self.runtime.block_on(async {
            for calls in turns {
                let turn = self.dispatcher.turn(calls).start_unobserved().expect("the turn begins");
                let outcome = turn.finish().await.expect("no call propagates an error");
                let TurnOutcome::Finished(results) = outcome else { panic!("nothing asks") };
                for result in &results {
                    black_box(result.text());
                    count += usize::from(!result.is_error());
                }
            }
        });
        count
    }
}
