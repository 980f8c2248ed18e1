//! Group `call`: what a call through the dispatcher costs, as the benchmarks of haft-core print it.

use anyhow::ensure;

use super::figure::Figure;
use crate::command::Command;
use crate::workspace::Workspace;

pub(super) const ABOUT: &str = "\
CPU time of `Dispatcher::call` and of a turn, without journal, hooks, rules or subscribers, as the ratio to a floor: the same \
text parsed by serde_json into the argument type, the function, its result serialised. Cases are interleaved in rounds; \
each figure is the median of same-round ratios. The `-allocs` figures are heap allocations per call above the floor's.

Where a small call misses its goal: the floor is so short that every atomic step, of which a call alone has about eight (the set of \
tools, the id, the slot, the name), costs it a twelfth, and reading under the check plan costs half as much again as serde_json. \
Tried and kept: one atomic step for a slot where nobody waits, a function that reads its own text, no copy of the id, values \
that go into the function as they are. In a turn: appends and hooks that do not exist done without an event, everything borrowed \
from the turn, tokens, sets of tasks and shared copies made only when asked for, no future of the waiting turn for one that ends \
at once. What is left of a turn is its task, three moves of each call between stages, and the calls that the host hands over to be freed. \
Not tried: a set of tools without an atomic step, names and ids inline.";

pub(super) fn measure(workspace: &Workspace) -> anyhow::Result<Vec<Figure>> {
    benches(workspace, &["call", "call_allocations"])
}

/// The figures that benchmarks of haft-core print.
pub(super) fn benches(workspace: &Workspace, names: &[&str]) -> anyhow::Result<Vec<Figure>> {
    let names = names.iter().map(|name| format!("--bench={name}"));
    let arguments = ["bench", "--package=haft-core", "--quiet"].map(str::to_owned).into_iter().chain(names);
    let arguments: Vec<String> = arguments.collect();
    let output =
        Command::cargo(arguments.iter().map(String::as_str)).current_dir(&workspace.root).stdout()?;
    let figures = read(&output)?;
    ensure!(!figures.is_empty(), "the benchmarks printed no figure");
    Ok(figures)
}

/// Takes the lines that state a figure; what else a benchmark prints is for people.
pub(super) fn read(output: &str) -> anyhow::Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for line in output.lines() {
        if line.starts_with("figure ") {
            figures.push(line.parse()?);
        } else if !line.is_empty() {
            anstream::eprintln!("{line}");
        }
    }
    Ok(figures)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_picked_out_of_other_lines() {
        let figures = read("\nrunning\nfigure call/typed-small 1.5 goal none\n").unwrap();
        assert_eq!(figures.len(), 1);
        assert!(read("figure call/typed-small fast goal none").is_err());
    }
}
