//! Options that decide on calls: keys, approvals, recovery.

use haft::{
    Args, BatchingStrategy, CallContext, Dispatcher, DryRun, Probed, Recovery, Revision, Tool, ToolContext,
    ToolError, ToolErrorKind, ToolRegistry,
};
use serde_json::Value;

const LIMIT: u64 = 100_000;

/// Moves money.
#[haft::tool(destructive, chunk_by = source, approve = |a| a.amount > LIMIT || a.to.is_none(), recovery = "keyed")]
fn transfer(
    #[serde(rename = "source")] from: String,
    to: Option<String>,
    #[serde(default)] amount: u64,
    #[serde(default)] dry_run: DryRun,
    #[serde(default)] revision: Revision,
) -> Result<String, ToolError> {
    revision.check(7)?;
    Ok(format!("{from} {to:?} {amount} {}", dry_run.is_on()))
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Payment {
    amount: u64,
}

impl Payment {
    fn is_large(&self) -> bool {
        self.amount > LIMIT
    }
}

/// Pays.
#[haft::tool(strategy = chunked, chunk_by = "amount", approve = Payment::is_large, recovery = never)]
fn pay(Args(payment): Args<Payment>) -> String {
    payment.amount.to_string()
}

async fn happened(_: Value, _: ToolContext) -> Result<Probed, ToolError> {
    Ok(Probed::NotDone)
}

/// Deploys.
#[haft::tool(approve, probe = happened, recovery = "probe")]
fn deploy() {}

/// Looks.
#[haft::tool(approve = false, recovery = "ask", strategy = chunked, chunk_by = amount)]
fn look(#[serde(flatten)] payment: Payment) -> String {
    payment.amount.to_string()
}

/// Whether a person would have been asked.
async fn asks(tool: Tool, arguments: &str) -> bool {
    let name = tool.name().to_owned();
    let dispatcher = Dispatcher::new(ToolRegistry::builder().tool(tool).build().unwrap());
    let result = dispatcher.call(&name, arguments, CallContext::new()).await.unwrap();
    match result.error() {
        None => false,
        Some(error) => {
            assert_eq!(error.kind(), ToolErrorKind::Denied, "{}", result.text());
            true
        }
    }
}

#[tokio::test]
async fn approval_goes_by_what_the_function_gets() {
    let transfer = transfer::tool().unwrap();
    for (arguments, expected) in [
        (r#"{"source":"a","to":"b","amount":100000}"#, false),
        (r#"{"source":"a","to":"b","amount":100001}"#, true),
        (r#"{"source":"a","to":"b","amount":100001,"dry_run":true}"#, true),
        // Defaults are filled in, a null is dropped.
        (r#"{"source":"a","to":"b"}"#, false),
        (r#"{"source":"a","to":null,"amount":1}"#, true),
    ] {
        assert_eq!(asks(transfer.clone(), arguments).await, expected, "{arguments}");
    }
    for (arguments, expected) in [(r#"{"amount":100000}"#, false), (r#"{"amount":100001}"#, true)] {
        assert_eq!(asks(pay::tool().unwrap(), arguments).await, expected, "{arguments}");
    }
    assert!(asks(deploy::tool().unwrap(), "").await);
    assert!(!asks(look::tool().unwrap(), r#"{"amount":100001}"#).await);
}

#[test]
fn keys_and_contracts_reach_the_definition() {
    let of = |tool: Result<Tool, _>| {
        let tool = tool.unwrap();
        let definition = tool.definition();
        (definition.batching_strategy(), definition.chunk_by.clone(), definition.recovery())
    };
    let key = |name: &str| Some(name.to_owned());
    assert_eq!(of(transfer::tool()), (BatchingStrategy::Chunked, key("source"), Recovery::Keyed));
    assert_eq!(of(pay::tool()), (BatchingStrategy::Chunked, key("amount"), Recovery::Never));
    assert_eq!(of(deploy::tool()), (BatchingStrategy::Serial, None, Recovery::Probe));
    assert_eq!(of(look::tool()), (BatchingStrategy::Chunked, key("amount"), Recovery::Ask));
}

#[tokio::test]
async fn conventions_are_parameters() {
    let text = |arguments| super::text(transfer::tool(), arguments);
    assert_eq!(text(r#"{"source":"a","to":"b","dry_run":true,"revision":7}"#).await, "a Some(\"b\") 0 true");
    let stale = text(r#"{"source":"a","to":"b","revision":6}"#).await;
    assert!(stale.starts_with("ToolRefusal: The change was made for revision 6"), "{stale}");
    let schema = super::schema(transfer::tool());
    assert_eq!(schema["required"], serde_json::json!(["source"]));
}
