//! Random schemas, well-formed and not: no projection panics, and what comes out keeps the provider's rules and takes what
//! the schema takes.

use haft_core::{ChangeKind, InputSchema, Leniency, OutputSchema, Projection};
use serde_json::{Map, Value, json};

use crate::instances::{Generator, Random};
use crate::projection_tools::{as_json_schema, meta, sent};

/// Schemas that make sense more often than not, with everything in them that tools send.
struct Schemas(Random);

impl Schemas {
    fn one_of<'a, T: ?Sized>(&mut self, choices: &[&'a T]) -> &'a T {
        choices[self.0.below(choices.len())]
    }

    fn root(&mut self) -> Value {
        let mut schema = self.object(0);
        if let Some(keywords) = schema.as_object_mut() {
            let definitions: Map<String, Value> =
                ["A", "B"].into_iter().map(|name| (name.to_owned(), self.schema(1))).collect();
            keywords.insert("$defs".to_owned(), Value::Object(definitions));
            match self.0.below(12) {
                0 => drop(
                    keywords.insert("$schema".to_owned(), json!("http://json-schema.org/draft-07/schema#")),
                ),
                1 => drop(keywords.remove("type")),
                _ => {}
            }
        }
        schema
    }

    fn object(&mut self, depth: usize) -> Value {
        let mut properties = Map::new();
        for _ in 0..self.0.below(4) {
            let name = self.one_of(&["a", "b", "type", "$ref", "format", "9x", "a-b", "items", "required"]);
            properties.insert(name.to_owned(), self.schema(depth + 1));
        }
        let names: Vec<Value> =
            properties.keys().filter(|_| self.0.below(3) == 0).map(|name| json!(name)).collect();
        let mut schema = json!({"type": "object", "properties": properties, "required": names});
        let keywords = schema.as_object_mut().expect("an object");
        match self.0.below(8) {
            0 => drop(keywords.insert("additionalProperties".to_owned(), json!(false))),
            1 => drop(keywords.insert("additionalProperties".to_owned(), self.schema(depth + 1))),
            2 => drop(keywords.insert("additionalProperties".to_owned(), json!(true))),
            3 => drop(keywords.insert("patternProperties".to_owned(), json!({"^x": {"type": "integer"}}))),
            4 => drop(
                keywords.insert("anyOf".to_owned(), json!([self.object(depth + 2), {"required": ["a"]}])),
            ),
            5 => drop(keywords.insert("allOf".to_owned(), json!([self.object(depth + 2)]))),
            _ => {}
        }
        schema
    }

    fn schema(&mut self, depth: usize) -> Value {
        let kinds = if depth > 3 { 9 } else { 18 };
        let mut schema = match self.0.below(kinds) {
            0 => {
                json!({"type": "string", "minLength": self.0.below(3), "format": self.one_of(&["uri", "date-time", "uint8", "email"])})
            }
            1 => {
                json!({"type": "integer", "exclusiveMinimum": self.0.below(5), "multipleOf": 1, "format": "int32"})
            }
            2 => json!({"type": ["number", "null"], "maximum": 9.5}),
            3 => json!({"enum": ["x", "", null, "y"]}),
            4 => {
                json!({"const": self.one_of::<Value>(&[&json!("c"), &json!(1), &json!(true), &json!(null), &json!({"a": 1})])})
            }
            5 => {
                json!({"$ref": self.one_of(&["#/$defs/A", "#/$defs/B", "#"]), "description": "A reference."})
            }
            6 => json!(true),
            7 => json!({"enum": [1, 2.5, "three"]}),
            8 => json!({"type": "boolean", "default": true}),
            9 => {
                json!({"type": "array", "items": self.schema(depth + 1), "uniqueItems": true, "maxItems": 4})
            }
            10 => {
                json!({"type": "array", "prefixItems": [self.schema(depth + 1), {"type": "string"}], "items": false})
            }
            11 => json!({"anyOf": [self.schema(depth + 1), {"type": "null"}]}),
            12 => json!({"oneOf": [self.schema(depth + 1), self.schema(depth + 1), {"const": "only"}]}),
            13 => json!({"type": ["string", "integer", "null"], "minimum": 0, "pattern": "^[a-z]*$"}),
            14 => {
                json!({"allOf": [self.schema(depth + 1), {"description": "More."}], "not": {"const": "never"}})
            }
            15 => json!({"type": "array"}),
            _ => self.object(depth + 1),
        };
        if let Some(keywords) = schema.as_object_mut()
            && self.0.below(4) == 0
        {
            keywords.insert("description".to_owned(), json!("What it is."));
        }
        schema
    }

    /// Puts something anywhere that does not belong there.
    fn damage(&mut self, schema: &mut Value) {
        let junk = [
            json!(null),
            json!("string"),
            json!(-1),
            json!([]),
            json!({}),
            json!({"type": "dict"}),
            json!([{}]),
            json!({"$ref": "#/x"}),
        ];
        let mut place = schema;
        while self.0.below(4) > 0 {
            let below = match place {
                Value::Object(members) => members.len(),
                Value::Array(items) => items.len(),
                _ => 0,
            };
            let at = self.0.below(below);
            let inner = match place {
                Value::Object(members) if below > 0 => members.values_mut().nth(at),
                Value::Array(items) if below > 0 => items.get_mut(at),
                _ => return,
            };
            match inner {
                Some(inner) => place = inner,
                None => return,
            }
        }
        *place = junk[self.0.below(junk.len())].clone();
    }
}

