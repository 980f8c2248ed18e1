//! Clients of a session that lose the stream of a call and come back for the rest of it.

use std::sync::Arc;

use haft::{
    Dispatcher, Progress, Question, Tool, ToolContext, ToolError, ToolRegistry,
    serve::mcp::{HttpOptions, McpService},
};
use reqwest::Response;
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::{http::Http, kit::DEADLINE};

/// An event with its name, and what it says where it says anything.
type Event = (Option<String>, Option<Value>);

/// The events of an answer, as they come.
struct Stream {
    response: Response,
    read: String,
}

impl Stream {
    /// The next event; none at the end.
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(end) = self.read.find("\n\n") {
                let event: String = self.read.drain(..end + 2).collect();
                let field =
                    |name: &str| event.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
                let data = field("data:").filter(|data| !data.is_empty());
                let read =
                    (field("id:").map(str::to_owned), data.map(|data| serde_json::from_str(data).unwrap()));
                let is_comment = event.lines().all(|line| line.starts_with(':'));
                if is_comment {
                    continue;
                }
                return Some(read);
            }
            let chunk =
                tokio::time::timeout(DEADLINE, self.response.chunk()).await.expect("in time").unwrap()?;
            self.read.push_str(std::str::from_utf8(&chunk).unwrap());
        }
    }

    async fn rest(mut self) -> Vec<Event> {
        let mut events = Vec::new();
        while let Some(event) = self.next().await {
            events.push(event);
        }
        events
    }
}

/// A client of the last revision with a handshake, in a session.
struct Client(Http);

impl Client {
    async fn begin(service: &McpService) -> Self {
        let mut http = Http::start(service, HttpOptions::new()).await;
        http.shake_hands(json!({"elicitation": {}})).await;
        Self(http)
    }

    /// Another session with the same server.
    async fn another(&self) -> Self {
        let mut http = self.0.another();
        http.shake_hands(json!({})).await;
        Self(http)
    }

    async fn call(&self, id: u64, tool: &str) -> Stream {
        let params = json!({"name": tool, "arguments": {}, "_meta": {"progressToken": id}});
        let message = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
        let request = self.0.request(message.to_string()).header("mcp-protocol-version", "2025-11-25");
        Stream { response: request.send().await.unwrap(), read: String::new() }
    }

    /// Begins a call, and goes once its stream has begun; the name of the first event.
    async fn call_and_go(&self, id: u64, tool: &str) -> String {
        let (name, said) = self.call(id, tool).await.next().await.expect("an event");
        assert_eq!(said, None, "the first event only gives a name");
        name.expect("a name")
    }

    /// Comes back for what was after an event.
    async fn come_back(&self, last: &str) -> Stream {
        let request = self.0.get().header("mcp-protocol-version", "2025-11-25").header("last-event-id", last);
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 200);
        Stream { response, read: String::new() }
    }

    /// All that was after an event, until the stream ends.
    async fn missed(&self, last: &str) -> Vec<Event> {
        self.come_back(last).await.rest().await
    }

    async fn answer(&self, id: &Value, content: Value) {
        let result = json!({"action": "accept", "content": content});
        let answer = self.0.post(&json!({"jsonrpc": "2.0", "id": id, "result": result})).await;
        assert_eq!(answer.status(), 202);
    }

    /// Waits until the session has taken up all that was asked before: its messages come one after the other.
    async fn settle(&self) {
        for _ in 0..3 {
            let events = self.call(9_000, "nothing").await.rest().await;
            assert_eq!(results(&events), [json!("nothing")]);
        }
    }
}

/// The texts of the results among events.
fn results(events: &[Event]) -> Vec<Value> {
    let said = events.iter().filter_map(|(_, said)| said.as_ref()?.get("result"));
    said.map(|result| result["content"][0]["text"].clone()).collect()
}

/// The numbers of the events, which are their places on their stream.
fn numbers(events: &[Event]) -> Vec<u64> {
    let names = events.iter().map(|(name, _)| name.as_deref().expect("a name"));
    names.map(|name| name.split_once('/').expect("a stream").0.parse().unwrap()).collect()
}

/// Tools that go on when they are told to, and tell when they end.
struct Work {
    service: McpService,
    go: Arc<Notify>,
    done: Arc<Notify>,
}

