//! A whole tool as a provider takes it.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::fmt;
use std::sync::{Arc, OnceLock};

use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use super::build::Unrolled;
use super::error::Fault;
use super::rename::Renamed;
use super::report::ProjectionReport;
use super::{Projected, Projection, ProjectionError, Target, mcp, order, rename};
use crate::message::ToolCall;
use crate::schema::canon::canonical;
use crate::tool::{Tool, ToolAnnotations, ToolDefinition, ToolPresentation};

/// A tool in the form of a target; serialises to that target's object for a tool.
///
/// | projection | object |
/// |---|---|
/// | `mcp` | `{name, title?, description, inputSchema, outputSchema?, annotations?, icons?, _meta?}` |
/// | `openai` | `{"type":"function","function":{name, description, parameters}}` |
/// | `openai-strict` | the same with `strict` |
/// | `anthropic` | `{name, description, input_schema}` |
/// | `gemini` | `{name, description, parameters?}`, without `parameters` where there are none |
/// | `lean` | `{name, description, inputSchema, annotations?}` |
///
/// ```
/// use haft_core::{Projection, Tool};
///
/// let shout = Tool::simple("shout", |input: String| async move { input.to_uppercase() })?;
/// let projected = Projection::Anthropic.tool(&shout).unwrap();
/// let text = serde_json::to_string(&*projected).unwrap();
/// assert!(text.starts_with(r#"{"name":"shout","description":"shout","input_schema":{"#));
/// # Ok::<(), haft_core::DefinitionError>(())
/// ```
pub struct ProjectedTool {
    name: String,
    original: String,
    text: Box<RawValue>,
    report: ProjectionReport,
    strict: Option<bool>,
    renamed: Vec<Renamed>,
}

impl ProjectedTool {
    /// Its name as the provider sees it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its name in the registry.
    pub fn original_name(&self) -> &str {
        &self.original
    }

    /// The object as JSON text.
    pub fn json(&self) -> &str {
        self.text.get()
    }

    /// What was changed in its schema.
    pub fn report(&self) -> &ProjectionReport {
        &self.report
    }

    /// Whether the provider is told to be strict about its arguments; `None` where it knows no such thing.
    pub fn strict(&self) -> Option<bool> {
        self.strict
    }

    /// Its arguments that have another name there.
    pub fn renamed(&self) -> &[Renamed] {
        &self.renamed
    }

    /// A call that the provider's model made of it, with the names that the tool itself has.
    #[must_use]
    pub fn restore(&self, mut call: ToolCall) -> ToolCall {
        call.name.clone_from(&self.original);
        if !self.renamed.is_empty()
            && let Some(arguments) = rename::restored(&call.arguments, &self.renamed)
        {
            call.arguments = arguments;
        }
        call
    }

    /// The tool in a projection, or in a server's variation of it, under a name.
    pub(super) fn make(target: Target, tool: &Tool, name: String) -> Result<Self, ProjectionError> {
        let definition = tool.definition();
        let projection = target.projection();
        let projected = target.checked(definition.input.published())?;
        let Projected { value, mut report, strict, renamed } = projected;
        let sent = Sent { name: &name, definition, schema: &value, strict };
        let text = sent.text(projection, &mut report);
        let text = RawValue::from_string(text).map_err(|error| {
            Fault::new("", format!("it can not be written as JSON: {error}")).of(projection)
        })?;
        Ok(Self { original: definition.name.as_str().to_owned(), name, text, report, strict, renamed })
    }
}

/// What projections change in the schemas of a tool, without its text.
pub(crate) struct Reports<'t> {
    tool: &'t Tool,
    /// The schema of its arguments with the keys in order.
    schema: &'t Value,
    /// What several targets are written from.
    unrolled: OnceCell<Result<Unrolled<'t>, Fault>>,
}

impl<'t> Reports<'t> {
    /// The schema of a tool's arguments as the reports take it.
    pub(crate) fn schema(tool: &Tool) -> Cow<'_, Value> {
        order::canonical(tool.definition().input.published())
    }

    /// Of a tool and that schema.
    pub(crate) fn of(tool: &'t Tool, schema: &'t Value) -> Self {
        Self { tool, schema, unrolled: OnceCell::new() }
    }

    pub(crate) fn report(&self, target: Target) -> Result<ProjectionReport, ProjectionError> {
        let mut report = match target.projection() {
            projection @ (Projection::Gemini | Projection::Lean) => {
                match self.unrolled.get_or_init(|| Unrolled::of(self.schema)) {
                    Ok(known) => target.changes_of(known)?,
                    Err(fault) => return Err(target.named(fault.clone().of(projection))),
                }
            }
            _ => target.changes(self.schema)?,
        };
        if let (Projection::Mcp, Some(output)) = (target.projection(), &self.tool.definition().output) {
            mcp::output(output.published(), &mut report);
        }
        Ok(report)
    }
}

impl Serialize for ProjectedTool {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.text.serialize(serializer)
    }
}

impl fmt::Debug for ProjectedTool {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("ProjectedTool").field(&self.json()).finish()
    }
}

/// What goes into a tool's object.
struct Sent<'a> {
    name: &'a str,
    definition: &'a ToolDefinition,
    schema: &'a Value,
    strict: Option<bool>,
}

