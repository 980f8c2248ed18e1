//! Everything that keeps a registry from being built.

use std::fmt;

use crate::{
    registry::{nearest::advice, view::ViewProblem},
    tool::{DefinitionError, MissingState},
};

/// A mistake that keeps a registry from being built.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum BuildProblem {
    /// 2001 to 2007: a tool's own definition is wrong.
    #[error(transparent)]
    Definition(#[from] DefinitionError),
    /// 2201: two tools have one name.
    #[error("two tools are named {name:?}: {first} and {second}; rename one, or register it with `tool_as`")]
    DuplicateTool {
        /// The name.
        name: String,
        /// The tool that came first.
        first: String,
        /// The tool that came second.
        second: String,
    },
    /// 2202: two toolkits have one name.
    #[error("two toolkits are named {name:?}: one has {first}, the other {second}; rename one")]
    DuplicateToolkit {
        /// The name.
        name: String,
        /// The tools of the first.
        first: String,
        /// The tools of the second.
        second: String,
    },
    /// 2203: a tool asks for state that was not given.
    #[error("tool {tool:?}: {missing}")]
    MissingState {
        /// The tool.
        tool: String,
        /// What it asks for.
        missing: MissingState,
    },
    /// 2204: a tool of one toolkit is put into another.
    #[error(
        "tool {tool:?} belongs to the toolkit {own:?} and was put into {other:?}; a tool has one toolkit"
    )]
    ForeignToolkit {
        /// The tool.
        tool: String,
        /// The toolkit that its definition names.
        own: String,
        /// The toolkit that it was put into.
        other: String,
    },
    /// 2205: a toolkit demands lower snake case.
    #[error("tool {tool:?}: the toolkit {toolkit:?} wants names in lower snake case, such as {suggestion:?}")]
    NotSnakeCase {
        /// The tool.
        tool: String,
        /// The toolkit.
        toolkit: String,
        /// A name that would do.
        suggestion: String,
    },
    /// 2211 to 2217: a view of a toolkit can not be.
    #[error("the toolkit {toolkit:?}, `{view}`: {problem}")]
    View {
        /// The toolkit.
        toolkit: String,
        /// The view, as its method is called.
        view: String,
        /// What is wrong.
        problem: Box<ViewProblem>,
    },
    /// 2218: a tool that is to be enabled does not exist.
    #[error("there is no tool {name:?} to enable{}", advice(nearest.as_deref()))]
    NothingToEnable {
        /// The name.
        name: String,
        /// The tool whose name is most like it.
        nearest: Option<String>,
    },
    /// 2219: a tool that is to be left out does not exist.
    #[error("there is no tool {name:?} to leave out{}", advice(nearest.as_deref()))]
    NothingToLeaveOut {
        /// The name.
        name: String,
        /// The tool whose name is most like it.
        nearest: Option<String>,
    },
    /// 2220: a hint can not be followed.
    #[error("the hint of {giver} for the tool {tool:?}: {reason}")]
    Hint {
        /// The tool.
        tool: String,
        /// Who gave the hint.
        giver: String,
        /// Why it can not be followed.
        reason: String,
    },
    /// 2221: two hints for one tool.
    #[error(
        "the tool {tool:?} has two hints, one of {first} and one of {second}; one of the host decides between plug-ins"
    )]
    DuplicateHint {
        /// The tool.
        tool: String,
        /// Who gave the first.
        first: String,
        /// Who gave the second.
        second: String,
    },
    /// 2222: two plug-ins have one name.
    #[error("two plug-ins are named {name:?}; a plug-in is added once, and two have two names")]
    DuplicatePlugin {
        /// The name.
        name: String,
    },
    /// A mistake in what a plug-in brings, with the number of that mistake.
    #[error("the plug-in {plugin:?}: {problem}")]
    OfPlugin {
        /// The plug-in.
        plugin: String,
        /// The mistake.
        problem: Box<BuildProblem>,
    },
    /// 2223: a plug-in brings hooks to a registry that is in use.
    #[error(
        "the plug-in {plugin:?} brings hooks to a registry that is in use; dispatchers have taken its hooks already: add \
         the plug-in when the registry is built"
    )]
    LateHook {
        /// The plug-in.
        plugin: String,
    },
    /// 2224: another leniency for a registry that is in use.
    #[error(
        "the leniency of a registry is set when it is built: leave it out of what takes the tools' place"
    )]
    LateLeniency,
    /// 2206: two values of one type were given as state.
    #[error("state of type {type_name} was given twice; wrap one in a type of its own")]
    DuplicateState {
        /// The type.
        type_name: &'static str,
    },
}

impl BuildProblem {
    /// The stable number.
    pub fn code(&self) -> u16 {
        match self {
            Self::Definition(error) => error.code(),
            Self::DuplicateTool { .. } => 2201,
            Self::DuplicateToolkit { .. } => 2202,
            Self::MissingState { missing, .. } => missing.code(),
            Self::ForeignToolkit { .. } => 2204,
            Self::NotSnakeCase { .. } => 2205,
            Self::DuplicateState { .. } => 2206,
            Self::View { problem, .. } => problem.code(),
            Self::NothingToEnable { .. } => 2218,
            Self::NothingToLeaveOut { .. } => 2219,
            Self::Hint { .. } => 2220,
            Self::DuplicateHint { .. } => 2221,
            Self::DuplicatePlugin { .. } => 2222,
            Self::OfPlugin { problem, .. } => problem.code(),
            Self::LateHook { .. } => 2223,
            Self::LateLeniency => 2224,
        }
    }
}

/// Everything that keeps a registry from being built, at once.
#[derive(Debug, Clone)]
pub struct BuildError(Vec<BuildProblem>);

impl BuildError {
    pub(super) fn new(problems: Vec<BuildProblem>) -> Self {
        Self(problems)
    }

    /// What is wrong, all of it.
    pub fn problems(&self) -> &[BuildProblem] {
        &self.0
    }

    /// The stable number of the first problem.
    pub fn code(&self) -> u16 {
        self.0.first().map_or(2200, BuildProblem::code)
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_slice() {
            [only] => only.fmt(formatter),
            many => {
                write!(formatter, "{} mistakes:", many.len())?;
                many.iter().try_for_each(|problem| write!(formatter, "\n- {problem}"))
            }
        }
    }
}

impl std::error::Error for BuildError {}
