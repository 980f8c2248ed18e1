//! Where calls wait for slots: of their key, then of their tool, then of the dispatcher, each in order.

use std::{
    collections::VecDeque,
    future::poll_fn,
    sync::Arc,
    task::{Context, Poll},
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::PollSemaphore;

use crate::dispatch::machine::Position;

/// The slots that a running call holds.
#[derive(Debug, Default)]
pub(super) struct Slots {
    key: Option<OwnedSemaphorePermit>,
    tool: Option<OwnedSemaphorePermit>,
    dispatcher: Option<OwnedSemaphorePermit>,
}

/// What a call that waits still needs; the dispatcher's slot always comes last.
#[derive(Debug, Default)]
struct Wanted {
    tool: Option<Arc<Semaphore>>,
}

impl Slots {
    /// Waits for the slots of a call that stands alone.
    pub(super) async fn acquire(
        key: Option<Arc<Semaphore>>,
        tool: Option<Arc<Semaphore>>,
        dispatcher: &Arc<Semaphore>,
    ) -> Self {
        let mut slots = Self::default();
        if let Some(key) = key {
            slots.key = key.acquire_owned().await.ok();
        }
        if let Some(tool) = tool {
            slots.tool = tool.acquire_owned().await.ok();
        }
        slots.dispatcher = Arc::clone(dispatcher).acquire_owned().await.ok();
        slots
    }
}

impl Slots {
    /// The slots of a call inside of another, which has the dispatcher's; none when one is taken.
    pub(super) fn at_once(key: Option<Arc<Semaphore>>, tool: Option<Arc<Semaphore>>) -> Option<Self> {
        let mut slots = Self::default();
        if let Some(key) = key {
            slots.key = Some(key.try_acquire_owned().ok()?);
        }
        if let Some(tool) = tool {
            slots.tool = Some(tool.try_acquire_owned().ok()?);
        }
        Some(slots)
    }
}

/// Calls of one turn that wait for one semaphore.
struct Lane {
    semaphore: PollSemaphore,
    source: Arc<Semaphore>,
    waiting: VecDeque<(Position, Slots, Wanted)>,
}

impl Lane {
    fn new(source: &Arc<Semaphore>) -> Self {
        let semaphore = PollSemaphore::new(Arc::clone(source));
        Self { semaphore, source: Arc::clone(source), waiting: VecDeque::new() }
    }

    /// The first that waits, when there is a slot for it.
    fn poll(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<(Position, Slots, Wanted, Option<OwnedSemaphorePermit>)> {
        if self.waiting.is_empty() {
            return Poll::Pending;
        }
        let Poll::Ready(permit) = self.semaphore.poll_acquire(context) else { return Poll::Pending };
        match self.waiting.pop_front() {
            Some((position, slots, wanted)) => Poll::Ready((position, slots, wanted, permit)),
            None => Poll::Pending,
        }
    }

    fn remove(&mut self, position: Position) {
        let before = self.waiting.len();
        self.waiting.retain(|(waiting, ..)| *waiting != position);
        if before > 0 && self.waiting.is_empty() {
            // An acquisition that nobody waits for would hold up others.
            self.semaphore = PollSemaphore::new(Arc::clone(&self.source));
        }
    }
}

/// The calls of one turn that wait for slots.
pub(super) struct Lanes {
    dispatcher: Lane,
    tools: Vec<Lane>,
    keys: Vec<Lane>,
}

impl Lanes {
    pub(super) fn new(dispatcher: &Arc<Semaphore>) -> Self {
        Self { dispatcher: Lane::new(dispatcher), tools: Vec::new(), keys: Vec::new() }
    }

    /// Slots at once, when only the dispatcher's is wanted, it is free and nobody of this turn waits; else the call
    /// gets in line.
    pub(super) fn enter(
        &mut self,
        position: Position,
        key: Option<&Arc<Semaphore>>,
        tool: Option<&Arc<Semaphore>>,
    ) -> Option<Slots> {
        match (key, tool) {
            (Some(key), tool) => {
                let wanted = Wanted { tool: tool.cloned() };
                lane(&mut self.keys, key)?.waiting.push_back((position, Slots::default(), wanted));
            }
            (None, Some(tool)) => {
                lane(&mut self.tools, tool)?.waiting.push_back((
                    position,
                    Slots::default(),
                    Wanted::default(),
                ));
            }
            (None, None) => {
                if self.dispatcher.waiting.is_empty()
                    && let Ok(permit) = Arc::clone(&self.dispatcher.source).try_acquire_owned()
                {
                    return Some(Slots { dispatcher: Some(permit), ..Slots::default() });
                }
                self.dispatcher.waiting.push_back((position, Slots::default(), Wanted::default()));
            }
        }
        None
    }

    /// Takes a call out of every line.
    pub(super) fn leave(&mut self, position: Position) {
        self.dispatcher.remove(position);
        self.tools.iter_mut().chain(&mut self.keys).for_each(|lane| lane.remove(position));
    }

    pub(super) fn is_empty(&self) -> bool {
        let mut lanes = self.tools.iter().chain(&self.keys).chain([&self.dispatcher]);
        lanes.all(|lane| lane.waiting.is_empty())
    }

    /// The next call that has its slots.
    pub(super) async fn next(&mut self) -> (Position, Slots) {
        poll_fn(|context| self.poll(context)).await
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<(Position, Slots)> {
        for keys in &mut self.keys {
            while let Poll::Ready((position, slots, wanted, of_key)) = keys.poll(context) {
                let slots = Slots { key: of_key, ..slots };
                let next = match &wanted.tool {
                    Some(tool) => lane(&mut self.tools, tool),
                    None => Some(&mut self.dispatcher),
                };
                if let Some(next) = next {
                    next.waiting.push_back((position, slots, Wanted::default()));
                }
            }
        }
        for tools in &mut self.tools {
            while let Poll::Ready((position, slots, wanted, of_tool)) = tools.poll(context) {
                self.dispatcher.waiting.push_back((position, Slots { tool: of_tool, ..slots }, wanted));
            }
        }
        self.dispatcher.poll(context).map(|(position, slots, _, of_dispatcher)| {
            (position, Slots { dispatcher: of_dispatcher, ..slots })
        })
    }
}

/// The lane of a semaphore, made where there is none.
fn lane<'a>(lanes: &'a mut Vec<Lane>, source: &Arc<Semaphore>) -> Option<&'a mut Lane> {
    let found = lanes.iter().position(|lane| Arc::ptr_eq(&lane.source, source));
    let index = found.unwrap_or_else(|| {
        lanes.push(Lane::new(source));
        lanes.len() - 1
    });
    lanes.get_mut(index)
}
