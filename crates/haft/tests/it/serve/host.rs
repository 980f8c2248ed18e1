//! A host's handler that the server wraps: what haft does not have is the host's.

use haft::{
    Dispatcher, Tool, ToolRegistry,
    serve::mcp::{
        McpService,
        rmcp::{
            ErrorData, RoleServer, ServerHandler,
            model::{
                CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ListPromptsResult,
                ListToolsResult, PaginatedRequestParams, Prompt, ServerCapabilities, ServerConfig,
                Tool as HostTool,
            },
            service::RequestContext,
        },
    },
};
use serde_json::{Map, json};

use super::kit::{Client, text};

struct Host;

impl ServerHandler for Host {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().enable_prompts().build())
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        // Two pages, and a name that the registry has as well.
        let second = request.and_then(|request| request.cursor).is_some();
        let tool = |name: &'static str| HostTool::new(name, "Of the host.", Map::new());
        let (tools, next_cursor) =
            if second { (vec![tool("both")], None) } else { (vec![tool("hosts")], Some("2".to_owned())) };
        Ok(ListToolsResult { tools, next_cursor, ..ListToolsResult::default() })
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if request.name != "hosts" {
            return Err(ErrorData::invalid_params("no such tool", None));
        }
        let arguments = serde_json::to_string(&request.arguments).unwrap();
        Ok(CallToolResult::success(vec![ContentBlock::text(format!("host {arguments}"))]).into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let prompts = vec![Prompt::new("greet", Some("Greets."), None)];
        Ok(ListPromptsResult { prompts, ..ListPromptsResult::default() })
    }
}

#[tokio::test]
async fn what_the_registry_does_not_have_is_the_hosts() {
    let tool =
        |name: &str| Tool::builder(name).description("Of the registry.").run_sync(|| "registry").unwrap();
    let registry = ToolRegistry::builder().tools([tool("both"), tool("own")]).build().unwrap();
    let service = McpService::builder(Dispatcher::new(registry)).host(Host).build();
    let mut client = Client::connect(&service);
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}});
    let hello = client.ask(1, "initialize", hello).await;
    assert!(hello["result"]["capabilities"]["prompts"].is_object(), "{hello}");
    let list = client.ask(2, "tools/list", json!({})).await;
    let listed: Vec<(&str, &str)> = list["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| (tool["name"].as_str().unwrap(), tool["description"].as_str().unwrap()))
        .collect();
    let wanted = [("both", "Of the registry."), ("hosts", "Of the host."), ("own", "Of the registry.")];
    assert_eq!(listed, wanted);
    for (id, name, said) in [(3, "both", "registry"), (4, "own", "registry"), (5, "hosts", r#"host {"a":1}"#)]
    {
        let arguments = if name == "hosts" { json!({"a": 1}) } else { json!({}) };
        assert_eq!(text(&client.call(id, name, arguments).await), said);
    }
    assert_eq!(client.call(6, "neither", json!({})).await["error"]["code"], -32602);
    let prompts = client.ask(7, "prompts/list", json!({})).await;
    assert_eq!(prompts["result"]["prompts"][0]["name"], "greet", "{prompts}");
    assert_eq!(client.ask(8, "resources/list", json!({})).await["error"]["code"], -32601);
}
