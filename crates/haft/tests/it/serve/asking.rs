//! What a call waits for is asked of the client's user, in the way of its era, or denied.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use haft::{
    AnswerFuture, Answerer, ApprovalDecision, ApprovalRequest, Args, Dispatcher, Question, Tool, ToolContext,
    ToolError, ToolRegistry, serve::mcp::McpService,
};
use serde_json::{Value, json};

use super::kit::{Client, dispatcher, service, text, tools};

fn forms() -> Value {
    json!({"elicitation": {}})
}

fn pay(amount: u64) -> Value {
    json!({"name": "pay", "arguments": {"amount": amount}})
}

/// What the server asks while a call waits; its id goes into the answer.
async fn asked(client: &mut Client) -> (Value, Value) {
    let question = client.message().await;
    assert_eq!(question["method"], "elicitation/create", "{question}");
    (question["id"].clone(), question["params"].clone())
}

async fn answer(client: &mut Client, id: &Value, result: Value) {
    client.send(&json!({"jsonrpc": "2.0", "id": id, "result": result})).await;
}

#[tokio::test]
async fn a_form_of_a_cancelled_call_is_taken_back() {
    let mut client = Client::legacy(&service(), forms()).await;
    client.request(1, "tools/call", pay(500)).await;
    let (id, _) = asked(&mut client).await;
    let cancelled =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}});
    client.send(&cancelled).await;
    let back = client.message().await;
    assert_eq!((&back["method"], &back["params"]["requestId"]), (&cancelled["method"], &id), "{back}");
    // An answer that is on its way already changes nothing.
    answer(&mut client, &id, json!({"action": "accept", "content": {"decision": "approve"}})).await;
    client.request(2, "ping", json!({})).await;
    assert_eq!(client.message().await["id"], 2);
}

