//! The end of a definition: everything that is wrong with it, at once.

use std::sync::Arc;

use serde_json::Value;

use crate::{
    schema::{InputSchema, OutputSchema, SchemaError, projection::ToolCache},
    tool::{
        BatchingStrategy, ConventionField, DefinitionError, DefinitionProblem, Rare, Recovery, Tool,
        ToolDefinition, ToolName, handle::ToolInner, handler::Bind,
    },
};

use super::ToolBuilder;

impl ToolBuilder {
    pub(super) fn finish(
        mut self,
        handler: Arc<dyn Bind>,
        returned: Option<Result<OutputSchema, SchemaError>>,
    ) -> Result<Tool, DefinitionError> {
        let mut problems = Vec::new();
        let name = ToolName::new(&self.name).map_err(|problem| problems.push(problem.into())).ok();
        let description = match self.description.take() {
            Some(text) if !text.trim().is_empty() => text,
            None if self.simple => self.name.clone(),
            _ => {
                problems.push(DefinitionProblem::EmptyDescription);
                String::new()
            }
        };
        let input = self.input(handler.as_ref(), &mut problems);
        let output = self.output(returned).map_err(|error| problems.push(DefinitionProblem::Output(error)));
        if self.max_concurrency == Some(0) {
            problems.push(DefinitionProblem::ZeroLimit("max_concurrency"));
        }
        if self.timeout.is_some_and(|timeout| timeout.is_zero()) {
            problems.push(DefinitionProblem::ZeroLimit("timeout"));
        }
        if let Some(input) = &input {
            self.check_key(input, &mut problems);
        }
        if self.recovery == Some(Recovery::Probe) && self.probe.is_none() {
            problems.push(DefinitionProblem::NoProbe);
        }
        match (name, input, output) {
            (Some(name), Some(input), Ok(output)) if problems.is_empty() => {
                let probe = self.probe.take().map(|slot| slot.0);
                let layers = std::mem::take(&mut self.layers.0);
                let definition = self.definition(name, description, input, output);
                Ok(Tool(Arc::new(ToolInner {
                    definition,
                    handler,
                    probe,
                    layers,
                    projections: ToolCache::default(),
                })))
            }
            _ => Err(DefinitionError::new(self.name, problems)),
        }
    }

    fn check_key(&self, input: &InputSchema, problems: &mut Vec<DefinitionProblem>) {
        match &self.chunk_by {
            Some(key) if !input.fields().contains(key) => {
                problems.push(DefinitionProblem::UnknownKey(key.clone()));
            }
            None if self.batching == Some(BatchingStrategy::Chunked) => {
                problems.push(DefinitionProblem::NoKey);
            }
            _ => {}
        }
    }

    fn input(&mut self, handler: &dyn Bind, problems: &mut Vec<DefinitionProblem>) -> Option<InputSchema> {
        let asked = handler.requirements().arguments;
        if asked.len() > 1 {
            problems.push(DefinitionProblem::ManyArguments(asked.len()));
        }
        let made = match (self.schema.take(), self.typed_schema.or_else(|| asked.first().copied())) {
            (Some(schema), _) if self.source.is_remote() => InputSchema::remote(schema),
            (Some(schema), _) => InputSchema::local(schema),
            (None, Some(typed)) => typed(),
            (None, None) => Ok(InputSchema::empty()),
        };
        let made = made.and_then(|input| with_conventions(input, &self.conventions));
        match made.and_then(|input| require_texts(input, &self.required, problems)) {
            Ok(input) => Some(input),
            Err(error) => {
                problems.push(DefinitionProblem::Input(error));
                None
            }
        }
    }

    fn output(
        &mut self,
        returned: Option<Result<OutputSchema, SchemaError>>,
    ) -> Result<Option<OutputSchema>, SchemaError> {
        match (self.output_schema.take(), returned) {
            (_, Some(Err(SchemaError::ResultInside))) => Err(SchemaError::ResultInside),
            (Some(schema), _) => OutputSchema::new(schema).map(Some),
            (None, Some(typed)) => typed.map(Some),
            (None, None) => Ok(None),
        }
    }

    fn definition(
        self,
        name: ToolName,
        description: String,
        input: InputSchema,
        output: Option<OutputSchema>,
    ) -> ToolDefinition {
        let rare = Rare { required_messages: self.required, presentation: self.presentation };
        ToolDefinition {
            name,
            description,
            display_name: self.display_name,
            category: self.category,
            tags: self.tags,
            toolkit: self.toolkit,
            source: self.source,
            annotations: self.annotations,
            trusts_annotations: self.trusts_annotations.unwrap_or(!self.source.is_remote()),
            input,
            output,
            timeout: self.timeout,
            batching: self.batching,
            max_concurrency: self.max_concurrency,
            original_name: self.original_name,
            aliases: Vec::new(),
            recovery: self.recovery,
            chunk_by: self.chunk_by,
            approval: self.approval,
            rare: (rare != Rare::default()).then(|| Box::new(rare)),
            narrowing: None,
        }
    }
}

/// Adds the fields of conventions to the schema.
fn with_conventions(input: InputSchema, fields: &[ConventionField]) -> Result<InputSchema, SchemaError> {
    if fields.is_empty() {
        return Ok(input);
    }
    let mut schema = input.published().clone();
    for field in fields {
        field.add(&mut schema);
    }
    if input.is_local() { InputSchema::local(schema) } else { InputSchema::remote(schema) }
}

/// Writes `minLength` 1 and `required` into the schema for each required text.
fn require_texts(
    input: InputSchema,
    required: &[(String, String)],
    problems: &mut Vec<DefinitionProblem>,
) -> Result<InputSchema, SchemaError> {
    if required.is_empty() {
        return Ok(input);
    }
    let mut schema = input.published().clone();
    for (field, _) in required {
        let Some(Value::Object(property)) =
            schema.get_mut("properties").and_then(|properties| properties.get_mut(field))
        else {
            problems.push(DefinitionProblem::UnknownField(field.clone()));
            continue;
        };
        let least = property.get("minLength").and_then(Value::as_u64).unwrap_or(0).max(1);
        property.insert("minLength".to_owned(), Value::from(least));
        let Some(object) = schema.as_object_mut() else { continue };
        if let Value::Array(names) = object.entry("required").or_insert_with(|| Value::Array(Vec::new()))
            && !names.iter().any(|name| name == field)
        {
            names.push(Value::from(field.as_str()));
        }
    }
    if input.is_local() { InputSchema::local(schema) } else { InputSchema::remote(schema) }
}
