//! What servers ask of this side while a call runs.

use haft::{
    Answer, AnswerFuture, Answerer, Dispatcher, PendingKind, Question, Reply, ToolCall, ToolErrorKind,
    ToolRegistry, ToolResult, TurnOutcome,
    source::mcp::{McpRoot, McpServer, McpServers, McpServersBuilder, SampleFuture, Sampler},
};
use serde_json::{Value, json};

use super::wire::{Wire, call, one, pair, registry, tool};

/// A server that has one tool, `act`.
async fn asked_by(
    configure: impl FnOnce(McpServersBuilder) -> McpServersBuilder,
    modern: bool,
) -> (ToolRegistry, McpServers, Wire, Value) {
    let (stream, mut wire) = pair();
    let registry = registry();
    let servers = configure(one(McpServer::given("s"), stream));
    let (servers, declared) = tokio::join!(servers.connect(&registry), async {
        let declared = if modern {
            wire.introduce_modern().await
        } else {
            wire.introduce().await["params"]["capabilities"].clone()
        };
        let asked = wire.expect("tools/list").await;
        wire.reply(&asked, json!({"tools": [tool("act")]})).await;
        declared
    });
    (registry, servers, wire, declared)
}

/// Answers every question with one value.
#[derive(Debug)]
struct Always(Value);

impl Answerer for Always {
    fn answer<'a>(&'a self, _: &'a Question) -> AnswerFuture<'a, Answer> {
        Box::pin(std::future::ready(Some(Answer::from(self.0.clone()))))
    }
}

fn form() -> Value {
    json!({
        "message": "Who are you?",
        "requestedSchema": {
            "type": "object",
            "properties": {"name": {"type": "string"}, "age": {"type": "integer", "default": 30, "x-kept": 1}},
            "required": ["name"],
        },
    })
}

/// One call in which the server asks for something; what it was told, and the call's result.
async fn exchange(
    registry: &ToolRegistry,
    wire: &mut Wire,
    method: &str,
    params: Value,
) -> (Value, ToolResult) {
    let (result, told) = tokio::join!(call(registry, "s__act", json!({})), async {
        let asked = wire.expect("tools/call").await;
        wire.send(json!({"jsonrpc": "2.0", "id": "q-1", "method": method, "params": params})).await;
        let told = wire.next().await.unwrap();
        assert_eq!(told["id"], "q-1");
        wire.answer(&asked, "done").await;
        told
    });
    (told, result)
}

#[tokio::test]
async fn a_form_is_answered_by_whoever_the_host_names_with_its_defaults() {
    let configure = |servers: McpServersBuilder| servers.answerer(Always(json!({"name": "Ada"})));
    let (registry, _servers, mut wire, declared) = asked_by(configure, false).await;
    assert!(declared["elicitation"]["form"].is_object(), "{declared}");
    let (told, result) = exchange(&registry, &mut wire, "elicitation/create", form()).await;
    assert_eq!(told["result"], json!({"action": "accept", "content": {"name": "Ada", "age": 30}}));
    assert_eq!(result.text(), "done");
}

/// Answers with the schema that it was asked with.
#[derive(Debug)]
struct Shown;

impl Answerer for Shown {
    fn answer<'a>(&'a self, question: &'a Question) -> AnswerFuture<'a, Answer> {
        Box::pin(std::future::ready(Some(Answer::from(json!({"shown": question.schema})))))
    }
}

/// Who wants no more than a yes asks for a form without fields, in whatever way.
#[tokio::test]
async fn a_form_without_fields_is_a_form() {
    let (registry, _servers, mut wire, _) = asked_by(|servers| servers.answerer(Shown), false).await;
    let empty = json!({"type": "object", "properties": {}});
    for schema in
        [Some(empty.clone()), Some(json!({"type": "object"})), Some(json!({})), Some(Value::Null), None]
    {
        let mut params = json!({"message": "Sure?"});
        if let Some(schema) = &schema {
            params["requestedSchema"] = schema.clone();
        }
        let (told, _) = exchange(&registry, &mut wire, "elicitation/create", params).await;
        let accepted = json!({"action": "accept", "content": {"shown": empty}});
        assert_eq!(told["result"], accepted, "{schema:?}");
    }
}