#[tokio::test]
async fn a_form_hides_no_character_of_what_would_run() {
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Text {
        text: String,
    }
    let note = Tool::builder("note")
        .description("Writes.")
        .needs_approval(true)
        .run_sync(|Args(arguments): Args<Text>| arguments.text);
    let registry = ToolRegistry::builder().tool(note.unwrap()).build().unwrap();
    let mut client = Client::legacy(&McpService::builder(Dispatcher::new(registry)).build(), forms()).await;
    let hidden = "a\u{202e}b\u{200b}c\u{e0041}d\u{85}e\u{fe01}\u{e0100}\u{3164}ü漢";
    client.request(1, "tools/call", json!({"name": "note", "arguments": {"text": hidden}})).await;
    let (id, form) = asked(&mut client).await;
    let message = form["message"].as_str().unwrap();
    assert!(
        message.contains(r#"{"text":"a\u202eb\u200bc\udb40\udc41d\u0085e\ufe01\udb40\udd00\u3164ü漢"}"#),
        "{message}"
    );
    answer(&mut client, &id, json!({"action": "accept", "content": {"decision": "approve"}})).await;
    assert_eq!(text(&client.message().await), hidden);
}

#[tokio::test]
async fn an_approval_is_a_form_while_the_client_waits() {
    let mut client = Client::legacy(&service(), forms()).await;
    client.request(1, "tools/call", pay(500)).await;
    let (id, form) = asked(&mut client).await;
    assert!(form["message"].as_str().unwrap().contains(r#"{"amount":500}"#), "{form}");
    assert_eq!(form["requestedSchema"]["properties"]["decision"]["enum"], json!(["approve", "reject"]));
    answer(&mut client, &id, json!({"action": "accept", "content": {"decision": "approve"}})).await;
    assert_eq!(text(&client.message().await), "paid 500");

    client.request(2, "tools/call", pay(501)).await;
    let (id, _) = asked(&mut client).await;
    let no = json!({"action": "accept", "content": {"decision": "reject", "note": "too much"}});
    answer(&mut client, &id, no).await;
    let rejected = client.message().await;
    assert_eq!(rejected["result"]["isError"], true);
    assert!(
        text(&rejected).contains(r#""kind":"rejected""#) && text(&rejected).contains("too much"),
        "{rejected}"
    );

    for action in ["decline", "cancel"] {
        client.request(action, "tools/call", pay(502)).await;
        let (id, _) = asked(&mut client).await;
        answer(&mut client, &id, json!({"action": action})).await;
        let rejected = client.message().await;
        assert!(text(&rejected).contains(r#""kind":"rejected""#), "{rejected}");
    }
}

#[tokio::test]
async fn a_question_is_asked_again_until_the_answer_fits() {
    let mut client = Client::legacy(&service(), forms()).await;
    client.request(1, "tools/call", json!({"name": "greet"})).await;
    let (id, form) = asked(&mut client).await;
    assert_eq!(form["message"], "Your name?");
    answer(&mut client, &id, json!({"action": "accept", "content": {"answer": 7}})).await;
    let (id, _) = asked(&mut client).await;
    answer(&mut client, &id, json!({"action": "accept", "content": {"answer": "Ada"}})).await;
    assert_eq!(text(&client.message().await), "Hello, Ada!");

    client.request(2, "tools/call", json!({"name": "greet"})).await;
    for _ in 0..3 {
        let (id, _) = asked(&mut client).await;
        answer(&mut client, &id, json!({"action": "accept"})).await;
    }
    let denied = client.message().await;
    assert!(text(&denied).contains(r#""kind":"denied""#), "{denied}");
}

#[tokio::test]
async fn a_client_that_can_not_ask_is_told_so() {
    for capabilities in [json!({}), json!({"elicitation": {"url": {}}}), json!({"sampling": {}})] {
        let mut legacy = Client::legacy(&service(), capabilities.clone()).await;
        let mut modern = Client::modern(&service(), &capabilities);
        for client in [&mut legacy, &mut modern] {
            for (name, arguments) in [("pay", json!({"amount": 5})), ("greet", json!({}))] {
                let denied = client.call(name, name, arguments).await;
                assert_eq!(denied["result"]["isError"], true, "{denied}");
                assert!(text(&denied).contains(r#""kind":"denied""#), "{denied}");
            }
            // With progress the call takes another way to the same end.
            let params = json!({"name": "pay", "arguments": {"amount": 5}, "_meta": {"progressToken": 1}});
            let denied = client.ask("p", "tools/call", params).await;
            assert!(text(&denied).contains("nobody can be asked"), "{denied}");
        }
    }
}

#[tokio::test]
async fn a_client_that_refuses_to_ask_gets_a_denial() {
    let mut client = Client::legacy(&service(), forms()).await;
    client.request(1, "tools/call", pay(5)).await;
    let (id, _) = asked(&mut client).await;
    let error = json!({"code": -32601, "message": "no forms today"});
    client.send(&json!({"jsonrpc": "2.0", "id": id, "error": error})).await;
    let denied = client.message().await;
    assert!(
        text(&denied).contains(r#""kind":"denied""#) && text(&denied).contains("no forms today"),
        "{denied}"
    );
}

/// A request that is sent again with what its client's user said.
fn again(mut request: Value, asked: &Value, responses: Value) -> Value {
    request["requestState"] = asked["result"]["requestState"].clone();
    request["inputResponses"] = responses;
    request
}

#[tokio::test]
async fn without_a_session_the_call_comes_again_with_the_answer() {
    let mut client = Client::modern(&service(), &forms());
    let asked = client.ask(1, "tools/call", pay(500)).await;
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    let question = &asked["result"]["inputRequests"]["approval"];
    assert_eq!(question["method"], "elicitation/create");
    assert!(question["params"]["message"].as_str().unwrap().contains("500"), "{question}");

    let yes = json!({"approval": {"action": "accept", "content": {"decision": "approve"}}});
    let approved = again(pay(500), &asked, yes.clone());
    let paid = client.ask(2, "tools/call", approved.clone()).await;
    assert_eq!(text(&paid), "paid 500", "{paid}");
    // An approval is used once.
    let twice = client.ask(3, "tools/call", approved).await;
    assert_eq!(twice["error"]["code"], -32602, "{twice}");

    let asked = client.ask(4, "tools/call", pay(500)).await;
    let no = json!({"approval": {"action": "accept", "content": {"decision": "reject", "note": "no"}}});
    let rejected = client.ask(5, "tools/call", again(pay(500), &asked, no)).await;
    assert!(text(&rejected).contains(r#""kind":"rejected""#), "{rejected}");
}

#[tokio::test]
async fn what_was_not_sealed_for_the_call_is_refused() {
    let service = service();
    let mut client = Client::modern(&service, &forms());
    let asked = client.ask(1, "tools/call", pay(500)).await;
    let state = asked["result"]["requestState"].as_str().unwrap().to_owned();
    let yes = json!({"approval": {"action": "accept", "content": {"decision": "approve"}}});
    let mut flipped: Vec<char> = state.chars().collect();
    let middle = flipped.len() / 2;
    flipped[middle] = if flipped[middle] == 'A' { 'B' } else { 'A' };
    let tampered = [format!("{state}x"), flipped.iter().collect(), String::new(), "rs1.AAAA.AAAA".to_owned()];
    for (index, state) in tampered.iter().enumerate() {
        let mut request = again(pay(500), &asked, yes.clone());
        request["requestState"] = json!(state);
        let refused = client.ask(format!("tampered {index}"), "tools/call", request).await;
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
    }
    let other_amount = client.ask(20, "tools/call", again(pay(5_000), &asked, yes.clone())).await;
    assert_eq!(other_amount["error"]["code"], -32602, "{other_amount}");
    let mut other_tool = again(pay(500), &asked, yes.clone());
    other_tool["name"] = "add".into();
    assert_eq!(client.ask(21, "tools/call", other_tool).await["error"]["code"], -32602);
    // Another process has another key.
    let mut stranger = Client::modern(&super::kit::service(), &forms());
    assert_eq!(
        stranger.ask(22, "tools/call", again(pay(500), &asked, yes.clone())).await["error"]["code"],
        -32602
    );
    // The call itself still waits.
    let paid = client.ask(23, "tools/call", again(pay(500), &asked, yes)).await;
    assert_eq!(text(&paid), "paid 500");
}

#[tokio::test]
async fn an_answer_that_does_not_fit_is_asked_for_again() {
    let mut client = Client::modern(&service(), &forms());
    let greet = json!({"name": "greet", "arguments": {}});
    let asked = client.ask(1, "tools/call", greet.clone()).await;
    assert_eq!(asked["result"]["inputRequests"]["user_name"]["params"]["message"], "Your name?", "{asked}");
    for (id, responses) in [
        (2, json!({})),
        (3, json!({"other": {"action": "accept", "content": {"answer": "Ada"}}})),
        (4, json!({"user_name": 12345})),
        (5, json!({"user_name": {"action": "accept", "content": {"answer": 7}}})),
    ] {
        let asked_again = client.ask(id, "tools/call", again(greet.clone(), &asked, responses)).await;
        assert_eq!(asked_again["result"]["resultType"], "input_required", "{asked_again}");
    }
    let yes = json!({"user_name": {"action": "accept", "content": {"answer": "Ada"}}, "more": 1});
    let done = client.ask(6, "tools/call", again(greet.clone(), &asked, yes)).await;
    assert_eq!(text(&done), "Hello, Ada!");

    let asked = client.ask(7, "tools/call", greet.clone()).await;
    let no = json!({"user_name": {"action": "decline"}});
    let declined = client.ask(8, "tools/call", again(greet, &asked, no)).await;
    assert!(text(&declined).contains(r#""kind":"rejected""#), "{declined}");
}

#[tokio::test]
async fn a_question_can_be_answered_before_it_is_asked_and_an_approval_can_not() {
    let mut client = Client::modern(&service(), &forms());
    let name = json!({"user_name": {"action": "accept", "content": {"answer": "Ada"}}});
    let known =
        client.ask(1, "tools/call", json!({"name": "greet", "arguments": {}, "inputResponses": name})).await;
    assert_eq!(text(&known), "Hello, Ada!");
    let yes = json!({"approval": {"action": "accept", "content": {"decision": "approve"}}});
    let mut unseen = pay(5);
    unseen["inputResponses"] = yes;
    let asked = client.ask(2, "tools/call", unseen).await;
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
}

#[tokio::test]
async fn one_call_can_ask_several_times_in_every_form() {
    let ask = Tool::builder("order")
        .description("Orders.")
        .run(|context: ToolContext| async move {
            let size = context.ask(Question::new("Which size?").option("S").option("L")).await?;
            let form = json!({
                "type": "object",
                "properties": {"street": {"type": "string"}, "number": {"type": "integer"}},
                "required": ["street", "number"],
            });
            let place = context.ask(Question::new("Where to?").schema(form)).await?;
            let many = context
                .ask(Question::new("How many?").schema(json!({"type": "integer", "minimum": 1})))
                .await?;
            let deep = json!({"type": "array", "items": {"type": "object"}});
            let extras = context.ask(Question::new("Extras?").schema(deep)).await?;
            Ok::<_, ToolError>(format!(
                "{} {} {} {}",
                size.as_text().unwrap(),
                place.as_value()["street"],
                many.as_value(),
                extras.as_value()
            ))
        })
        .unwrap();
    let registry = ToolRegistry::builder().tool(ask).build().unwrap();
    let service = McpService::builder(Dispatcher::new(registry)).build();
    let answers = [
        json!({"answer": "L"}),
        json!({"street": "Long Lane", "number": 7}),
        json!({"answer": 3}),
        json!({"answer": "[{\"a\":1}]"}),
    ];
    let wanted = r#"L "Long Lane" 3 [{"a":1}]"#;

    let mut legacy = Client::legacy(&service, forms()).await;
    legacy.request(1, "tools/call", json!({"name": "order"})).await;
    for content in &answers {
        let (id, _) = asked(&mut legacy).await;
        answer(&mut legacy, &id, json!({"action": "accept", "content": content})).await;
    }
    assert_eq!(text(&legacy.message().await), wanted);

    let mut modern = Client::modern(&service, &forms());
    let request = json!({"name": "order", "arguments": {}});
    let mut said = modern.ask(1, "tools/call", request.clone()).await;
    let mut states = vec![said["result"]["requestState"].clone()];
    for (round, content) in answers.iter().enumerate() {
        let responses = json!({"question": {"action": "accept", "content": content}});
        said = modern.ask(round + 2, "tools/call", again(request.clone(), &said, responses)).await;
        assert!(!states.contains(&said["result"]["requestState"]), "every round has a state of its own");
        states.push(said["result"]["requestState"].clone());
    }
    assert_eq!(text(&said), wanted);
}

#[derive(Debug)]
struct Yes;

impl Answerer for Yes {
    fn approve<'a>(&'a self, _: &'a ApprovalRequest) -> AnswerFuture<'a, ApprovalDecision> {
        Box::pin(async { Some(ApprovalDecision::Approve) })
    }
}

#[tokio::test]
async fn a_host_that_answers_itself_comes_first() {
    let registry = ToolRegistry::builder().tools(tools()).build().unwrap();
    let service = McpService::builder(Dispatcher::builder(registry).answerer(Yes).build()).build();
    let mut client = Client::modern(&service, &json!({}));
    assert_eq!(text(&client.ask(1, "tools/call", pay(5)).await), "paid 5");
}

#[tokio::test]
async fn a_call_that_is_cancelled_while_it_waits_never_runs() {
    let ran = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&ran);
    let count = Tool::builder("count").description("Counts.").needs_approval(true).run_sync(move || {
        counter.fetch_add(1, Ordering::SeqCst);
        "counted"
    });
    let registry = ToolRegistry::builder().tool(count.unwrap()).build().unwrap();
    let dispatcher = Dispatcher::new(registry);
    let service = McpService::builder(dispatcher.clone()).build();
    let mut client = Client::legacy(&service, forms()).await;
    client.request("c", "tools/call", json!({"name": "count"})).await;
    let (id, _) = asked(&mut client).await;
    client
        .send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "c"}}))
        .await;
    // The question is taken back, the call has no answer, and the next one is answered as ever.
    client.request("next", "ping", json!({})).await;
    let mut next = client.message().await;
    while next["id"] != "next" {
        assert_eq!(next["method"], "notifications/cancelled", "{next}");
        next = client.message().await;
    }
    answer(&mut client, &id, json!({"action": "accept", "content": {"decision": "approve"}})).await;
    let (served, _) = client.leave().await;
    served.unwrap();
    assert_eq!(ran.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_client_that_leaves_while_it_is_asked_ends_the_call() {
    let service = McpService::builder(dispatcher()).build();
    let mut client = Client::legacy(&service, forms()).await;
    client.request(1, "tools/call", pay(5)).await;
    asked(&mut client).await;
    let (served, last) = client.leave().await;
    served.unwrap();
    assert!(last.iter().any(|message| message["id"] == 1 && text(message).contains("denied")), "{last:?}");
}
