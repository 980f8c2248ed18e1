//! The arguments that a schema declares at its root, as people and lints see them.

use serde_json::Value;

use super::reader::Reader;

/// One argument.
#[derive(Debug)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    /// JSON pointer of its schema.
    pub(crate) pointer: String,
    pub(crate) description: Option<String>,
    pub(crate) required: bool,
    pub(crate) has_default: bool,
}

/// The arguments in the order of their names.
pub(crate) fn parameters(schema: &Value) -> Vec<Parameter> {
    let reader = Reader::new(schema);
    let root = reader.read(&reader.root());
    let mut parameters: Vec<Parameter> = root
        .properties
        .iter()
        .map(|(name, spot)| {
            let face = reader.read(spot);
            Parameter {
                name: (*name).to_owned(),
                pointer: face.pointer().to_owned(),
                description: face.description.map(str::to_owned),
                required: root.required.contains(name),
                has_default: face.default.is_some(),
            }
        })
        .collect();
    parameters.sort_by(|one, other| one.name.cmp(&other.name));
    parameters
}
