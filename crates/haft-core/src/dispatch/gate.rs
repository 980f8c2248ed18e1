//! A counting gate: whoever finds a place free pays one atomic step, whoever does not waits in line.

use std::{
    collections::VecDeque,
    ops::Deref,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll, Waker},
};

/// The state of a gate that has a line: no place is free, and one that is given back is handed on.
const LINE: usize = usize::MAX;

/// Lets so many pass at once, first come first served.
#[derive(Debug)]
pub(crate) struct Gate {
    /// How many places are free, or [`LINE`].
    state: AtomicUsize,
    /// Held while somebody joins, leaves or is handed a place; empty unless the state is [`LINE`].
    line: Mutex<VecDeque<Arc<Waiter>>>,
}

/// One who waits.
#[derive(Debug, Default)]
struct Waiter(Mutex<Wait>);

#[derive(Debug, Default)]
struct Wait {
    granted: bool,
    waker: Option<Waker>,
}

/// A place, given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Permit<G: Deref<Target = Gate>>(G);

/// A place in the line, left when it is dropped.
#[derive(Debug)]
pub(crate) struct Ticket<G: Deref<Target = Gate>> {
    /// Until the place was taken.
    gate: Option<G>,
    waiter: Arc<Waiter>,
}

/// What came of wanting to pass.
pub(crate) enum Entered<G: Deref<Target = Gate>> {
    Passed(Permit<G>),
    Waits(Ticket<G>),
}

impl Gate {
    /// A gate with so many places; one fewer than there are numbers at most.
    pub(crate) fn new(places: usize) -> Self {
        Self { state: AtomicUsize::new(places.min(LINE - 1)), line: Mutex::default() }
    }

    /// Passes if a place is free and nobody waits.
    #[inline]
    pub(crate) fn try_pass<G: Deref<Target = Self>>(gate: G) -> Option<Permit<G>> {
        gate.take().then(|| Permit(gate))
    }

    /// Passes, or gets in line.
    pub(crate) fn enter<G: Deref<Target = Self>>(gate: G) -> Entered<G> {
        match gate.join() {
            None => Entered::Passed(Permit(gate)),
            Some(waiter) => Entered::Waits(Ticket { gate: Some(gate), waiter }),
        }
    }

    /// Waits for a place.
    pub(crate) async fn pass<G: Deref<Target = Self>>(gate: G) -> Permit<G> {
        match Self::enter(gate) {
            Entered::Passed(permit) => permit,
            Entered::Waits(mut ticket) => std::future::poll_fn(|context| ticket.poll(context)).await,
        }
    }

    #[inline]
    fn take(&self) -> bool {
        let mut free = self.state.load(Ordering::Relaxed);
        while free != LINE && free > 0 {
            match self.state.compare_exchange_weak(free, free - 1, Ordering::Acquire, Ordering::Relaxed) {
                Ok(_) => return true,
                Err(now) => free = now,
            }
        }
        false
    }

    #[inline]
    fn give_back(&self) {
        while !self.give_back_as(self.state.load(Ordering::Relaxed)) {}
    }

    /// Gives a place back to a gate of that state; `false` where the state is another by now. A line can dissolve, and
    /// another one form, at any moment: nothing is ever added to one.
    #[inline]
    fn give_back_as(&self, free: usize) -> bool {
        if free == LINE {
            return self.hand_on();
        }
        self.state.compare_exchange_weak(free, free + 1, Ordering::Release, Ordering::Relaxed).is_ok()
    }

    fn line(&self) -> MutexGuard<'_, VecDeque<Arc<Waiter>>> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives a place to the first in line; `false` when there is no line any more.
    #[cold]
    fn hand_on(&self) -> bool {
        let mut line = self.line();
        let Some(first) = line.pop_front() else { return false };
        self.dissolve(&line);
        let waker = first.grant();
        drop(line);
        if let Some(waker) = waker {
            waker.wake();
        }
        true
    }

    /// Takes a place, or gets in line.
    fn join(&self) -> Option<Arc<Waiter>> {
        let mut line = self.line();
        while line.is_empty() {
            if self.take() {
                return None;
            }
            // A place that is given back meanwhile is seen by the next look.
            if self.state.compare_exchange(0, LINE, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
                break;
            }
        }
        let waiter = Arc::<Waiter>::default();
        line.push_back(Arc::clone(&waiter));
        Some(waiter)
    }

    fn leave(&self, waiter: &Arc<Waiter>) {
        let mut line = self.line();
        let before = line.len();
        line.retain(|waiting| !Arc::ptr_eq(waiting, waiter));
        if line.len() < before {
            self.dissolve(&line);
        } else {
            drop(line);
            // It was handed a place that it never took.
            self.give_back();
        }
    }

    /// Ends a line that has become empty: all places are taken.
    fn dissolve(&self, line: &VecDeque<Arc<Waiter>>) {
        if line.is_empty() {
            self.state.store(0, Ordering::Relaxed);
        }
    }
}

