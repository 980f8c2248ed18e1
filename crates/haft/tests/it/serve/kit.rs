//! A client that writes and reads raw lines, and tools for it to call.

use std::time::Duration;

use haft::{
    Args, Dispatcher, Progress, Question, Tool, ToolContext, ToolError, ToolRegistry,
    serve::mcp::{ClientLog, LogLevel, McpService, ServeError},
};
use serde_json::{Value, json};
use tokio::{
    io::{
        AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
        duplex, split,
    },
    task::JoinHandle,
};

/// How long anything may take on a loaded machine before the test gives up.
pub(crate) const DEADLINE: Duration = Duration::from_secs(60);

/// A client on the other end of a pair of streams.
pub(crate) struct Client {
    pub(crate) writer: WriteHalf<DuplexStream>,
    reader: Lines<BufReader<ReadHalf<DuplexStream>>>,
    served: JoinHandle<Result<(), ServeError>>,
    /// What every request says of itself.
    meta: Option<Value>,
}

impl Client {
    /// A client that has said nothing.
    pub(crate) fn connect(service: &McpService) -> Self {
        Self::connect_with(service, 64 * 1024)
    }

    /// The same, with so much room for bytes that nobody has read.
    pub(crate) fn connect_with(service: &McpService, room: usize) -> Self {
        let (near, far) = duplex(room);
        let (reader, writer) = split(far);
        let service = service.clone();
        let served = tokio::spawn(async move { service.serve(reader, writer).await });
        let (reader, writer) = split(near);
        Self { writer, reader: BufReader::new(reader).lines(), served, meta: None }
    }

    /// A client that has shaken hands, with these capabilities.
    pub(crate) async fn legacy(service: &McpService, capabilities: Value) -> Self {
        let mut client = Self::connect(service);
        let hello = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": capabilities,
            "clientInfo": {"name": "test", "version": "0"},
        });
        let hello = client.ask("hello", "initialize", hello).await;
        assert_eq!(hello["result"]["protocolVersion"], "2025-11-25", "{hello}");
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        client
    }

    /// A client that needs no handshake, with these capabilities.
    pub(crate) fn modern(service: &McpService, capabilities: &Value) -> Self {
        Self { meta: Some(modern_meta(capabilities)), ..Self::connect(service) }
    }

    pub(crate) async fn write(&mut self, text: impl AsRef<[u8]>) {
        tokio::time::timeout(DEADLINE, self.writer.write_all(text.as_ref())).await.unwrap().unwrap();
    }

    pub(crate) async fn send(&mut self, message: &Value) {
        self.write(format!("{message}\n")).await;
    }

    /// The next line; none when the server has hung up.
    async fn next_line(&mut self) -> Option<String> {
        tokio::time::timeout(DEADLINE, self.reader.next_line()).await.expect("an answer in time").unwrap()
    }

    pub(crate) async fn line(&mut self) -> String {
        self.next_line().await.expect("a line")
    }

    /// The next line, which is a message whatever it is; none when the server has hung up.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        self.next_line().await.map(|line| {
            let message: Value =
                serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
            assert_eq!(message["jsonrpc"], "2.0", "{line}");
            message
        })
    }

    pub(crate) async fn message(&mut self) -> Value {
        self.next().await.expect("a message")
    }

    /// A request, without waiting for its answer.
    pub(crate) async fn request(&mut self, id: impl Into<Value>, method: &str, mut params: Value) {
        if let Some(meta) = &self.meta {
            let own = params["_meta"].as_object().cloned().unwrap_or_default();
            params["_meta"] = meta.clone();
            params["_meta"].as_object_mut().unwrap().extend(own);
        }
        let id = id.into();
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
    }

    /// A request and the next message, which has to answer it.
    pub(crate) async fn ask(&mut self, id: impl Into<Value>, method: &str, params: Value) -> Value {
        let id = id.into();
        self.request(id.clone(), method, params).await;
        let answer = self.message().await;
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// The answer to a call.
    pub(crate) async fn call(&mut self, id: impl Into<Value>, name: &str, arguments: Value) -> Value {
        self.ask(id, "tools/call", json!({"name": name, "arguments": arguments})).await
    }

    /// Leaves; how the server ended, and what it still said.
    pub(crate) async fn leave(mut self) -> (Result<(), ServeError>, Vec<Value>) {
        self.writer.shutdown().await.unwrap();
        let mut last = Vec::new();
        while let Some(message) = self.next().await {
            last.push(message);
        }
        let served = tokio::time::timeout(DEADLINE, self.served).await.expect("the server ends").unwrap();
        (served, last)
    }

    /// Goes without a word: nothing is read any more either.
    pub(crate) async fn vanish(self) -> Result<(), ServeError> {
        let Self { writer, reader, served, .. } = self;
        drop((writer, reader));
        tokio::time::timeout(DEADLINE, served).await.expect("the server ends").unwrap()
    }
}

/// What a request says of itself without a handshake.
pub(crate) fn modern_meta(capabilities: &Value) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    })
}

/// The text of a result's first block.
#[track_caller]
pub(crate) fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {answer}"))
}

/// Tools of every kind that matters to clients.
pub(crate) fn tools() -> Vec<Tool> {
    let amount = json!({
        "type": "object",
        "properties": {"amount": {"type": "integer", "minimum": 1}},
        "required": ["amount"],
    });
    let sum = json!({
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
        "required": ["a", "b"],
    });
    let output = json!({"type": "object", "properties": {"sum": {"type": "integer"}}, "required": ["sum"]});
    vec![
        Tool::builder("add")
            .description("Adds two numbers.")
            .display_name("Add")
            .read_only(true)
            .schema(sum)
            .output_schema(output)
            .run_sync(|Args(arguments): Args<Value>| {
                let sum = arguments["a"].as_i64().unwrap() + arguments["b"].as_i64().unwrap();
                haft::Json(json!({"sum": sum}))
            })
            .unwrap(),
        Tool::builder("fail")
            .description("Fails.")
            .run_sync(|| Err::<String, _>(ToolError::new("it is broken")))
            .unwrap(),
        Tool::builder("pay")
            .description("Pays an amount.")
            .destructive(true)
            .schema(amount)
            .needs_approval(true)
            .run_sync(|Args(arguments): Args<Value>| format!("paid {}", arguments["amount"]))
            .unwrap(),
        Tool::builder("greet")
            .description("Greets whom the user names.")
            .run(|context: ToolContext| async move {
                let name = context.ask(Question::new("Your name?").named("user_name")).await?;
                Ok::<_, ToolError>(format!("Hello, {}!", name.as_text().unwrap_or("?")))
            })
            .unwrap(),
        Tool::builder("count")
            .description("Counts to three, and says so.")
            .run(|progress: Progress, log: ClientLog| async move {
                log.write(LogLevel::Debug, "begins");
                for step in [1.0, 2.0, 2.0, 3.0] {
                    progress.report(step, 3.0);
                }
                log.write(LogLevel::Info, json!({"counted": 3}));
                "three"
            })
            .unwrap(),
    ]
}

pub(crate) fn dispatcher() -> Dispatcher {
    Dispatcher::new(ToolRegistry::builder().tools(tools()).build().unwrap())
}

pub(crate) fn service() -> McpService {
    McpService::builder(dispatcher()).name("test").version("1.2.3").build()
}
