//! Values that can be no output, and errors that can be no failure.
//~ 12:15 a tool can not return `Nothing`
//~ 12:15 add `#[derive(serde::Serialize, schemars::JsonSchema)]` to the type
//~ 18:18 a tool can not return `Nothing`
//~ 24:21 `Nothing` is no error that a tool can fail with
//~ 24:21 implement `std::error::Error` for `Nothing`

struct Nothing;

/// Answers.
#[haft::tool]
fn value() -> Nothing {
    Nothing
}

/// Answers.
#[haft::tool]
async fn ok() -> Result<Nothing, std::io::Error> {
    Ok(Nothing)
}

/// Answers.
#[haft::tool]
async fn error() -> Result<String, Nothing> {
    Err(Nothing)
}

fn main() {}
