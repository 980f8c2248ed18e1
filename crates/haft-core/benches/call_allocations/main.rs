//! How many heap allocations a call through the dispatcher makes beyond those of the floor.
//!
//! Apart from the benchmark of times, since counting slows what it counts.

#![allow(clippy::expect_used, clippy::panic, clippy::print_stdout)]

#[path = "../support/mod.rs"]
mod support;

use std::alloc::System;
use std::hint::black_box;

use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use support::host::{Host, TURN};
use support::subject::{NESTED, SMALL, nested_floor, small_floor};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Runs over which the mean is taken.
const RUNS: usize = 200;

fn main() {
    let host = Host::new();
    let small = per_call(1, || drop(black_box(small_floor(black_box(SMALL)))));
    let nested = per_call(1, || drop(black_box(nested_floor(black_box(NESTED)))));

    report("typed-small-allocs", per_call(1, || host.small(1)), small);
    report("dynamic-small-allocs", per_call(1, || host.small_value(1)), small);
    report("typed-nested-allocs", per_call(1, || host.nested(1)), nested);
    report("dynamic-nested-allocs", per_call(1, || host.nested_value(1)), nested);
    let mut turns = Host::prepare_turns(RUNS * 2).into_iter();
    let turn = || {
        let calls = turns.next().expect("a turn was prepared for each run");
        assert_eq!(host.turns([calls]), TURN);
    };
    report("turn-of-8-small-allocs", per_call(TURN, turn), small);
}

/// Allocations and reallocations per call, as the mean over runs that follow a warm-up.
fn per_call(calls: usize, mut run: impl FnMut()) -> f64 {
    for _ in 0..RUNS {
        run();
    }
    let region = Region::new(ALLOCATOR);
    for _ in 0..RUNS {
        run();
    }
    let change = region.change();
    let counted = u32::try_from(change.allocations + change.reallocations).expect("the count is small");
    let calls = u32::try_from(RUNS * calls).expect("the runs are few");
    f64::from(counted) / f64::from(calls)
}

fn report(name: &str, counted: f64, floor: f64) {
    let goal = if name == "typed-small-allocs" { "<=2" } else { "none" };
    println!("figure call/{name} {:.2} goal {goal}", counted - floor);
    println!("{name}: {counted:.2} a call, floor {floor:.2}");
}
