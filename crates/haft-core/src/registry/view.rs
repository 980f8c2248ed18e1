//! Toolkits seen otherwise: each view gives back a toolkit, so that they stack, and stands in a file of its own.
//!
//! A view applies to the tools that the toolkit has so far, in the order in which it is written. What is wrong with it is
//! told when the registry is built, together with everything else.

mod approve;
mod combine;
mod describe;
mod enable;
mod filter;
mod hide;
mod pin;
mod prefix;
mod rename;

use crate::{
    registry::{
        BuildProblem, Toolkit,
        nearest::{advice, nearest},
    },
    schema::{Issue, NarrowError, SchemaError},
    tool::{InvalidToolName, Tool},
};

/// What is wrong with a view of a toolkit.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum ViewProblem {
    /// 2001: the name that a tool would get is none.
    #[error(transparent)]
    Name(#[from] InvalidToolName),
    /// 2211: the toolkit has no such tool.
    #[error("it has no tool {tool:?}{}", advice(nearest.as_deref()))]
    UnknownTool {
        /// The name.
        tool: String,
        /// The tool whose name is most like it.
        nearest: Option<String>,
    },
    /// 2212: a description that says nothing.
    #[error("the description is empty: say what the tool does and when to call it")]
    EmptyDescription,
    /// 2213: the tool has no such argument.
    #[error("the tool {tool:?} has no argument {argument:?}{}", advice(nearest.as_deref()))]
    UnknownArgument {
        /// The tool.
        tool: String,
        /// The argument.
        argument: String,
        /// The argument whose name is most like it.
        nearest: Option<String>,
    },
    /// 2214: a part that the schema is composed of declares or requires the argument.
    #[error(
        "the argument {argument:?} of the tool {tool:?} is declared or required in a part that its schema is composed of \
         (`$ref`, `allOf`, `anyOf`, `oneOf`, `if`); only one that stands under \"properties\" alone can be taken out"
    )]
    ArgumentInParts {
        /// The tool.
        tool: String,
        /// The argument.
        argument: String,
    },
    /// 2215: the value does not match the argument's own schema.
    #[error("the tool {tool:?} does not take the value for {argument:?}: {}", told(issues))]
    Value {
        /// The tool.
        tool: String,
        /// The argument.
        argument: String,
        /// What does not match.
        issues: Vec<Issue>,
    },
    /// 2216: the tool can not be called without the argument.
    #[error("the tool {tool:?} requires {argument:?} and has no valid default for it: pin it to a value")]
    Required {
        /// The tool.
        tool: String,
        /// The argument.
        argument: String,
    },
    /// 2217: what is left of the schema can not be used.
    #[error("the schema of the tool {tool:?} can not be used without {argument:?}: {error}")]
    Schema {
        /// The tool.
        tool: String,
        /// The argument.
        argument: String,
        /// Why.
        error: SchemaError,
    },
}

impl ViewProblem {
    /// The stable number.
    pub const fn code(&self) -> u16 {
        match self {
            Self::Name(error) => error.code(),
            Self::UnknownTool { .. } => 2211,
            Self::EmptyDescription => 2212,
            Self::UnknownArgument { .. } => 2213,
            Self::ArgumentInParts { .. } => 2214,
            Self::Value { .. } => 2215,
            Self::Required { .. } => 2216,
            Self::Schema { .. } => 2217,
        }
    }

    fn narrow(error: NarrowError, tool: &Tool, argument: &str) -> Self {
        let fields = tool.definition().input.fields().iter().map(String::as_str);
        let nearest = nearest(argument, fields);
        let (tool, argument) = (tool.name().to_owned(), argument.to_owned());
        match error {
            NarrowError::Unknown => Self::UnknownArgument { tool, argument, nearest },
            NarrowError::InParts => Self::ArgumentInParts { tool, argument },
            NarrowError::Schema(error) => Self::Schema { tool, argument, error },
        }
    }
}

fn told(issues: &[Issue]) -> String {
    issues.iter().map(|issue| issue.message.as_str()).collect::<Vec<_>>().join("; ")
}

impl Toolkit {
    /// Puts another tool in the place of each; where that is a mistake, the tool stays as it is.
    fn each(mut self, view: &str, change: impl Fn(&Tool) -> Result<Tool, ViewProblem>) -> Self {
        for tool in self.tools.iter_mut().flatten() {
            match change(tool) {
                Ok(changed) => *tool = changed,
                Err(problem) => self.problems.push(BuildProblem::View {
                    toolkit: self.name.clone(),
                    view: view.to_owned(),
                    problem: Box::new(problem),
                }),
            }
        }
        self
    }

    /// Puts another tool in the place of the one of that name, or else of the one that had it before.
    fn one(
        mut self,
        view: &str,
        name: &str,
        change: impl FnOnce(&Tool) -> Result<Tool, ViewProblem>,
    ) -> Self {
        let named = |tool: &&mut Tool| tool.name() == name;
        let had = |tool: &&mut Tool| tool.definition().other_names().any(|other| other == name);
        let is_faulty = self.tools.iter().any(|tool| tool.as_ref().is_err_and(|error| error.tool() == name));
        let found = self.tools.iter().flatten().any(|tool| tool.name() == name);
        let mut tools = self.tools.iter_mut().flatten();
        let tool = if found { tools.find(named) } else { tools.find(had) };
        let problem = match tool {
            Some(tool) => match change(tool) {
                Ok(changed) => {
                    *tool = changed;
                    return self;
                }
                Err(problem) => problem,
            },
            // What is wrong with it is told anyway.
            None if is_faulty => return self,
            None => ViewProblem::UnknownTool {
                tool: name.to_owned(),
                nearest: nearest(name, self.tools.iter().flatten().map(Tool::name)),
            },
        };
        let toolkit = self.name.clone();
        self.problems.push(BuildProblem::View { toolkit, view: view.to_owned(), problem: Box::new(problem) });
        self
    }
}
