//! What servers ask of a client's user in the middle of a call.

use std::time::Duration;

use haft::{
    serve::mcp::{HttpOptions, McpService},
    source::mcp::McpServer,
};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::Gateway;
use crate::{
    mcp_source::wire::Wire,
    serve::{
        http::{Events, Http},
        kit::Client,
    },
};

/// A client of a session in the middle of a call, which can show forms.
enum Calling {
    Stream(Client),
    Http(Box<(Http, Events)>),
}

impl Calling {
    async fn begin(service: &McpService, over_http: bool) -> Self {
        let params = json!({"name": "far__act", "arguments": {}});
        if over_http {
            let mut http = Http::start(service, HttpOptions::new()).await;
            http.shake_hands(json!({"elicitation": {}})).await;
            let call = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params});
            let events = Events::of(http.post(&call).await);
            return Self::Http(Box::new((http, events)));
        }
        let mut client = Client::legacy(service, json!({"elicitation": {}})).await;
        client.request(7, "tools/call", params).await;
        Self::Stream(client)
    }

    async fn next(&mut self) -> Value {
        match self {
            Self::Stream(client) => client.message().await,
            Self::Http(http) => http.1.next().await.expect("a message"),
        }
    }

    async fn send(&mut self, message: &Value) {
        match self {
            Self::Stream(client) => client.send(message).await,
            Self::Http(http) => assert_eq!(http.0.post(message).await.status(), 202),
        }
    }

    /// Answers the form that comes next; the form.
    async fn answer(&mut self, answer: &Value) -> Value {
        let asked = self.next().await;
        assert_eq!(asked["method"], "elicitation/create", "{asked}");
        self.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": answer})).await;
        asked["params"].clone()
    }
}

fn form() -> Value {
    json!({
        "type": "object",
        "properties": {
            "name": {"type": "string", "title": "Name", "description": "Who you are", "minLength": 2},
            "size": {"type": "string", "enum": ["s", "m"], "default": "m"},
        },
        "required": ["name"],
    })
}

/// A server that works before it asks does its work once.
#[tokio::test]
async fn a_call_that_asks_in_the_middle_is_made_once_and_goes_on_with_the_answer() {
    for over_http in [false, true] {
        for (said, told) in [
            (
                json!({"action": "accept", "content": {"name": "Ada"}}),
                json!({"action": "accept", "content": {"name": "Ada", "size": "m"}}),
            ),
            (json!({"action": "decline"}), json!({"action": "decline"})),
            (json!({"action": "cancel"}), json!({"action": "cancel"})),
        ] {
            let mut gateway = Gateway::of(async |wire: &mut Wire| wire.ready(&["act"]).await).await;
            let service = gateway.service.clone();
            let client = async {
                let mut calling = Calling::begin(&service, over_http).await;
                let form = calling.answer(&said).await;
                (form, calling.next().await)
            };
            let ((shown, answer), ()) = tokio::join!(client, async {
                let call = gateway.wire.expect("tools/call").await;
                let params = json!({"message": "Who is it for?", "requestedSchema": form()});
                gateway.wire.send(json!({"jsonrpc": "2.0", "id": "q", "method": "elicitation/create", "params": params})).await;
                // The next that the server hears is the answer: nothing was cancelled, and nothing called again.
                let heard = gateway.wire.next().await.expect("an answer");
                assert_eq!(heard, json!({"jsonrpc": "2.0", "id": "q", "result": told}));
                gateway.wire.answer(&call, "done").await;
            });
            assert_eq!(shown["message"], "The MCP server \"far\" asks: Who is it for?");
            assert_eq!(shown["requestedSchema"], form());
            assert_eq!(answer["result"]["content"][0]["text"], "done", "{answer}");
        }
    }
}

