//! What servers answer to calls.

use haft::{ErrorBody, ToolError};
use serde_json::{Value, json};

use super::{CLIENTS, Gateway, asked};
use crate::mcp_source::wire::Wire;

/// What a client gets for a call that the server answers with this.
async fn through(gateway: &mut Gateway, client: &str, result: &Value) -> Value {
    let service = gateway.service.clone();
    let call = json!({"name": "far__act", "arguments": {}});
    let (mut answer, ()) = tokio::join!(asked(&service, client, "tools/call", call), async {
        let call = gateway.wire.expect("tools/call").await;
        gateway.wire.reply(&call, result.clone()).await;
    });
    let result = answer["result"].as_object_mut().unwrap_or_else(|| panic!("no result"));
    // That it is complete is said to clients of one era alone.
    result.remove("resultType");
    answer["result"].take()
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn image() -> Value {
    json!({"type": "image", "data": "AAAA", "mimeType": "image/png", "annotations": {"audience": ["user"], "priority": 0.5}, "_meta": {"k": [1]}})
}

#[tokio::test]
async fn every_kind_of_content_arrives_as_it_was_sent() {
    let link = json!({
        "type": "resource_link", "uri": "file:///a b.txt", "name": "a", "title": "A", "description": "d", "mimeType": "text/plain",
        "size": 5, "icons": [{"src": "data:,"}], "annotations": {"lastModified": "2025-01-12T15:00:58Z"}, "_meta": {"x": null},
    });
    let audio = json!({"type": "audio", "data": "AAAA", "mimeType": "audio/wav", "_meta": {"a": 1}});
    let embedded = json!({
        "type": "resource", "annotations": {"audience": ["assistant"]}, "_meta": {"e": 1},
        "resource": {"uri": "test://a", "mimeType": "text/plain", "text": "A", "_meta": {"r": 1}},
    });
    let blob = json!({"type": "resource", "resource": {"uri": "test://b", "blob": "AAAA"}});
    let odd = text("separate\u{2028}lines\u{2029}\u{0}\u{1b}[31m\u{202e}\r\n");
    let kinds = [
        json!({"content": [text("one")]}),
        json!({"content": [odd, text(" \n")]}),
        json!({"content": [{"type": "text", "text": "one", "annotations": {"priority": 1.0}, "_meta": {"k": 1}}]}),
        json!({"content": [image()]}),
        json!({"content": [audio, link, embedded, blob, text("and all")]}),
        json!({"content": [text("{\"a\":1}")], "structuredContent": {"a": 1}}),
        json!({"content": [text("other words")], "structuredContent": {"large": 9_007_199_254_740_993_i64, "none": null}}),
        json!({"content": [text("seen"), image()], "structuredContent": {"a": [1.5, "b"]}}),
        json!({"content": [], "_meta": {"com.example/x": {"y": 1}}}),
    ];
    let mut gateway = Gateway::of(async |wire: &mut Wire| wire.ready(&["act"]).await).await;
    for mut kind in kinds {
        for client in CLIENTS {
            let seen = through(&mut gateway, client, &kind).await;
            kind["isError"] = false.into();
            assert_eq!(seen, kind, "{client}");
        }
    }
}

#[tokio::test]
async fn what_clients_can_not_take_arrives_in_a_form_that_they_can() {
    let video = json!({"type": "video", "data": "AAAA"});
    let cases = [
        // Many clients show text alone.
        (
            json!({"content": [], "structuredContent": {"a": 1}}),
            json!({"content": [text("{\"a\":1}")], "structuredContent": {"a": 1}, "isError": false}),
        ),
        // A kind that the protocol does not know would cost the whole result.
        (
            json!({"content": [text("a"), video, text("b")]}),
            json!({"content": [text("a"), text(&video.to_string()), text("b")], "isError": false}),
        ),
        // What the protocol says between the server and us is not the client's.
        (
            json!({"content": [text("a")], "_meta": {"progressToken": 1, "io.modelcontextprotocol/serverInfo": {}, "own": 1}}),
            json!({"content": [text("a")], "_meta": {"own": 1}, "isError": false}),
        ),
    ];
    let mut gateway = Gateway::of(async |wire: &mut Wire| wire.ready(&["act"]).await).await;
    for (sent, wanted) in cases {
        for client in CLIENTS {
            assert_eq!(through(&mut gateway, client, &sent).await, wanted, "{client}: {sent}");
        }
    }
}

#[tokio::test]
async fn a_failure_arrives_with_its_words_and_with_what_words_can_not_hold() {
    let said = |message: &str| {
        let error = ToolError::of(haft::ErrorCode::Mcp, message);
        text(&ErrorBody::new("far__act", &error).to_json())
    };
    let cases = [
        (
            json!({"content": [text("it failed")], "isError": true}),
            json!({"content": [said("it failed")], "isError": true}),
        ),
        (
            json!({"content": [text("it failed"), image()], "isError": true, "_meta": {"own": 1, "progressToken": 2}}),
            json!({"content": [said("it failed\n[image image/png, 3 bytes]"), image()], "isError": true, "_meta": {"own": 1}}),
        ),
    ];
    let mut gateway = Gateway::of(async |wire: &mut Wire| wire.ready(&["act"]).await).await;
    for (sent, wanted) in cases {
        for client in CLIENTS {
            assert_eq!(through(&mut gateway, client, &sent).await, wanted, "{client}: {sent}");
        }
    }
}

#[tokio::test]
async fn a_huge_result_arrives_whole() {
    let huge = json!({"content": [text(&"x".repeat(8 << 20))], "structuredContent": {"list": vec![1; 1 << 20]}, "isError": false});
    let mut gateway = Gateway::of(async |wire: &mut Wire| wire.ready(&["act"]).await).await;
    for client in CLIENTS {
        assert!(through(&mut gateway, client, &huge).await == huge, "{client}");
    }
}
