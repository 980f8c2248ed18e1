//! Names that no provider takes.

/// Reads a file.
#[haft::tool(name = "read file")]
fn read_file() {}

/// Measures the size.
#[haft::tool]
fn größe() {}

/// Has no name at all.
#[haft::tool(name = "")]
fn nameless() {}

/// Has a name that is too long.
#[haft::tool]
fn a_function_with_a_name_that_says_so_much_that_no_provider_would_ever_take_it() {}

fn main() {}