/// Nobody is hurried who is asked: the call's time is that of the server, before the question and behind the answer.
#[tokio::test(start_paused = true)]
async fn the_time_of_a_call_does_not_run_while_a_person_is_asked() {
    let seconds = Duration::from_secs;
    for (modern, works_on, has_time) in
        [(false, 50, true), (false, 400, false), (true, 50, true), (true, 400, false)]
    {
        let far = McpServer::given("far").timeout(seconds(500)).ceiling(seconds(300));
        let begin = async |wire: &mut Wire| {
            if modern {
                wire.introduce_modern().await;
                wire.list(&["act"]).await;
            } else {
                wire.ready(&["act"]).await;
            }
        };
        let mut gateway = Gateway::of_server(far, begin).await;
        let service = gateway.service.clone();
        let begun = Instant::now();
        let client = async {
            let mut calling = Calling::begin(&service, false).await;
            // The server takes its time, and the person takes more.
            sleep(seconds(200)).await;
            let asked = calling.next().await;
            sleep(seconds(1_200)).await;
            let answer = json!({"action": "accept", "content": {"name": "Ada"}});
            calling.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": answer})).await;
            sleep(seconds(works_on.min(99))).await;
            (calling.next().await, begun.elapsed())
        };
        let ((answer, took), ()) = tokio::join!(client, async {
            let call = gateway.wire.expect("tools/call").await;
            sleep(seconds(200)).await;
            let params = json!({"message": "Who is it for?", "requestedSchema": form()});
            let question = json!({"method": "elicitation/create", "params": params});
            if modern {
                let wanted = json!({"resultType": "input_required", "inputRequests": {"q": question}});
                gateway.wire.reply(&call, wanted).await;
            } else {
                let mut question = question;
                question["jsonrpc"] = json!("2.0");
                question["id"] = json!("q");
                gateway.wire.send(question).await;
            }
            sleep(seconds(1_200)).await;
            let heard = gateway.wire.next().await.expect("what was said");
            sleep(seconds(works_on)).await;
            gateway.wire.answer(if modern { &heard } else { &call }, "done").await;
        });
        let told = answer["result"]["content"][0]["text"].as_str().unwrap_or_default();
        assert_eq!(told == "done", has_time, "{modern}: {answer}");
        assert_eq!(told.contains("took longer"), !has_time, "{modern}: {answer}");
        // Its own time is over when it is over, whoever was asked meanwhile.
        assert!(took < seconds(1_200 + 300 + 5), "{modern}: {took:?}");
    }
}

/// Where nobody waits for the call any more, nobody is to answer its question either.
#[tokio::test]
async fn a_question_of_a_call_that_is_cancelled_is_taken_back() {
    for over_http in [false, true] {
        let mut gateway = Gateway::of(async |wire: &mut Wire| wire.ready(&["act"]).await).await;
        let service = gateway.service.clone();
        let client = async {
            let mut calling = Calling::begin(&service, over_http).await;
            let asked = calling.next().await;
            assert_eq!(asked["method"], "elicitation/create", "{asked}");
            let cancelled =
                json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}});
            calling.send(&cancelled).await;
            (calling, asked)
        };
        let ((mut calling, asked), ()) = tokio::join!(client, async {
            let call = gateway.wire.expect("tools/call").await;
            let params = json!({"message": "Who is it for?", "requestedSchema": form()});
            gateway
                .wire
                .send(json!({"jsonrpc": "2.0", "id": "q", "method": "elicitation/create", "params": params}))
                .await;
            let told = gateway.wire.expect("notifications/cancelled").await;
            assert_eq!(told["params"]["requestId"], call["id"], "{told}");
        });
        if !over_http {
            let told = calling.next().await;
            assert_eq!(
                (&told["method"], &told["params"]["requestId"]),
                (&json!("notifications/cancelled"), &asked["id"])
            );
        }
    }
}

/// Without a session the question is the answer to the call, which is made anew with what was said.
#[tokio::test]
async fn a_client_without_a_session_is_asked_by_the_answer() {
    let mut gateway = Gateway::of(async |wire: &mut Wire| wire.ready(&["act"]).await).await;
    let mut client = Client::modern(&gateway.service, &json!({"elicitation": {}}));
    client.request(1, "tools/call", json!({"name": "far__act", "arguments": {}})).await;
    gateway.wire.expect("tools/call").await;
    let question = || {
        let params = json!({"message": "Who is it for?", "requestedSchema": form()});
        json!({"jsonrpc": "2.0", "id": "q", "method": "elicitation/create", "params": params})
    };
    gateway.wire.send(question()).await;
    let asked = client.message().await;
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    let (key, request) = asked["result"]["inputRequests"].as_object().unwrap().iter().next().unwrap();
    assert_eq!(request["params"]["requestedSchema"], form());
    let mut again =
        json!({"name": "far__act", "arguments": {}, "requestState": asked["result"]["requestState"]});
    again["inputResponses"] = json!({key: {"action": "accept", "content": {"name": "Ada", "size": "s"}}});
    client.request(2, "tools/call", again).await;
    let call = gateway.wire.expect("tools/call").await;
    gateway.wire.send(question()).await;
    let heard = gateway.wire.next().await.expect("an answer");
    assert_eq!(heard["result"], json!({"action": "accept", "content": {"name": "Ada", "size": "s"}}));
    gateway.wire.answer(&call, "done").await;
    assert_eq!(client.message().await["result"]["content"][0]["text"], "done");
}
