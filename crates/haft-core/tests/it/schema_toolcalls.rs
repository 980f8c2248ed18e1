//! Real and mutated calls: the verdict is JSON Schema's own, except where one named rule decides otherwise.

use std::collections::BTreeMap;
use std::path::PathBuf;

use haft_core::{InputSchema, Leniency, RepairRule, UnknownFields};
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Deserialize)]
struct Row {
    id: String,
    tool: Option<Tool>,
    call: Call,
    valid: bool,
}

#[derive(Deserialize)]
struct Tool {
    parameters: Value,
}

#[derive(Deserialize)]
struct Call {
    #[serde(default)]
    arguments: Value,
}

/// What is counted, and compared with the golden file.
#[derive(Default, Serialize)]
struct Counts {
    judged: usize,
    without_a_tool: usize,
    as_the_data: usize,
    differing_by_rule: BTreeMap<&'static str, usize>,
}

/// The leniency in which each rule alone is off.
fn each_rule_off() -> Vec<(&'static str, Leniency)> {
    let repairs = RepairRule::ALL.map(|rule| (rule.as_str(), Leniency::default().with_repair(rule, false)));
    let others = [
        ("null", Leniency::default().with_null_as_absent(false)),
        ("unknown-field", Leniency::default().with_unknown_fields(UnknownFields::AsSchema)),
    ];
    others.into_iter().chain(repairs).collect()
}

fn count(row: &Row, counts: &mut Counts) {
    let Some(tool) = &row.tool else {
        counts.without_a_tool += 1;
        return;
    };
    counts.judged += 1;
    let schema =
        InputSchema::remote(tool.parameters.clone()).unwrap_or_else(|error| panic!("{}: {error}", row.id));
    let text = row.call.arguments.to_string();
    let verdict = |leniency: &Leniency| schema.judge(&text, leniency).verdict.is_ok();
    let judgement = schema.judge(&text, &Leniency::default());
    if judgement.verdict.is_ok() == row.valid {
        counts.as_the_data += 1;
        return;
    }
    let explaining: Vec<&str> = each_rule_off()
        .into_iter()
        .filter(|(_, leniency)| verdict(leniency) == row.valid)
        .map(|(rule, _)| rule)
        .collect();
    let [rule] = explaining.as_slice() else {
        panic!(
            "{}: {text}: the data says {}, this is {judgement:?}; rules: {explaining:?}",
            row.id, row.valid
        );
    };
    *counts.differing_by_rule.entry(rule).or_default() += 1;
}

#[test]
fn verdicts_equal_the_data_but_for_one_rule_each() {
    let Some(folder) = crate::support::data("verdicts_equal_the_data_but_for_one_rule_each") else { return };
    let text =
        std::fs::read_to_string(folder.join("toolcalls/toolcalls.sample.jsonl")).expect("the data is there");
    let mut counts = Counts::default();
    for line in text.lines() {
        count(&serde_json::from_str(line).expect("a row"), &mut counts);
    }
    let counted = serde_json::to_string_pretty(&counts).expect("counts serialise") + "\n";
    let golden = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata/toolcalls-differences.json");
    if std::env::var_os("HAFT_BLESS").is_some() {
        std::fs::write(&golden, &counted).expect("the golden file can be written");
    }
    assert_eq!(
        counted,
        std::fs::read_to_string(&golden).unwrap_or_default(),
        "HAFT_BLESS=1 rewrites {golden:?}"
    );
}
