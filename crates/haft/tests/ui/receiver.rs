//! Methods are no tools.

struct Bank;

impl Bank {
    /// Moves money.
    #[haft::tool]
    fn transfer(&self, amount: u64) {}
}

fn main() {}
