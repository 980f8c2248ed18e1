//! A `Result` inside the output.
//~ 14:30 a tool can not return `Json<
//~ 14:30 a `Result` stands inside its output
//~ 14:30 return `Result<T, E>` or `Result<Json<T>, E>`
//~ 20:23 a `Result` stands inside its output
//~ 26:26 a `Result` stands inside its output

use haft::Json;

type Outcome = Result<u8, String>;

/// Answers.
#[haft::tool]
async fn json_of_result() -> Json<Result<u8, String>> {
    Json(Ok(1))
}

/// Answers.
#[haft::tool]
fn json_of_alias() -> Result<Json<Outcome>, String> {
    Ok(Json(Ok(1)))
}

/// Answers.
#[haft::tool]
fn result_of_result() -> Result<Outcome, String> {
    Ok(Ok(1))
}

fn main() {}
