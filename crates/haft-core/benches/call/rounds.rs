//! Comparing cases that are measured in turns: the median of same-round ratios to a floor.
//!
//! Another load on the machine slows all cases of a round alike, so the ratio holds where the times do not.

use std::hint::black_box;
use std::time::Duration;

use super::clock;

/// Rounds over which the median is taken; odd, so that the median is one of them.
const ROUNDS: usize = 41;
/// CPU time that one case takes in one round, at least.
const SAMPLE: Duration = Duration::from_millis(3);

/// Something to measure.
pub(crate) struct Case<'a> {
    pub(crate) name: &'static str,
    /// How many calls one run makes.
    pub(crate) calls: usize,
    /// Runs itself the given number of times; gives the CPU time of what is to be measured.
    pub(crate) run: Box<dyn FnMut(usize) -> Duration + 'a>,
}

/// A measured case.
pub(crate) struct Measured {
    pub(crate) name: &'static str,
    /// Median CPU time of one call, in nanoseconds.
    pub(crate) nanoseconds: f64,
    /// Median of its same-round ratios to the floor, per call.
    pub(crate) ratio: f64,
}

/// CPU time that the work takes.
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let start = clock::now();
    black_box(work());
    clock::now().saturating_sub(start)
}

/// Measures the cases against the first one, which is the floor.
pub(crate) fn measure(mut cases: Vec<Case<'_>>) -> Vec<Measured> {
    let repeats: Vec<usize> = cases.iter_mut().map(calibrate).collect();
    let mut times = vec![Vec::with_capacity(ROUNDS); cases.len()];
    for round in 0..ROUNDS {
        for offset in 0..cases.len() {
            let index = (round + offset) % cases.len(); // no case always follows the same one
            times[index].push(sample(&mut cases[index], repeats[index]));
        }
    }
    let floor = times[0].clone();
    let measured = cases.iter().zip(times).map(|(case, times)| {
        let ratios = times.iter().zip(&floor).map(|(time, floor)| time / floor).collect();
        Measured { name: case.name, nanoseconds: median(times), ratio: median(ratios) }
    });
    measured.collect()
}

/// How many runs fill one sample; warms the case up as well.
fn calibrate(case: &mut Case<'_>) -> usize {
    let mut repeats = 64;
    while (case.run)(repeats) < SAMPLE {
        repeats *= 2;
    }
    repeats
}

/// CPU time of one call in nanoseconds, as the mean over all calls of a sample.
fn sample(case: &mut Case<'_>, repeats: usize) -> f64 {
    let calls = u32::try_from(repeats * case.calls).expect("a sample has few calls");
    (case.run)(repeats).as_secs_f64() * 1e9 / f64::from(calls)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
