//! What a function returns, as the output of its tool.

use std::{fmt, io};

use haft::{Content, DefinitionError, Json, Rows, Tool, ToolError, ToolOutput};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::{call, text};

#[derive(Serialize, JsonSchema)]
struct Receipt {
    /// What is left, in cents.
    left: u64,
}

const RECEIPT: Receipt = Receipt { left: 7 };

#[derive(Debug, Serialize, JsonSchema)]
struct TooPoor;

impl fmt::Display for TooPoor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("too little money")
    }
}

impl std::error::Error for TooPoor {}

/// Turns into a tool's error without being one.
struct Own;

impl From<Own> for ToolError {
    fn from(_: Own) -> Self {
        Self::refusal("own-code", "not now")
    }
}

type Outcome<T = Receipt> = Result<T, TooPoor>;
type Boxed<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

macro_rules! returning {
    ($($name:ident: $ty:ty = $value:expr;)*) => {
        $(
            #[haft::tool(description = "Returns a value.")]
            async fn $name() -> $ty {
                $value
            }
        )*
    };
}

returning! {
    unit: () = ();
    string: String = "a".to_owned();
    text_literal: &'static str = "a";
    rows: Rows = Rows::new().row(["1", "a\tb"]);
    content: Vec<Content> = vec![Content::text("a")];
    whole: ToolOutput = ToolOutput::text("a").with_metadata("title", "b");
    number: u64 = 7;
    list: Vec<u8> = vec![1, 2];
    optional: Option<Receipt> = None;
    receipt: Receipt = RECEIPT;
    json_receipt: Json<Receipt> = Json(RECEIPT);
    json_value: Value = json!({"free": true});

    ok_string: Result<String, io::Error> = Ok("a".to_owned());
    ok_unit: Result<(), ToolError> = Ok(());
    ok_receipt: Result<Receipt, TooPoor> = Ok(RECEIPT);
    ok_json: Outcome<Json<Receipt>> = Ok(Json(RECEIPT));
    ok_alias: Outcome = Ok(RECEIPT);
    ok_io: io::Result<Receipt> = Ok(RECEIPT);
    ok_boxed: Boxed<Receipt> = Ok(RECEIPT);
    err_receipt: Outcome = Err(TooPoor);
    err_own: Result<u8, Own> = Err(Own);
    err_boxed: Boxed<u8> = Err("no luck".into());
    err_text: Result<u8, String> = Err("no luck".to_owned());
}

/// Returns what is not asynchronous.
#[haft::tool]
fn plain_sync(fail: Option<bool>) -> Outcome {
    if fail.unwrap_or(false) { Err(TooPoor) } else { Ok(RECEIPT) }
}

fn output_schema(tool: Result<Tool, DefinitionError>) -> Option<Value> {
    tool.unwrap().definition().output.as_ref().map(|schema| schema.published().clone())
}

#[tokio::test]
async fn outputs_are_used_as_they_are() {
    for (tool, wanted) in [
        (unit::tool(), ""),
        (string::tool(), "a"),
        (text_literal::tool(), "a"),
        (rows::tool(), "1\ta b"),
        (content::tool(), "a"),
        (whole::tool(), "a"),
        (ok_string::tool(), "a"),
        (ok_unit::tool(), ""),
    ] {
        assert_eq!(output_schema(tool.clone()), None);
        let output = call(tool, "").await.unwrap();
        assert_eq!((output.to_text().as_ref(), output.structured()), (wanted, None));
    }
    assert_eq!(call(whole::tool(), "").await.unwrap().metadata().unwrap()["title"], "b");
}

#[tokio::test]
async fn other_values_become_json_with_their_schema() {
    let of_receipt = output_schema(json_receipt::tool());
    assert_eq!(of_receipt.as_ref().unwrap()["properties"]["left"]["description"], "What is left, in cents.");
    for tool in [
        receipt::tool(),
        json_receipt::tool(),
        ok_receipt::tool(),
        ok_json::tool(),
        ok_alias::tool(),
        ok_io::tool(),
        ok_boxed::tool(),
        plain_sync::tool(),
    ] {
        assert_eq!(output_schema(tool.clone()), of_receipt);
        assert_eq!(call(tool, "").await.unwrap().structured(), Some(json!({"left": 7})));
    }
    for (tool, wanted) in [
        (number::tool(), json!(7)),
        (list::tool(), json!([1, 2])),
        (optional::tool(), json!(null)),
        (json_value::tool(), json!({"free": true})),
    ] {
        assert!(output_schema(tool.clone()).is_some());
        assert_eq!(call(tool, "").await.unwrap().structured(), Some(wanted));
    }
}

#[tokio::test]
async fn errors_of_any_kind_are_failures() {
    assert_eq!(text(err_receipt::tool(), "").await, "TooPoor: too little money");
    assert_eq!(text(plain_sync::tool(), r#"{"fail": true}"#).await, "TooPoor: too little money");
    assert_eq!(text(err_own::tool(), "").await, "ToolRefusal: not now");
    assert_eq!(text(err_boxed::tool(), "").await, "ToolExecutionError: no luck");
    assert_eq!(text(err_text::tool(), "").await, "ToolExecutionError: no luck");
}

#[tokio::test]
async fn the_function_returns_what_it_says() {
    assert_eq!(receipt().await.left, 7);
    assert!(err_receipt().await.is_err());
}
