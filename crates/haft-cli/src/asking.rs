//! Who answers when a tool wants an approval or asks a question: a person at the terminal, `--yes`, or nobody.

mod dialogue;

use std::{
    io::{self, BufReader, IsTerminal as _},
    sync::Arc,
};

use haft::{
    Answer, AnswerFuture, Answerer, ApprovalDecision, ApprovalRequest, DispatcherBuilder, Question,
    ToolRegistry,
};
use tokio::{sync::Mutex, task::spawn_blocking};

use self::dialogue::Dialogue;

/// Has the dispatcher ask whoever is there; what nobody answers is denied, since no later run could take it up.
pub(crate) fn attend(dispatcher: DispatcherBuilder, registry: &ToolRegistry, yes: bool) -> DispatcherBuilder {
    let person = io::stdin().is_terminal() && io::stderr().is_terminal();
    let person = person.then(|| {
        Dialogue::new(Box::new(BufReader::new(io::stdin())), Box::new(io::stderr()), registry.clone())
    });
    dispatcher.suspends(false).answerer(Attendant::new(person, yes))
}

/// Has every call approved, where that is wanted; what else is asked goes to the clients.
pub(crate) fn attend_clients(dispatcher: DispatcherBuilder, yes: bool) -> DispatcherBuilder {
    if yes { dispatcher.answerer(Attendant::new(None, true)) } else { dispatcher }
}

/// Answers for whoever is there.
#[derive(Debug)]
struct Attendant {
    /// One question is asked at a time.
    person: Option<Arc<Mutex<Dialogue>>>,
    yes: bool,
}

impl Attendant {
    fn new(person: Option<Dialogue>, yes: bool) -> Self {
        Self { person: person.map(|dialogue| Arc::new(Mutex::new(dialogue))), yes }
    }

    /// Holds the dialogue on a thread that may wait for a person.
    async fn ask<T: Send + 'static>(
        &self,
        talk: impl FnOnce(&mut Dialogue) -> io::Result<Option<T>> + Send + 'static,
    ) -> Option<T> {
        let mut dialogue = Arc::clone(self.person.as_ref()?).lock_owned().await;
        // A terminal that can not be read or written is one where nobody is.
        spawn_blocking(move || talk(&mut dialogue).ok().flatten()).await.ok().flatten()
    }
}

impl Answerer for Attendant {
    fn approve<'a>(&'a self, request: &'a ApprovalRequest) -> AnswerFuture<'a, ApprovalDecision> {
        Box::pin(async move {
            if self.yes {
                return Some(ApprovalDecision::Approve);
            }
            let request = request.clone();
            self.ask(move |dialogue| dialogue.approve(&request).map(Some)).await
        })
    }

    fn answer<'a>(&'a self, question: &'a Question) -> AnswerFuture<'a, Answer> {
        Box::pin(async move {
            let question = question.clone();
            self.ask(move |dialogue| dialogue.answer(&question)).await
        })
    }
}

#[cfg(test)]
mod tests {
    use haft::{CallContext, Dispatcher, Tool, ToolCall, ToolContext, ToolError, ToolErrorKind, ToolResult};

    use super::{dialogue::tests::scripted, *};

    fn tools() -> ToolRegistry {
        let schema = serde_json::json!({"type": "object", "properties": {"n": {"type": "integer"}}});
        let write = Tool::builder("write").description("Writes.").schema(schema).needs_approval(true);
        let name = Tool::builder("name").description("Asks.").run(|context: ToolContext| async move {
            let name = context.ask(Question::new("Your name?")).await?;
            Ok::<_, ToolError>(name.as_text().unwrap_or_default().to_owned())
        });
        let write = write.run_sync(|| "written");
        ToolRegistry::builder().tool(write).tool(name).build().expect("a registry")
    }

    /// The results of two writes and a question, and what was shown.
    fn turn(person: Option<&str>, yes: bool) -> (Vec<ToolResult>, String) {
        let registry = tools();
        let (dialogue, shown) = scripted(person.unwrap_or_default(), registry.clone());
        let attendant = Attendant::new(person.map(|_| dialogue), yes);
        let dispatcher = Dispatcher::builder(registry).suspends(false).answerer(attendant).build();
        let calls = [("a", "write"), ("b", "write"), ("c", "name")];
        let calls = calls.map(|(id, name)| ToolCall::new(id, name, "{}")).to_vec();
        let results = crate::command::block_on(async {
            let (turn, _events) = dispatcher.turn(calls).start().expect("a turn");
            turn.finish().await.expect("it ends").finished().expect("it does not wait")
        });
        (results.expect("a runtime"), shown.text())
    }

    fn kinds(results: &[ToolResult]) -> Vec<Option<ToolErrorKind>> {
        results.iter().map(|result| result.error().map(ToolError::kind)).collect()
    }

    #[test]
    fn a_person_is_asked_one_question_at_a_time() {
        let (results, shown) = turn(Some("a\nr\nnot now\nAda\n"), false);
        // Both are asked about at once, and who comes first is not said; the screen names the call.
        let (first, second) = if shown.find("call a") < shown.find("call b") { (0, 1) } else { (1, 0) };
        assert_eq!(results[first].text(), "written");
        assert_eq!(results[second].error().map(ToolError::kind), Some(ToolErrorKind::Rejected));
        assert!(results[second].text().contains("not now"), "{}", results[second].text());
        assert_eq!(results[2].text(), "Ada");
        assert_eq!(shown.matches("waits for approval").count(), 2, "{shown}");
    }

    #[test]
    fn where_nobody_is_every_call_has_its_message() {
        let denied = Some(ToolErrorKind::Denied);
        let (results, _) = turn(None, false);
        assert_eq!(kinds(&results), [denied, denied, denied]);
        let (results, shown) = turn(None, true);
        assert_eq!((kinds(&results), shown.as_str()), (vec![None, None, denied], ""));
    }

    #[test]
    fn a_call_alone_is_asked_about_as_well() {
        let registry = tools();
        let (dialogue, _) = scripted("approve\n", registry.clone());
        let builder = Dispatcher::builder(registry).suspends(false);
        let dispatcher = builder.answerer(Attendant::new(Some(dialogue), false)).build();
        let result = crate::command::block_on(dispatcher.call("write", "{}", CallContext::new()));
        assert_eq!(result.expect("a runtime").expect("a call").text(), "written");
    }
}
