//! Codecs between providers' messages and haft's calls and results; no transport.
//!
//! A host with a client of its own gives the body of a response to `calls`, runs the calls as a turn, and appends what
//! `results` makes of the turn's results. The modules do it for one provider; [`Provider`] does it for one that is known only
//! when the program runs.
//!
//! ```
//! use haft::{Dispatcher, Tool, ToolRegistry, TurnOutcome, provider::anthropic};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let registry = ToolRegistry::builder()
//!     .tool(Tool::simple("shout", |input: String| async move { input.to_uppercase() }))
//!     .build()?;
//! let response = r#"{"type":"message","role":"assistant","stop_reason":"tool_use","content":[
//!     {"type":"tool_use","id":"toolu_1","name":"shout","input":{"input":"hey"}}]}"#;
//! let mut history: Vec<serde_json::Value> = vec![serde_json::from_str(response)?];
//!
//! let calls = anthropic::calls(response)?;
//! let turn = Dispatcher::new(registry).turn(calls.into_vec()).start_unobserved()?;
//! let TurnOutcome::Finished(results) = turn.finish().await? else { unreachable!("nothing asks") };
//! history.push(anthropic::results(&results));
//!
//! assert_eq!(history[1]["content"][0]["content"], "HEY");
//! # Ok(())
//! # }
//! ```
//!
//! Whatever a message holds, n calls are read from it where the model made n: one without a name, an id or readable arguments
//! is a call too, which the dispatcher refuses with a result of its own. Arguments stay the text that the model wrote, byte
//! for byte.

mod calls;
mod choice;
mod detect;
mod error;
mod message;
mod note;
mod raw;
mod transcript;

pub mod anthropic;
pub mod gemini;
pub mod openai_chat;
pub mod openai_responses;

pub use calls::Calls;
pub use choice::Provider;
pub use error::ProviderError;
pub use message::ProviderMessage;
pub use note::Note;
