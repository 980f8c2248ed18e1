//! The tool `calculate`.

use haft_core::{Args, DefinitionError, Tool, ToolError};
use schemars::JsonSchema;
use serde::Deserialize;

use super::evaluate;
use crate::builtin::read_only;

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// Numbers, + - * / % ^ and parentheses, such as `(1.19 * 249.90 - 20) / 3`. A % b is the remainder, with the sign
    /// of b; ^ is the power, with a whole exponent. No names, functions or thousands separators.
    expression: String,
}

/// The tool `calculate {expression}`: exact arithmetic, by [`evaluate`].
///
/// Text that is no expression is an error of kind `validation`; an expression that cannot be computed, such as `1/0` or
/// `9^9^9`, one of kind `execution`.
///
/// # Errors
/// None in practice, as for [`tools`](crate::builtin::tools).
pub fn calculate() -> Result<Tool, DefinitionError> {
    read_only("calculate")
        .display_name("Calculate")
        .description(
            "Computes an arithmetic expression exactly and returns the result as a decimal number. Use it for any \
             arithmetic instead of computing in your head. A result without a finite decimal form is rounded to 34 \
             significant digits.",
        )
        .idempotent(true)
        .run_sync(|Args(Arguments { expression })| {
            evaluate(&expression).map_err(|error| {
                if error.is_syntax() {
                    let expected = "an arithmetic expression";
                    ToolError::argument("expression", expected, expression, error.to_string())
                } else {
                    ToolError::from(error)
                }
            })
        })
}
