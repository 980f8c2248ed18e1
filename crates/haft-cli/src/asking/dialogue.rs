//! What is shown to a person at the terminal, and how the answer is read.

use std::{
    fmt,
    io::{self, BufRead, Write},
};

use haft::{Answer, ApprovalDecision, ApprovalRequest, Question, ToolCall, ToolRegistry};

use crate::{lines, lines::Line, output};

/// Most bytes of one answer.
const MOST_BYTES: u64 = 1024 * 1024;

/// Answers that make no sense before a call is rejected.
const TRIES: usize = 3;

/// A conversation with a person; all text of models and tools is made safe for the terminal.
pub(crate) struct Dialogue {
    input: Box<dyn BufRead + Send>,
    output: Box<dyn Write + Send>,
    /// Judges edited arguments before they are handed on.
    registry: ToolRegistry,
}

impl Dialogue {
    pub(crate) fn new(
        input: Box<dyn BufRead + Send>,
        output: Box<dyn Write + Send>,
        registry: ToolRegistry,
    ) -> Self {
        Self { input, output, registry }
    }

    /// Shows a call that somebody has to approve; anything but a clear yes rejects it.
    pub(crate) fn approve(&mut self, request: &ApprovalRequest) -> io::Result<ApprovalDecision> {
        let (tool, call) = (output::line(&request.tool), output::line(&request.tool_call_id));
        let (reason, arguments) = (output::line(&request.reason), indented(&request.arguments));
        writeln!(self.output, "\nhaft: {tool}, call {call}, waits for approval: {reason}\n{arguments}")?;
        for repair in &request.repaired {
            let (rule, place) = (output::line(repair.rule), output::line(&repair.path));
            let place = if repair.path.is_empty() { "the call" } else { &*place };
            writeln!(self.output, "  repaired: {place} ({rule})")?;
        }
        for _ in 0..TRIES {
            let answer = self.prompt("approve (a), reject (r) or edit (e)? [reject] ")?;
            match answer.as_deref().map(str::trim) {
                None | Some("") => return Ok(ApprovalDecision::Reject { note: None }),
                Some("a" | "approve" | "y" | "yes") => return Ok(ApprovalDecision::Approve),
                Some("r" | "reject" | "n" | "no") => return self.reject(),
                Some("e" | "edit") => return self.edit(request),
                Some(_) => writeln!(self.output, "a, r or e is expected")?,
            }
        }
        writeln!(self.output, "rejected")?;
        Ok(ApprovalDecision::Reject { note: None })
    }

    fn reject(&mut self) -> io::Result<ApprovalDecision> {
        let note = self.prompt("note for the model, or nothing: ")?;
        let note = note.map(|note| note.trim().to_owned()).filter(|note| !note.is_empty());
        Ok(ApprovalDecision::Reject { note })
    }

    fn edit(&mut self, request: &ApprovalRequest) -> io::Result<ApprovalDecision> {
        for _ in 0..TRIES {
            let Some(arguments) = self.prompt("arguments, as JSON on one line, or nothing to reject: ")?
            else {
                break;
            };
            if arguments.trim().is_empty() {
                break;
            }
            match self.fault(&request.tool, &arguments) {
                None => return Ok(ApprovalDecision::Edit { arguments }),
                Some(fault) => writeln!(self.output, "{}", output::block(&fault))?,
            }
        }
        writeln!(self.output, "rejected")?;
        Ok(ApprovalDecision::Reject { note: None })
    }

    /// Why the arguments can not be run.
    fn fault(&self, tool: &str, arguments: &str) -> Option<String> {
        let validation = self.registry.validate(&ToolCall::new("edit", tool, arguments))?;
        validation.error.map(|error| error.message().to_owned())
    }

