//! Where calls wait for slots: of their key, then of their tool, then of the dispatcher, each in order.

use std::{
    collections::VecDeque,
    future::poll_fn,
    ops::Deref,
    ptr,
    sync::Arc,
    task::{Context, Poll},
};

use crate::dispatch::{
    gate::{Entered, Gate, Permit, Ticket},
    machine::Position,
};

/// The slots that a running call holds.
#[derive(Debug, Default)]
pub(super) struct Slots<'t> {
    key: Option<Permit<Arc<Gate>>>,
    tool: Option<Permit<&'t Gate>>,
    dispatcher: Option<Permit<&'t Gate>>,
}

impl<'t> Slots<'t> {
    /// Waits for the slots of a call that stands alone.
    pub(super) async fn acquire(
        key: Option<Arc<Gate>>,
        tool: Option<&'t Arc<Gate>>,
        dispatcher: &'t Gate,
    ) -> Self {
        let mut slots = Self::default();
        if let Some(key) = key {
            slots.key = Some(Gate::pass(key).await);
        }
        if let Some(tool) = tool {
            slots.tool = Some(Gate::pass(&**tool).await);
        }
        slots.dispatcher = Some(Gate::pass(dispatcher).await);
        slots
    }

    /// The slots of a call inside of another, which has the dispatcher's; none when one is taken.
    pub(super) fn at_once(key: Option<Arc<Gate>>, tool: Option<&'t Arc<Gate>>) -> Option<Self> {
        let mut slots = Self::default();
        if let Some(key) = key {
            slots.key = Some(Gate::try_pass(key)?);
        }
        if let Some(tool) = tool {
            slots.tool = Some(Gate::try_pass(&**tool)?);
        }
        Some(slots)
    }
}

/// A call that waits, the slots that it has, and the gate of its tool where it still has to pass that.
type Waiting<'t> = (Position, Slots<'t>, Option<&'t Arc<Gate>>);

/// Calls of one turn that wait at one gate.
struct Lane<'t, G: Deref<Target = Gate>> {
    gate: G,
    ticket: Option<Ticket<G>>,
    waiting: VecDeque<Waiting<'t>>,
}

impl<'t, G: Deref<Target = Gate> + Clone> Lane<'t, G> {
    fn new(gate: G) -> Self {
        Self { gate, ticket: None, waiting: VecDeque::new() }
    }

    /// The first that waits, when there is a slot for it.
    fn poll(&mut self, context: &Context<'_>) -> Poll<(Waiting<'t>, Permit<G>)> {
        if self.waiting.is_empty() {
            return Poll::Pending;
        }
        let permit = match self.ticket.as_mut().map(|ticket| ticket.poll(context)) {
            Some(Poll::Ready(permit)) => {
                self.ticket = None;
                permit
            }
            Some(Poll::Pending) => return Poll::Pending,
            None => match Gate::enter(self.gate.clone()) {
                Entered::Passed(permit) => permit,
                Entered::Waits(mut ticket) => {
                    let Poll::Ready(permit) = ticket.poll(context) else {
                        self.ticket = Some(ticket);
                        return Poll::Pending;
                    };
                    permit
                }
            },
        };
        match self.waiting.pop_front() {
            Some(waiting) => Poll::Ready((waiting, permit)),
            None => Poll::Pending,
        }
    }

    fn remove(&mut self, position: Position) {
        self.waiting.retain(|(waiting, ..)| *waiting != position);
        if self.waiting.is_empty() {
            // A place in the line that nobody waits for would hold up others.
            self.ticket = None;
        }
    }
}

/// The calls of one turn that wait for slots.
pub(super) struct Lanes<'t> {
    dispatcher: Lane<'t, &'t Gate>,
    tools: Vec<Lane<'t, &'t Gate>>,
    keys: Vec<Lane<'t, Arc<Gate>>>,
}

impl<'t> Lanes<'t> {
    pub(super) fn new(dispatcher: &'t Gate) -> Self {
        Self { dispatcher: Lane::new(dispatcher), tools: Vec::new(), keys: Vec::new() }
    }

    /// Slots at once, when only the dispatcher's is wanted, it is free and nobody of this turn waits; else the call
    /// gets in line.
    pub(super) fn enter(
        &mut self,
        position: Position,
        key: Option<&Arc<Gate>>,
        tool: Option<&'t Arc<Gate>>,
    ) -> Option<Slots<'t>> {
        match (key, tool) {
            (Some(key), tool) => {
                lane(&mut self.keys, key)?.waiting.push_back((position, Slots::default(), tool));
            }
            (None, Some(tool)) => {
                lane(&mut self.tools, &&**tool)?.waiting.push_back((position, Slots::default(), None));
            }
            (None, None) => {
                if self.dispatcher.waiting.is_empty()
                    && let Some(permit) = Gate::try_pass(self.dispatcher.gate)
                {
                    return Some(Slots { dispatcher: Some(permit), ..Slots::default() });
                }
                self.dispatcher.waiting.push_back((position, Slots::default(), None));
            }
        }
        None
    }

    /// Takes a call out of every line.
    pub(super) fn leave(&mut self, position: Position) {
        self.dispatcher.remove(position);
        self.tools.iter_mut().for_each(|lane| lane.remove(position));
        self.keys.iter_mut().for_each(|lane| lane.remove(position));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.dispatcher.waiting.is_empty()
            && self.tools.iter().all(|lane| lane.waiting.is_empty())
            && self.keys.iter().all(|lane| lane.waiting.is_empty())
    }

    /// The next call that has its slots.
    pub(super) async fn next(&mut self) -> (Position, Slots<'t>) {
        poll_fn(|context| self.poll(context)).await
    }

    fn poll(&mut self, context: &Context<'_>) -> Poll<(Position, Slots<'t>)> {
        for keys in &mut self.keys {
            while let Poll::Ready(((position, slots, tool), of_key)) = keys.poll(context) {
                let slots = Slots { key: Some(of_key), ..slots };
                let next = match tool {
                    Some(tool) => lane(&mut self.tools, &&**tool),
                    None => Some(&mut self.dispatcher),
                };
                if let Some(next) = next {
                    next.waiting.push_back((position, slots, None));
                }
            }
        }
        for tools in &mut self.tools {
            while let Poll::Ready(((position, slots, _), of_tool)) = tools.poll(context) {
                let slots = Slots { tool: Some(of_tool), ..slots };
                self.dispatcher.waiting.push_back((position, slots, None));
            }
        }
        self.dispatcher.poll(context).map(|((position, slots, _), of_dispatcher)| {
            (position, Slots { dispatcher: Some(of_dispatcher), ..slots })
        })
    }
}

/// The lane of a gate, made where there is none.
fn lane<'a, 't, G: Deref<Target = Gate> + Clone>(
    lanes: &'a mut Vec<Lane<'t, G>>,
    gate: &G,
) -> Option<&'a mut Lane<'t, G>> {
    let found = lanes.iter().position(|lane| is(&lane.gate, gate));
    let index = found.unwrap_or_else(|| {
        lanes.push(Lane::new(gate.clone()));
        lanes.len() - 1
    });
    lanes.get_mut(index)
}

fn is(one: &Gate, other: &Gate) -> bool {
    ptr::eq(one, other)
}
