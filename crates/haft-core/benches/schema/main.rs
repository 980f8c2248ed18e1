//! What tools cost before they are called: held in memory, found, listed, looked at.
//!
//! Prints one line `figure schema/NAME RATIO goal GOAL` per figure, each a ratio to a floor of the same run. The advice on real
//! tools is measured where the environment variable `HAFT_DATA` names the folder of recorded data.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout
)]

#[path = "../call/clock.rs"]
mod clock;
mod tools;

use std::alloc::System;
use std::collections::HashMap;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use haft_core::{Linter, Projection, ToolRegistry};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const TOOLS: usize = 10_000;
/// Odd, so that the median is one of them.
const ROUNDS: usize = 11;

fn main() {
    let region = Region::new(ALLOCATOR);
    let texts: Vec<tools::Text> = (0..TOOLS).map(tools::Text::made).collect();
    let floor = texts.iter().map(tools::Text::bytes).sum::<usize>();
    let before = region.change();
    let registry =
        ToolRegistry::builder().tools(texts.iter().map(tools::Text::tool)).build().expect("a registry");
    let after = region.change();
    let held = (after.bytes_allocated - before.bytes_allocated)
        - (after.bytes_deallocated - before.bytes_deallocated);
    figure("heap-per-tool", ratio_of(held, floor), "<=1.5");
    lookup(&registry);
    list(&registry);
    lint();
}

fn lookup(registry: &ToolRegistry) {
    let names: Vec<String> = registry.iter().map(|tool| tool.name().to_owned()).collect();
    let map: HashMap<String, Arc<str>> =
        names.iter().map(|name| (name.clone(), name.as_str().into())).collect();
    let floor = || names.iter().filter_map(|name| black_box(map.get(name).cloned())).count();
    let found = || names.iter().filter_map(|name| black_box(registry.get(name))).count();
    figure("lookup-10000", ratio(&mut || timed(floor), &mut || timed(found)), "<=1.3");
}

/// The dearest of all projections.
fn list(registry: &ToolRegistry) {
    let mut dearest: f64 = 0.0;
    for projection in Projection::ALL {
        let list = projection.list(registry);
        assert!(list.refused().is_empty(), "every tool has its form");
        let text = list.json().to_owned();
        let floor = || black_box(text.as_bytes().to_vec()).len();
        let listed = || black_box(projection.list(registry).json().as_bytes().to_vec()).len();
        dearest = dearest.max(ratio(&mut || timed(floor), &mut || timed(listed)));
    }
    figure("list-10000", dearest, "<=1.2");
}

fn lint() {
    let Some(folder) = std::env::var_os("HAFT_DATA") else {
        eprintln!("skipped: schema/lint-all: HAFT_DATA is not set");
        return;
    };
    let lists = tools::recorded(std::path::Path::new(&folder));
    let parse = || {
        for list in &lists {
            black_box(serde_json::from_str::<serde_json::Value>(list).expect("JSON"));
        }
    };
    let defined = || tools::defined(&lists);
    eprintln!("{} recorded tools", defined().len());
    let look = || {
        // Projections are kept with their tool, so that each run has tools of its own.
        let tools = defined();
        let linter = Linter::new();
        timed(|| tools.iter().map(|tool| black_box(linter.tool(tool)).len()).sum::<usize>())
    };
    figure("lint-all", ratio(&mut || timed(parse), &mut { look }), "<=5");
}

fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let start = clock::now();
    black_box(work());
    clock::now().saturating_sub(start)
}

/// The median of same-round ratios.
fn ratio(floor: &mut dyn FnMut() -> Duration, case: &mut dyn FnMut() -> Duration) -> f64 {
    let mut ratios = Vec::with_capacity(ROUNDS);
    for round in 0..=ROUNDS {
        let (floor, case) = (floor().as_secs_f64(), case().as_secs_f64());
        // The first round warms up.
        if round > 0 {
            ratios.push(case / floor);
        }
    }
    ratios.sort_by(f64::total_cmp);
    ratios[ROUNDS / 2]
}

fn ratio_of(one: usize, other: usize) -> f64 {
    let small = |bytes: usize| f64::from(u32::try_from(bytes).expect("less than 4 GiB"));
    small(one) / small(other)
}

fn figure(name: &str, value: f64, goal: &str) {
    println!("figure schema/{name} {value:.2} goal {goal}");
}
