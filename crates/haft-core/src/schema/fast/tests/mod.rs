//! The two roads against each other: what the fast one accepts, the complete one accepts too, with an equal value.
//!
//! `HAFT_PAIRS` says how many pairs of schema and text are tried; a full run takes 200,000 and more.

mod faults;
mod fixed;
mod fuzz;
mod instances;
mod random;
mod roads;
mod schemas;
mod suite;
mod toolcalls;
mod types;

/// How many pairs are tried where nothing else is said.
const PAIRS: usize = 6_000;

#[expect(clippy::disallowed_methods, reason = "a full run is asked for from outside")]
fn pairs() -> usize {
    std::env::var("HAFT_PAIRS").ok().and_then(|pairs| pairs.parse().ok()).unwrap_or(PAIRS)
}
