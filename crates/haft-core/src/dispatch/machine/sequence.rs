//! Which call may start next: barriers, keys, and calls whose turn came before they were ready.

use std::collections::VecDeque;

use super::{Call, Order, Position, State};

#[derive(Debug)]
pub(super) struct Sequence {
    /// The first call that has not had its turn.
    frontier: Position,
    /// Calls that had their turn before they were ready, and are ready now.
    late: VecDeque<Position>,
    /// Calls of one key, in order; the first holds the key.
    keys: Vec<VecDeque<Position>>,
    /// Calls that a barrier waits for.
    counted: Vec<bool>,
    open: usize,
    /// The serial call that runs or waits.
    barrier: Option<Position>,
}

impl Sequence {
    pub(super) fn new(calls: usize) -> Self {
        Self {
            frontier: 0,
            late: VecDeque::new(),
            keys: Vec::new(),
            counted: vec![false; calls],
            open: 0,
            barrier: None,
        }
    }

    /// The next call that may start.
    pub(super) fn next(&mut self, calls: &[Call]) -> Option<Position> {
        if self.barrier.is_some() {
            return None;
        }
        if let Some(position) = self.late.pop_front() {
            self.count(position);
            return Some(position);
        }
        while let Some(call) = calls.get(self.frontier) {
            let position = self.frontier;
            let ready = call.state == State::Ready;
            let waits = matches!(call.state, State::Asking | State::Suspending | State::Waiting);
            match call.order {
                Order::Serial if waits || (ready && self.open > 0) => return None,
                Order::Serial if ready => self.barrier = Some(position),
                Order::Chunked(key) if ready || waits => {
                    let first = self.enqueue(position, key);
                    if ready {
                        self.count(position);
                    }
                    if !(ready && first) {
                        self.frontier += 1;
                        continue;
                    }
                }
                _ => {}
            }
            self.frontier += 1;
            if ready {
                self.count(position);
                return Some(position);
            }
        }
        None
    }

    /// A call whose question was answered may run.
    pub(super) fn ready(&mut self, position: Position, calls: &[Call]) {
        if position >= self.frontier {
            return;
        }
        match calls.get(position).map(|call| call.order) {
            Some(Order::Chunked(key)) if !self.holds(position, key) => self.count(position),
            _ => self.late.push_back(position),
        }
    }

    /// A call waits for an answer: it holds its key or its barrier, else nothing.
    pub(super) fn suspended(&mut self, position: Position, calls: &[Call]) {
        if calls.get(position).is_some_and(|call| call.order != Order::Serial) {
            self.discount(position);
        }
    }

    pub(super) fn sealed(&mut self, position: Position, calls: &[Call]) {
        self.discount(position);
        self.late.retain(|late| *late != position);
        if self.barrier == Some(position) {
            self.barrier = None;
        }
        let Some(Order::Chunked(key)) = calls.get(position).map(|call| call.order) else { return };
        let held = self.holds(position, key);
        let Some(queue) = self.keys.get_mut(key) else { return };
        queue.retain(|waiting| *waiting != position);
        if held
            && let Some(next) = queue.front()
            && calls.get(*next).is_some_and(|call| call.state == State::Ready)
        {
            self.late.push_back(*next);
        }
    }

    /// Puts a call in line for its key; `true` when it holds the key.
    fn enqueue(&mut self, position: Position, key: usize) -> bool {
        if self.keys.len() <= key {
            self.keys.resize_with(key + 1, VecDeque::new);
        }
        let Some(queue) = self.keys.get_mut(key) else { return true };
        queue.push_back(position);
        queue.len() == 1
    }

    fn holds(&self, position: Position, key: usize) -> bool {
        self.keys.get(key).and_then(VecDeque::front) == Some(&position)
    }

    fn count(&mut self, position: Position) {
        if let Some(counted) = self.counted.get_mut(position).filter(|counted| !**counted) {
            *counted = true;
            self.open += 1;
        }
    }

    fn discount(&mut self, position: Position) {
        if let Some(counted) = self.counted.get_mut(position).filter(|counted| **counted) {
            *counted = false;
            self.open -= 1;
        }
    }
}
