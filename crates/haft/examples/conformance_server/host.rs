//! What haft does not serve itself: resources, prompts, completion, tasks, and tools around them.

#![allow(deprecated, reason = "the suite wants what is on its way out as well")]

use std::sync::{Arc, Mutex, PoisonError};

use haft::serve::mcp::rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, CancelTaskParams, ClientCapabilities,
        CompleteRequestParams, CompleteResult, CompletionInfo, ContentBlock, CreateMessageRequestParams,
        GetPromptRequestParams, GetPromptResponse, GetPromptResult, GetTaskParams, GetTaskResult,
        ImageContent, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
        PaginatedRequestParams, Prompt, PromptArgument, PromptMessage, ReadResourceRequestParams,
        ReadResourceResponse, ReadResourceResult, Resource, ResourceContents, ResourceTemplate, Role,
        SamplingMessage, ServerCapabilities, ServerConfig, SubscribeRequestParams, SubscriptionFilter, Tool,
        UnsubscribeRequestParams, UpdateTaskParams,
    },
    service::{RequestContext, SubscriptionContext, SubscriptionSink},
    task_manager::TaskManager,
};
use serde_json::{Map, Value, json};

use crate::{
    content::IMAGE,
    input::{self, answer, ask, form, text},
    tasks,
};

/// How long what is listed or read may be used, in milliseconds.
const FRESH: u64 = 60_000;

/// What the fixture keeps.
#[derive(Clone, Default)]
pub(crate) struct Fixture {
    sinks: Arc<Mutex<Vec<SubscriptionSink>>>,
    tasks: TaskManager,
}

impl Fixture {
    /// Tells all subscriptions that there are other prompts.
    pub(crate) async fn tell_prompt_change(&self) {
        let sinks = self.sinks.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for sink in sinks {
            // Those that are over, or about something else, are not told.
            let _ = sink.notify_prompt_list_changed().await;
        }
    }