#[tokio::test]
async fn a_form_is_declined_where_nobody_answers_or_the_answer_is_no() {
    let (registry, _servers, mut wire, _) = asked_by(|servers| servers, false).await;
    let dispatcher = Dispatcher::builder(registry).suspends(false).build();
    let (turn, _events) = dispatcher.turn(vec![ToolCall::new("c1", "s__act", "{}")]).start().unwrap();
    let (outcome, told) = tokio::join!(turn.finish(), async {
        let asked = wire.expect("tools/call").await;
        wire.send(json!({"jsonrpc": "2.0", "id": 0, "method": "elicitation/create", "params": form()})).await;
        let told = wire.next().await.unwrap();
        wire.answer(&asked, "without").await;
        told
    });
    assert_eq!((&told["id"], &told["result"]), (&json!(0), &json!({"action": "decline"})));
    assert_eq!(outcome.unwrap().finished().unwrap()[0].text(), "without");

    let (registry, _servers, mut wire, _) =
        asked_by(|servers| servers.answerer(Always(Value::Null)), false).await;
    let (told, _) = exchange(&registry, &mut wire, "elicitation/create", form()).await;
    assert_eq!(told["result"], json!({"action": "decline"}));
}

#[tokio::test]
async fn what_is_no_answer_to_the_form_is_not_sent() {
    let (registry, _servers, mut wire, _) =
        asked_by(|servers| servers.answerer(Always(json!({"name": 7}))), false).await;
    let (told, _) = exchange(&registry, &mut wire, "elicitation/create", form()).await;
    assert_eq!(told["result"], json!({"action": "cancel"}));
}

#[tokio::test]
async fn a_turn_waits_for_the_answer_and_the_call_runs_again_with_it() {
    let (registry, _servers, mut wire, _) = asked_by(|servers| servers, false).await;
    let dispatcher = Dispatcher::new(registry);
    let (turn, _events) =
        dispatcher.turn(vec![ToolCall::new("c1", "s__act", "{}")]).session("s").start().unwrap();
    let (outcome, ()) = tokio::join!(turn.finish(), async {
        let asked = wire.expect("tools/call").await;
        wire.send(json!({"jsonrpc": "2.0", "id": 1, "method": "elicitation/create", "params": form()})).await;
        // The call is given up meanwhile.
        let cancelled = wire.expect("notifications/cancelled").await;
        assert_eq!(cancelled["params"]["requestId"], asked["id"]);
    });
    let TurnOutcome::Suspended(waiting) = outcome.unwrap() else { panic!("it waits") };
    let pending = &waiting.pending()[0];
    let PendingKind::Question(question) = &pending.kind else { panic!("{pending:?}") };
    assert!(question.prompt.contains("Who are you?"), "{question:?}");
    assert_eq!(question.schema.as_ref().unwrap()["properties"]["age"]["x-kept"], 1);
    let resumed = dispatcher.resume("s", &waiting.turn).await.unwrap();
    let answer = Reply::from(Answer::from(json!({"name": "Ada"})));
    let (turn, _events) = resumed.answer(&pending.id, answer).unwrap().start().unwrap();
    let (outcome, ()) = tokio::join!(turn.finish(), async {
        let asked = wire.expect("tools/call").await;
        wire.send(json!({"jsonrpc": "2.0", "id": 2, "method": "elicitation/create", "params": form()})).await;
        let told = wire.next().await.unwrap();
        assert_eq!(told["result"]["content"]["name"], "Ada");
        wire.answer(&asked, "hello Ada").await;
    });
    assert_eq!(outcome.unwrap().finished().unwrap()[0].text(), "hello Ada");
}

#[tokio::test]
async fn other_forms_sampling_and_roots_are_refused_unless_offered() {
    let (registry, _servers, mut wire, declared) = asked_by(|servers| servers, false).await;
    assert!(declared.get("sampling").is_none() && declared.get("roots").is_none(), "{declared}");
    let url =
        json!({"mode": "url", "message": "Log in.", "url": "https://example.com", "elicitationId": "e"});
    for (method, params, code) in [
        ("elicitation/create", url, -32602),
        ("sampling/createMessage", json!({"messages": [], "maxTokens": 9}), -32601),
        ("roots/list", json!({}), -32601),
        ("no/such", json!({}), -32601),
    ] {
        let (told, result) = exchange(&registry, &mut wire, method, params).await;
        assert_eq!(told["error"]["code"], code, "{method}: {told}");
        assert_eq!(result.text(), "done");
    }
}

#[derive(Debug)]
struct Parrot;

