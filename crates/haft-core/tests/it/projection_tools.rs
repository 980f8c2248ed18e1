//! The tools of real servers in every form: valid, of the provider's keywords only, and no stricter than the report says.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use haft_core::{ChangeKind, InputSchema, Leniency, OutputSchema, Projected, Projection};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::instances::Generator;
use crate::support::data;

const INSTANCES: usize = 20;
const TRIES: usize = 400;

struct Tool {
    name: String,
    schema: Value,
    /// The same with sorted keys: what is generated from it does not depend on the order that the build's JSON keeps.
    sorted: Value,
}

fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let sorted: BTreeMap<&String, Value> =
                members.iter().map(|(key, member)| (key, sorted(member))).collect();
            Value::Object(sorted.into_iter().map(|(key, member)| (key.clone(), member)).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
        other => other.clone(),
    }
}

fn tools(folder: &Path) -> Vec<Tool> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder.join("mcp_tools"))
        .expect("the data is there")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    let mut tools = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("the file can be read");
        let content: Value = serde_json::from_str(&text).expect("it is JSON");
        for tool in content["tools"].as_array().expect("a list of tools") {
            let name = format!(
                "{}:{}",
                content["server"].as_str().unwrap_or_default(),
                tool["name"].as_str().unwrap_or_default()
            );
            let schema = tool["inputSchema"].clone();
            tools.push(Tool { name, sorted: sorted(&schema), schema });
        }
    }
    tools
}

fn testdata(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata").join(name)
}

/// What the provider takes, written apart from the code.
pub(crate) fn meta(projection: Projection) -> OutputSchema {
    let file = testdata(&format!("projections/{projection}.json"));
    let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    OutputSchema::new(serde_json::from_str(&text).expect("it is JSON")).expect("it is a schema")
}

#[derive(Default, Serialize)]
struct Counts {
    /// A digest of all texts and reports: the same whatever features of `serde_json` are on.
    digest: String,
    projected: usize,
    refused: usize,
    strict: usize,
    unchanged: usize,
    rows: BTreeMap<&'static str, usize>,
    /// Instances that the projection accepts.
    accepted: usize,
    /// Instances that it does not, with a narrowing in the report.
    narrowed: usize,
}

#[derive(Default, Serialize)]
struct Golden {
    tools: usize,
    instances: usize,
    /// Tools for which the generator finds fewer.
    with_fewer_instances: Vec<String>,
    projections: BTreeMap<&'static str, Counts>,
}

fn instances(tool: &Tool, schema: &InputSchema) -> Vec<Value> {
    let properties: Vec<&str> =
        tool.sorted["properties"].as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    let mut generator = Generator::new(&tool.sorted, &tool.name);
    let mut unused: Vec<&str> = properties.clone();
    let mut found: Vec<Value> = Vec::new();
    for round in 0..TRIES {
        if found.len() >= INSTANCES && unused.is_empty() {
            break;
        }
        let wanted = unused.get(round % unused.len().max(1)).copied();
        let value = generator.arguments(wanted);
        if let Ok(accepted) = schema.judge_value(value, &Leniency::none()).verdict {
            unused.retain(|name| accepted.get(*name).is_none());
            found.push(accepted);
        }
    }
    if !unused.is_empty() {
        found.clear();
    }
    found
}

fn says_null(schema: &Value) -> bool {
    let named = schema["type"].as_array().is_some_and(|names| names.contains(&json!("null")));
    let of_branches = schema["anyOf"].as_array().is_some_and(|branches| branches.iter().any(says_null));
    named || schema["type"] == "null" || of_branches
}

/// The projection as JSON Schema that says the same.
pub(crate) fn as_json_schema(projected: &Projected, projection: Projection) -> Value {
    let form = if projected.strict == Some(false) { Projection::OpenAi } else { projection };
    readable(form, &projected.value)
}

