//! What runs unasked: tools that change nothing, where that is believed.

use haft::{BeforeCall, Hook, HookCall, HookFuture};

/// Has somebody asked about every call of a tool that may change something.
#[derive(Debug)]
pub(super) struct AskUnlessReadOnly;

impl Hook for AskUnlessReadOnly {
    fn before<'a>(&'a self, call: &'a HookCall) -> HookFuture<'a, BeforeCall> {
        let asks = call.tool.as_ref().is_some_and(|tool| !tool.definition().is_read_only());
        let said = if asks {
            BeforeCall::Ask { reason: "it may change something".to_owned() }
        } else {
            BeforeCall::Continue
        };
        Box::pin(std::future::ready(Ok(said)))
    }
}

#[cfg(test)]
mod tests {
    use haft::{CallContext, Dispatcher, Tool, ToolErrorKind, ToolRegistry, ToolSource};

    use super::*;

    #[test]
    fn what_may_change_something_is_asked_about() {
        let tool = |name: &str, read_only: Option<bool>, source| {
            let tool = Tool::builder(name).description("Does.").source(source);
            let tool = match read_only {
                Some(value) => tool.read_only(value),
                None => tool,
            };
            tool.run_sync(|| "done")
        };
        let registry = ToolRegistry::builder()
            .tool(tool("look", Some(true), ToolSource::Builtin))
            .tool(tool("write", None, ToolSource::Builtin))
            .tool(tool("wipe", Some(false), ToolSource::Builtin))
            // It says that it changes nothing, and is not believed.
            .tool(tool("files__read", Some(true), ToolSource::Mcp));
        let registry = registry.build().expect("a registry");
        let dispatcher = Dispatcher::builder(registry).hook(AskUnlessReadOnly).suspends(false).build();
        let kind = |name: &str| {
            let result = crate::command::block_on(dispatcher.call(name, "{}", CallContext::new()));
            result.expect("a runtime").expect("a call").error().map(haft::ToolError::kind)
        };
        assert_eq!(kind("look"), None);
        for name in ["write", "wipe", "files__read"] {
            assert_eq!(kind(name), Some(ToolErrorKind::Denied), "{name}");
        }
    }
}
