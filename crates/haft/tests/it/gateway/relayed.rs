//! What is said while a call runs: progress one way, that nobody waits any more the other.

use haft::serve::mcp::{HttpOptions, McpService};
use serde_json::{Value, json};

use super::{CLIENTS, Gateway};
use crate::{
    mcp_source::wire::Wire,
    serve::{
        http::{Events, Http},
        kit::Client,
    },
};

async fn gateway(modern: bool) -> Gateway {
    Gateway::of(async |wire: &mut Wire| {
        if modern {
            drop(wire.introduce_modern().await);
        } else {
            drop(wire.introduce().await);
        }
        wire.list(&["act"]).await;
    })
    .await
}

/// A client in the middle of a call.
enum Calling {
    Stream(Client),
    Http(Box<(Http, Events)>),
}

impl Calling {
    async fn begin(service: &McpService, client: &str, meta: Value) -> Self {
        let params = json!({"name": "far__act", "arguments": {}, "_meta": meta});
        match client {
            "legacy stream" => {
                let mut client = Client::legacy(service, json!({})).await;
                client.request(7, "tools/call", params).await;
                Self::Stream(client)
            }
            "modern stream" => {
                let mut client = Client::modern(service, &json!({}));
                client.request(7, "tools/call", params).await;
                Self::Stream(client)
            }
            "legacy HTTP" => {
                let mut http = Http::start(service, HttpOptions::new()).await;
                http.shake_hands(json!({})).await;
                let call = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params});
                let events = Events::of(http.post(&call).await);
                Self::Http(Box::new((http, events)))
            }
            _ => {
                let http = Http::start(service, HttpOptions::new()).await;
                let answer = http.modern(7, "tools/call", params, &json!({})).send().await.unwrap();
                let events = Events::of(answer);
                Self::Http(Box::new((http, events)))
            }
        }
    }

    async fn next(&mut self) -> Value {
        match self {
            Self::Stream(client) => client.message().await,
            Self::Http(http) => http.1.next().await.expect("a message"),
        }
    }

    /// Says that nobody waits any more, in the way of its era and transport.
    async fn cancel(self, client: &str) -> Option<Self> {
        let cancelled = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7, "reason": "enough"}});
        match self {
            Self::Stream(mut stream) => {
                stream.send(&cancelled).await;
                Some(Self::Stream(stream))
            }
            Self::Http(http) if client == "legacy HTTP" => {
                assert_eq!(http.0.post(&cancelled).await.status(), 202);
                Some(Self::Http(http))
            }
            // Without a session it is the connection that says so.
            Self::Http(..) => None,
        }
    }
}

#[tokio::test]
async fn progress_arrives_under_the_clients_own_token_before_the_result() {
    for modern in [false, true] {
        for client in CLIENTS {
            for token in [json!("a token"), json!(0), json!(9_007_199_254_740_993_i64), json!("7")] {
                let mut gateway = gateway(modern).await;
                let service = gateway.service.clone();
                let begin = Calling::begin(&service, client, json!({"progressToken": token}));
                // Over HTTP the answer begins with its first event.
                let (mut calling, call) = tokio::join!(begin, async {
                    let call = gateway.wire.expect("tools/call").await;
                    let own = &call["params"]["_meta"]["progressToken"];
                    assert!(!own.is_null(), "{call}");
                    for (done, more) in [
                        (0.5, json!({})),
                        (1.0, json!({"total": 2.5, "message": "half way"})),
                        (2.5, json!({"total": 2.5})),
                    ] {
                        let mut params = json!({"progressToken": own, "progress": done});
                        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
                        gateway.wire.send(json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})).await;
                    }
                    gateway.wire.answer(&call, "done").await;
                    call
                });
                let mut said = Vec::new();
                loop {
                    let message = calling.next().await;
                    if message["id"] == 7 {
                        assert_eq!(
                            message["result"]["content"][0]["text"], "done",
                            "{client}: {message} {call}"
                        );
                        break;
                    }
                    assert_eq!(message["method"], "notifications/progress", "{client}: {message}");
                    said.push(message["params"].clone());
                }
                let wanted = [
                    json!({"progressToken": token, "progress": 0.5}),
                    json!({"progressToken": token, "progress": 1.0, "total": 2.5, "message": "half way"}),
                    json!({"progressToken": token, "progress": 2.5, "total": 2.5}),
                ];
                assert_eq!(said, wanted, "{client}");
            }
        }
    }
}

