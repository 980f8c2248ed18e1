//! A result as clients take it.

use haft_core::{Content, ToolOutput, ToolResult};
use rmcp::model::{CallToolResult, ContentBlock, MetaObject};
use serde_json::{Map, Value};

/// A result of a call: what failed is a result too, which the client's model can act on.
pub(super) fn of(result: &ToolResult) -> CallToolResult {
    let text = result.text();
    let output = match result.outcome() {
        Ok(output) => output,
        Err(error) => {
            let mut blocks = vec![ContentBlock::text(text)];
            let shown = beside(error.metadata(), "content").and_then(Value::as_array);
            blocks.extend(shown.into_iter().flatten().filter_map(beyond_text));
            let mut answer = CallToolResult::error(blocks);
            answer.meta = beside(error.metadata(), "_meta").and_then(metadata);
            return answer;
        }
    };
    let mut answer = CallToolResult::success(blocks(output, &text));
    answer.structured_content = output.structured();
    answer.meta = beside(output.metadata(), "_meta").and_then(metadata);
    answer
}

/// What an MCP server said beside what a model sees of its result.
fn beside<'a>(said: Option<&'a Map<String, Value>>, what: &str) -> Option<&'a Value> {
    said?.get("mcp")?.get(what)
}

/// A block of a failed call that its message can not hold.
fn beyond_text(block: &Value) -> Option<ContentBlock> {
    if block.get("type").and_then(Value::as_str) == Some("text") {
        return None;
    }
    serde_json::from_value(block.clone()).ok()
}

/// The metadata of another server's result, without what the protocol itself says between that server and us.
fn metadata(meta: &Value) -> Option<MetaObject> {
    let own = |name: &String| name.starts_with("io.modelcontextprotocol/") || name == "progressToken";
    let mut meta = meta.as_object()?.clone();
    meta.retain(|name, _| !own(name));
    (!meta.is_empty()).then_some(MetaObject(meta))
}

/// The blocks of the output; a note for the model is one more.
fn blocks(output: &ToolOutput, text: &str) -> Vec<ContentBlock> {
    let content = output.content();
    let whole = beside(output.metadata(), "content")
        .and_then(Value::as_array)
        .filter(|whole| whole.len() == content.len());
    let mut blocks: Vec<ContentBlock> = match whole {
        Some(whole) => content.iter().zip(whole).map(|(content, whole)| restored(content, whole)).collect(),
        None => content.iter().map(block).collect(),
    };
    let note = text.strip_prefix(&*output.to_text()).unwrap_or_default().trim_start();
    if !note.is_empty() {
        blocks.push(ContentBlock::text(note));
    }
    blocks
}

/// The block as its server sent it, with annotations and whatever else it has, where it is still what the model sees.
fn restored(content: &Content, whole: &Value) -> ContentBlock {
    let seen = serde_json::to_value(content).unwrap_or_default();
    let holds = |(name, value): (&String, &Value)| whole.get(name) == Some(value);
    let is_same = seen.as_object().is_some_and(|seen| seen.iter().all(holds));
    let whole = is_same.then(|| serde_json::from_value(whole.clone()).ok()).flatten();
    whole.unwrap_or_else(|| block(content))
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
    fn what_another_server_said_beside_is_handed_on_unless_a_block_was_changed() {
        let whole = json!([
            {"type": "text", "text": "one", "annotations": {"audience": ["user"], "priority": 0.5}, "_meta": {"k": 1}},
            {"type": "resource_link", "uri": "test://a", "name": "a", "title": "A", "size": 5},
            {"type": "text", "text": "a secret", "annotations": {"priority": 1.0}},
        ]);
        let content = vec![
            Content::text("one"),
            serde_json::from_value(whole[1].clone()).expect("a link"),
            Content::text("***"),
        ];
        let meta = json!({"example.com/z": 1, "io.modelcontextprotocol/serverInfo": {"name": "x"}});
        let output =
            ToolOutput::blocks(content).with_metadata("mcp", json!({"content": whole, "_meta": meta}));
        let answer = serde_json::to_value(of(&ToolResult::succeeded("c", "t", output))).expect("JSON");
        assert_eq!(answer["content"], json!([whole[0], whole[1], {"type": "text", "text": "***"}]));
        assert_eq!(answer["_meta"], json!({"example.com/z": 1}));
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
