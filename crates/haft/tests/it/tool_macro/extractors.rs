//! What a function asks for besides arguments.

use haft::{
    CallContext, CallRequest, CancellationToken, Dispatcher, Extension, Extract, Progress, State, Tool,
    ToolContext, ToolError, ToolRegistry,
};
use serde_json::json;

use super::schema;

#[derive(Debug)]
struct Bank(&'static str);

#[derive(Debug)]
struct Caller {
    name: String,
}

/// An extractor of one's own.
struct CallerName(String);

impl Extract for CallerName {
    type Bound = ();

    fn extract((): &(), request: &mut CallRequest<'_>) -> Result<Self, ToolError> {
        let caller = request.extension::<Caller>().ok_or_else(|| ToolError::new("nobody"))?;
        Ok(Self(caller.name.to_uppercase()))
    }
}

type Owner = State<Bank>;

/// Says who asks which bank for what.
#[haft::tool]
async fn ask(
    bank: State<Bank>,
    /// What to ask.
    what: String,
    caller: Extension<Caller>,
    context: haft::ToolContext,
    #[extract] CallerName(name): CallerName,
    token: CancellationToken,
    progress: Progress,
    #[extract] owner: Owner,
) -> String {
    progress.report(1.0, 2.0);
    assert!(!token.is_cancelled());
    format!("{} {} {what} {} {name} {}", bank.0, caller.name, context.tool_name(), owner.0)
}

fn dispatcher(tool: Tool) -> Dispatcher {
    let registry = ToolRegistry::builder().tool(tool).state(Bank("First")).build().unwrap();
    Dispatcher::builder(registry).build()
}

#[tokio::test]
async fn extractors_get_what_they_name_in_any_order() {
    let dispatcher = dispatcher(ask::tool().unwrap());
    let context = CallContext::new().with(Caller { name: "ada".to_owned() });
    let result = dispatcher.call("ask", r#"{"what": "credit"}"#, context).await.unwrap();
    assert_eq!(result.text(), "First ada credit ask ADA First");
}

#[test]
fn extractors_are_no_part_of_the_schema() {
    assert_eq!(
        schema(ask::tool())["properties"],
        json!({"what": {"type": "string", "description": "What to ask."}})
    );
}

#[test]
fn missing_state_is_an_error_of_the_build() {
    let error = ToolRegistry::builder().tools(haft::tools![ask]).build().unwrap_err();
    assert!(error.to_string().contains("Bank"), "{error}");
}

#[tokio::test]
async fn a_test_can_hand_in_everything() {
    let caller = Caller { name: "ada".to_owned() };
    let context = ToolContext::detached();
    let (token, owner) = (context.cancellation().clone(), State::new(Bank("Third")));
    let bank = State::new(Bank("Second"));
    let progress = Progress::detached();
    let said = ask(
        bank,
        "nothing".to_owned(),
        Extension::new(caller),
        context,
        CallerName("B".to_owned()),
        token,
        progress,
        owner,
    );
    assert_eq!(said.await, "Second ada nothing detached B Third");
}