impl Work {
    fn new() -> Self {
        let (go, done) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let (wait, end) = (Arc::clone(&go), Arc::clone(&done));
        let work =
            Tool::builder("work").description("Works until it is told.").run(move |progress: Progress| {
                let (wait, end) = (Arc::clone(&wait), Arc::clone(&end));
                async move {
                    wait.notified().await;
                    for step in 1..=3 {
                        progress.report(f64::from(step), 3.0);
                    }
                    end.notify_one();
                    "worked"
                }
            });
        let (wait, end) = (Arc::clone(&go), Arc::clone(&done));
        let vast = Tool::builder("vast").description("Says a lot.").run(move || {
            let (wait, end) = (Arc::clone(&wait), Arc::clone(&end));
            async move {
                wait.notified().await;
                end.notify_one();
                "x".repeat(5 << 20)
            }
        });
        let wait = Arc::clone(&go);
        let ask = Tool::builder("ask").description("Asks for a name.").run(move |context: ToolContext| {
            let wait = Arc::clone(&wait);
            async move {
                wait.notified().await;
                let name = context.ask(Question::new("Your name?").named("user_name")).await?;
                Ok::<_, ToolError>(format!("Hello, {}!", name.as_text().unwrap_or("?")))
            }
        });
        let nothing = Tool::builder("nothing").description("Does nothing.").run_sync(|| "nothing");
        let registry = ToolRegistry::builder().tools([work, vast, ask, nothing]).build().unwrap();
        Self { service: McpService::builder(Dispatcher::new(registry)).build(), go, done }
    }

    async fn go(&self) {
        self.go.notify_one();
        self.done.notified().await;
    }
}

#[tokio::test]
async fn a_result_that_came_while_nobody_read_is_had_once() {
    let work = Work::new();
    let client = Client::begin(&work.service).await;
    let first = client.call_and_go(1, "work").await;
    work.go().await;
    client.settle().await;
    let missed = client.missed(&first).await;
    assert_eq!(results(&missed), [json!("worked")]);
    assert_eq!(numbers(&missed), [1, 2, 3, 4], "{missed:?}");
    let progress: Vec<&Value> =
        missed.iter().filter_map(|(_, said)| said.as_ref()?.pointer("/params/progress")).collect();
    assert_eq!(progress, [1.0, 2.0, 3.0], "{missed:?}");
    // What it has now does not come again; what it says that it does not have, does.
    let names: Vec<&str> = missed.iter().filter_map(|(name, _)| name.as_deref()).collect();
    assert_eq!(client.missed(names[3]).await, []);
    assert_eq!(client.missed(names[2]).await, missed[3..]);
    assert_eq!(client.missed(names[0]).await, missed[1..]);
}

#[tokio::test]
async fn a_client_that_is_back_before_the_end_hears_it_as_it_comes() {
    let work = Work::new();
    let client = Client::begin(&work.service).await;
    let first = client.call_and_go(1, "work").await;
    let (back, ()) = tokio::join!(client.missed(&first), async {
        work.go().await;
    });
    assert_eq!((results(&back), numbers(&back)), (vec![json!("worked")], vec![1, 2, 3, 4]), "{back:?}");
}

/// To the server the stream that was lost may look alive for minutes.
#[tokio::test]
async fn who_comes_back_takes_the_place_of_the_stream_that_was_there() {
    let work = Work::new();
    let client = Client::begin(&work.service).await;
    let mut lost = client.call(1, "work").await;
    let (first, _) = lost.next().await.expect("an event");
    let back = client.come_back(&first.expect("a name")).await;
    assert_eq!(lost.rest().await, [], "it ends, and what is sent is sent on one stream alone");
    work.go().await;
    assert_eq!(results(&back.rest().await), [json!("worked")]);
}

#[tokio::test]
async fn a_stream_that_was_read_to_its_end_may_have_been_lost_on_the_way() {
    let work = Work::new();
    let client = Client::begin(&work.service).await;
    let whole = client.call(1, "nothing").await.rest().await;
    assert_eq!(results(&whole), [json!("nothing")]);
    let first = whole[0].0.as_deref().expect("a name");
    assert_eq!(client.missed(first).await, whole[1..]);
}

#[tokio::test]
async fn names_of_no_event_are_answered_with_nothing() {
    let work = Work::new();
    let client = Client::begin(&work.service).await;
    let first = client.call_and_go(1, "work").await;
    let stream = first.split_once('/').expect("a stream").1;
    for name in [
        "99/0".to_owned(),
        format!("1/{stream}"),
        "0/99".to_owned(),
        "0/".to_owned(),
        "/0".to_owned(),
        format!("-1/{stream}"),
        format!("18446744073709551615/{stream}"),
        format!("99999999999999999999/{stream}"),
        "0/0/0".to_owned(),
        "x".to_owned(),
    ] {
        assert_eq!(client.missed(&name).await, [], "{name}");
    }
    work.go().await;
    assert_eq!(results(&client.missed(&first).await), [json!("worked")], "none of them took its place");
}

