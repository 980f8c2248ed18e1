//! Results to the one message that answers all calls of an Anthropic message.

use std::borrow::Cow;

use haft_core::ToolResult;
use serde::Serialize;

use crate::provider::{
    ProviderMessage,
    message::{Piece, non_blank, pieces},
};

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: Vec<Block<'a>>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Block<'a> {
    ToolResult {
        tool_use_id: &'a str,
        content: Blocks<'a>,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
    },
}

/// One text, or blocks where there is more than text.
#[derive(Serialize)]
#[serde(untagged)]
enum Blocks<'a> {
    Text(Cow<'a, str>),
    Parts(Vec<Part>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Part {
    Text { text: String },
    Image { source: Source },
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Source {
    Base64 { media_type: String, data: String },
}

/// No message where there is no result.
pub(in crate::provider) fn messages(results: &[ToolResult]) -> Vec<ProviderMessage> {
    if results.is_empty() { Vec::new() } else { vec![message(results)] }
}

pub(super) fn message(results: &[ToolResult]) -> ProviderMessage {
    ProviderMessage::new(&Message { role: "user", content: results.iter().map(block).collect() })
}

fn block(result: &ToolResult) -> Block<'_> {
    let content = pieces(result).map_or_else(
        || Blocks::Text(non_blank(result.text())),
        |pieces| Blocks::Parts(pieces.into_iter().map(part).collect()),
    );
    Block::ToolResult { tool_use_id: result.id().as_str(), content, is_error: result.is_error() }
}

fn part(piece: Piece) -> Part {
    match piece {
        Piece::Text(text) => Part::Text { text },
        Piece::Picture { mime_type, data } => {
            Part::Image { source: Source::Base64 { media_type: mime_type, data } }
        }
    }
}