impl Sampler for Parrot {
    fn sample<'a>(&'a self, server: &'a str, request: &'a Value) -> SampleFuture<'a> {
        Box::pin(async move {
            let text = request["messages"][0]["content"]["text"].as_str().ok_or("nothing to say")?;
            Ok(json!({"role": "assistant", "model": server, "content": {"type": "text", "text": text}}))
        })
    }
}

#[tokio::test]
async fn sampling_and_roots_are_answered_where_offered() {
    let configure =
        |servers: McpServersBuilder| servers.sampler(Parrot).root(McpRoot::new("file:///work").name("work"));
    let (registry, _servers, mut wire, declared) = asked_by(configure, false).await;
    assert!(declared["sampling"].is_object() && declared["roots"].is_object(), "{declared}");
    let messages = json!([{"role": "user", "content": {"type": "text", "text": "hello"}}]);
    let asked = json!({"messages": messages, "maxTokens": 9});
    let (told, _) = exchange(&registry, &mut wire, "sampling/createMessage", asked).await;
    assert_eq!(
        (&told["result"]["content"]["text"], &told["result"]["model"]),
        (&json!("hello"), &json!("s"))
    );
    let (told, _) = exchange(&registry, &mut wire, "roots/list", json!({})).await;
    assert_eq!(told["result"], json!({"roots": [{"uri": "file:///work", "name": "work"}]}));
}

#[tokio::test]
async fn a_modern_server_gets_its_input_with_the_next_request() {
    let configure = |servers: McpServersBuilder| {
        servers.answerer(Always(json!({"name": "Ada"}))).root(McpRoot::new("file:///work"))
    };
    let (registry, _servers, mut wire, _) = asked_by(configure, true).await;
    let (result, ()) = tokio::join!(call(&registry, "s__act", json!({"a": 1})), async {
        let asked = wire.expect("tools/call").await;
        let meta = &asked["params"]["_meta"];
        assert_eq!(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
        assert!(meta["io.modelcontextprotocol/clientCapabilities"]["elicitation"].is_object(), "{meta}");
        let requests = json!({
            "who": {"method": "elicitation/create", "params": form()},
            "where": {"method": "roots/list", "params": {}},
        });
        let wanted =
            json!({"resultType": "input_required", "inputRequests": requests, "requestState": "opaque"});
        wire.reply(&asked, wanted).await;
        let again = wire.expect("tools/call").await;
        assert_ne!(again["id"], asked["id"]);
        let params = &again["params"];
        assert_eq!((&params["arguments"], &params["requestState"]), (&json!({"a": 1}), &json!("opaque")));
        assert_eq!(params["inputResponses"]["who"]["content"], json!({"name": "Ada", "age": 30}));
        assert_eq!(params["inputResponses"]["where"]["roots"][0]["uri"], "file:///work");
        let result = json!({"resultType": "complete", "content": [{"type": "text", "text": "hello Ada"}]});
        wire.reply(&again, result).await;
    });
    assert_eq!(result.text(), "hello Ada");
}

#[tokio::test]
async fn a_server_that_never_has_enough_input_fails_the_call() {
    let configure = |servers: McpServersBuilder| servers.answerer(Always(json!({"name": "Ada"})));
    let (registry, _servers, mut wire, _) = asked_by(configure, true).await;
    let (result, ()) = tokio::join!(call(&registry, "s__act", json!({})), async {
        for _ in 0..10 {
            let asked = wire.expect("tools/call").await;
            let requests = json!({"who": {"method": "elicitation/create", "params": form()}});
            wire.reply(&asked, json!({"resultType": "input_required", "inputRequests": requests})).await;
        }
    });
    let error = result.error().unwrap();
    assert_eq!(error.kind(), ToolErrorKind::Mcp);
    assert!(error.message().contains("10 times"), "{error}");
}

#[tokio::test]
async fn input_that_is_not_offered_fails_the_call_and_says_what() {
    let (registry, _servers, mut wire, _) = asked_by(|servers| servers, true).await;
    let (result, ()) = tokio::join!(call(&registry, "s__act", json!({})), async {
        let asked = wire.expect("tools/call").await;
        let requests = json!({"llm": {"method": "sampling/createMessage", "params": {"messages": []}}});
        wire.reply(&asked, json!({"resultType": "input_required", "inputRequests": requests})).await;
    });
    let error = result.error().unwrap();
    assert_eq!(error.kind(), ToolErrorKind::Mcp);
    assert!(error.message().contains("sampling/createMessage"), "{error}");
}
