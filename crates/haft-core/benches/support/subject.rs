//! The functions that the benchmarks call, with the texts that a model would send.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Two small arguments.
pub(crate) const SMALL: &str = r#"{"a":1871,"b":-42}"#;

/// Ten arguments, some of them nested.
pub(crate) const NESTED: &str = concat!(
    r#"{"reference":"ord_2026_000417","customer":{"id":"cus_4","name":"Ada Lovelace","email":"ada@example.org"},"#,
    r#""items":[{"sku":"A-1009","quantity":2,"unit_price":1299},{"sku":"B-2210","quantity":1,"unit_price":4999},"#,
    r#"{"sku":"C-0007","quantity":12,"unit_price":89}],"currency":"EUR","express":true,"discount":0.125,"#,
    r#""address":{"street":"12 Rue de la Paix","city":"Paris","postcode":"75002"},"tags":["gift","priority"],"#,
    r#""priority":3,"note":"leave at the reception"}"#,
);

/// Arguments of [`add`].
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Addition {
    a: i64,
    b: i64,
}

/// What [`add`] answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Sum {
    sum: i64,
}

/// Arguments of [`place`].
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Order {
    #[schemars(length(min = 1, max = 40))]
    reference: String,
    customer: Customer,
    #[schemars(length(min = 1, max = 100))]
    items: Vec<Item>,
    currency: Currency,
    express: bool,
    #[schemars(range(min = 0.0, max = 1.0))]
    discount: f64,
    address: Address,
    tags: Vec<String>,
    #[schemars(range(min = 0, max = 9))]
    priority: u8,
    note: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Customer {
    id: String,
    name: String,
    email: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Item {
    sku: String,
    #[schemars(range(min = 1, max = 1000))]
    quantity: u32,
    unit_price: u64,
}

#[derive(Debug, Deserialize, JsonSchema)]
enum Currency {
    #[serde(rename = "EUR")]
    Euro,
    #[serde(rename = "USD")]
    Dollar,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Address {
    street: String,
    city: String,
    postcode: String,
}

/// What [`place`] answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Receipt {
    reference: String,
    total: u64,
    lines: usize,
}

pub(crate) fn add(arguments: &Addition) -> Sum {
    Sum { sum: arguments.a + arguments.b }
}

/// Reads every field, so that none is left out as unused.
pub(crate) fn place(order: Order) -> Receipt {
    let goods: u64 = order.items.iter().map(|item| u64::from(item.quantity) * item.unit_price).sum();
    let people = [&order.customer.id, &order.customer.name, &order.customer.email];
    let place = [&order.address.street, &order.address.city, &order.address.postcode];
    let skus = order.items.iter().map(|item| &item.sku);
    let letters: usize = people
        .into_iter()
        .chain(place)
        .chain(skus)
        .chain(&order.tags)
        .chain(&order.note)
        .map(String::len)
        .sum();
    let fee = match order.currency {
        Currency::Euro => 100,
        Currency::Dollar => 110,
    };
    let fee = if order.express { fee * u64::from(order.priority) } else { fee };
    let free = order.discount > 0.5 && letters > 0;
    Receipt {
        reference: order.reference,
        total: if free { 0 } else { goods + fee },
        lines: order.items.len(),
    }
}

/// [`add`], of arguments that are a JSON value.
pub(crate) fn add_value(arguments: &Value) -> Sum {
    let number = |name| arguments[name].as_i64().expect("the arguments were checked");
    Sum { sum: number("a") + number("b") }
}

/// [`place`], of arguments that are a JSON value.
pub(crate) fn place_value(order: &Value) -> Receipt {
    let texts = |value: &Value, names: &[&str]| -> usize {
        names.iter().map(|name| value[*name].as_str().expect("the arguments were checked").len()).sum()
    };
    let list = |name| order[name].as_array().expect("the arguments were checked");
    let number = |value: &Value| value.as_u64().expect("the arguments were checked");
    let goods: u64 =
        list("items").iter().map(|item| number(&item["quantity"]) * number(&item["unit_price"])).sum();
    let letters = texts(&order["customer"], &["id", "name", "email"])
        + texts(&order["address"], &["street", "city", "postcode"])
        + list("items").iter().map(|item| texts(item, &["sku"])).sum::<usize>()
        + list("tags").iter().filter_map(Value::as_str).map(str::len).sum::<usize>()
        + order["note"].as_str().map_or(0, str::len);
    let fee = if order["currency"] == "EUR" { 100 } else { 110 };
    let fee = if order["express"] == true { fee * number(&order["priority"]) } else { fee };
    let free = order["discount"].as_f64().expect("the arguments were checked") > 0.5 && letters > 0;
    Receipt {
        reference: order["reference"].as_str().expect("the arguments were checked").to_owned(),
        total: if free { 0 } else { goods + fee },
        lines: list("items").len(),
    }
}

/// The least a typed call can cost: the text parsed into the argument type, the function, its result as text.
pub(crate) fn small_floor(text: &str) -> String {
    let arguments: Addition = serde_json::from_str(text).expect("the text fits the type");
    serde_json::to_string(&add(&arguments)).expect("a sum is JSON")
}

/// As [`small_floor`], for [`place`].
pub(crate) fn nested_floor(text: &str) -> String {
    let order: Order = serde_json::from_str(text).expect("the text fits the type");
    serde_json::to_string(&place(order)).expect("a receipt is JSON")
}
