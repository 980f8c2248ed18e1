//! haft, the tool layer for AI agents.
//!
//! Everything of [`haft_core`] stands here too; this crate adds what a service needs around it.

#[cfg(any(feature = "mcp", feature = "serve"))]
mod batch;
mod clock;
mod excerpt;
#[cfg(all(doctest, feature = "macros"))]
mod guide;
mod hidden;

#[cfg(feature = "builtin")]
pub mod builtin;
#[cfg(feature = "config")]
pub mod config;
#[cfg(any(feature = "mcp", feature = "serve"))]
mod lines;
#[cfg(feature = "mcp")]
mod nearest;
#[cfg(feature = "mcp")]
mod net;
#[cfg(feature = "mcp")]
mod people;
pub mod provider;
#[cfg(feature = "mcp")]
mod redact;
#[cfg(feature = "mcp")]
pub mod sandbox;
#[cfg(feature = "serve")]
pub mod serve;
#[cfg(feature = "mcp")]
pub mod source;
mod tools;
#[cfg(feature = "mcp")]
mod trace;

pub use clock::SystemClock;
pub use haft_core::*;
pub use hidden::is_hidden;

/// Makes a tool of a function, which stays a plain function that a test can call.
///
/// The tool is `name::tool()`; [`tools!`] lists several. Its description is the documentation comment; each parameter is
/// an argument that the model sends, described by its own comment, unless it is an extractor.
///
/// ```
/// # mod bank {
/// #     pub struct Bank;
/// #     #[derive(serde::Serialize, schemars::JsonSchema)] pub struct Receipt { pub left: u64 }
/// #     #[derive(Debug)] pub struct TooPoor;
/// #     impl std::fmt::Display for TooPoor {
/// #         fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { f.write_str("too little money") }
/// #     }
/// #     impl std::error::Error for TooPoor {}
/// #     impl Bank {
/// #         pub async fn transfer(&self, _: &str, _: u64, _: &str) -> Result<Receipt, TooPoor> { Ok(Receipt { left: 7 }) }
/// #     }
/// # }
/// # use bank::{Bank, Receipt, TooPoor};
/// use haft::{State, ToolContext, ToolRegistry};
///
/// /// Moves money to another account of the same customer.
/// #[haft::tool(destructive, timeout = "30s", category = "payments")]
/// async fn transfer(
///     /// Account to credit.
///     to: String,
///     /// Amount in cents.
///     #[schemars(range(min = 1, max = 5_000_000))]
///     amount: u64,
///     bank: State<Bank>,
///     context: ToolContext,
/// ) -> Result<Receipt, TooPoor> {
///     bank.transfer(&to, amount, &context.idempotency_key()).await
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let registry = ToolRegistry::builder().tools(haft::tools![transfer]).state(Bank).build()?;
/// assert_eq!(transfer::tool()?.definition().description, "Moves money to another account of the same customer.");
///
/// let receipt = transfer("DE02".into(), 500, State::new(Bank), ToolContext::detached()).await?;
/// assert_eq!(receipt.left, 7);
/// # Ok(())
/// # }
/// ```
///
/// # Parameters
///
/// - [`State`], [`Extension`], [`ToolContext`], [`Progress`] and [`CancellationToken`] are extractors, known by these names
///   as last part of the path. Any other type that implements [`Extract`] carries `#[extract]`.
/// - [`Args<T>`](Args) takes all arguments as one struct of yours.
/// - Every other parameter is an argument: its type implements `serde::Deserialize` and `schemars::JsonSchema`. An
///   `Option` may be left out. `#[serde(…)]` and `#[schemars(…)]` work as on the field of a struct.
///   `#[required = "…"]` on a `String` refuses a missing, null or empty one with these words.
///
/// # Output
///
/// What implements [`IntoToolOutput`] is the output; any other type that implements `serde::Serialize` and
/// `schemars::JsonSchema` becomes [`Json`], with an output schema. Both may stand in the `Ok` of a `Result`, whose error is
/// one that turns into [`ToolError`], as every `std::error::Error` does, or a boxed error such as `anyhow::Error`.
///
/// # Options
///
/// | option | meaning |
/// |---|---|
/// | `name = "…"` | what the model calls it by; the function's name unless given |
/// | `description = "…"` | instead of the documentation comment; any expression that makes a text |
/// | `display_name = "…"`, `category = "…"`, `tags("…", "…")` | how people find it |
/// | `toolkit = "…"` | the toolkit that it belongs to |
/// | `read_only`, `destructive`, `idempotent`, `open_world` | what is known of its effects, see [`ToolAnnotations`]; `= false` says the opposite |
/// | `timeout = "30s"` | how long a call may take: `ms`, `s`, `m`, `h`, also `"1m 30s"` |
/// | `strategy = serial`, `parallel` or `chunked` | see [`BatchingStrategy`]; inferred unless given |
/// | `chunk_by = account` | the argument, under the name that the model calls it, whose value is the key: calls of one key run in order |
/// | `max_concurrency = 4` | how many of its calls may run at once, through whatever dispatchers of its registry |
/// | `approve` | a person has to approve every call |
/// | `approve = \|a\| a.amount > 100` | … every call where this says so. It gets what the function will, by reference: the argument parameters as fields, or the `T` of `Args<T>`; a function's name will do. What can not be read is asked about |
/// | `recovery = "keyed"` | what becomes of an interrupted call, see [`Recovery`]: `repeat`, `keyed`, `probe`, `ask` or `never` |
/// | `probe = function` | finds out what has happened to an interrupted call, see [`ToolBuilder::probe`] |
/// | `blocking` | a function that is not `async` blocks its thread: it gets one of a bounded pool |
/// | `crate = "…"` | where haft is, if not at `::haft` |
#[cfg(feature = "macros")]
pub use haft_macros::tool;

