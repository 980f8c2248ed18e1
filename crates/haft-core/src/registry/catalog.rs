//! A store of tools that is not a registry.

use std::sync::Arc;

use crate::{registry::ToolRegistry, tool::Tool};

/// A store of tools that the host keeps itself: a registry that was built with it follows it, so that it stands in
/// wherever a registry does.
///
/// A registry asks for the [`generation`](Self::generation) whenever its tools are asked for, and takes the tools anew
/// where it is another one. A turn keeps those that it began with.
///
/// ```
/// use haft_core::{CallContext, Dispatcher, Tool, ToolCatalog, ToolRegistry};
/// use std::sync::{Arc, Mutex};
///
/// /// Tools by rows of a table.
/// #[derive(Default)]
/// struct Table(Mutex<Vec<Tool>>);
///
/// impl ToolCatalog for Table {
///     fn tools(&self) -> Vec<Tool> {
///         self.0.lock().unwrap().clone()
///     }
///
///     fn generation(&self) -> u64 {
///         self.0.lock().unwrap().len() as u64 // rows are only ever added
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let table = Arc::new(Table::default());
/// let dispatcher = Dispatcher::new(ToolRegistry::builder().catalog(Arc::clone(&table)).build()?);
/// assert!(dispatcher.call("shout", r#"{"input": "hey"}"#, CallContext::new()).await?.is_error());
///
/// table.0.lock().unwrap().push(Tool::simple("shout", |input: String| async move { input.to_uppercase() })?);
/// assert_eq!(dispatcher.call("shout", r#"{"input": "hey"}"#, CallContext::new()).await?.text(), "HEY");
/// # Ok(())
/// # }
/// ```
pub trait ToolCatalog: Send + Sync {
    /// All tools, in the order in which they are to be listed.
    fn tools(&self) -> Vec<Tool>;

    /// Another number whenever there are other tools. It is asked for at every call, so it has to be cheap.
    fn generation(&self) -> u64;

    /// The tool of that name.
    fn find(&self, name: &str) -> Option<Tool> {
        self.tools().into_iter().find(|tool| tool.name() == name)
    }

    /// Itself, if it is a registry: its tools are then taken with the state and the caps that they have.
    fn as_registry(&self) -> Option<&ToolRegistry> {
        None
    }
}

impl ToolCatalog for ToolRegistry {
    fn tools(&self) -> Vec<Tool> {
        self.iter().collect()
    }

    fn generation(&self) -> u64 {
        Self::generation(self)
    }

    fn find(&self, name: &str) -> Option<Tool> {
        self.get(name)
    }

    fn as_registry(&self) -> Option<&ToolRegistry> {
        Some(self)
    }
}

impl<T: ToolCatalog + ?Sized> ToolCatalog for Arc<T> {
    fn tools(&self) -> Vec<Tool> {
        (**self).tools()
    }

    fn generation(&self) -> u64 {
        (**self).generation()
    }

    fn find(&self, name: &str) -> Option<Tool> {
        (**self).find(name)
    }

    fn as_registry(&self) -> Option<&ToolRegistry> {
        (**self).as_registry()
    }
}
