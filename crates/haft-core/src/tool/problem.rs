//! What can be wrong with the definition of a tool.

use std::fmt;

use crate::{schema::SchemaError, tool::InvalidToolName};

/// A mistake in the definition of one tool.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum DefinitionProblem {
    /// 2001: no tool can have the name.
    #[error(transparent)]
    Name(#[from] InvalidToolName),
    /// 2002: a model decides by the description when to call a tool.
    #[error("the description is empty: say what the tool does and when to call it")]
    EmptyDescription,
    /// 2003: the input schema can not be used.
    #[error("the input schema can not be used: {0}")]
    Input(SchemaError),
    /// 2004: the output schema can not be used.
    #[error("the output schema can not be used: {0}")]
    Output(SchemaError),
    /// 2005: two parameters of the function are arguments.
    #[error("the function asks for its arguments {0} times: one `Args<T>` holds all of them")]
    ManyArguments(usize),
    /// 2006: a required text names a field that the input schema does not have.
    #[error("the required field {0:?} is no field of the input schema")]
    UnknownField(String),
    /// 2008: the key of its calls is no argument of it.
    #[error("the calls are to be chunked by {0:?}, which is no field of the input schema")]
    UnknownKey(String),
    /// 2009: a chunked tool has no key.
    #[error("the calls are to be chunked, and no key is declared: add `chunk_by`")]
    NoKey,
    /// 2010: a tool whose contract is to probe has no probe.
    #[error("the recovery contract is `probe`, and there is no probe: add `.probe(…)`")]
    NoProbe,
    /// 2007: a limit of zero would let no call run.
    #[error("{0} is zero: no call could run")]
    ZeroLimit(&'static str),
}

impl DefinitionProblem {
    /// The stable number.
    pub const fn code(&self) -> u16 {
        match self {
            Self::Name(_) => 2001,
            Self::EmptyDescription => 2002,
            Self::Input(_) => 2003,
            Self::Output(_) => 2004,
            Self::ManyArguments(_) => 2005,
            Self::UnknownField(_) => 2006,
            Self::ZeroLimit(_) => 2007,
            Self::UnknownKey(_) => 2008,
            Self::NoKey => 2009,
            Self::NoProbe => 2010,
        }
    }
}

/// Everything that is wrong with the definition of one tool.
#[derive(Debug, Clone)]
pub struct DefinitionError {
    tool: String,
    problems: Vec<DefinitionProblem>,
}

impl DefinitionError {
    pub(crate) fn new(tool: String, problems: Vec<DefinitionProblem>) -> Self {
        Self { tool, problems }
    }

    /// The name of the tool, as given.
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// What is wrong, all of it.
    pub fn problems(&self) -> &[DefinitionProblem] {
        &self.problems
    }

    /// The stable number of the first problem.
    pub fn code(&self) -> u16 {
        self.problems.first().map_or(2000, DefinitionProblem::code)
    }
}

impl fmt::Display for DefinitionError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "tool {:?}: ", self.tool)?;
        for (index, problem) in self.problems.iter().enumerate() {
            let separator = if index > 0 { "; " } else { "" };
            write!(formatter, "{separator}{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for DefinitionError {}
