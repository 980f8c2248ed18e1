//! What the benchmarks of calls share: the tools under test with their floors, and a dispatcher that holds them.

pub(crate) mod host;
pub(crate) mod subject;
