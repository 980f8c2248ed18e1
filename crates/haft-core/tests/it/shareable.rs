//! What the compiler can say of the types that hosts hold.

use std::marker::PhantomData;

use haft_core::{
    CallContext, CancellationToken, Content, DefinitionError, Dispatcher, DispatcherBuilder, Message,
    Refusal, RegistryBuilder, Tool, ToolCall, ToolContext, ToolDefinition, ToolError, ToolEvent, ToolEvents,
    ToolOutput, ToolRegistry, ToolResult, Toolkit, TurnBuilder, TurnError, TurnHandle, TurnOutcome,
    TypedTool,
};

const fn shared<T: Send + Sync>() {}
const fn owned<T: Send + Sync + 'static>() {}
const fn cheap<T: Clone + Send + Sync + 'static>() {}

const _: () = {
    cheap::<Tool>();
    cheap::<TypedTool<String, String>>();
    cheap::<ToolRegistry>();
    cheap::<Dispatcher>();
    cheap::<ToolContext>();
    cheap::<ToolResult>();
    cheap::<ToolDefinition>();
    cheap::<ToolCall>();
    cheap::<ToolOutput>();
    cheap::<Content>();
    cheap::<Message>();
    cheap::<Refusal>();
    cheap::<CallContext>();
    cheap::<CancellationToken>();
    cheap::<TurnError>();
    owned::<ToolError>();
    owned::<ToolEvent>();
    owned::<ToolEvents>();
    owned::<TurnHandle>();
    owned::<TurnOutcome>();
    owned::<DefinitionError>();
    shared::<RegistryBuilder>();
    shared::<DispatcherBuilder>();
    shared::<Toolkit>();
    shared::<TurnBuilder>();
};

struct Of<T>(PhantomData<T>);

/// Holds of every type, unless something nearer does.
trait Otherwise {
    const IS_ERROR: bool = false;
}

impl<T> Otherwise for Of<T> {}

impl<T: std::error::Error> Of<T> {
    const IS_ERROR: bool = true;
}

/// So that `?` turns every error into one, it is none itself.
#[test]
fn a_tool_error_is_no_error_of_the_standard_library() {
    const { assert!(!Of::<ToolError>::IS_ERROR) };
    const { assert!(Of::<std::fmt::Error>::IS_ERROR) };
    const { assert!(Of::<TurnError>::IS_ERROR && Of::<DefinitionError>::IS_ERROR) };
}
