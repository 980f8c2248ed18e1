//! The dry run and the revision: what is published, what is refused, and that policy makes no difference.

use std::sync::{Arc, Mutex};

use haft_core::{
    AnswerFuture, Answerer, ApprovalDecision, ApprovalRequest, Args, BeforeCall, CallContext, DRY_RUN_ADVICE,
    DRY_RUN_FIELD, Dispatcher, DryRun, ErrorStyle, Hook, HookCall, HookFuture, Json, REVISION_FIELD,
    Revision, Tool, ToolBuilder, ToolError, ToolErrorKind, ToolRegistry, ToolResult,
};
use serde_json::{Value, json};

use crate::script;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct WriteNote {
    text: String,
    #[serde(default)]
    revision: Revision,
    #[serde(default)]
    dry_run: DryRun,
}

/// A note with its revision.
type Note = Arc<Mutex<(String, u64)>>;

fn write_note(note: &Note) -> Tool {
    let note = Arc::clone(note);
    builder("write_note")
        .run_sync(move |Args(new): Args<WriteNote>| {
            let mut note = note.lock().unwrap();
            new.revision.check(note.1)?;
            if !new.dry_run.is_on() {
                *note = (new.text, note.1 + 1);
            }
            Ok::<_, ToolError>(format!("revision\t{}", note.1))
        })
        .unwrap()
}

fn builder(name: &str) -> ToolBuilder {
    Tool::builder(name).description("Replaces the note.")
}

fn dispatcher(tool: Tool) -> Dispatcher {
    Dispatcher::builder(ToolRegistry::builder().tool(tool).build().unwrap())
        .error_style(ErrorStyle::Refusal)
        .build()
}

fn call(dispatcher: &Dispatcher, name: &str, arguments: &str) -> ToolResult {
    script::paused().block_on(dispatcher.call(name, arguments, CallContext::new())).unwrap()
}

#[test]
fn both_fields_are_published_alike_by_type_and_by_builder() {
    let schema = json!({"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]});
    let echo = builder("echo").schema(schema).revision().dry_run();
    let echo = echo.run_sync(|Args(all): Args<Value>| Json(all)).unwrap();
    let typed = write_note(&Note::default());
    for field in [DRY_RUN_FIELD, REVISION_FIELD] {
        let of = |tool: &Tool| tool.definition().input.published()["properties"][field].clone();
        assert_eq!(of(&typed)["type"], of(&echo)["type"]);
        assert_eq!(of(&typed)["description"], of(&echo)["description"]);
    }
    let of_dry_run = &echo.definition().input.published()["properties"][DRY_RUN_FIELD];
    assert!(of_dry_run["description"].as_str().unwrap().ends_with(DRY_RUN_ADVICE));
    for tool in [&typed, &echo] {
        let published = tool.definition().input.published();
        assert_eq!(
            (&published["required"], &published["additionalProperties"]),
            (&json!(["text"]), &json!(false))
        );
        let none = json!(null);
        assert_eq!(
            (
                &published["properties"][DRY_RUN_FIELD]["default"],
                published["properties"][REVISION_FIELD].get("default").unwrap_or(&none)
            ),
            (&json!(false), &none)
        );
    }
    let of_data = dispatcher(echo);
    let result = call(&of_data, "echo", r#"{"text":"a","revision":7,"dry_run":true}"#);
    let all: Value = serde_json::from_str(&result.text()).unwrap();
    assert_eq!(all, json!({"dry_run": true, "revision": 7, "text": "a"}));
    assert!(call(&of_data, "echo", r#"{"text":"a","revision":-1}"#).is_error());
    // A field that is there already is the tool's own.
    let own = json!({"type": "object", "properties": {"dry_run": {"type": "string"}}});
    let own = builder("own").schema(own).dry_run().run_sync(|| "").unwrap();
    assert_eq!(own.definition().input.published()["properties"]["dry_run"], json!({"type": "string"}));
}

#[test]
fn a_moved_revision_is_refused_and_a_dry_run_writes_nothing() {
    let note = Note::default();
    let dispatcher = dispatcher(write_note(&note));
    let write = |arguments: &str| call(&dispatcher, "write_note", arguments).text().into_owned();
    assert_eq!(write(r#"{"text":"a"}"#), "revision\t1");
    assert_eq!(write(r#"{"text":"b","revision":1}"#), "revision\t2");
    let stale = "refused\tstale-revision\tThe change was made for revision 1, and the present one is 2; nothing was \
                 changed. Read it again, then send the change for what it is now.\nrevision\t2";
    // A dry run makes the same checks.
    for arguments in [r#"{"text":"c","revision":1}"#, r#"{"text":"c","revision":1,"dry_run":true}"#] {
        assert_eq!(write(arguments), stale);
    }
    assert_eq!(write(r#"{"text":"c","revision":2,"dry_run":true}"#), "revision\t2");
    assert_eq!(write(r#"{"text":"c","revision":null,"dry_run":null}"#), "revision\t3");
    assert_eq!(*note.lock().unwrap(), ("c".to_owned(), 3));
}

/// Writes down what it was asked, and rejects.
#[derive(Debug, Clone, Default)]
struct Asked(Arc<Mutex<Vec<String>>>);

impl Answerer for Asked {
    fn approve<'a>(&'a self, request: &'a ApprovalRequest) -> AnswerFuture<'a, ApprovalDecision> {
        self.0.lock().unwrap().push(request.arguments.clone());
        Box::pin(async { Some(ApprovalDecision::reject("no")) })
    }
}

/// Denies whatever is no read.
#[derive(Debug)]
struct ReadsOnly;

impl Hook for ReadsOnly {
    fn before<'a>(&'a self, call: &'a HookCall) -> HookFuture<'a, BeforeCall> {
        let reads =
            call.tool.as_ref().is_some_and(|tool| tool.definition().annotations.read_only == Some(true));
        Box::pin(async move {
            Ok(if reads { BeforeCall::Continue } else { BeforeCall::Deny { reason: "reads only".into() } })
        })
    }
}

#[test]
fn policy_does_not_relax_for_a_dry_run() {
    const REAL: &str = r#"{"dry_run":false,"text":"a"}"#;
    const DRY: &str = r#"{"dry_run":true,"text":"a"}"#;
    let needs: [fn(ToolBuilder) -> ToolBuilder; 2] = [
        |tool| tool.needs_approval(true),
        // The predicate sees what the function will.
        |tool| tool.approve_if(|arguments| arguments["dry_run"].is_boolean() && arguments["text"] == "a"),
    ];
    for needs in needs {
        let ran = Arc::new(Mutex::new(0));
        let runs = Arc::clone(&ran);
        let tool =
            needs(builder("write")).run_sync(move |Args(_): Args<WriteNote>| *runs.lock().unwrap() += 1);
        let registry = ToolRegistry::builder().tool(tool).build().unwrap();
        let asked = Asked::default();
        let asking = Dispatcher::builder(registry.clone()).answerer(asked.clone()).build();
        for arguments in [REAL, DRY] {
            let kind = |dispatcher: &Dispatcher| call(dispatcher, "write", arguments).error().unwrap().kind();
            assert_eq!(kind(&asking), ToolErrorKind::Rejected);
            assert_eq!(kind(&Dispatcher::new(registry.clone())), ToolErrorKind::Denied);
            let hooked = Dispatcher::builder(registry.clone()).hook(ReadsOnly).build();
            assert_eq!(kind(&hooked), ToolErrorKind::Denied);
        }
        assert_eq!(*asked.0.lock().unwrap(), [REAL, DRY]);
        assert_eq!(*ran.lock().unwrap(), 0);
    }
}
