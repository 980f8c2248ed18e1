//! Results to the one message that answers all calls of an Anthropic message.

use std::borrow::Cow;

use haft_core::{Content, ToolResult};
use serde::Serialize;

use crate::provider::{
    ProviderMessage,
    message::{is_blank, non_blank},
};

/// The kinds of picture that a result may hold; others are told of in words.
const PICTURES: [&str; 4] = ["image/jpeg", "image/png", "image/gif", "image/webp"];

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
    let content = result
        .outcome()
        .ok()
        .filter(|output| output.has_blocks())
        .and_then(|output| parts(&output.content()))
        .map_or_else(|| Blocks::Text(non_blank(result.text())), Blocks::Parts);
    Block::ToolResult { tool_use_id: result.id().as_str(), content, is_error: result.is_error() }
}

/// The blocks that say something; `None` where there is only text, or nothing.
fn parts(content: &[Content]) -> Option<Vec<Part>> {
    let parts: Vec<Part> = content.iter().filter_map(part).collect();
    parts.iter().any(|part| matches!(part, Part::Image { .. })).then_some(parts)
}

fn part(content: &Content) -> Option<Part> {
    if let Content::Image { data, mime_type } = content
        && PICTURES.contains(&mime_type.as_str())
    {
        let source = Source::Base64 { media_type: mime_type.clone(), data: data.clone() };
        return Some(Part::Image { source });
    }
    let text = content.to_text();
    (!is_blank(&text)).then(|| Part::Text { text: text.into_owned() })
}
