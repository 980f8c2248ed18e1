//! Where tools come from.

use serde::Serialize;

/// Where a tool comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ToolSource {
    /// A function of the host.
    #[default]
    Native,
    /// A tool that comes with haft.
    Builtin,
    /// A tool of an MCP server.
    Mcp,
    /// An HTTP endpoint.
    Http,
    /// An agent skill.
    Skill,
    /// Another agent, over A2A.
    A2a,
    /// Anything else, sub-agents among them.
    Custom,
}

impl ToolSource {
    /// Whether its schemas were made elsewhere: they are published untouched and no default is filled in.
    pub const fn is_remote(self) -> bool {
        matches!(self, Self::Mcp | Self::Http | Self::A2a)
    }

    /// The name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Builtin => "builtin",
            Self::Mcp => "mcp",
            Self::Http => "http",
            Self::Skill => "skill",
            Self::A2a => "a2a",
            Self::Custom => "custom",
        }
    }
}
