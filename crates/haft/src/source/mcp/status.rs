//! How servers are, at one moment.

use serde::Serialize;

use super::McpProblem;

/// Which protocol a server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum McpEra {
    /// A revision with a handshake and sessions: 2025-11-25 and earlier.
    Legacy,
    /// A revision without: 2026-07-28 and later.
    Modern,
}

/// What a server is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum McpServerState {
    /// A connection is being made.
    Connecting,
    /// Its tools can be called.
    Ready,
    /// It can not be used now; another attempt is made later, or when a tool of it is called.
    Failed,
    /// The host has ended the connection, or nothing will make another one.
    Stopped,
}

/// How a server is, at one moment.
///
/// It serializes as a JSON object, for programs.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct McpServerStatus {
    /// Its name here.
    pub name: String,
    /// What it is doing.
    pub state: McpServerState,
    /// The names that its tools have here, in its order.
    pub tools: Vec<String>,
    /// Which protocol it speaks, where it was ready once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub era: Option<McpEra>,
    /// The revision of the protocol, such as `2025-11-25`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol: Option<String>,
    /// What it calls itself, with its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub software: Option<String>,
    /// What it says to models about how it is used: as far as it is handed on, without characters that people do not see.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// What is wrong with its tools.
    #[serde(serialize_with = "as_texts")]
    pub problems: Vec<McpProblem>,
    /// Why it can not be used, where it can not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The number of that error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<u16>,
    /// The last lines that its program wrote to standard error.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stderr: Vec<String>,
}

fn as_texts<S: serde::Serializer>(problems: &[McpProblem], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(problems.iter().map(ToString::to_string))
}