    /// Shows a tool's question; none where it is not answered.
    pub(crate) fn answer(&mut self, question: &Question) -> io::Result<Option<Answer>> {
        writeln!(self.output, "\nhaft: a tool asks: {}", output::block(&question.prompt))?;
        for (number, option) in (1..).zip(&question.options) {
            writeln!(self.output, "  {number}  {}", output::line(option))?;
        }
        if let Some(schema) = &question.schema {
            writeln!(self.output, "the answer is JSON of this schema:\n{}", indented(&schema.to_string()))?;
        }
        let choose = match (&question.schema, question.options.is_empty()) {
            (Some(_), _) => "JSON: ",
            (None, true) => "answer: ",
            (None, false) => "number or text: ",
        };
        for _ in 0..TRIES {
            let Some(text) = self.prompt(choose)? else { return Ok(None) };
            let answer = chosen(question, &text);
            match question.problem(&answer) {
                None => return Ok(Some(answer)),
                Some(problem) => writeln!(self.output, "{}", output::line(&problem))?,
            }
        }
        Ok(None)
    }

    /// The line that a person types; none at the end of the input.
    fn prompt(&mut self, text: &str) -> io::Result<Option<String>> {
        write!(self.output, "{text}")?;
        self.output.flush()?;
        let line = lines::next(&mut self.input, MOST_BYTES)?;
        if line.is_none() {
            writeln!(self.output)?;
        }
        Ok(line.map(|line| match line {
            Line::Bytes(bytes) => String::from_utf8_lossy(&bytes).trim_end_matches('\r').to_owned(),
            // No answer is so long: it makes no sense, as any other.
            Line::TooLong => "\u{0}".to_owned(),
        }))
    }
}

/// The answer that a text stands for; the question may still not allow it.
fn chosen(question: &Question, text: &str) -> Answer {
    if question.schema.is_some() {
        return serde_json::from_str::<serde_json::Value>(text).unwrap_or_else(|_| text.into()).into();
    }
    if question.options.is_empty() {
        return text.into();
    }
    let text = text.trim();
    let numbered = text.parse::<usize>().ok().and_then(|number| question.options.get(number.checked_sub(1)?));
    numbered.map_or(text, String::as_str).into()
}

