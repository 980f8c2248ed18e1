//! A result as clients take it.

use haft_core::{Content, ToolOutput, ToolResult};
use rmcp::model::{CallToolResult, ContentBlock};

/// A result of a call: what failed is a result too, which the client's model can act on.
pub(super) fn of(result: &ToolResult) -> CallToolResult {
    let text = result.text();
    let Ok(output) = result.outcome() else {
        return CallToolResult::error(vec![ContentBlock::text(text)]);
    };
    let mut answer = CallToolResult::success(blocks(output, &text));
    answer.structured_content = output.structured();
    answer
}

/// The blocks of the output; a note for the model is one more.
fn blocks(output: &ToolOutput, text: &str) -> Vec<ContentBlock> {
    let mut blocks: Vec<ContentBlock> = output.content().iter().map(block).collect();
    let note = text.strip_prefix(&*output.to_text()).unwrap_or_default().trim_start();
    if !note.is_empty() {
        blocks.push(ContentBlock::text(note));
    }
    blocks
}

/// A block; one that the protocol does not know is its text.
fn block(content: &Content) -> ContentBlock {
    if let Content::Text { text } = content {
        return ContentBlock::text(text);
    }
    let known = serde_json::to_value(content).and_then(serde_json::from_value);
    known.unwrap_or_else(|_| ContentBlock::text(content.to_text()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn blocks_of(content: Vec<Content>) -> serde_json::Value {
        let result = ToolResult::succeeded("c", "t", ToolOutput::blocks(content));
        serde_json::to_value(of(&result)).expect("JSON")["content"].clone()
    }

    #[test]
    fn blocks_keep_their_kind() {
        let image = Content::Image { data: "AAAA".into(), mime_type: "image/png".into() };
        let resource =
            Content::Resource { resource: json!({"uri": "test://a", "mimeType": "text/plain", "text": "A"}) };
        assert_eq!(
            blocks_of(vec![Content::text("one"), image, resource]),
            json!([
                {"type": "text", "text": "one"},
                {"type": "image", "data": "AAAA", "mimeType": "image/png"},
                {"type": "resource", "resource": {"uri": "test://a", "mimeType": "text/plain", "text": "A"}},
            ])
        );
        let strange = Content::Resource { resource: json!({"text": "of nowhere"}) };
        assert_eq!(blocks_of(vec![strange]), json!([{"type": "text", "text": "of nowhere"}]));
    }

    #[test]
    fn structured_output_comes_as_text_too() {
        let result = ToolResult::succeeded("c", "t", ToolOutput::json(&json!({"a": 1})));
        let answer = serde_json::to_value(of(&result)).expect("JSON");
        assert_eq!(answer["structuredContent"], json!({"a": 1}));
        assert_eq!(answer["content"], json!([{"type": "text", "text": "{\"a\":1}"}]));
        let empty = ToolResult::succeeded("c", "t", ToolOutput::empty());
        assert_eq!(serde_json::to_value(of(&empty)).expect("JSON")["content"], json!([]));
    }
}
