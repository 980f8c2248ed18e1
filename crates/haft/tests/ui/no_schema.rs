//! Parameters whose types can be no arguments.
//~ 19:19 the parameter's type `Nothing` can be no argument: it has no schema and can not be read
//~ 19:19 host state comes in `State<T>`, what the caller brought in `Extension<T>`
//~ 19:38 the parameter's type `Readable` has no schema
//~ 19:38 add `#[derive(schemars::JsonSchema)]` to the type
//~ 19:59 the parameter's type `Described` can not be read from what a model sends
//~ 19:101 `#[required = "…"]` is for texts, and `u64` is none

struct Nothing;

#[derive(serde::Deserialize)]
struct Readable;

#[derive(schemars::JsonSchema)]
struct Described;

/// Takes what a model can not send.
#[haft::tool]
fn takes(nothing: Nothing, readable: Readable, described: Described, #[required = "say it"] amount: u64) {}

fn main() {}
