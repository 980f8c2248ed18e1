//! Results to the items that answer the calls of an `OpenAI` response.

use std::borrow::Cow;

use haft_core::ToolResult;
use serde::Serialize;

use crate::provider::{
    ProviderMessage,
    message::{Piece, non_blank, pieces},
    openai_responses::CUSTOM,
};

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Item<'a> {
    FunctionCallOutput { call_id: &'a str, output: Output<'a> },
    CustomToolCallOutput { call_id: &'a str, output: Output<'a> },
}

/// One text, or parts where there is more than text.
#[derive(Serialize)]
#[serde(untagged)]
enum Output<'a> {
    Text(Cow<'a, str>),
    Parts(Vec<Part>),
}

#[derive(Serialize)]
#[serde(tag = "type")]
enum Part {
    #[serde(rename = "input_text")]
    Text { text: String },
    #[serde(rename = "input_image")]
    Image { image_url: String },
}

/// One item a result.
pub(in crate::provider) fn messages(results: &[ToolResult]) -> Vec<ProviderMessage> {
    results.iter().map(|result| ProviderMessage::new(&item(result))).collect()
}

fn item(result: &ToolResult) -> Item<'_> {
    let output = pieces(result).map_or_else(
        || Output::Text(non_blank(result.text())),
        |pieces| Output::Parts(pieces.into_iter().map(part).collect()),
    );
    let id = result.id().as_str();
    match id.strip_prefix(CUSTOM) {
        Some(call_id) => Item::CustomToolCallOutput { call_id, output },
        None => Item::FunctionCallOutput { call_id: id, output },
    }
}

fn part(piece: Piece) -> Part {
    match piece {
        Piece::Text(text) => Part::Text { text },
        Piece::Picture { mime_type, data } => {
            Part::Image { image_url: format!("data:{mime_type};base64,{data}") }
        }
    }
}
