//! The client that the public conformance suite of the Model Context Protocol judges.
//!
//! ```text
//! conformance client --command target/debug/examples/conformance_client --requirements 2026-07-28
//! ```
//!
//! The suite starts it once a scenario: the server's address is the last argument, the rest stands in the environment. All
//! calls go through a registry and a dispatcher, as they do in a host.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "a program of its own: it may read its arguments and its environment"
)]

mod login;

use std::{env, process::ExitCode, time::Duration};

use haft::{
    Answer, AnswerFuture, Answerer, CallContext, Dispatcher, Question, Tool, ToolRegistry,
    source::mcp::{McpEra, McpServer, McpServerState, McpServers},
};
use serde_json::{Map, Value, json};

use crate::login::Login;

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// The suite ends a client after half a minute.
const LIMIT: Duration = Duration::from_secs(25);
/// Nothing that answers takes so long; what does not answer is part of some scenarios.
const PATIENCE: Duration = Duration::from_secs(15);

/// Scenarios whose servers know only the older protocol, whatever revision is judged.
const ALWAYS_LEGACY: [&str; 2] = ["json-schema-ref-no-deref", "auth/pre-registration"];
/// Scenarios where the login has to fail.
const REFUSED: [&str; 1] = ["auth/resource-mismatch"];

/// What the suite says about a scenario.
struct Scenario {
    name: String,
    url: String,
    revision: String,
    context: Value,
}

impl Scenario {
    fn read() -> Result<Self, Failure> {
        let variable = |name: &str| env::var(name).unwrap_or_default();
        let context = serde_json::from_str(&variable("MCP_CONFORMANCE_CONTEXT")).unwrap_or_default();
        Ok(Self {
            name: variable("MCP_CONFORMANCE_SCENARIO"),
            url: env::args().next_back().ok_or("the last argument is the server's address")?,
            revision: variable("MCP_CONFORMANCE_PROTOCOL_VERSION"),
            context,
        })
    }

    fn era(&self) -> McpEra {
        let modern = self.revision.as_str() >= "2026-07-28" && !ALWAYS_LEGACY.contains(&self.name.as_str());
        if modern { McpEra::Modern } else { McpEra::Legacy }
    }

    async fn run(&self) -> Result<(), Failure> {
        let mut server = McpServer::http("conformance", &self.url)
            .era(self.era())
            .connect_timeout(PATIENCE)
            .timeout(PATIENCE);
        if self.name.starts_with("auth/") {
            server = server.authorizer(Login::new(&self.name, &self.url, &self.context));
        }
        let registry = ToolRegistry::builder().build()?;
        let servers = McpServers::builder().server(server).answerer(Defaults).connect(&registry).await;
        let status = servers.status().into_iter().next().ok_or("there is one server")?;
        if status.state != McpServerState::Ready {
            return Err(status.error.unwrap_or_default().into());
        }
        let dispatcher = Dispatcher::new(registry.clone());
        for (name, arguments) in self.calls(&registry) {
            let result = dispatcher.call(&name, &arguments.to_string(), CallContext::new()).await?;
            eprintln!("{name}: {}", result.text());
        }
        servers.close().await;
        Ok(())
    }

    /// The calls that the scenario is about.
    fn calls(&self, registry: &ToolRegistry) -> Vec<(String, Value)> {
        if let Some(calls) = self.context.get("toolCalls").and_then(Value::as_array) {
            let name = |call: &Value| call.get("name").and_then(Value::as_str).map(str::to_owned);
            let arguments = |call: &Value| call.get("arguments").cloned().unwrap_or_else(|| json!({}));
            return calls.iter().filter_map(|call| Some((name(call)?, arguments(call)))).collect();
        }
        match self.name.as_str() {
            "initialize" | "json-schema-ref-no-deref" => Vec::new(),
            "json-schema-2020-12-preservation" => {
                let judged = registry.get("json_schema_2020_12_tool");
                let echoed = judged.map(|tool| json!({ "schema": tool.definition().input.published() }));
                echoed.map(|arguments| ("json_schema_echo".to_owned(), arguments)).into_iter().collect()
            }
            _ => registry.iter().map(|tool| (tool.name().to_owned(), arguments(&tool))).collect(),
        }
    }
}

/// Arguments that a tool takes.
fn arguments(tool: &Tool) -> Value {
    Value::Object(required(tool.definition().input.published()))
}

/// A value for each property that a schema requires and has no default for.
fn required(schema: &Value) -> Map<String, Value> {
    let names =
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let property = |name: &str| schema.get("properties").and_then(|properties| properties.get(name));
    let open = names.filter(|name| property(name).is_none_or(|property| property.get("default").is_none()));
    open.map(|name| (name.to_owned(), property(name).map_or_else(|| json!("test"), value))).collect()
}

fn value(schema: &Value) -> Value {
    if let Some(first) = schema.get("enum").and_then(Value::as_array).and_then(|values| values.first()) {
        return first.clone();
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("number" | "integer") => json!(1),
        Some("boolean") => json!(true),
        Some("array") => json!([]),
        Some("object") => Value::Object(required(schema)),
        _ if schema.get("format").is_some_and(|format| format == "email") => json!("test@example.com"),
        _ => json!("test"),
    }
}

/// Accepts every form with its defaults.
#[derive(Debug)]
struct Defaults;

impl Answerer for Defaults {
    fn answer<'a>(&'a self, question: &'a Question) -> AnswerFuture<'a, Answer> {
        let content = question.schema.as_ref().map(required).unwrap_or_default();
        Box::pin(std::future::ready(Some(Answer::from(Value::Object(content)))))
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    // The login's own requests ask for one.
    drop(rustls::crypto::ring::default_provider().install_default());
    let scenario = match Scenario::read() {
        Ok(scenario) => scenario,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    let outcome = tokio::time::timeout(LIMIT, scenario.run()).await;
    match outcome.unwrap_or_else(|_| Err("it takes too long".into())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error}", scenario.name);
            if REFUSED.contains(&scenario.name.as_str()) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
    }
}
