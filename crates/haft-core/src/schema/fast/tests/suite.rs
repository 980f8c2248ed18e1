//! The official JSON Schema test suite: each schema as that of a property, never accepted where the suite says invalid.

use serde::Deserialize;
use serde_json::{Value, json};

use super::super::{Checks, Rules, accepts, read_value};

#[derive(Deserialize)]
struct Case {
    draft: String,
    desc: String,
    remote: bool,
    schema: Value,
    tests: Vec<Test>,
}

#[derive(Deserialize)]
struct Test {
    description: String,
    data: Value,
    valid: bool,
}

#[test]
fn official_suite_is_never_accepted_wrongly() {
    let name = "official_suite_is_never_accepted_wrongly";
    let Some(text) = super::toolcalls::data(name, "jsonschema/suite.jsonl") else { return };
    let (mut valid, mut accepted) = (0, 0);
    for case in
        text.lines().map(|line| serde_json::from_str::<Case>(line).unwrap()).filter(|case| !case.remote)
    {
        let draft7 = case.draft == "draft7";
        let mut alone = case.schema.clone();
        let dialect = "http://json-schema.org/draft-07/schema#";
        if let Some(keywords) = alone.as_object_mut().filter(|_| draft7) {
            keywords.entry("$schema").or_insert_with(|| dialect.into());
        }
        // A reference to the root means another schema once it is wrapped.
        let refers = case.schema.to_string().contains("\"$ref\":\"#");
        let wrapped = (!refers).then(|| {
            let mut wrapped =
                json!({"type": "object", "properties": {"value": case.schema}, "required": ["value"]});
            if draft7 {
                wrapped["$schema"] = dialect.into();
            }
            wrapped
        });
        let strict = Checks::of(&alone, &Rules::default());
        let closing = Rules { closing: true, ..Rules::default() };
        let wrapped = wrapped.and_then(|wrapped| Checks::of(&wrapped, &closing));
        for test in &case.tests {
            let text = test.data.to_string();
            let of_wrapped = json!({"value": test.data}).to_string();
            let alone = strict.as_ref().is_some_and(|checks| accepts(&text, checks));
            let wrapped = wrapped.as_ref().is_some_and(|checks| read_value(&of_wrapped, checks).is_some());
            assert!(
                test.valid || !(alone || wrapped),
                "{} | {} | {}",
                case.draft,
                case.desc,
                test.description
            );
            valid += usize::from(test.valid);
            accepted += usize::from(test.valid && alone);
        }
    }
    eprintln!("{accepted} of {valid} valid instances of the suite are accepted fast");
    assert!(accepted * 4 > valid, "the fast road understands little of the suite: {accepted} of {valid}");
}