    async fn sample(
        &self,
        request: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> CallToolResponse {
        let prompt = request.arguments.as_ref().and_then(|arguments| arguments.get("prompt"));
        let prompt = prompt.and_then(Value::as_str).unwrap_or("Hello");
        let messages = vec![SamplingMessage::user_text(prompt)];
        match context.peer.create_message(CreateMessageRequestParams::new(messages, 100)).await {
            Ok(result) => {
                let said = result.message.content.first().and_then(|content| content.as_text()).cloned();
                text(format!("LLM response: {}", said.map_or_else(String::new, |said| said.text)))
            }
            Err(error) => CallToolResult::error(vec![ContentBlock::text(error.to_string())]).into(),
        }
    }
}

fn tool(name: &'static str, properties: Value) -> Tool {
    let mut schema = Map::new();
    schema.insert("type".to_owned(), "object".into());
    schema.insert("properties".to_owned(), properties);
    Tool::new(name, "Asks more of a client than its user's answers.", schema)
}

impl ServerHandler for Fixture {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(
            ServerCapabilities::builder()
                .enable_completions()
                .enable_prompts()
                .enable_prompts_list_changed()
                .enable_resources()
                .enable_resources_subscribe()
                .enable_resources_list_changed()
                .enable_tools()
                .enable_tasks()
                .build(),
        )
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut tools = vec![
            tool("test_sampling", json!({"prompt": {"type": "string"}})),
            tool("test_missing_capability", json!({})),
            tool("test_input_required_result_sampling", json!({})),
            tool("test_input_required_result_list_roots", json!({})),
            tool("test_input_required_result_multiple_inputs", json!({})),
            tool("test_input_required_result_capabilities", json!({})),
        ];
        tools.extend(tasks::tools());
        Ok(ListToolsResult { tools, ..ListToolsResult::default() })
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if let Some(answer) = tasks::call(&self.tasks, &request, &context).await? {
            return Ok(answer);
        }
        let in_rounds = request.name.strip_prefix("test_input_required_result_");
        if let Some(answer) =
            in_rounds.map(|name| input::call(name, &request, &context)).transpose()?.flatten()
        {
            return Ok(answer);
        }
        match &*request.name {
            "test_sampling" => Ok(self.sample(&request, &context).await),
            "test_missing_capability" => {
                if context.meta.client_capabilities().is_none_or(|client| client.sampling.is_none()) {
                    let needed = ClientCapabilities::builder().enable_sampling().build();
                    return Err(ErrorData::missing_required_client_capability(needed));
                }
                Ok(text("Required capability declared"))
            }
            name => Err(ErrorData::invalid_params(format!("there is no tool {name:?}"), None)),
        }
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.supported_by(&self.get_info().capabilities))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.sinks.lock().unwrap_or_else(PoisonError::into_inner).push(context.sink().clone());
        context.cancelled().await;
        self.sinks
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .retain(|sink| sink.id() != context.sink().id());
        Ok(())
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        Ok(GetTaskResult::new(self.tasks.get_task(&request.task_id)?))
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.tasks.update_task(&request.task_id, request.input_responses)
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.tasks.cancel_task(&request.task_id)
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let resources = vec![
            Resource::new("test://static-text", "Static text").with_mime_type("text/plain"),
            Resource::new("test://static-binary", "Static picture").with_mime_type("image/png"),
        ];
        Ok(ListResourcesResult { resources, ..ListResourcesResult::default() }.with_ttl_ms(FRESH))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let template = ResourceTemplate::new("test://template/{id}/data", "Data of an id");
        let resource_templates = vec![template.with_mime_type("application/json")];
        let listed =
            ListResourceTemplatesResult { resource_templates, ..ListResourceTemplatesResult::default() };
        Ok(listed.with_ttl_ms(FRESH))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri;
        let words = |mime_type: &str, text: String| ResourceContents::TextResourceContents {
            uri: uri.clone(),
            mime_type: Some(mime_type.to_owned()),
            text,
            meta: None,
        };
        let id = uri.strip_prefix("test://template/").and_then(|rest| rest.strip_suffix("/data"));
        let content = match (uri.as_str(), id) {
            ("test://static-text", _) => {
                words("text/plain", "This is the content of the static text resource.".to_owned())
            }
            ("test://static-binary", _) => ResourceContents::BlobResourceContents {
                uri: uri.clone(),
                mime_type: Some("image/png".to_owned()),
                blob: IMAGE.to_owned(),
                meta: None,
            },
            (_, Some(id)) => {
                let data = json!({"id": id, "templateTest": true, "data": format!("Data for ID: {id}")});
                words("application/json", data.to_string())
            }
            _ => {
                let what = format!("there is no resource {uri}");
                return Err(ErrorData::resource_not_found(what, Some(json!({"uri": uri}))));
            }
        };
        Ok(ReadResourceResult::new(vec![content]).with_ttl_ms(FRESH).into())
    }

    async fn subscribe(
        &self,
        _: SubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn unsubscribe(
        &self,
        _: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let plain = |name: &str| Prompt::new(name, Some("A prompt of the suite."), None);
        let arguments = ["arg1", "arg2"].map(|name| PromptArgument::new(name).with_required(true)).to_vec();
        let prompts = vec![
            plain("test_simple_prompt"),
            Prompt::new("test_prompt_with_arguments", Some("A prompt with arguments."), Some(arguments)),
            plain("test_prompt_with_embedded_resource"),
            plain("test_prompt_with_image"),
            plain("test_input_required_result_prompt"),
        ];
        Ok(ListPromptsResult { prompts, ..ListPromptsResult::default() }.with_ttl_ms(FRESH))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let said = |text: &str| PromptMessage::new_text(Role::User, text);
        let argument = |name: &str| {
            let arguments = request.arguments.as_ref();
            arguments.and_then(|arguments| arguments.get(name)).and_then(Value::as_str).unwrap_or_default()
        };
        let messages = match request.name.as_str() {
            "test_simple_prompt" => vec![said("This is a simple prompt for testing.")],
            "test_prompt_with_arguments" => {
                let (first, second) = (argument("arg1"), argument("arg2"));
                vec![said(&format!("Prompt with arguments: arg1='{first}', arg2='{second}'"))]
            }
            "test_prompt_with_embedded_resource" => {
                let uri = match argument("resourceUri") {
                    "" => "test://example-resource",
                    uri => uri,
                };
                let (kind, text) =
                    (Some("text/plain".to_owned()), Some("Embedded resource content".to_owned()));
                let resource =
                    PromptMessage::new_resource(Role::User, uri.to_owned(), kind, text, None, None, None);
                vec![resource, said("Please process the embedded resource above.")]
            }
            "test_prompt_with_image" => {
                let image = ContentBlock::Image(ImageContent::new(IMAGE, "image/png"));
                vec![PromptMessage::new(Role::User, image), said("Please analyze the image above.")]
            }
            "test_input_required_result_prompt" => {
                match answer(request.input_responses.as_ref(), "user_context") {
                    None => {
                        let question = form("What context should the prompt use?", "context", "string")?;
                        return Ok(ask([("user_context", question)]).into());
                    }
                    Some(answer) => {
                        let context = answer.get("content").and_then(|content| content.get("context"));
                        let context = context.and_then(Value::as_str).unwrap_or_default();
                        vec![said(&format!("Prompt with elicited context: {context}"))]
                    }
                }
            }
            name => return Err(ErrorData::invalid_params(format!("there is no prompt {name:?}"), None)),
        };
        Ok(GetPromptResult::new(messages).into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let begun = request.argument.value;
        let values = ["paris", "park", "party"].iter().filter(|value| value.starts_with(&begun));
        let values = values.map(|value| (*value).to_owned()).collect();
        let info = CompletionInfo::new(values).map_err(|error| ErrorData::internal_error(error, None))?;
        Ok(CompleteResult::new(info))
    }
}
