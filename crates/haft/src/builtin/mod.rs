//! The tools that come with haft: they read nothing and change nothing; each answers from its arguments and a clock.
//!
//! [`tools`] makes all of them; each can be taken alone, and the functions behind them are here as well.
//!
//! ```
//! use haft::{ToolRegistry, builtin};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let registry = ToolRegistry::builder().tools(builtin::tools()?).build()?;
//! # Ok(())
//! # }
//! ```

mod calculate;
mod date;

use haft_core::{DefinitionError, Tool, ToolBuilder, ToolSource};

use crate::SystemClock;

pub use calculate::{ExpressionError, calculate, evaluate};
pub use date::{DateError, current_date, date_and_time, day_name, weekday_name};

/// Every built-in tool, by the machine's clock.
///
/// # Errors
/// None in practice: a definition that was mistaken would fail the tests of haft itself.
pub fn tools() -> Result<Vec<Tool>, DefinitionError> {
    Ok(vec![calculate()?, current_date(SystemClock)?, day_name()?])
}

/// What all of them have in common.
fn read_only(name: &str) -> ToolBuilder {
    Tool::builder(name).source(ToolSource::Builtin).read_only(true).destructive(false).open_world(false)
}
