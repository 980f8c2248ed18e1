//! How large a schema may be in OpenAI's strict mode.

use serde_json::Value;

use super::error::Fault;

const PROPERTIES: usize = 5_000;
const LEVELS: usize = 10;
const LITERALS: usize = 1_000;
/// From so many literals on, one set may not be long.
const MANY: usize = 250;
const SET: usize = 15_000;
const TEXT: usize = 120_000;

/// Refuses a written schema that is larger than strict mode takes.
pub(super) fn check(schema: &Value) -> Result<(), Fault> {
    let (mut properties, mut literals, mut text) = (0_usize, 0_usize, 0_usize);
    let mut open = vec![(schema, 1_usize)];
    while let Some((schema, level)) = open.pop() {
        if level > LEVELS {
            return Err(Fault::new("", format!("more than {LEVELS} levels")));
        }
        for keyword in ["properties", "$defs"] {
            for (name, one) in schema.get(keyword).and_then(Value::as_object).into_iter().flatten() {
                properties += usize::from(keyword == "properties");
                text += name.chars().count();
                open.push((one, level + usize::from(keyword == "properties")));
            }
        }
        if let Some(choices) = schema.get("enum").and_then(Value::as_array) {
            let long: usize =
                choices.iter().filter_map(Value::as_str).map(|choice| choice.chars().count()).sum();
            if choices.len() > MANY && long > SET {
                return Err(Fault::new("", format!("a set of literals with more than {SET} characters")));
            }
            literals += choices.len();
            text += long;
        }
        open.extend(schema.get("items").map(|items| (items, level)));
        open.extend(
            schema.get("anyOf").and_then(Value::as_array).into_iter().flatten().map(|one| (one, level)),
        );
    }
    for (over, what) in [
        (properties > PROPERTIES, format!("more than {PROPERTIES} properties")),
        (literals > LITERALS, format!("more than {LITERALS} literals")),
        (text > TEXT, format!("more than {TEXT} characters of names and literals")),
    ] {
        if over {
            return Err(Fault::new("", what));
        }
    }
    Ok(())
}
