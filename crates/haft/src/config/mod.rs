//! What a user sets: `haft.toml`, and `mcp.json` as others write it.
//!
//! [`Config::load`] looks for the files, reads them and fills in what the [`Environment`] has; what can not be used is
//! left out and told. The guide's chapter on configuration describes the files.

mod assembly;
mod builtins;
mod display;
mod duration;
mod effective;
mod entry;
mod environment;
mod expand;
mod field;
mod file;
mod json_text;
mod leniency;
mod name;
mod problem;
mod report;
mod scope;
mod search;
mod server;
mod settings;
mod standard;
mod toml_text;
mod tree;
mod trust;

pub use builtins::Builtin;
pub use display::ShownServer;
pub use effective::{Config, ConfigFile, ConfigServer, ServerState};
pub use environment::Environment;
pub use file::{ConfigOrigin, content_digest};
pub use problem::{ConfigError, ConfigProblem, ConfigProblemKind};
pub use search::ConfigSource;
pub use trust::{Trust, TrustError, TrustStore, TrustedFile};
