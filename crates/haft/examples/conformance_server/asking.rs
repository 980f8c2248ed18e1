//! Tools of the registry that ask the user: the same code for clients of both eras.

use haft::{Args, DefinitionError, Question, Tool, ToolBuilder, ToolContext, ToolError};
use serde_json::{Value, json};

/// What the suite calls the tools that ask in rounds.
const IN_ROUNDS: &str = "test_input_required_result_";

pub(crate) fn all() -> Result<Vec<Tool>, DefinitionError> {
    Ok(vec![
        form()?,
        defaults()?,
        choices()?,
        streaming()?,
        greeting()?,
        confirmation("request_state")?,
        confirmation("tampered_state")?,
        rounds()?,
    ])
}

fn builder(name: &str) -> ToolBuilder {
    Tool::builder(name).description("Asks the user.").read_only(true)
}

fn in_rounds(name: &str) -> ToolBuilder {
    builder(&format!("{IN_ROUNDS}{name}"))
}

/// A form of fields that are all demanded.
fn fields(fields: &[(&str, &str)]) -> Value {
    let properties: serde_json::Map<String, Value> =
        fields.iter().map(|(name, kind)| ((*name).to_owned(), json!({"type": kind}))).collect();
    let required: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
    json!({"type": "object", "properties": properties, "required": required})
}

fn form() -> Result<Tool, DefinitionError> {
    let schema = json!({
        "type": "object",
        "properties": {"message": {"type": "string", "description": "What the user is shown."}},
        "required": ["message"],
    });
    builder("test_elicitation").schema(schema).run(
        |context: ToolContext, Args(arguments): Args<Value>| async move {
            let message = arguments.get("message").and_then(Value::as_str).unwrap_or_default();
            let question =
                Question::new(message).schema(fields(&[("username", "string"), ("email", "string")]));
            let answer = context.ask(question).await?;
            Ok::<_, ToolError>(format!("User response: {}", answer.as_value()))
        },
    )
}

fn defaults() -> Result<Tool, DefinitionError> {
    let form = json!({"type": "object", "properties": {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": true},
    }});
    completed("test_elicitation_sep1034_defaults", "Please provide values; all have defaults.", form)
}

fn choices() -> Result<Tool, DefinitionError> {
    let titled = |titles: [(&str, &str); 3]| {
        titles.map(|(value, title)| json!({"const": value, "title": title})).to_vec()
    };
    let options = ["option1", "option2", "option3"];
    let single = [("value1", "First Option"), ("value2", "Second Option"), ("value3", "Third Option")];
    let multi = [("value1", "First Choice"), ("value2", "Second Choice"), ("value3", "Third Choice")];
    let form = json!({"type": "object", "properties": {
        "untitledSingle": {"type": "string", "enum": options},
        "titledSingle": {"type": "string", "oneOf": titled(single)},
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": options}},
        "titledMulti": {"type": "array", "items": {"anyOf": titled(multi)}},
    }});
    completed("test_elicitation_sep1330_enums", "Please choose.", form)
}

fn completed(name: &str, prompt: &'static str, form: Value) -> Result<Tool, DefinitionError> {
    builder(name).run(move |context: ToolContext| {
        let question = Question::new(prompt).schema(form.clone());
        async move {
            let answer = context.ask(question).await?;
            Ok::<_, ToolError>(format!("Elicitation completed: action=accept, content={}", answer.as_value()))
        }
    })
}

fn streaming() -> Result<Tool, DefinitionError> {
    builder("test_streaming_elicitation").run(|context: ToolContext| async move {
        let answer =
            context.ask(Question::new("Provide a value").schema(fields(&[("value", "string")]))).await?;
        Ok::<_, ToolError>(answer.as_value().to_string())
    })
}

fn greeting() -> Result<Tool, DefinitionError> {
    in_rounds("elicitation").run(|context: ToolContext| async move {
        let question = Question::new("What is your name?").named("user_name");
        let answer = context.ask(question.schema(fields(&[("name", "string")]))).await?;
        Ok::<_, ToolError>(format!("Hello, {}!", field(answer.as_value(), "name")))
    })
}

fn confirmation(name: &str) -> Result<Tool, DefinitionError> {
    in_rounds(name).run(|context: ToolContext| async move {
        let question = Question::new("Please confirm").named("confirm");
        context.ask(question.schema(fields(&[("ok", "boolean")]))).await?;
        Ok::<_, ToolError>("Confirmed: state-ok")
    })
}

fn rounds() -> Result<Tool, DefinitionError> {
    in_rounds("multi_round").run(|context: ToolContext| async move {
        let name = Question::new("Step 1: What is your name?").named("step1");
        let name = context.ask(name.schema(fields(&[("name", "string")]))).await?;
        let color = Question::new("Step 2: What is your favorite color?").named("step2");
        let color = context.ask(color.schema(fields(&[("color", "string")]))).await?;
        let (name, color) = (field(name.as_value(), "name"), field(color.as_value(), "color"));
        Ok::<_, ToolError>(format!("{name} likes {color}"))
    })
}

fn field<'a>(form: &'a Value, name: &str) -> &'a str {
    form.get(name).and_then(Value::as_str).unwrap_or_default()
}
