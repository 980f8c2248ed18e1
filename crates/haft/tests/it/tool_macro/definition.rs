//! The definition that documentation and options make.

use std::time::Duration;

use haft::{BatchingStrategy, ToolAnnotations, ToolRegistry};
use serde_json::json;

use super::{call, schema, text};

/// Moves money between two accounts
/// of the same customer.
///
/// Ask the customer first.
#[haft::tool(
    name = "transfer_money",
    destructive,
    idempotent = false,
    open_world,
    timeout = "1m 30s",
    category = "payments",
    tags("money", "accounts"),
    display_name = "Transfer",
    toolkit = "bank",
    strategy = parallel,
    max_concurrency = 4
)]
async fn transfer(
    /// Account to debit.
    from: String,
    /// Amount in cents.
    #[schemars(range(min = 1, max = 5_000_000))]
    amount: u64,
) -> String {
    format!("{amount} from {from}")
}

/// Says what day it is.
#[haft::tool]
fn today() -> &'static str {
    "Tuesday"
}

#[haft::tool(description = concat!("Says", " nothing."), read_only)]
fn nothing() {}

#[doc = include_str!("description.md")]
#[haft::tool]
fn from_file() {}

/** Sums
 * numbers. */
#[haft::tool]
fn r#move() {}

/// Sleeps for no time.
#[haft::tool(blocking, strategy = serial)]
fn blocks(times: u8) -> u8 {
    std::thread::yield_now();
    times + 1
}

mod elsewhere {
    /// Stands in a module.
    #[haft::tool(crate = "haft")]
    pub(super) fn visible(text: String) -> String {
        text
    }
}

#[test]
fn every_option_reaches_the_definition() {
    let tool = transfer::tool().unwrap();
    let definition = tool.definition();
    assert_eq!(tool.name(), "transfer_money");
    assert_eq!(
        definition.description,
        "Moves money between two accounts\nof the same customer.\n\nAsk the customer first."
    );
    assert_eq!(definition.display_name(), "Transfer");
    assert_eq!(definition.category.as_deref(), Some("payments"));
    assert_eq!(definition.tags, ["money", "accounts"]);
    assert_eq!(definition.toolkit.as_deref(), Some("bank"));
    assert_eq!(definition.timeout, Some(Duration::from_secs(90)));
    assert_eq!(definition.batching_strategy(), BatchingStrategy::Parallel);
    assert_eq!(definition.max_concurrency, Some(4));
    let annotations = ToolAnnotations::new().destructive(true).idempotent(false).open_world(true);
    assert_eq!(definition.annotations, annotations);
    assert_eq!(blocks::tool().unwrap().definition().batching, Some(BatchingStrategy::Serial));
}

#[test]
fn what_is_not_said_stays_unknown() {
    let tool = today::tool().unwrap();
    let definition = tool.definition();
    assert!(definition.annotations.is_empty());
    assert_eq!(
        (definition.timeout, definition.batching, definition.max_concurrency, &definition.category),
        (None, None, None, &None)
    );
    assert_eq!(definition.display_name(), "today");
}

#[test]
fn descriptions_come_from_comments_expressions_and_files() {
    let description = |tool: Result<haft::Tool, _>| tool.unwrap().definition().description.clone();
    assert_eq!(description(nothing::tool()), "Says nothing.");
    assert_eq!(description(from_file::tool()), "Stands in a file.");
    assert_eq!(description(r#move::tool()), "Sums\nnumbers.");
    assert_eq!(r#move::tool().unwrap().name(), "move");
}

#[tokio::test]
async fn no_parameters_are_the_empty_closed_object() {
    assert_eq!(
        schema(today::tool()),
        json!({"type": "object", "properties": {}, "additionalProperties": false})
    );
    assert_eq!(text(today::tool(), "").await, "Tuesday");
    assert!(call(today::tool(), r#"{"zone": "UTC"}"#).await.is_err());
}

#[tokio::test]
async fn the_function_stays_a_function() {
    assert_eq!(transfer("A".to_owned(), 3).await, "3 from A");
    assert_eq!(blocks(1), 2);
    assert_eq!(elsewhere::visible("here".to_owned()), "here");
    nothing();
    from_file();
    r#move();
}

#[tokio::test]
async fn blocking_functions_run() {
    assert_eq!(text(blocks::tool(), r#"{"times": 2}"#).await, "3");
}

#[test]
fn a_tool_reached_twice_is_one() {
    let (first, second) = (today::tool().unwrap(), today::tool().unwrap());
    assert!(first.is(&second));
    let registry = ToolRegistry::builder()
        .tools(haft::tools![transfer, today, elsewhere::visible])
        .tools(haft::tools![today])
        .tools(haft::tools![])
        .build()
        .unwrap();
    assert_eq!(registry.len(), 3);
}
