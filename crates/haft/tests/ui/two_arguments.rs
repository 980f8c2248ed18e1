//! The arguments come in one way.

use haft::Args;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct From {}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct To {}

/// Moves money.
#[haft::tool]
fn two_structs(from: Args<From>, to: Args<To>) {}

/// Moves money.
#[haft::tool]
fn struct_and_fields(from: Args<From>, to: String, amount: u64) {}

/// Moves money.
#[haft::tool]
fn fields_and_struct(to: String, from: haft::Args<From>) {}

fn main() {}