#[test]
fn random_schemas_keep_every_rule() {
    let mut schemas = Schemas(Random::new("random schemas"));
    let metas = Projection::ALL.map(|projection| (projection, meta(projection)));
    let (mut judged, mut accepted, mut usable) = (0, 0, 0);
    for round in 0..250 {
        let schema = schemas.root();
        let Ok(input) = InputSchema::remote(schema.clone()) else { continue };
        usable += 1;
        let mut generator = Generator::new(&schema, &format!("round {round}"));
        let instances: Vec<Value> = (0..20)
            .filter_map(|_| input.judge_value(generator.arguments(None), &Leniency::none()).verdict.ok())
            .collect();
        for (projection, meta) in &metas {
            let projected = match projection.schema(&schema) {
                Ok(projected) => projected,
                Err(error) => {
                    assert_eq!(*projection, Projection::Lean, "{schema}: {error}");
                    continue;
                }
            };
            if projected.strict != Some(false) {
                let issues = meta.check(&projected.value);
                assert!(issues.is_empty(), "{projection} of {schema}: {issues:?}\n{}", projected.value);
            }
            let readable = OutputSchema::new(as_json_schema(&projected, *projection))
                .unwrap_or_else(|error| panic!("{projection} of {schema}: {error}\n{}", projected.value));
            for instance in &instances {
                judged += 1;
                let taken = readable.check(&sent(&projected, instance)).is_empty();
                accepted += usize::from(taken);
                let told = projected.report.has(ChangeKind::Narrowed);
                assert!(taken || told, "{projection} of {schema}\nrefuses {instance}\n{}", projected.value);
            }
        }
    }
    assert!(usable > 150 && judged > 5_000 && accepted > judged / 2, "{usable} {judged} {accepted}");
}

/// Nothing panics or hangs, whatever stands in a schema, and a refusal names a place.
#[test]
fn damaged_schemas_are_mended_or_refused() {
    let mut schemas = Schemas(Random::new("damaged schemas"));
    let (mut mended, mut refused) = (0, 0);
    for _ in 0..1_500 {
        let mut schema = schemas.root();
        schemas.damage(&mut schema);
        for projection in Projection::ALL {
            match projection.schema(&schema) {
                Ok(projected) => {
                    mended += 1;
                    assert_eq!(projected.value["type"], "object", "{projection} of {schema}");
                }
                Err(error) => {
                    refused += 1;
                    assert!(error.pointer.is_empty() || error.pointer.starts_with('/'), "{error}");
                }
            }
        }
    }
    assert!(mended > 1_000 && refused > 1_000, "{mended} {refused}");
}
