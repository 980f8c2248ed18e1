//! `cargo xtask test`: every check of the workspace, step by step, with a verdict each and a summary.

mod environment;
mod libtest;
mod step;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anstyle::{AnsiColor, Style};

pub(crate) use self::environment::Environment;
pub(crate) use self::libtest::Skip;
use self::step::Step;
#[cfg(unix)]
pub(crate) use self::step::tests as run_tests;
use crate::report::Report;
use crate::workspace::Workspace;

/// Options of `cargo xtask test`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Leave out the steps that build the workspace once more (features, unified, doc).
    #[arg(long)]
    fast: bool,
    /// Stop at the first step that fails.
    #[arg(long)]
    fail_fast: bool,
    /// Steps to run, in this order [default: all].
    #[arg(value_enum, value_name = "STEP")]
    steps: Vec<Step>,
}

const GOOD: Style = AnsiColor::Green.on_default().bold();
const BAD: Style = AnsiColor::Red.on_default().bold();
const HEADING: Style = Style::new().bold();

/// One finished step.
#[derive(Debug)]
struct Finished {
    step: Step,
    took: Duration,
    report: Report,
}

pub(crate) fn run(workspace: &Workspace, options: &Options) -> anyhow::Result<ExitCode> {
    let environment = Environment::read()?;
    let mut finished: Vec<Finished> = Vec::new();
    for step in chosen(options) {
        anstream::println!("{HEADING}{}{HEADING:#}  {}", step.name(), step.about());
        let started = Instant::now();
        let mut report = step.check(workspace, &environment)?;
        if environment.strict && !report.skipped.is_empty() && !report.is_failure() {
            report.failures.push("something was skipped, which HAFT_STRICT=1 counts as a failure".to_owned());
        }
        for failure in &report.failures {
            anstream::println!("{}", failure.trim_end());
        }
        let took = started.elapsed();
        anstream::println!("  {}", verdict(&report, took));
        let failed = report.is_failure();
        finished.push(Finished { step, took, report });
        if failed && options.fail_fast {
            break;
        }
    }
    Ok(summarise(&finished, &environment))
}

fn chosen(options: &Options) -> Vec<Step> {
    let steps = if options.steps.is_empty() { Step::ALL } else { options.steps.as_slice() };
    steps.iter().copied().filter(|step| !options.fast || step.is_fast()).collect()
}

fn verdict(report: &Report, took: Duration) -> String {
    let (style, word) = if report.is_failure() { (BAD, "FAILED") } else { (GOOD, "ok") };
    let detail = if report.detail.is_empty() { String::new() } else { format!("  {}", report.detail) };
    format!("{style}{word:<6}{style:#} {:>6.1} s{detail}", took.as_secs_f64())
}

fn summarise(finished: &[Finished], environment: &Environment) -> ExitCode {
    anstream::println!("\n{HEADING}summary{HEADING:#}");
    for Finished { step, took, report } in finished {
        anstream::println!("  {:<9} {}", step.name(), verdict(report, *took));
    }
    let mut skipped: Vec<&Skip> = finished.iter().flat_map(|step| &step.report.skipped).collect();
    skipped.sort();
    skipped.dedup();
    if !skipped.is_empty() {
        anstream::println!("\n{HEADING}skipped, so not checked: {}{HEADING:#}", skipped.len());
        for skip in &skipped {
            anstream::println!("  {}: {}", skip.name, skip.why);
        }
        for advice in environment.advice(&skipped) {
            anstream::println!("  {advice}");
        }
    }
    let total = |count: fn(&Report) -> usize| finished.iter().map(|step| count(&step.report)).sum::<usize>();
    let (passed, broken) = (total(|report| report.passed), total(|report| report.failed));
    let failed = finished.iter().filter(|step| step.report.is_failure()).count();
    if passed + broken > 0 {
        anstream::println!("\ntests: {}", step::counts(passed, broken, skipped.len()));
    }
    if failed == 0 {
        let steps = if finished.len() == 1 { "the step" } else { "all steps" };
        anstream::println!("{GOOD}{steps} passed{GOOD:#}");
        ExitCode::SUCCESS
    } else {
        anstream::println!("{BAD}{failed} of {} steps failed{BAD:#}", finished.len());
        ExitCode::FAILURE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fast_leaves_out_the_steps_that_build_again() {
        let options = Options { fast: true, fail_fast: false, steps: Vec::new() };
        assert_eq!(chosen(&options), [Step::Fmt, Step::Clippy, Step::Test, Step::Tidy]);
    }

    #[test]
    fn without_names_every_step_runs() {
        let options = Options { fast: false, fail_fast: false, steps: Vec::new() };
        assert_eq!(chosen(&options), Step::ALL);
    }
}
