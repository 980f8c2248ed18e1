//! How much JSON is read before it is refused.

/// Bounds on the text, nesting and number of values of one JSON text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Most bytes of text.
    pub(crate) bytes: usize,
    /// Most arrays and objects inside each other.
    pub(crate) depth: usize,
    /// Most values, counting each array, object, member and item once.
    pub(crate) nodes: usize,
}

impl Default for Limits {
    /// 4 MiB of text, 128 levels, one million values: more than any model writes, little enough to hold in memory.
    fn default() -> Self {
        Self { bytes: 4 * 1024 * 1024, depth: 128, nodes: 1_000_000 }
    }
}
