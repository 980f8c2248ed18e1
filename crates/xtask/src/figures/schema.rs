//! Group `schema`: what tools cost before they are called, as the benchmark of haft-core prints it.

use super::{call, figure::Figure};
use crate::workspace::Workspace;

pub(super) const ABOUT: &str = "\
`heap-per-tool`: bytes that 10,000 dynamic tools in a registry hold before their first call, as the ratio to the text of their names, \
descriptions and schemas. `lookup-10000`: CPU time of `ToolRegistry::get` by name, as the ratio to a `HashMap`. `list-10000`: CPU time \
of listing them unchanged once more, in the dearest of all projections, as the ratio to copying the bytes. `lint-all`: CPU time of all \
lints for all providers on the recorded tools that `HAFT_DATA` names, as the ratio to parsing their JSON; left out without it. Each \
is the median of same-round ratios.

Tried for `heap-per-tool` (12.16 before): a schema is kept as text until somebody looks at it; validator, plan, list of fields and what a \
function asks for are made when first needed; names are shared. What is left is a third the texts, a third the definition, a struct with \
room for all that a tool may say of itself, and a third the function, its record and the look-up tables. For `lookup-10000` (2.34 \
before): the snapshot is not counted up and down, and the index holds the tool itself. For `lint-all` (19.88 before): the order of a \
schema is looked at once and not for every provider, definitions are written out once for the two that want that, pointers are followed \
without copies. What is left are six projections that are made in full to see what they change. Not tried: reports without writing the \
schema.";

pub(super) fn measure(workspace: &Workspace) -> anyhow::Result<Vec<Figure>> {
    call::benches(workspace, &["schema"])
}
