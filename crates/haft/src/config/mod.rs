//! What a user sets: `haft.toml`, and `mcp.json` as others write it.