#[tokio::test]
async fn a_call_that_nobody_waits_for_is_cancelled_at_the_server() {
    for modern in [false, true] {
        for client in CLIENTS {
            let mut gateway = gateway(modern).await;
            let service = gateway.service.clone();
            // Over HTTP the answer begins with its first event, which is a report here.
            let begin = Calling::begin(&service, client, json!({"progressToken": 1}));
            let (calling, call) = tokio::join!(begin, async {
                let call = gateway.wire.expect("tools/call").await;
                let own = &call["params"]["_meta"]["progressToken"];
                let params = json!({"progressToken": own, "progress": 1});
                gateway
                    .wire
                    .send(json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params}))
                    .await;
                call
            });
            let calling = calling.cancel(client).await;
            let told = gateway.wire.expect("notifications/cancelled").await;
            assert_eq!(told["params"]["requestId"], call["id"], "{client}: {told}");
            // The other calls of the server go on.
            drop(calling);
            gateway.wire.answer(&call, "too late").await;
            let again = Calling::begin(&service, "legacy stream", json!({})).await;
            let call = gateway.wire.expect("tools/call").await;
            gateway.wire.answer(&call, "in time").await;
            let Calling::Stream(mut again) = again else { panic!("a stream") };
            assert_eq!(again.message().await["result"]["content"][0]["text"], "in time", "{client}");
        }
    }
}

/// A server may ask whether anyone is there at any time, and a client too.
#[tokio::test]
async fn whoever_asks_whether_anyone_is_there_is_answered() {
    let mut gateway = gateway(false).await;
    let service = gateway.service.clone();
    for id in [json!("p"), json!(0), json!(-5)] {
        gateway.wire.send(json!({"jsonrpc": "2.0", "id": id, "method": "ping"})).await;
        let answer = gateway.wire.next().await.expect("an answer");
        assert_eq!(answer, json!({"jsonrpc": "2.0", "id": id, "result": {}}));
    }
    let mut calling = Calling::begin(&service, "legacy stream", json!({})).await;
    let call = gateway.wire.expect("tools/call").await;
    gateway.wire.send(json!({"jsonrpc": "2.0", "id": "in the middle", "method": "ping"})).await;
    let answer = gateway.wire.next().await.expect("an answer");
    assert_eq!((&answer["id"], &answer["result"]), (&json!("in the middle"), &json!({})));
    let Calling::Stream(client) = &mut calling else { panic!("a stream") };
    assert_eq!(client.ask("x", "ping", json!({})).await["result"], json!({}));
    gateway.wire.answer(&call, "done").await;
    assert_eq!(calling.next().await["result"]["content"][0]["text"], "done");
}

/// A trace does not end at the gateway; what else a client says of its requests is between the two.
#[tokio::test]
async fn the_trace_of_a_call_goes_along() {
    let parent = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";
    for modern in [false, true] {
        let mut gateway = gateway(modern).await;
        let service = gateway.service.clone();
        for client in CLIENTS {
            for (meta, wanted) in [
                (
                    json!({"traceparent": parent, "tracestate": "a=1,b=2", "com.example/own": 1}),
                    (json!(parent), json!("a=1,b=2")),
                ),
                (
                    json!({"traceparent": parent, "progressToken": 3, "baggage": "user=ada"}),
                    (json!(parent), Value::Null),
                ),
                (json!({"tracestate": "a=1"}), (Value::Null, Value::Null)),
                (json!({"traceparent": "x".repeat(10_000)}), (Value::Null, Value::Null)),
                (json!({"traceparent": "a\u{202e}\n"}), (Value::Null, Value::Null)),
                (json!({}), (Value::Null, Value::Null)),
            ] {
                let begin = Calling::begin(&service, client, meta.clone());
                let (mut calling, call) = tokio::join!(begin, async {
                    let call = gateway.wire.expect("tools/call").await;
                    gateway.wire.answer(&call, "done").await;
                    call
                });
                assert_eq!(calling.next().await["result"]["content"][0]["text"], "done", "{client}: {meta}");
                let sent = &call["params"]["_meta"];
                assert_eq!(
                    (&sent["traceparent"], &sent["tracestate"]),
                    (&wanted.0, &wanted.1),
                    "{client}: {meta}"
                );
                assert!(sent.get("com.example/own").is_none() && sent.get("baggage").is_none(), "{sent}");
            }
        }
    }
}
