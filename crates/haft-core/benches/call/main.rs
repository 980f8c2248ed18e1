//! What a call through the dispatcher costs, as a ratio to the floor of the same run.
//!
//! Names of cases as arguments measure these alone. Prints one line `figure call/NAME RATIO goal GOAL` per figure, and the times behind it.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout
)]

mod clock;
mod rounds;
#[path = "../support/mod.rs"]
mod support;

use std::hint::black_box;

use rounds::{Case, timed};
use support::host::{Host, TURN};
use support::subject::{NESTED, SMALL, nested_floor, small_floor};

fn main() {
    let host = Host::new();
    report(&rounds::measure(chosen(vec![
        floor("floor of small calls", SMALL, small_floor),
        Case { name: "typed-small", calls: 1, run: Box::new(|runs| timed(|| host.small(runs))) },
        Case { name: "dynamic-small", calls: 1, run: Box::new(|runs| timed(|| host.small_value(runs))) },
        Case {
            name: "turn-of-8-small",
            calls: TURN,
            run: Box::new(|runs| {
                let turns = Host::prepare_turns(runs);
                timed(|| host.turns(turns))
            }),
        },
    ])));
    report(&rounds::measure(chosen(vec![
        floor("floor of nested calls", NESTED, nested_floor),
        Case { name: "typed-nested", calls: 1, run: Box::new(|runs| timed(|| host.nested(runs))) },
        Case { name: "dynamic-nested", calls: 1, run: Box::new(|runs| timed(|| host.nested_value(runs))) },
    ])));
}

/// The floor, and the cases that were asked for.
fn chosen(cases: Vec<Case<'_>>) -> Vec<Case<'_>> {
    let names: Vec<String> = std::env::args().skip(1).filter(|name| !name.starts_with("--")).collect();
    let asked = |name: &str| names.is_empty() || names.iter().any(|asked| asked == name);
    cases
        .into_iter()
        .enumerate()
        .filter(|(index, case)| *index == 0 || asked(case.name))
        .map(|(_, case)| case)
        .collect()
}

fn floor(name: &'static str, text: &'static str, function: fn(&str) -> String) -> Case<'static> {
    let run = move |runs| {
        timed(|| {
            for _ in 0..runs {
                black_box(function(black_box(text)));
            }
        })
    };
    Case { name, calls: 1, run: Box::new(run) }
}

/// What a case is to cost at most, as a ratio to its floor.
fn goal(name: &str) -> &'static str {
    match name {
        "typed-small" => "<=2",
        "typed-nested" => "<=1.25",
        "dynamic-small" => "<=3.3",
        "dynamic-nested" => "<=3.5",
        "turn-of-8-small" => "<=4",
        _ => "none",
    }
}

/// The floor stands first and is no figure.
fn report(measured: &[rounds::Measured]) {
    for (index, case) in measured.iter().enumerate() {
        if index > 0 {
            println!("figure call/{} {:.2} goal {}", case.name, case.ratio, goal(case.name));
        }
        println!("{}: {:.0} ns a call", case.name, case.nanoseconds);
    }
}