/// Arguments for people: indented, and safe.
fn indented(arguments: &str) -> String {
    let value = serde_json::from_str::<serde_json::Value>(arguments).ok();
    let text = value.and_then(|value| output::pretty_json(&value).ok());
    let text = text.unwrap_or_else(|| output::block(arguments).into_owned());
    text.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

impl fmt::Debug for Dialogue {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Dialogue").finish_non_exhaustive()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::sync::{Arc, Mutex};

    use haft::{AnswerFuture, Answerer, CallContext, Dispatcher, Tool};

    use super::*;

    /// What a person would have seen.
    #[derive(Clone, Default)]
    pub(in crate::asking) struct Shown(Arc<Mutex<Vec<u8>>>);

    impl Shown {
        pub(in crate::asking) fn text(&self) -> String {
            String::from_utf8(self.0.lock().expect("a lock").clone()).expect("UTF-8")
        }
    }

    impl Write for Shown {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().expect("a lock").write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// A dialogue with someone who types this.
    pub(in crate::asking) fn scripted(typed: &str, registry: ToolRegistry) -> (Dialogue, Shown) {
        let shown = Shown::default();
        let input = io::Cursor::new(typed.to_owned());
        (Dialogue::new(Box::new(input), Box::new(shown.clone()), registry), shown)
    }

    fn registry() -> ToolRegistry {
        let schema = serde_json::json!({
            "type": "object",
            "properties": {"amount": {"type": "integer"}, "to": {"type": "string"}},
            "required": ["amount"]
        });
        let pay = Tool::builder("pay").description("Pays.").schema(schema).needs_approval(true);
        ToolRegistry::builder().tool(pay.run_sync(|| "paid")).build().expect("a registry")
    }

    /// Keeps the request.
    #[derive(Debug, Clone, Default)]
    struct Keeps(Arc<Mutex<Option<ApprovalRequest>>>);

    impl Answerer for Keeps {
        fn approve<'a>(&'a self, request: &'a ApprovalRequest) -> AnswerFuture<'a, ApprovalDecision> {
            *self.0.lock().expect("a lock") = Some(request.clone());
            Box::pin(std::future::ready(None))
        }
    }

    /// What a person who types this decides on a payment, and sees.
    fn decides(typed: &str) -> (ApprovalDecision, String) {
        let keeps = Keeps::default();
        let dispatcher = Dispatcher::builder(registry()).answerer(keeps.clone()).build();
        let arguments = r#"{"amount": 9007199254740993, "to": "a\u001b[2J\u202eb"}"#;
        let context = CallContext::new().call_id("c1");
        let called = crate::command::block_on(dispatcher.call("pay", arguments, context));
        called.expect("a runtime").expect("a call");
        let request = keeps.0.lock().expect("a lock").clone().expect("a request");
        let (mut dialogue, shown) = scripted(typed, registry());
        (dialogue.approve(&request).expect("a terminal"), shown.text())
    }

    #[test]
    fn a_person_sees_what_would_run() {
        let (_, shown) = decides("");
        let wanted = "\nhaft: pay, call c1, waits for approval: the tool wants an approval\n  {\n    \"amount\": 9007199254740993,\n    \
                      \"to\": \"a\\u001b[2J\\u202eb\"\n  }\napprove (a), reject (r) or edit (e)? [reject] \n";
        assert_eq!(shown, wanted);
    }

    #[test]
    fn nothing_but_a_clear_yes_approves() {
        for typed in ["a\n", "approve\n", "y\n", "yes\r\n", " a \n", "what?\na\n"] {
            assert_eq!(decides(typed).0, ApprovalDecision::Approve, "{typed:?}");
        }
        let no = ApprovalDecision::Reject { note: None };
        for typed in
            ["", "\n", "r\n", "n\n\n", "Approved\n", "A\nA\nA\na\n", "aa", "\u{feff}a\n", "e\n", "e\n\n"]
        {
            assert_eq!(decides(typed).0, no, "{typed:?}");
        }
        assert_eq!(decides("r\n too much \n").0, ApprovalDecision::reject("too much"));
        let long = format!("{}\na\n", "a".repeat(2 * 1024 * 1024));
        assert_eq!(decides(&long).0, ApprovalDecision::Approve, "what is too long is asked once more");
    }

    #[test]
    fn an_edit_is_checked_before_it_is_handed_on() {
        let (decision, shown) = decides("e\n{\"amount\": \"x\"}\n{\"amount\"\n{\"amount\": 5}\n");
        assert_eq!(decision, ApprovalDecision::Edit { arguments: r#"{"amount": 5}"#.to_owned() });
        assert!(shown.contains("amount: expected integer, got \"x\""), "{shown}");
        let (decision, shown) = decides("e\n1\n2\n3\n{\"amount\": 5}\n");
        assert_eq!(decision, ApprovalDecision::Reject { note: None });
        assert!(shown.ends_with("rejected\n"), "{shown}");
    }

    #[test]
    fn a_question_takes_its_options_alone() {
        let branch = || Question::new("Which\u{1b} branch?").option("main").option("2").option("n\next");
        for (question, typed, answer) in [
            (Question::new("Name?"), "Ada L.\n", Some("Ada L.")),
            (Question::new("Name?"), "\n", Some("")),
            (Question::new("Name?"), "", None),
            (branch(), "main\n", Some("main")),
            (branch(), "1\n", Some("main")),
            // The text of an option goes before its number.
            (branch(), "2\n", Some("2")),
            (branch(), "0\n3\n", Some("n\next")),
            (branch(), "x\ny\n4\nmain\n", None),
        ] {
            let (mut dialogue, shown) = scripted(typed, registry());
            let given = dialogue.answer(&question).expect("a terminal");
            assert_eq!(given.as_ref().and_then(Answer::as_text), answer, "{typed:?}");
            assert!(!shown.text().contains('\u{1b}'));
        }
    }
}