impl Sent<'_> {
    /// The object: keys in the order in which people and models read, schemas in canonical form.
    fn text(&self, projection: Projection, report: &mut ProjectionReport) -> String {
        let schema = canonical(self.schema);
        let named = Object::default().string("name", self.name);
        match projection {
            Projection::Mcp => self.mcp(named, &schema, report),
            Projection::Lean => named
                .string("description", &self.definition.description)
                .raw("inputSchema", Some(&schema))
                .raw("annotations", self.hints().as_deref())
                .end(),
            Projection::Gemini => {
                let takes_any = self.schema.as_object().is_some_and(|keywords| keywords.len() > 1);
                named
                    .string("description", &self.definition.description)
                    .raw("parameters", Some(schema.as_str()).filter(|_| takes_any))
                    .end()
            }
            Projection::OpenAi | Projection::OpenAiStrict => {
                let strict = self.strict.map(|strict| strict.to_string());
                let function = named
                    .string("description", &self.definition.description)
                    .raw("parameters", Some(&schema))
                    .raw("strict", strict.as_deref())
                    .end();
                Object::default().string("type", "function").raw("function", Some(&function)).end()
            }
            Projection::Anthropic => named
                .string("description", &self.definition.description)
                .raw("input_schema", Some(&schema))
                .end(),
        }
    }

    fn mcp(&self, named: Object, schema: &str, report: &mut ProjectionReport) -> String {
        let ToolDefinition { display_name, description, output, .. } = self.definition;
        let output = output.as_ref().and_then(|output| mcp::output(output.published(), report));
        let output = output.map(|output| canonical(&order::ordered(output)));
        let titled = match display_name {
            Some(title) => named.string("title", title),
            None => named,
        };
        titled
            .string("description", description)
            .raw("inputSchema", Some(schema))
            .raw("outputSchema", output.as_deref())
            .raw("annotations", self.annotations().as_deref())
            .raw("icons", self.icons().as_deref())
            .raw("_meta", self.meta().as_deref())
            .end()
    }

    /// What it says of its effects, and its label where that stands there.
    fn annotations(&self) -> Option<String> {
        let title = self.presentation().and_then(|presentation| presentation.annotated_title.as_deref());
        let Some(title) = title else { return self.hints() };
        let annotations = Annotations { title, hints: self.definition.annotations };
        serde_json::to_string(&annotations).ok()
    }

    fn icons(&self) -> Option<String> {
        let icons = self.presentation().map(|presentation| &presentation.icons);
        icons.filter(|icons| !icons.is_empty()).and_then(|icons| serde_json::to_string(icons).ok())
    }

    fn meta(&self) -> Option<String> {
        let meta = self.presentation().map(|presentation| &presentation.meta);
        meta.filter(|meta| !meta.is_empty()).map(|meta| canonical(&Value::Object(meta.clone())))
    }

    fn presentation(&self) -> Option<&ToolPresentation> {
        self.definition.presentation()
    }

    fn hints(&self) -> Option<String> {
        let hints = Some(&self.definition.annotations).filter(|known| !known.is_empty());
        hints.and_then(|hints| serde_json::to_string(hints).ok())
    }
}

#[derive(Serialize)]
struct Annotations<'a> {
    title: &'a str,
    #[serde(flatten)]
    hints: ToolAnnotations,
}

/// JSON text of an object, member after member.
#[derive(Default)]
struct Object(String);

impl Object {
    fn string(self, name: &str, text: &str) -> Self {
        let text = canonical(&Value::from(text));
        self.raw(name, Some(&text))
    }

    fn raw(mut self, name: &str, text: Option<&str>) -> Self {
        if let Some(text) = text {
            self.0.push(if self.0.is_empty() { '{' } else { ',' });
            for part in ["\"", name, "\":", text] {
                self.0.push_str(part);
            }
        }
        self
    }

    fn end(mut self) -> String {
        self.0.push('}');
        self.0
    }
}

type Cached = Result<Arc<ProjectedTool>, ProjectionError>;

/// The projections of one tool that were asked for.
#[derive(Default)]
pub(crate) struct ToolCache(OnceLock<Box<[OnceLock<Cached>; Projection::ALL.len()]>>);

impl ToolCache {
    pub(super) fn get(&self, projection: Projection, tool: &Tool) -> Cached {
        let make =
            || ProjectedTool::make(projection.into(), tool, projection.tool_name(tool.name())).map(Arc::new);
        let slots = self.0.get_or_init(Box::default);
        match Projection::ALL.iter().position(|one| *one == projection).and_then(|index| slots.get(index)) {
            Some(slot) => slot.get_or_init(make).clone(),
            None => make(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Projection, Reports};
    use crate::tool::{Args, Tool, ToolSource};

    #[test]
    fn a_report_alone_is_that_of_the_written_tool() {
        let node = json!({"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}, "at": {"type": "string", "format": "x"}}});
        let schemas = [
            json!({"type": "object", "properties": {}}),
            json!({"type": ["object", "null"], "properties": {"a": {"type": ["string", "null"], "default": null}}}),
            json!({"anyOf": [{"type": "object", "required": ["a"]}, {"type": "null"}], "properties": {"a": {"minLength": 1}}}),
            json!({"type": "object", "properties": {"n": {"$ref": "#/$defs/node"}, "m": {"$ref": "#/$defs/node"}}, "$defs": {"node": node}}),
            json!({"type": "object", "properties": {"1 a": {"oneOf": [{"const": 1}, {"const": "b"}]}}, "additionalProperties": {"type": "array"}}),
            json!({"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"t": {"items": [{"type": "string"}]}}}),
        ];
        for schema in schemas {
            let tool =
                Tool::builder("tool").description("A tool.").source(ToolSource::Mcp).schema(schema.clone());
            let tool = tool.run_sync(|Args(arguments): Args<Value>| arguments.to_string()).unwrap();
            let ordered = Reports::schema(&tool);
            let reports = Reports::of(&tool, &ordered);
            for projection in Projection::ALL {
                let alone = reports.report(projection.into());
                let written = projection.tool(&tool).map(|tool| tool.report().clone());
                assert_eq!(alone, written, "{projection} of {schema}");
            }
        }
    }
}
