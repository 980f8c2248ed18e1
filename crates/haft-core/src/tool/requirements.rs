//! What a tool's function asks for, known before it is called.

use std::{
    any::{Any, TypeId, type_name},
    collections::HashMap,
    fmt,
    sync::Arc,
};

use crate::{
    schema::{InputSchema, SchemaError},
    tool::{Effective, ReadArguments},
};

/// Host state by type. Most calls bring none, which costs nothing.
#[derive(Clone, Default)]
pub struct States(Option<Box<ByType>>);

type ByType = HashMap<TypeId, Arc<dyn Any + Send + Sync>>;

impl States {
    /// Puts a value in; says whether there was one of its type before.
    pub(crate) fn insert<T: Send + Sync + 'static>(&mut self, value: Arc<T>) -> bool {
        self.0.get_or_insert_default().insert(TypeId::of::<T>(), value).is_some()
    }

    pub(crate) fn get<T: Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        self.0.as_ref()?.get(&TypeId::of::<T>())?.clone().downcast().ok()
    }

    pub(crate) fn contains(&self, id: TypeId) -> bool {
        self.0.as_ref().is_some_and(|states| states.contains_key(&id))
    }
}

impl fmt::Debug for States {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "States({})", self.0.as_ref().map_or(0, |states| states.len()))
    }
}

/// A tool asks for host state that the registry was not given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "it asks for State<{type_name}>, and no such state was given: add `.state(…)` to the registry's builder"
)]
#[non_exhaustive]
pub struct MissingState {
    /// The type, with its path.
    pub type_name: &'static str,
}

impl MissingState {
    /// The stable number of this error: 2203.
    #[expect(clippy::unused_self, reason = "every error answers `code()`")]
    pub const fn code(&self) -> u16 {
        2203
    }
}

/// What a function asks for.
#[derive(Debug, Clone, Default)]
pub struct Requirements {
    pub(crate) arguments: Vec<fn() -> Result<InputSchema, SchemaError>>,
    /// Reads the arguments as the type that the function takes.
    pub(crate) read: Option<ReadArguments>,
    pub(crate) states: Vec<(TypeId, &'static str)>,
    pub(crate) extensions: Vec<(TypeId, &'static str)>,
    /// How many parameters there are, and how many of them are haft's own: those can be made in vain.
    pub(crate) parameters: usize,
    pub(crate) own: usize,
}

impl Requirements {
    pub(crate) fn needs_arguments(
        &mut self,
        schema: fn() -> Result<InputSchema, SchemaError>,
        read: ReadArguments,
    ) {
        self.own += 1;
        self.arguments.push(schema);
        self.read = Some(read);
    }

    pub(crate) fn needs_state<T: 'static>(&mut self) {
        self.own += 1;
        let state = (TypeId::of::<T>(), type_name::<T>());
        if !self.states.contains(&state) {
            self.states.push(state);
        }
    }

    /// The states that it needs and that are not there.
    pub(crate) fn missing(&self, states: &States) -> impl Iterator<Item = MissingState> {
        let missing = self.states.iter().filter(|(id, _)| !states.contains(*id));
        missing.map(|(_, type_name)| MissingState { type_name })
    }

    /// How argument text is read for the function; one that takes no arguments is handed what everybody can look at.
    pub(crate) fn reader(&self) -> Option<ReadArguments> {
        self.read.or(Some(|schema, arguments| schema.read_value(arguments).map(Effective::Value)))
    }

    /// Asks for what every call has.
    pub(crate) fn needs_context(&mut self) {
        self.own += 1;
    }

    /// Whether the function can be handed the text of its arguments, and read it while its parameters are made.
    pub(crate) fn reads_text(&self) -> bool {
        self.arguments.len() == 1 && self.own == self.parameters
    }

    pub(crate) fn needs_extension<T: 'static>(&mut self) {
        self.own += 1;
        self.extensions.push((TypeId::of::<T>(), type_name::<T>()));
    }
}
