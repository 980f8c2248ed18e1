//! Extractors that the attribute does not know by name, and what it knows by name and is none.
//~ 15:17 `haft::State<Bank>` is an extractor, but this parameter is taken for an argument
//~ 15:17 put `#[extract]` before the parameter
//~ 19:18 `State<Bank>` is not a parameter that a tool's function can have
//~ 19:49 `Bank` is not a parameter that a tool's function can have

struct Bank;

type Owner = haft::State<Bank>;

struct State<T>(T);

/// Takes state under another name.
#[haft::tool]
fn alias(owner: Owner) {}

/// Takes state that is not haft's.
#[haft::tool]
fn foreign(bank: State<Bank>, #[extract] other: Bank) {}

fn main() {}
