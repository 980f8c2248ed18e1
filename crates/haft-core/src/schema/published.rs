//! A schema as others see it, small until somebody looks.

use std::sync::OnceLock;

use serde_json::Value;

use super::bounds;

/// Text that nests less is read again by `serde_json` whatever it holds.
const DEPTH: usize = 100;

/// A schema as text, which takes a ninth of the memory of its value: of many tools few are called.
pub(super) struct Published {
    text: Box<str>,
    /// Boxed, so that a schema that nobody looks at does not hold the room for it.
    value: OnceLock<Box<Value>>,
}

impl Published {
    pub(super) fn new(value: Value) -> Self {
        if bounds::depth(&value) >= DEPTH {
            return Self { text: Box::default(), value: OnceLock::from(Box::new(value)) };
        }
        Self { text: value.to_string().into(), value: OnceLock::new() }
    }

    pub(super) fn value(&self) -> &Value {
        // It was written from a value, so it is one.
        self.value.get_or_init(|| Box::new(serde_json::from_str(&self.text).unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::Published;

    #[test]
    fn a_schema_reads_back_as_it_was() {
        let deep = (0..127).fold(json!({}), |inner, _| json!({"properties": {"a": inner}}));
        let half = (0..49).fold(json!({}), |inner, _| json!({"properties": {"a": inner}}));
        for value in [
            json!({}),
            json!({"b": 1, "a": [null, true, 1.5, -0.0, 1e300, 5e-324, u64::MAX, i64::MIN, "\u{0}\u{2028}\"\\"]}),
            json!({"maximum": 0.1, "const": 1.0, "pattern": "^[\u{e9}\u{1f600}]*$"}),
            deep,
            half,
        ] {
            let expected: Value = value.clone();
            let text = expected.to_string();
            let published = Published::new(value);
            assert_eq!(*published.value(), expected);
            assert_eq!(published.value().to_string(), text, "also its order and its digits");
        }
    }
}
