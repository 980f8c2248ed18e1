//! Parameters as the arguments that a model sends.

use std::{collections::BTreeMap, net::IpAddr};

use haft::{Args, ToolError};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use serde_json::json;

use super::{call, schema, text};

#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
struct AccountId(String);

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Speed {
    Slow,
    Fast,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Page {
    /// The first entry.
    offset: u32,
    limit: Option<u32>,
}

/// Books a transfer.
#[haft::tool]
fn book(
    /// Account to debit.
    from: AccountId,
    /// Amount in cents,
    /// at most fifty thousand.
    #[schemars(range(min = 1, max = 5_000_000))]
    amount: u64,
    #[serde(default)] note: Option<String>,
    mut tags: Option<Vec<String>>,
    /// How fast.
    #[serde(default = "fast")]
    speed: Speed,
) -> String {
    tags.get_or_insert_default().sort();
    format!("{} {amount} {note:?} {tags:?} {speed:?}", from.0)
}

fn fast() -> Speed {
    Speed::Fast
}

/// Lists entries.
#[haft::tool]
fn list(
    #[serde(flatten)] page: Page,
    #[serde(rename = "orderBy", alias = "sort")] order: Option<String>,
) -> String {
    format!("{} {:?} {order:?}", page.offset, page.limit)
}

/// Takes types that serde reads in another way.
#[haft::tool]
fn by_proxy(
    #[serde(deserialize_with = "doubled")] number: u32,
    #[schemars(with = "String")] address: IpAddr,
    r#type: String,
    _unused: bool,
) -> String {
    format!("{number} {address} {type}")
}

fn doubled<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    u32::deserialize(deserializer).map(|number| number * 2)
}

/// Searches notes.
#[haft::tool]
fn search(
    /// What to look for.
    #[required = "say what to look for"]
    query: String,
    #[required = "name the folder"]
    #[serde(rename = "in")]
    folder: String,
) -> String {
    format!("{query} in {folder}")
}

#[derive(Deserialize, JsonSchema)]
struct Whole {
    /// What to count.
    text: String,
    #[serde(default)]
    times: u8,
}

/// Counts the characters of a text.
#[haft::tool]
async fn count(Args(whole): Args<Whole>) -> usize {
    whole.text.chars().count() * usize::from(whole.times)
}

/// Takes maps, lists, tuples and nested options.
#[haft::tool]
fn many(map: BTreeMap<String, i8>, pair: (u8, bool), grid: Vec<[f64; 2]>, maybe: Option<Page>) -> String {
    format!("{map:?} {pair:?} {grid:?} {:?}", maybe.map(|page| page.offset))
}

#[test]
fn parameters_make_the_schema() {
    assert_eq!(
        schema(book::tool()),
        json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["from", "amount"],
            "properties": {
                "from": {"$ref": "#/$defs/AccountId", "description": "Account to debit."},
                "amount": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": 5_000_000,
                    "description": "Amount in cents,\nat most fifty thousand."
                },
                "note": {"type": "string"},
                "tags": {"type": "array", "items": {"type": "string"}},
                "speed": {"$ref": "#/$defs/Speed", "description": "How fast."}
            },
            "$defs": {
                "AccountId": {"type": "string"},
                "Speed": {"type": "string", "enum": ["slow", "fast"]}
            }
        })
    );
}

#[tokio::test]
async fn parameters_get_their_arguments() {
    assert_eq!(text(book::tool(), r#"{"amount": 7, "from": "A"}"#).await, "A 7 None Some([]) Fast");
    let all = r#"{"amount": 7, "from": "A", "note": "x", "tags": ["b", "a"], "speed": "slow"}"#;
    assert_eq!(text(book::tool(), all).await, r#"A 7 Some("x") Some(["a", "b"]) Slow"#);
    let nulls = r#"{"amount": 7, "from": "A", "note": null, "tags": null}"#;
    assert_eq!(text(book::tool(), nulls).await, "A 7 None Some([]) Fast");
    let error = call(book::tool(), r#"{"amount": 0}"#).await.unwrap_err();
    assert_eq!(error.issues().len(), 2);
}

#[tokio::test]
async fn serde_attributes_hold_on_parameters() {
    let published = schema(list::tool());
    assert_eq!(published["properties"]["orderBy"], json!({"type": "string"}));
    assert_eq!(published["properties"]["offset"]["description"], "The first entry.");
    assert_eq!(published["required"], json!(["offset"]));
    assert_eq!(text(list::tool(), r#"{"offset": 3, "orderBy": "name"}"#).await, r#"3 None Some("name")"#);

    let arguments = r#"{"number": 4, "address": "::1", "type": "t", "_unused": true}"#;
    assert_eq!(text(by_proxy::tool(), arguments).await, "8 ::1 t");
    assert_eq!(schema(by_proxy::tool())["properties"]["address"], json!({"type": "string"}));
    let unreadable = r#"{"number": 4, "address": "x", "type": "t", "_unused": true}"#;
    assert_eq!(call(by_proxy::tool(), unreadable).await.unwrap_err().code().number(), 1001);
}

#[tokio::test]
async fn required_texts_have_their_own_words() {
    let published = schema(search::tool());
    assert_eq!(
        published["properties"]["query"],
        json!({"type": "string", "minLength": 1, "description": "What to look for."})
    );
    assert!(!published.to_string().contains("name the folder"));
    assert_eq!(text(search::tool(), r#"{"query": "a", "in": "b"}"#).await, "a in b");
    for arguments in [r#"{"in": "b"}"#, r#"{"query": "", "in": "b"}"#, r#"{"query": null, "in": "b"}"#] {
        let said = text(search::tool(), arguments).await;
        assert!(said.contains("say what to look for"), "{said}");
    }
    let said = text(search::tool(), r#"{"query": "a"}"#).await;
    assert!(said.contains("name the folder"), "{said}");
}

#[tokio::test]
async fn one_struct_can_hold_all_arguments() {
    assert_eq!(
        schema(count::tool()),
        json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["text"],
            "properties": {
                "text": {"type": "string", "description": "What to count."},
                "times": {"type": "integer", "minimum": 0, "maximum": 255, "default": 0}
            }
        })
    );
    assert_eq!(text(count::tool(), r#"{"text": "abc", "times": 2}"#).await, "6");
    assert_eq!(count(Args(Whole { text: "ab".to_owned(), times: 1 })).await, 2);
}

#[tokio::test]
async fn any_type_with_a_schema_is_an_argument() -> Result<(), ToolError> {
    let arguments = r#"{"map": {"a": 1}, "pair": [1, true], "grid": [[0.5, 1]], "maybe": {"offset": 2}}"#;
    let output = call(many::tool(), arguments).await?;
    assert_eq!(output.to_text(), r#"{"a": 1} (1, true) [[0.5, 1.0]] Some(2)"#);
    Ok(())
}
