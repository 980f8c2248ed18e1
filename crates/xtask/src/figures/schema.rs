//! Group `schema`: what tools cost before they are called, as the benchmark of haft-core prints it.

use super::{call, figure::Figure};
use crate::workspace::Workspace;

pub(super) const ABOUT: &str = "\
`heap-per-tool`: bytes that 10,000 dynamic tools in a registry hold before their first call, as the ratio to the text of their names, \
descriptions and schemas. `lookup-10000`: CPU time of `ToolRegistry::get` by name, as the ratio to a `HashMap`. `list-10000`: CPU time \
of listing them unchanged once more, in the dearest of all projections, as the ratio to copying the bytes. `lint-all`: CPU time of all \
lints for all providers on the recorded tools that `HAFT_DATA` names, as the ratio to parsing their JSON; left out without it. Each \
is the median of same-round ratios.

`heap-per-tool`, `lookup-10000` and `lint-all` have not been worked on since they are measured.";

pub(super) fn measure(workspace: &Workspace) -> anyhow::Result<Vec<Figure>> {
    call::benches(workspace, &["schema"])
}
