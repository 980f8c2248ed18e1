//! Group `turn`: what many calls, hooks and a journal cost, as the benchmark of haft-core prints it.

use anyhow::Context as _;

use super::{
    call,
    figure::{Figure, Goal},
};
use crate::command::Command;
use crate::workspace::Workspace;

pub(super) const ABOUT: &str = "\
`10000-…`: wall time of a turn of 10,000 calls that each wait for 1 ms, with no cap that binds and with 64 at once, as the ratio \
to bare tokio tasks in a `JoinSet` that parse the same text, wait, and write the same result, on two worker threads; the median of \
same-round ratios. `idle-hook` and `journaled-memory`: CPU time of a turn of 8 small calls with a hook that does nothing, and \
with a journal in memory, as the ratio to a turn with neither. `idle-stages`: CPU time of a turn of 8 small calls with the stages \
of hooks and journal there but idle, as the ratio to a build of haft-core that they are compiled out of; the two builds are \
run in turns, the median of ratios.

Ten thousand calls at once: all are read and decided on before the first starts, by one task, while bare tasks are read on both \
threads as they come. What was done for it: where nobody follows a turn no event of it is made; the memory of a function that has \
ended is given back by the turn's task, as the allocator of glibc has one that gives back and one that makes more wait for each other; \
where many wait, the next one is polled first in its own task; ends lie in a mailbox that is emptied at once, also while others still \
start; a future is held once, and a call is moved less. Tried and left, as nothing was gained on two cores: tasks begun by the dozen by \
a task of their own, arguments read ahead by a second task, memory given back only at the end of a turn. Single runs differ by a tenth \
and more, with the places that the system gives the two threads.";

/// How often the two builds are run; odd, so that the median is one of the ratios.
const ROUNDS: usize = 9;

pub(super) fn measure(workspace: &Workspace) -> anyhow::Result<Vec<Figure>> {
    let mut figures = call::benches(workspace, &["turn"])?;
    figures.push(idle_stages(workspace)?);
    Ok(figures)
}

fn idle_stages(workspace: &Workspace) -> anyhow::Result<Figure> {
    let mut ratios = Vec::with_capacity(ROUNDS);
    // The first round builds and warms up.
    for round in 0..=ROUNDS {
        let without = small(workspace, true)?;
        let with = small(workspace, false)?;
        if round > 0 {
            ratios.push(with / without);
        }
    }
    ratios.sort_by(f64::total_cmp);
    let value = ratios.get(ROUNDS / 2).copied().context("there were rounds")?;
    let value = (value * 100.0).round() / 100.0;
    Ok(Figure { name: "turn/idle-stages".to_owned(), value, goal: Goal::AtMost(1.03) })
}

/// What a turn of small calls costs over its functions, in a build with or without the stages.
fn small(workspace: &Workspace, without_stages: bool) -> anyhow::Result<f64> {
    let arguments = ["bench", "--package=haft-core", "--quiet", "--bench=turn", "--", "small"];
    let mut command = Command::cargo(arguments).current_dir(&workspace.root);
    if without_stages {
        let folder = workspace.root.join("target/without-stages");
        command = command.env("RUSTFLAGS", "--cfg haft_without_stages").env("CARGO_TARGET_DIR", folder);
    }
    read(&command.stdout()?)
}

fn read(output: &str) -> anyhow::Result<f64> {
    let ratio = output.lines().find_map(|line| line.strip_prefix("small "));
    ratio.context("the benchmark printed no ratio")?.parse().context("the ratio is no number")
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn the_ratio_is_picked_out_of_other_lines() {
        assert_eq!(read("\nrunning\nsmall 1.5\n").unwrap().to_string(), "1.5");
        assert!(read("small\n").is_err() && read("small fast").is_err());
    }
}
