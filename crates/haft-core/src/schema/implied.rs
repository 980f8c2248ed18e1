//! Whether everything that a schema made of a Rust type says is held by the type itself.

use serde_json::{Map, Value};

/// Whether no value of the type can be refused by its schema, told from the schema as it was generated.
///
/// Only keywords that mirror the type's structure do; a bound does not, unless it is that of an integer type. Floats do
/// not either: one that is no number is written as `null`.
pub(super) fn by_the_type(schema: &Value) -> bool {
    match schema {
        Value::Bool(allows) => *allows,
        Value::Object(keywords) => keywords.iter().all(|(keyword, value)| mirrors(keyword, value, keywords)),
        _ => false,
    }
}

fn mirrors(keyword: &str, value: &Value, beside: &Map<String, Value>) -> bool {
    let all = |schemas: &Value| match schemas {
        Value::Array(schemas) => schemas.iter().all(by_the_type),
        Value::Object(schemas) => schemas.values().all(by_the_type),
        _ => false,
    };
    match keyword {
        "type" => !value
            .as_array()
            .map_or(std::slice::from_ref(value), Vec::as_slice)
            .iter()
            .any(|name| name == "number"),
        "properties" | "$defs" | "anyOf" | "oneOf" => all(value),
        "items" | "additionalProperties" => by_the_type(value),
        "minimum" | "maximum" => beside.get("format").and_then(Value::as_str).is_some_and(|format| {
            integer_bounds(format).is_some_and(|(least, most)| {
                value.as_i64().map(i128::from).or_else(|| value.as_u64().map(i128::from))
                    == Some(if keyword == "minimum" { least } else { most })
            })
        }),
        "required" | "enum" | "const" | "format" | "$ref" | "$schema" | "title" | "description"
        | "default" => true,
        _ => false,
    }
}

/// The bounds of the integer type that a format names.
fn integer_bounds(format: &str) -> Option<(i128, i128)> {
    Some(match format {
        "uint8" => (0, u8::MAX.into()),
        "uint16" => (0, u16::MAX.into()),
        "uint32" => (0, u32::MAX.into()),
        "uint" | "uint64" => (0, u64::MAX.into()),
        "int8" => (i8::MIN.into(), i8::MAX.into()),
        "int16" => (i16::MIN.into(), i16::MAX.into()),
        "int32" => (i32::MIN.into(), i32::MAX.into()),
        "int" | "int64" => (i64::MIN.into(), i64::MAX.into()),
        _ => return None,
    })
}

#[cfg(test)]
#[expect(dead_code, reason = "only the schemas of the types are looked at")]
mod tests {
    use schemars::JsonSchema;
    use serde::Serialize;

    use super::super::typed;

    #[derive(Serialize, JsonSchema)]
    struct Plain {
        name: String,
        count: u32,
        small: u8,
        signed: i64,
        tags: Vec<Tag>,
        note: Option<String>,
    }

    #[derive(Serialize, JsonSchema)]
    #[serde(tag = "kind")]
    enum Tag {
        Short { text: String },
        Long { text: String, length: usize },
    }

    #[derive(Serialize, JsonSchema)]
    struct Bounded {
        #[schemars(range(min = 1))]
        count: u32,
    }

    #[derive(Serialize, JsonSchema)]
    struct Signed {
        #[schemars(range(min = 0))]
        count: i64,
    }

    #[derive(Serialize, JsonSchema)]
    struct Float {
        share: f64,
    }

    #[derive(Serialize, JsonSchema)]
    struct Long {
        #[schemars(length(max = 3))]
        text: String,
    }

    #[test]
    fn structure_is_held_by_the_type() {
        assert!(typed::output::<Plain>().1);
        assert!(typed::output::<Vec<Tag>>().1);
    }

    #[test]
    fn bounds_and_floats_are_not() {
        let held = [
            typed::output::<Bounded>().1,
            typed::output::<Signed>().1,
            typed::output::<Float>().1,
            typed::output::<Long>().1,
        ];
        assert_eq!(held, [false; 4]);
    }
}
