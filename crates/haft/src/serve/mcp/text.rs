//! JSON text as the protocol's library writes it, without its types: they are much code to have in memory for what is said once.

use serde_json::Value;

/// What ordinary tools have, in the library's order.
const TOOL: [&str; 6] = ["name", "title", "description", "inputSchema", "outputSchema", "annotations"];
const ANNOTATIONS: [&str; 5] =
    ["title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];

/// An object, member after member.
#[derive(Debug, Default)]
pub(super) struct Object(String);

impl Object {
    pub(super) fn string(self, name: &str, text: &str) -> Self {
        self.value(name, &Value::from(text))
    }

    pub(super) fn value(self, name: &str, value: &Value) -> Self {
        self.json(name, &value.to_string())
    }

    pub(super) fn json(mut self, name: &str, json: &str) -> Self {
        self.0.push(if self.0.is_empty() { '{' } else { ',' });
        for part in ["\"", name, "\":", json] {
            self.0.push_str(part);
        }
        self
    }

    pub(super) fn end(mut self) -> String {
        self.0.push('}');
        self.0
    }
}

/// A tool of a list; none where it has more than ordinary ones have.
pub(super) fn tool(json: &str) -> Option<String> {
    let tool: Value = json.parse().ok()?;
    ordered(&tool, &TOOL)
}

fn ordered(value: &Value, names: &[&str]) -> Option<String> {
    let members = value.as_object()?;
    let (mut object, mut written) = (Object::default(), 0);
    for name in names {
        let Some(member) = members.get(*name) else { continue };
        object = match *name {
            "annotations" => object.json(name, &ordered(member, &ANNOTATIONS)?),
            "inputSchema" if !member.is_object() => return None,
            "outputSchema" if member["type"] != "object" => return None,
            _ if member.is_null() => return None,
            _ => object.value(name, member),
        };
        written += 1;
    }
    (written > 0 && written == members.len()).then(|| object.end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_ordinary_tools_have_is_written() {
        let plain = r#"{"name":"a","inputSchema":{"b":1,"a":2},"annotations":{"idempotentHint":true,"readOnlyHint":true}}"#;
        let written = tool(plain).expect("a plain tool");
        assert!(
            written.ends_with(r#""annotations":{"readOnlyHint":true,"idempotentHint":true}}"#),
            "{written}"
        );
        for odd in [
            "7",
            "{}",
            r#"{"name":"a","inputSchema":true}"#,
            r#"{"name":"a","title":null,"inputSchema":{}}"#,
            r#"{"name":"a","inputSchema":{},"outputSchema":{"type":"array"}}"#,
            r#"{"name":"a","inputSchema":{},"_meta":{}}"#,
            r#"{"name":"a","inputSchema":{},"annotations":{"beside":1}}"#,
            r#"{"name":"a","inputSchema":{},"annotations":{}}"#,
        ] {
            assert_eq!(tool(odd), None, "{odd}");
        }
    }
}
