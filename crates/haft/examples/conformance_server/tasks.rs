//! Tools whose calls become tasks.

use std::time::Duration;

use haft::serve::mcp::rmcp::{
    ErrorData, RoleServer,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, ContentBlock,
        CreateTaskResult, Tool,
    },
    service::RequestContext,
    task_manager::{TaskExit, TaskManager, TaskOptions},
};
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::input::{answer, ask, form, text};

struct Job {
    name: &'static str,
    fields: &'static [(&'static str, &'static str)],
    /// Whether a call is nothing but a task.
    needs_task: bool,
}

const fn job(name: &'static str, fields: &'static [(&'static str, &'static str)], needs_task: bool) -> Job {
    Job { name, fields, needs_task }
}

const JOBS: [Job; 7] = [
    job("greet", &[("name", "string")], false),
    job("slow_compute", &[("seconds", "number"), ("label", "string")], false),
    job("failing_job", &[], true),
    job("protocol_error_job", &[], false),
    job("confirm_delete", &[("filename", "string")], true),
    job("multi_input", &[], true),
    job("test_tool_with_task", &[], true),
];

pub(crate) fn tools() -> Vec<Tool> {
    let tool = |job: &Job| {
        let properties: serde_json::Map<String, Value> =
            job.fields.iter().map(|(field, kind)| ((*field).to_owned(), json!({"type": kind}))).collect();
        let mut schema = serde_json::Map::new();
        schema.insert("type".to_owned(), "object".into());
        schema.insert("properties".to_owned(), properties.into());
        Tool::new(job.name, "A call that can become a task.", schema)
    };
    JOBS.iter().map(tool).collect()
}

/// Calls one of the tools; none where it is another's.
pub(crate) async fn call(
    tasks: &TaskManager,
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<Option<CallToolResponse>, ErrorData> {
    let Some(job) = JOBS.iter().find(|job| job.name == request.name) else { return Ok(None) };
    let can_task = context.client_capabilities().is_some_and(|client| client.supports_tasks());
    if job.needs_task && !can_task {
        return Err(ErrorData::missing_required_client_capability(
            ClientCapabilities::builder().enable_tasks().build(),
        ));
    }
    let argument = |name: &str| request.arguments.as_ref().and_then(|arguments| arguments.get(name)).cloned();
    let words = |name: &str, otherwise: &str| {
        argument(name)
            .and_then(|value| value.as_str().map(str::to_owned))
            .unwrap_or_else(|| otherwise.to_owned())
    };
    Ok(Some(match job.name {
        "greet" => text(format!("Hello, {}!", words("name", "friend"))),
        "slow_compute" => {
            let seconds = argument("seconds").and_then(|value| value.as_f64()).unwrap_or(1.0);
            let time = Duration::try_from_secs_f64(seconds).unwrap_or_default();
            let done = format!("slow_compute({}) done after {seconds}s", words("label", "compute"));
            if can_task {
                slow(tasks, time, done)
            } else {
                sleep(time).await;
                text(done)
            }
        }
        "failing_job" => spawn(tasks, Duration::from_secs(1), || {
            Ok(CallToolResult::error(vec![ContentBlock::text("failing_job: intentional failure")]))
        }),
        "protocol_error_job" => {
            let failed = || ErrorData::internal_error("protocol_error_job: intentional failure", None);
            if !can_task {
                return Err(failed());
            }
            spawn(tasks, Duration::from_millis(200), move || Err(failed()))
        }
        "confirm_delete" => confirm(tasks, words("filename", "file.txt")),
        "multi_input" => two_inputs(tasks),
        _ => match answer(request.input_responses.as_ref(), "user_name") {
            None => ask([("user_name", form("What is your name?", "name", "string")?)]).into(),
            Some(answer) => {
                let name =
                    answer.get("content").and_then(|content| content.get("name")).and_then(Value::as_str);
                let greeting = format!("Hello, {}! (async)", name.unwrap_or("friend"));
                spawn(tasks, Duration::from_millis(200), move || {
                    Ok(CallToolResult::success(vec![ContentBlock::text(greeting)]))
                })
            }
        },
    }))
}

/// A task that ends after some time.
fn spawn(
    tasks: &TaskManager,
    time: Duration,
    end: impl FnOnce() -> Result<CallToolResult, ErrorData> + Send + 'static,
) -> CallToolResponse {
    let task = tasks.spawn(TaskOptions::default(), move |_| {
        Box::pin(async move {
            sleep(time).await;
            end().map_err(TaskExit::Error)
        })
    });
    CreateTaskResult::new(task).into()
}

/// A task that can be cancelled meanwhile.
fn slow(tasks: &TaskManager, time: Duration, done: String) -> CallToolResponse {
    let task = tasks.spawn(TaskOptions::default(), move |context| {
        Box::pin(async move {
            tokio::select! {
                () = context.cancelled() => Err(TaskExit::Cancelled),
                () = sleep(time) => Ok(CallToolResult::success(vec![ContentBlock::text(done)])),
            }
        })
    });
    CreateTaskResult::new(task).into()
}

/// A task that waits for an answer.
fn confirm(tasks: &TaskManager, file: String) -> CallToolResponse {
    let task = tasks.spawn(TaskOptions::default(), move |context| {
        Box::pin(async move {
            let question = form(&format!("Delete {file}?"), "confirm", "boolean").map_err(TaskExit::Error)?;
            let answer = context.request_input("confirm", question).await?;
            let confirmed = answer.get("content").and_then(|content| content.get("confirm"));
            let confirmed = confirmed.and_then(Value::as_bool).unwrap_or(false);
            let done = format!("confirm_delete({file}): confirmed = {confirmed}");
            Ok(CallToolResult::success(vec![ContentBlock::text(done)]))
        })
    });
    CreateTaskResult::new(task).into()
}

/// A task that waits for two answers at once.
fn two_inputs(tasks: &TaskManager) -> CallToolResponse {
    let task = tasks.spawn(TaskOptions::default(), move |context| {
        Box::pin(async move {
            let question = |which: &str| form(which, "value", "string").map_err(TaskExit::Error);
            let (first, second) = (question("Provide value A")?, question("Provide value B")?);
            let (first, second) = tokio::join!(
                context.request_input("input-a", first),
                context.request_input("input-b", second)
            );
            let done = format!("multi_input: {} and {}", first?, second?);
            Ok(CallToolResult::success(vec![ContentBlock::text(done)]))
        })
    });
    CreateTaskResult::new(task).into()
}
