//! Group `turn`: what many calls, hooks and a journal cost, as the benchmark of haft-core prints it.

use super::{call, figure::Figure};
use crate::workspace::Workspace;

pub(super) const ABOUT: &str = "\
`10000-…`: wall time of a turn of 10,000 calls that each wait for 1 ms, with no cap that binds and with 64 at once, as the ratio \
to bare tokio tasks in a `JoinSet` that parse the same text, wait, and write the same result, on two worker threads; the median of \
same-round ratios. `idle-hook` and `journaled-memory`: CPU time of a turn of 8 small calls with a hook that does nothing, and \
with a journal in memory, as the ratio to a turn with neither.";

pub(super) fn measure(workspace: &Workspace) -> anyhow::Result<Vec<Figure>> {
    call::benches(workspace, &["turn"])
}