/// Makes tools of the methods of an `impl`, which stay plain methods.
///
/// Methods that carry `#[tool]` become tools, as [`tool`] makes them of functions: their descriptions, arguments, extractors,
/// output and options are the same. The type gets a function `toolkit` that takes a value, or an `Arc` of one, and gives the
/// [`Toolkit`] whose tools all work on it; where no tool takes `&self`, it takes nothing.
///
/// ```
/// use haft::{CallContext, Dispatcher, ToolRegistry};
/// use std::sync::Mutex;
///
/// #[derive(Default)]
/// struct Notes(Mutex<Vec<String>>);
///
/// #[haft::toolkit(name = "notes", snake_case)]
/// impl Notes {
///     /// Notes a text for later.
///     #[tool]
///     async fn note(
///         &self,
///         /// What to note.
///         text: String,
///     ) -> String {
///         self.0.lock().unwrap().push(text);
///         format!("{} notes", self.count())
///     }
///
///     /// Reads all notes, the oldest first.
///     #[tool(name = "read_notes", read_only)]
///     fn read(&self) -> String {
///         self.0.lock().unwrap().join("; ")
///     }
///
///     fn count(&self) -> usize {
///         self.0.lock().unwrap().len()
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let registry = ToolRegistry::builder().toolkit(Notes::toolkit(Notes::default())).build()?;
/// let dispatcher = Dispatcher::new(registry);
/// dispatcher.call("note", r#"{"text": "Buy milk"}"#, CallContext::new()).await?;
/// assert_eq!(dispatcher.call("read_notes", "{}", CallContext::new()).await?.text(), "Buy milk");
/// # Ok(())
/// # }
/// ```
///
/// # Methods
///
/// A tool takes `&self` or `self: Arc<Self>`, since calls run at once and share the value, or no `self` at all. The type is
/// `Send`, `Sync` and borrows nothing. `Self` can stand in its parameters.
///
/// # Options
///
/// | option | meaning |
/// |---|---|
/// | `name = "…"` | the toolkit's name; that of the type in lower snake case unless given |
/// | `snake_case` | demands that every tool's name is lower snake case |
/// | `crate = "…"` | where haft is, if not at `::haft` |
#[cfg(feature = "macros")]
pub use haft_macros::toolkit;