#[tokio::test]
async fn what_was_sent_in_another_session_is_sent_to_no_one_else() {
    let work = Work::new();
    let client = Client::begin(&work.service).await;
    let other = client.another().await;
    let first = client.call_and_go(1, "work").await;
    work.go().await;
    client.settle().await;
    assert_eq!(other.missed(&first).await, [], "it has no such stream");
    // Streams of two sessions have the same names: each session has its own.
    while other.call_and_go(7, "nothing").await != first {}
    let own = other.missed(&first).await;
    assert_eq!(results(&own), [json!("nothing")]);
    assert_eq!(results(&client.missed(&first).await), [json!("worked")]);
    // Without the session there is nothing either.
    let gone = client.0.delete().send().await.unwrap();
    assert!(gone.status().is_success(), "{}", gone.status());
    let request = client.0.get().header("mcp-protocol-version", "2025-11-25").header("last-event-id", &first);
    assert_eq!(request.send().await.unwrap().status(), 404);
}

#[tokio::test]
async fn an_answer_that_is_too_long_to_be_kept_is_an_error_and_not_nothing() {
    let work = Work::new();
    let client = Client::begin(&work.service).await;
    let first = client.call_and_go(1, "vast").await;
    work.go().await;
    client.settle().await;
    let missed = client.missed(&first).await;
    let [(_, Some(told))] = missed.as_slice() else { panic!("{} events", missed.len()) };
    assert_eq!((&told["id"], &told["error"]["code"]), (&json!(1), &json!(-32603)), "{told}");
    assert!(told["error"]["message"].as_str().unwrap().contains("too long to be kept"), "{told}");
    // Who is there gets it whole.
    let here = client.call(2, "vast");
    let (here, ()) = tokio::join!(async { here.await.rest().await }, work.go());
    assert_eq!(results(&here)[0].as_str().map(str::len), Some(5 << 20));
}

/// Whoever hangs up gives its place back, so the number of its calls has to be bounded otherwise.
#[tokio::test]
async fn of_calls_that_nobody_reads_there_are_so_many_and_no_more() {
    let work = Work::new();
    let client = Client::begin(&work.service).await;
    let mut begun = 0;
    let refused = loop {
        let (_, said) = client.call(begun, "work").await.next().await.expect("an event");
        match said {
            Some(said) => break said,
            None => begun += 1,
        }
        // When the server takes notice of a client that has gone is its own affair.
        assert!(begun < 2_000, "there is no end of them");
    };
    assert!(begun >= 256, "{begun}");
    assert_eq!(refused["id"], begun, "{refused}");
    assert!(refused["error"]["message"].as_str().unwrap().contains("too many requests"), "{refused}");
    // They can still be cancelled, and then there is room for others.
    for id in 0..begun {
        let params = json!({"requestId": id});
        let cancelled = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params});
        assert_eq!(client.0.post(&cancelled).await.status(), 202);
    }
    let answered = tokio::time::timeout(DEADLINE, async {
        loop {
            let events = client.call(9_000, "nothing").await.rest().await;
            if !results(&events).is_empty() {
                break results(&events);
            }
        }
    });
    assert_eq!(answered.await.expect("in time"), [json!("nothing")]);
}

#[tokio::test]
async fn a_question_that_was_asked_while_nobody_read_is_asked_and_answered() {
    let work = Work::new();
    let client = Client::begin(&work.service).await;
    let first = client.call_and_go(1, "ask").await;
    work.go.notify_one();
    let mut back = client.come_back(&first).await;
    let (_, question) = back.next().await.expect("a question");
    let question = question.expect("a question");
    assert_eq!(question["method"], "elicitation/create", "{question}");
    drop(back);
    // It may be lost once more.
    let mut back = client.come_back(&first).await;
    assert_eq!(back.next().await.expect("a question").1, Some(question.clone()));
    // The tool begins anew with the answer.
    work.go.notify_one();
    client.answer(&question["id"], json!({"answer": "Ada"})).await;
    assert_eq!(results(&back.rest().await), [json!("Hello, Ada!")]);
}
