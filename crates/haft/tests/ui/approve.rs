//! A predicate is a closure over the arguments that answers yes or no: what is wrong with it shows in it.
//~ 7:30 no field `amuont` on type
//~ 11:28 expected `bool`
//~ 15:24 expected function signature

/// Moves money.
#[haft::tool(approve = |a| a.amuont > 100)]
fn field(amount: u64) {}

/// Moves money.
#[haft::tool(approve = |a| a.amount)]
fn value(amount: u64) {}

/// Moves money.
#[haft::tool(approve = over)]
fn function(amount: u64) {}

fn over(amount: u64) -> bool {
    amount > 100
}

fn main() {}
