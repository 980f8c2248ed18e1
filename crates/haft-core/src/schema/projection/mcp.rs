//! MCP: a tool of a `tools/list` result.
//!
//! Rules: <https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool>. `inputSchema` is JSON Schema of any
//! dialect (2020-12 where none is declared) with an object at its root; so is `outputSchema` before revision 2026-07-28.
//! Beyond that, clients hand the schema to models of every kind, and several refuse a type list with `null`: a property that
//! may be left out does not offer `null` as well.

use serde_json::{Map, Value};

use super::Made;
use super::keyword::is_of_mcp;
use super::plain::{Habit, Plain, Rules};
use super::reader::Reader;
use super::report::{ChangeKind, ProjectionReport};
use super::root;
use super::types::Types;

const INPUT: Rules = Rules { knows: is_of_mcp, habits: &[Habit::OneWayToLeaveOut] };

/// Output may hold `null` wherever its schema says so.
const OUTPUT: Rules = Rules { habits: &[], ..INPUT };

pub(super) fn schema(schema: &Value, report: &mut ProjectionReport) -> Made {
    let Value::Object(keywords) = schema else {
        return Made { value: Value::Object(root::empty_object()), ..Made::default() };
    };
    let mut plain = Plain::new(INPUT, schema, report);
    let mut made = plain.keywords(keywords, "");
    root::name_type(&mut plain, &mut made);
    plain.define(&mut made);
    Made { value: Value::Object(made), ..Made::default() }
}

/// The schema of structured output; `None` where its root is no object, which clients refuse with the whole list.
pub(super) fn output(schema: &Value, report: &mut ProjectionReport) -> Option<Value> {
    let written = schema.as_object().filter(|_| describes_objects(schema)).map(|keywords| {
        let mut plain = Plain::new(OUTPUT, schema, report);
        let mut made: Map<String, Value> = plain.keywords(keywords, "");
        plain.define(&mut made);
        made.insert("type".to_owned(), "object".into());
        Value::Object(made)
    });
    if written.is_none() {
        let why = "clients take only objects as structured output; the output is still checked";
        report.add(ChangeKind::Dropped, "", "outputSchema", why);
    }
    written
}

/// Whether nothing but objects is accepted.
fn describes_objects(schema: &Value) -> bool {
    let reader = Reader::new(schema);
    let face = reader.read(&reader.root());
    let of_branch = |alternatives: &super::reader::Alternatives<'_>| {
        alternatives
            .branches
            .iter()
            .all(|branch| reader.read(std::slice::from_ref(branch)).types == Types::OBJECT)
    };
    face.types == Types::OBJECT || face.alternatives.iter().any(of_branch)
}
