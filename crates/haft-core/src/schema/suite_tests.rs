//! The official JSON Schema test suite, through the complete road with every departure switched off: all of it passes.

use serde::Deserialize;
use serde_json::Value;

use super::judge::judge_value;
use super::leniency::Leniency;
use super::road::Road;

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
fn official_suite() {
    let Some(folder) = std::env::var_os("HAFT_DATA") else {
        assert!(std::env::var("HAFT_STRICT").as_deref() != Ok("1"), "HAFT_DATA is not set");
        eprintln!("skipped: official_suite: HAFT_DATA is not set");
        return;
    };
    let text = std::fs::read_to_string(std::path::Path::new(&folder).join("jsonschema/suite.jsonl")).unwrap();
    let mut differing = Vec::new();
    let mut judged = 0;
    for case in
        text.lines().map(|line| serde_json::from_str::<Case>(line).unwrap()).filter(|case| !case.remote)
    {
        let mut schema = case.schema.clone();
        if let (Some(keywords), "draft7") = (schema.as_object_mut(), case.draft.as_str()) {
            keywords.entry("$schema").or_insert_with(|| "http://json-schema.org/draft-07/schema#".into());
        }
        if let Err(error) = Road::check(&schema) {
            differing.push(format!("{} | {} | refused: {error}", case.draft, case.desc));
            continue;
        }
        let road = Road::of(&schema, false);
        for test in &case.tests {
            judged += 1;
            let accepted = if test.data.is_object() {
                judge_value(&road, test.data.clone(), &Leniency::none()).verdict.is_ok()
            } else {
                road.findings(&test.data).is_empty()
            };
            if accepted != test.valid {
                differing.push(format!(
                    "{} | {} | {} | wanted {}",
                    case.draft, case.desc, test.description, test.valid
                ));
            }
        }
    }
    assert_eq!(differing, Vec::<String>::new());
    assert_eq!(judged, 2103);
}
