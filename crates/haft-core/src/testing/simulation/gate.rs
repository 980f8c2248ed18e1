//! The layer that decides who goes on: it counts the steps of all functions, and delays each by its seed.

use std::{
    future::Future,
    pin::Pin,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    task::{Context, Poll},
};

use tokio::task::yield_now;
use tokio_util::sync::CancellationToken;
use tower_layer::Layer;
use tower_service::Service;

use crate::{
    error::ToolError,
    layer::{ToolRequest, ToolService},
    tool::ToolOutput,
};

/// How often a function is held up at most, before it begins and before its result is handed back.
const DELAY: u64 = 8;

/// What all functions of one life pass through.
#[derive(Debug, Default)]
pub(super) struct Gate {
    random: AtomicU64,
    steps: AtomicUsize,
    cancel_at: Option<usize>,
    pub(super) token: CancellationToken,
    order: Mutex<Vec<String>>,
}

impl Gate {
    pub(super) fn new(seed: u64, cancel_at: Option<usize>) -> Self {
        Self { random: AtomicU64::new(seed), cancel_at, ..Self::default() }
    }

    /// How many steps there were.
    pub(super) fn steps(&self) -> usize {
        self.steps.load(Ordering::Relaxed)
    }

    /// The calls in the order in which their functions ended.
    pub(super) fn order(&self) -> Vec<String> {
        self.order.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn step(&self) {
        if Some(self.steps.fetch_add(1, Ordering::Relaxed)) == self.cancel_at {
            self.token.cancel();
        }
    }

    /// `SplitMix64`: small, and the same everywhere.
    fn delay(&self) -> u64 {
        const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;
        let mut mixed = self.random.fetch_add(GAMMA, Ordering::Relaxed).wrapping_add(GAMMA);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % DELAY
    }

    async fn hold(&self) {
        for _ in 0..self.delay() {
            self.step();
            yield_now().await;
        }
    }
}

/// Puts the gate before and behind every function.
#[derive(Debug, Clone)]
pub(super) struct GateLayer(pub(super) Arc<Gate>);

impl Layer<ToolService> for GateLayer {
    type Service = Gated;

    fn layer(&self, inner: ToolService) -> Gated {
        Gated { gate: Arc::clone(&self.0), inner }
    }
}

#[derive(Debug, Clone)]
pub(super) struct Gated {
    gate: Arc<Gate>,
    inner: ToolService,
}

impl Service<ToolRequest> for Gated {
    type Response = ToolOutput;
    type Error = ToolError;
    type Future = Pin<Box<dyn Future<Output = Result<ToolOutput, ToolError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), ToolError>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: ToolRequest) -> Self::Future {
        let (gate, mut inner) = (Arc::clone(&self.gate), self.inner.clone());
        Box::pin(async move {
            gate.hold().await;
            let id = request.context().tool_call_id().to_string();
            gate.step();
            // The function itself begins here, not before it has passed the gate.
            let running = inner.call(request);
            let outcome = Stepped { gate: &gate, running }.await;
            gate.hold().await;
            gate.order.lock().unwrap_or_else(PoisonError::into_inner).push(id);
            outcome
        })
    }
}

/// A function whose polls are steps.
struct Stepped<'a, F> {
    gate: &'a Gate,
    running: F,
}

impl<F: Future + Unpin> Future for Stepped<'_, F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        self.gate.step();
        Pin::new(&mut self.running).poll(context)
    }
}