fn readable(projection: Projection, schema: &Value) -> Value {
    let Value::Object(keywords) = schema else { return schema.clone() };
    let each = |value: &Value| readable(projection, value);
    let mut made: Map<String, Value> = Map::new();
    for (keyword, value) in keywords {
        let value = match (keyword.as_str(), value) {
            (
                "properties" | "$defs" | "definitions" | "patternProperties" | "dependentSchemas",
                Value::Object(named),
            ) => Value::Object(named.iter().map(|(name, one)| (name.clone(), each(one))).collect()),
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(list)) => {
                Value::Array(list.iter().map(each).collect())
            }
            ("items" | "additionalProperties", one) => each(one),
            _ => value.clone(),
        };
        made.insert(keyword.clone(), value);
    }
    if projection == Projection::Gemini && made.remove("nullable") == Some(json!(true)) {
        let name = made.remove("type").expect("a type");
        made.insert("type".to_owned(), json!([name, "null"]));
        if let Some(Value::Array(choices)) = made.get_mut("enum") {
            choices.push(Value::Null);
        }
    }
    if projection == Projection::OpenAiStrict
        && let Some(Value::Array(names)) = made.get("required").cloned()
    {
        // What is left out is sent as null, and null is left out again before the check.
        let property = |name: &Value| {
            made.get("properties").and_then(|all| all.get(name.as_str()?)).unwrap_or(&Value::Null)
        };
        let kept: Vec<Value> = names.into_iter().filter(|name| !says_null(property(name))).collect();
        made.insert("required".to_owned(), Value::Array(kept));
    }
    Value::Object(made)
}

/// One step of FNV-1a.
fn digest(hash: u64, byte: u8) -> u64 {
    (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
}

pub(crate) fn sent(projected: &Projected, instance: &Value) -> Value {
    let mut instance = instance.clone();
    for one in &projected.renamed {
        if let Some(object) = instance.as_object_mut()
            && let Some(value) = object.remove(&one.original)
        {
            object.insert(one.sent.clone(), value);
        }
    }
    instance
}

fn check(projection: Projection, tool: &Tool, instances: &[Value], meta: &OutputSchema, counts: &mut Counts) {
    let name = &tool.name;
    let projected = match projection.schema(&tool.schema) {
        Ok(projected) => projected,
        Err(error) => {
            assert!(projection == Projection::Lean, "{name}: {error}");
            assert!(tool.schema.pointer(&error.pointer).is_some(), "{name}: {error}: no such place");
            counts.refused += 1;
            return;
        }
    };
    counts.projected += 1;
    let rows = serde_json::to_string(&projected.report).expect("it serialises");
    let text = format!("{}{}{rows}", counts.digest, projected.value);
    counts.digest = format!("{:016x}", text.bytes().fold(0xcbf2_9ce4_8422_2325, digest));
    counts.strict += usize::from(projected.strict == Some(true));
    counts.unchanged += usize::from(projected.report.is_empty());
    for row in projected.report.rows() {
        *counts.rows.entry(row.kind.as_str()).or_default() += 1;
        assert!(
            tool.schema.pointer(&row.pointer).is_some() || row.pointer.ends_with("/items"),
            "{name}: {row}: no such place"
        );
    }
    let rules = if projected.strict == Some(false) { None } else { Some(meta) };
    if let Some(rules) = rules {
        let issues = rules.check(&projected.value);
        assert!(issues.is_empty(), "{name} {projection}: {issues:?}\n{}", projected.value);
    }
    let readable = OutputSchema::new(as_json_schema(&projected, projection))
        .unwrap_or_else(|error| panic!("{name} {projection}: {error}\n{}", projected.value));
    for instance in instances {
        let instance = sent(&projected, instance);
        let issues = readable.check(&instance);
        if issues.is_empty() {
            counts.accepted += 1;
        } else {
            assert!(
                projected.report.has(ChangeKind::Narrowed),
                "{name} {projection} refuses {instance}: {issues:?}\n{}",
                projected.value
            );
            counts.narrowed += 1;
        }
    }
}

#[test]
fn every_real_tool_has_every_form_or_a_place_that_has_none() {
    let Some(folder) = data("every_real_tool_has_every_form_or_a_place_that_has_none") else { return };
    let metas = Projection::ALL.map(|projection| (projection, meta(projection)));
    let mut golden = Golden::default();
    for tool in tools(&folder) {
        golden.tools += 1;
        let schema =
            InputSchema::remote(tool.schema.clone()).unwrap_or_else(|error| panic!("{}: {error}", tool.name));
        let instances = instances(&tool, &schema);
        golden.instances += instances.len();
        if instances.len() < INSTANCES {
            golden.with_fewer_instances.push(tool.name.clone());
        }
        for (projection, meta) in &metas {
            check(
                *projection,
                &tool,
                &instances,
                meta,
                golden.projections.entry(projection.name()).or_default(),
            );
        }
    }
    let counted = serde_json::to_string_pretty(&golden).expect("counts serialise") + "\n";
    let file = testdata("projection-counts.json");
    if std::env::var_os("HAFT_BLESS").is_some() {
        std::fs::write(&file, &counted).expect("the golden file can be written");
    }
    assert_eq!(counted, std::fs::read_to_string(&file).unwrap_or_default(), "HAFT_BLESS=1 rewrites {file:?}");
}
