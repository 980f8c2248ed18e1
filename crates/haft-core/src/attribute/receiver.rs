//! Whether calls on different threads can work on one value.

/// The type of an `impl` whose methods are tools has to be one that threads can share, and that borrows nothing.
pub const fn receiver<T: Send + Sync + 'static>() {}
