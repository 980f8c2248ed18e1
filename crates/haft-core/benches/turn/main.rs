//! What a turn costs: many calls over a bare set of tasks, and stages that a host can add over none of them.
//!
//! Prints one line `figure turn/NAME RATIO goal GOAL` per figure, and the times behind it. With the argument `small` it prints just
//! `small RATIO`: a turn of 8 small calls over what its functions do; with `many` just the turns of 10,000 calls.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout
)]

#[path = "../call/clock.rs"]
mod clock;
mod many;
#[path = "../call/rounds.rs"]
mod rounds;
mod stages;
#[path = "../support/subject.rs"]
#[allow(dead_code, reason = "the other benchmarks call the rest")]
mod subject;

fn main() {
    // Measured with and without the stages, by whoever runs both builds.
    if std::env::args().any(|argument| argument == "small") {
        return stages::report_small();
    }
    many::report("10000-unlimited", many::CALLS, 301, "<=1.5");
    many::report("10000-limit-64", 64, 5, "<=1.05");
    if !std::env::args().any(|argument| argument == "many") {
        stages::report();
    }
}
