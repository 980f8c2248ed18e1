//! Plug-ins: what belongs together and comes to a registry as one.

use std::{any::type_name, fmt, sync::Arc};

use crate::{
    hook::Hook,
    registry::{BatchingHint, Toolkit, builder::Part},
    tool::IntoTool,
};

/// Something that brings tools, and what goes with them, to a registry when it is built.
///
/// ```
/// use haft_core::{
///     BatchingHint, BatchingStrategy, Contributions, Plugin, State, Tool, ToolRegistry, Toolkit,
/// };
///
/// struct Weather { station: &'static str }
///
/// struct Station(&'static str);
///
/// impl Plugin for Weather {
///     fn name(&self) -> &str {
///         "weather"
///     }
///
///     fn contribute(&self, contributions: &mut Contributions) {
///         let measure = Tool::builder("measure")
///             .description("Measures the temperature.")
///             .run_sync(|station: State<Station>| format!("12 °C at {}", station.0));
///         contributions
///             .state(Station(self.station))
///             .toolkit(Toolkit::new("weather").tool(measure))
///             .hint(BatchingHint::new("measure", BatchingStrategy::Parallel));
///     }
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let registry = ToolRegistry::builder().plugin(&Weather { station: "Oslo" }).build()?;
/// assert!(registry.contains("measure"));
/// # Ok(())
/// # }
/// ```
pub trait Plugin {
    /// What it is called: mistakes in what it contributes are told under this name.
    fn name(&self) -> &str;

    /// Adds what it brings. Called once, when the registry's builder takes the plug-in.
    fn contribute(&self, contributions: &mut Contributions);
}

type AddState = Box<dyn FnOnce(&mut crate::tool::States) -> Option<&'static str>>;

/// What a plug-in brings.
#[derive(Default)]
pub struct Contributions {
    pub(super) parts: Vec<Part>,
    pub(super) hints: Vec<BatchingHint>,
    pub(super) hooks: Vec<Arc<dyn Hook>>,
    pub(super) states: Vec<AddState>,
}

impl Contributions {
    /// Adds a tool.
    pub fn tool(&mut self, tool: impl IntoTool) -> &mut Self {
        self.parts.push(Part::tool(tool));
        self
    }

    /// Adds tools.
    pub fn tools<I>(&mut self, tools: I) -> &mut Self
    where
        I: IntoIterator,
        I::Item: IntoTool,
    {
        self.parts.extend(tools.into_iter().map(Part::tool));
        self
    }

    /// Adds a toolkit.
    pub fn toolkit(&mut self, toolkit: Toolkit) -> &mut Self {
        self.parts.push(Part::toolkit(toolkit));
        self
    }

    /// Says how calls of a tool are best run, of one of its own or any other.
    pub fn hint(&mut self, hint: BatchingHint) -> &mut Self {
        self.hints.push(hint);
        self
    }

    /// Gives state that functions ask for as [`State<T>`](crate::State).
    pub fn state<T: Send + Sync + 'static>(&mut self, value: T) -> &mut Self {
        self.shared_state(Arc::new(value))
    }

    /// Gives state that is shared already.
    pub fn shared_state<T: Send + Sync + 'static>(&mut self, value: Arc<T>) -> &mut Self {
        self.states.push(Box::new(|states| states.insert(value).then(type_name::<T>)));
        self
    }

    /// Adds a hook around every call: every dispatcher that is made for the registry has it, before its own.
    pub fn hook(&mut self, hook: impl Hook + 'static) -> &mut Self {
        self.hooks.push(Arc::new(hook));
        self
    }
}

impl fmt::Debug for Contributions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Contributions")
            .field("parts", &self.parts)
            .field("hints", &self.hints)
            .field("hooks", &self.hooks)
            .finish_non_exhaustive()
    }
}