impl Waiter {
    fn lock(&self) -> MutexGuard<'_, Wait> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says that it may pass.
    fn grant(&self) -> Option<Waker> {
        let mut wait = self.lock();
        wait.granted = true;
        wait.waker.take()
    }
}

impl<G: Deref<Target = Gate>> Ticket<G> {
    /// Ready with the place; pending ever after.
    pub(crate) fn poll(&mut self, context: &Context<'_>) -> Poll<Permit<G>> {
        let mut wait = self.waiter.lock();
        if wait.granted
            && let Some(gate) = self.gate.take()
        {
            return Poll::Ready(Permit(gate));
        }
        if !wait.waker.as_ref().is_some_and(|waker| waker.will_wake(context.waker())) {
            wait.waker = Some(context.waker().clone());
        }
        Poll::Pending
    }
}

impl<G: Deref<Target = Gate>> Drop for Ticket<G> {
    fn drop(&mut self) {
        if let Some(gate) = &self.gate {
            gate.leave(&self.waiter);
        }
    }
}

impl<G: Deref<Target = Gate>> Drop for Permit<G> {
    #[inline]
    fn drop(&mut self) {
        self.0.give_back();
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::atomic::{AtomicUsize, Ordering},
        task::{Context, Waker},
    };

    use super::{Entered, Gate, LINE, Permit, Ticket};

    fn waits(gate: &Gate) -> Ticket<&Gate> {
        match Gate::enter(gate) {
            Entered::Waits(ticket) => ticket,
            Entered::Passed(_) => panic!("a place was free"),
        }
    }

    fn passes<'g>(ticket: &mut Ticket<&'g Gate>) -> Option<Permit<&'g Gate>> {
        match ticket.poll(&Context::from_waker(Waker::noop())) {
            std::task::Poll::Ready(permit) => Some(permit),
            std::task::Poll::Pending => None,
        }
    }

    #[test]
    fn places_are_handed_on_in_the_order_of_the_line() {
        let gate = Gate::new(1);
        let first = Gate::try_pass(&gate).unwrap();
        let (mut second, mut third) = (waits(&gate), waits(&gate));
        assert!(passes(&mut second).is_none() && passes(&mut third).is_none());
        drop(first);
        assert!(Gate::try_pass(&gate).is_none(), "nobody passes those who wait");
        assert!(passes(&mut third).is_none());
        let place = passes(&mut second).unwrap();
        assert!(passes(&mut second).is_none(), "one place, taken once");
        drop(place);
        drop(passes(&mut third).unwrap());
        assert!(Gate::try_pass(&gate).is_some(), "the line is gone");
    }

    #[test]
    fn whoever_leaves_the_line_takes_no_place_along() {
        let gate = Gate::new(1);
        let first = Gate::try_pass(&gate).unwrap();
        let (second, mut third) = (waits(&gate), waits(&gate));
        drop(first);
        // It had been handed the place.
        drop(second);
        drop(passes(&mut third).unwrap());
        let first = Gate::try_pass(&gate).unwrap();
        drop(waits(&gate));
        drop(first);
        assert!(Gate::try_pass(&gate).is_some());
    }

    #[test]
    fn a_place_is_handed_to_a_line_that_forms_while_it_is_given_back() {
        let gate = Gate::new(1);
        std::mem::forget(Gate::try_pass(&gate).unwrap());
        // A line was seen, and has dissolved by the time that somebody looks for its first.
        assert!(!gate.give_back_as(LINE));
        let mut waiting = waits(&gate);
        // Another one has formed meanwhile.
        while !gate.give_back_as(gate.state.load(Ordering::Relaxed)) {}
        drop(passes(&mut waiting).expect("the place is handed on"));
        assert!(Gate::try_pass(&gate).is_some());
    }

    /// On threads that come, wait and leave as they please, never too many pass and no place is lost.
    #[test]
    fn no_place_is_made_or_lost_between_threads() {
        const PLACES: usize = 2;
        let (gate, inside) = (Gate::new(PLACES), AtomicUsize::new(0));
        let visit = |permit: Permit<&Gate>| {
            assert!(inside.fetch_add(1, Ordering::SeqCst) < PLACES);
            inside.fetch_sub(1, Ordering::SeqCst);
            drop(permit);
        };
        std::thread::scope(|scope| {
            for thread in 0..4_usize {
                let (gate, visit) = (&gate, &visit);
                scope.spawn(move || {
                    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
                    for round in 0..5_000_usize {
                        match (thread + round) % 3 {
                            0 => Gate::try_pass(gate).map(visit).unwrap_or_default(),
                            1 => visit(runtime.block_on(Gate::pass(gate))),
                            _ => drop(Gate::enter(gate)),
                        }
                    }
                });
            }
        });
        let all: Vec<_> = (0..PLACES).map(|_| Gate::try_pass(&gate).unwrap()).collect();
        assert!(Gate::try_pass(&gate).is_none());
        drop(all);
    }
}
