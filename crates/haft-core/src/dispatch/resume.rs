//! Taking up a turn that waits, or that was interrupted: there is one way, from its entries.

use std::{fmt, sync::Arc, time::Duration};

use tokio::runtime::Handle;

use crate::{
    ask::{Answer, ApprovalDecision, ApprovalRequest},
    dispatch::{
        CallContext, Dispatcher, StartError, TurnHandle, check_effective, deadline,
        driver::{Recorded, Setting, Start, resolution},
        past::{Accepted, Past, PastTurn},
        presence::TurnPresence,
        recorder::Recorder,
        sent::SentCalls,
        validate::effective,
    },
    error::ToolError,
    event::ToolEvents,
    journal::{Asked, EntryBody, Journal, JournalError},
    message::ToolCall,
    tool::ToolOutput,
};

/// A turn that can not be taken up.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ResumeError {
    /// 2511: there is no such turn.
    #[error("there is no turn {turn:?} of the session {session:?} in the journal")]
    Unknown {
        /// The session.
        session: String,
        /// The turn.
        turn: String,
    },
    /// 2512: every call of the turn has its result.
    #[error("the turn {0:?} has ended; every call of it has its result")]
    Ended(String),
    /// 2513: the turn runs.
    #[error("the turn {0:?} runs now; wait for it, or cancel it")]
    Running(String),
    /// 2514: an entry of the turn is of a version that is not known here.
    #[error(
        "the turn {turn:?} has an entry of version {version}, and this haft knows version {known}: resume it with the haft that wrote it, or a later one",
        known = crate::journal::VERSION
    )]
    Version {
        /// The turn.
        turn: String,
        /// The entry's version.
        version: u16,
    },
    /// 2510: the journal can not be read.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

impl ResumeError {
    /// The stable number.
    pub const fn code(&self) -> u16 {
        match self {
            Self::Unknown { .. } => 2511,
            Self::Ended(_) => 2512,
            Self::Running(_) => 2513,
            Self::Version { .. } => 2514,
            Self::Journal(_) => 2510,
        }
    }
}

/// An answer that is refused; the turn still waits for the right one.
#[derive(Debug)]
#[non_exhaustive]
pub enum AnswerError {
    /// 2521: the turn waits for nothing of that id.
    Unknown(String),
    /// 2522: it was answered before; an answer is used once.
    Answered(String),
    /// 2523: another kind of answer is waited for.
    Kind {
        /// What the answer named.
        id: String,
        /// What is waited for.
        wanted: &'static str,
    },
    /// 2524: the question does not allow the answer.
    NotAnOption {
        /// What the answer named.
        id: String,
        /// What is wrong with the answer.
        problem: String,
    },
    /// 2525: the arguments that a person put in place do not match.
    Edit(ToolError),
    /// 2526: the approval was asked for under other rules than those of now.
    OtherRules(String),
}

impl AnswerError {
    /// The stable number.
    pub const fn code(&self) -> u16 {
        match self {
            Self::Unknown(_) => 2521,
            Self::Answered(_) => 2522,
            Self::Kind { .. } => 2523,
            Self::NotAnOption { .. } => 2524,
            Self::Edit(_) => 2525,
            Self::OtherRules(_) => 2526,
        }
    }
}

impl fmt::Display for AnswerError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(id) => write!(formatter, "the turn waits for nothing with the id {id:?}"),
            Self::Answered(id) => write!(formatter, "{id:?} was answered before; an answer is used once"),
            Self::Kind { id, wanted } => write!(formatter, "{id:?} waits for {wanted}"),
            Self::NotAnOption { id, problem } => {
                write!(formatter, "{id:?} waits for another answer: {problem}")
            }
            Self::Edit(error) => write!(formatter, "the edited arguments do not match: {}", error.message()),
            Self::OtherRules(id) => write!(
                formatter,
                "{id:?} was asked for under other rules than those of now; resume the turn without it to be asked anew"
            ),
        }
    }
}

impl std::error::Error for AnswerError {}

/// An answer, of any kind.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Reply {
    /// To an approval, or to the question whether an interrupted call runs again.
    Decision(ApprovalDecision),
    /// To a tool's question.
    Answer(Answer),
    /// The result of a tool that the client ran: its text, and whether it failed.
    Result {
        /// What the tool gave back, or the message of its failure.
        output: String,
        /// Whether it failed.
        is_error: bool,
    },
}

impl From<ApprovalDecision> for Reply {
    fn from(decision: ApprovalDecision) -> Self {
        Self::Decision(decision)
    }
}

impl From<Answer> for Reply {
    fn from(answer: Answer) -> Self {
        Self::Answer(answer)
    }
}

impl From<&str> for Reply {
    fn from(answer: &str) -> Self {
        Self::Answer(Answer::from(answer))
    }
}

impl From<ToolOutput> for Reply {
    fn from(output: ToolOutput) -> Self {
        Self::Result { output: output.to_text().into_owned(), is_error: false }
    }
}

/// Gathers the answers that a turn is resumed with.
#[must_use = "a turn does nothing until `start`"]
pub struct ResumeBuilder {
    dispatcher: Dispatcher,
    turn_id: String,
    turn: PastTurn,
    journal: Arc<dyn Journal>,
    /// As many entries the turn had.
    known: usize,
    context: CallContext,
    timeout: Option<Duration>,
    answers: Vec<EntryBody>,
    presence: TurnPresence,
}

impl ResumeBuilder {
    pub(super) async fn open(
        dispatcher: Dispatcher,
        session: &str,
        turn_id: &str,
    ) -> Result<Self, ResumeError> {
        let settings = &dispatcher.0;
        let presence = settings.presence.resumed(session, turn_id);
        let presence = presence.ok_or_else(|| ResumeError::Running(turn_id.to_owned()))?;
        let memory: Arc<dyn Journal> = Arc::clone(&settings.memory) as Arc<dyn Journal>;
        let journal = settings.journal.clone().unwrap_or(memory);
        let entries = Recorder::read(&*journal, session, turn_id).await?;
        if entries.is_empty() {
            return Err(ResumeError::Unknown { session: session.to_owned(), turn: turn_id.to_owned() });
        }
        if let Some(entry) = entries.iter().find(|entry| !entry.is_readable()) {
            return Err(ResumeError::Version { turn: turn_id.to_owned(), version: entry.v });
        }
        let turn = PastTurn::read(&entries);
        if turn.closed {
            return Err(ResumeError::Ended(turn_id.to_owned()));
        }
        let context = CallContext::new().session(session);
        let turn_id = turn_id.to_owned();
        let known = entries.len();
        let answers = Vec::new();
        Ok(Self { dispatcher, turn_id, turn, journal, known, context, timeout: None, answers, presence })
    }

    /// The messages that the model had seen.
    pub fn messages(mut self, messages: impl Into<Arc<[crate::Message]>>) -> Self {
        self.context = self.context.messages(messages);
        self
    }

    /// Brings a value that tools ask for as [`Extension<T>`](crate::Extension).
    pub fn with<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        self.context = self.context.with(value);
        self
    }

    /// Brings all of a context at once; the session stays the turn's.
    pub fn context(mut self, context: CallContext) -> Self {
        let session = self.context.session_id().unwrap_or_default().to_owned();
        self.context = context.session(session);
        self
    }

    /// Ends the turn when the token is cancelled.
    pub fn cancellation(mut self, token: crate::CancellationToken) -> Self {
        self.context = self.context.cancellation(token);
        self
    }

    /// How long the whole turn may take from now; unbounded unless set.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// The ids that the turn waits for, in the model's order.
    pub fn waits_for(&self) -> Vec<String> {
        self.turn.past.iter().filter_map(|past| past.waits.as_ref().map(|(_, id)| id.clone())).collect()
    }

    /// Gives an answer, by the id of what is waited for. Answers may come one by one, in any order.
    ///
    /// # Errors
    /// When nothing of that id is waited for, it was answered before, or the answer is of the wrong kind. A refused
    /// answer changes nothing; the builder is lost with it, so look at [`waits_for`](Self::waits_for) first.
    pub fn answer(mut self, id: &str, reply: impl Into<Reply>) -> Result<Self, AnswerError> {
        self.try_answer(id, reply)?;
        Ok(self)
    }

    /// As [`answer`](Self::answer), in place.
    ///
    /// # Errors
    /// As [`answer`](Self::answer).
    pub fn try_answer(&mut self, id: &str, reply: impl Into<Reply>) -> Result<(), AnswerError> {
        let waiting = |past: &Past| past.waits.as_ref().is_some_and(|(_, waits)| waits == id);
        let Some(position) = self.turn.past.iter().position(waiting) else {
            let known = |past: &Past| {
                past.resolution(id).is_some() || past.answers.iter().any(|(answered, _)| answered == id)
            };
            let answered = self.turn.past.iter().any(known);
            return Err(if answered {
                AnswerError::Answered(id.to_owned())
            } else {
                AnswerError::Unknown(id.to_owned())
            });
        };
        let entry = self.entry(position, id, reply.into())?;
        self.turn.apply(&entry);
        self.answers.push(entry);
        Ok(())
    }

    fn entry(&self, position: usize, id: &str, reply: Reply) -> Result<EntryBody, AnswerError> {
        let past = self.turn.past.get(position);
        let waits_for =
            past.and_then(|past| past.waits.as_ref()).map_or(Asked::Question, |(asked, _)| *asked);
        match (waits_for, reply) {
            (Asked::Approval | Asked::Recovery, Reply::Decision(decision)) => {
                if waits_for == Asked::Approval
                    && past.is_some_and(|past| self.is_of_other_rules(position, past, id))
                {
                    return Err(AnswerError::OtherRules(id.to_owned()));
                }
                if let ApprovalDecision::Edit { arguments } = &decision {
                    self.check_edit(past, arguments)?;
                }
                Ok(resolution(position, id, &decision))
            }
            (Asked::Question, Reply::Answer(answer)) => {
                let question = past.and_then(|past| past.asked.iter().find(|(asked, _)| asked == id));
                if let Some(problem) = question.and_then(|(_, question)| question.problem(&answer)) {
                    return Err(AnswerError::NotAnOption { id: id.to_owned(), problem });
                }
                Ok(EntryBody::QuestionAnswered { position, id: id.to_owned(), answer })
            }
            (Asked::External, Reply::Result { output, is_error }) => {
                let answer = Answer::from(serde_json::json!({"output": output, "isError": is_error}));
                Ok(EntryBody::QuestionAnswered { position, id: id.to_owned(), answer })
            }
            (asked, _) => Err(AnswerError::Kind { id: id.to_owned(), wanted: wanted(asked) }),
        }
    }

    /// Whether the approval of an accepted call has another name under the rules of now, as it was accepted and as a
    /// person has changed it.
    fn is_of_other_rules(&self, position: usize, past: &Past, id: &str) -> bool {
        let Some(accepted) = &past.accepted else { return false };
        let registry = &self.dispatcher.0.registry;
        let edit = past.edit().zip(registry.get(&accepted.tool));
        let edit = edit.and_then(|(edit, tool)| effective(&tool, edit, registry));
        let shown = [Some(accepted.arguments.clone()), edit];
        !shown
            .into_iter()
            .flatten()
            .any(|shown| self.approval_now(position, accepted, shown).as_deref() == Some(id))
    }

    fn approval_now(&self, position: usize, accepted: &Accepted, arguments: String) -> Option<String> {
        let Accepted { tool, definition, .. } = accepted.clone();
        let request = ApprovalRequest {
            id: String::new(),
            tool,
            definition,
            arguments,
            session: self.context.session_id().unwrap_or_default().to_owned(),
            turn: self.turn_id.clone(),
            tool_call_id: self.turn.calls.get(position)?.id.clone(),
            policy_version: self.dispatcher.0.policy_version.clone(),
            reason: String::new(),
            repaired: Vec::new(),
        };
        Some(request.identified(&position.to_string()).id)
    }

    fn check_edit(&self, past: Option<&Past>, arguments: &str) -> Result<(), AnswerError> {
        let registry = &self.dispatcher.0.registry;
        let tool =
            past.and_then(|past| past.accepted.as_ref()).and_then(|accepted| registry.get(&accepted.tool));
        match tool {
            Some(tool) => check_effective(&tool, arguments, registry.leniency(&tool))
                .map(drop)
                .map_err(AnswerError::Edit),
            None => Ok(()),
        }
    }

    /// Goes on with the turn: what has finished never runs again, the rest runs as it was decided and answered.
    ///
    /// # Errors
    /// When the caller did not bring what a called tool asks for, or outside a tokio runtime.
    pub fn start(self) -> Result<(TurnHandle, ToolEvents), StartError> {
        let events = ToolEvents::new(self.turn.calls.len());
        Ok((self.begin(Some(&events))?, events))
    }

    /// As [`start`](Self::start), for a caller who does not follow the turn's events.
    ///
    /// # Errors
    /// As [`start`](Self::start).
    pub fn start_unobserved(self) -> Result<TurnHandle, StartError> {
        self.begin(None)
    }

    fn begin(self, events: Option<&ToolEvents>) -> Result<TurnHandle, StartError> {
        let runtime = Handle::try_current().map_err(|_| StartError::NoRuntime)?;
        let settings = &self.dispatcher.0;
        let tools = settings.registry.snapshot();
        for call in &self.turn.calls {
            self.context.check_extensions(settings.registry.called(&tools, &call.name))?;
        }
        let mut scope = self.context.scope(settings, events, Some(&self.turn_id));
        scope.can_suspend = true;
        scope.deadline = self.timeout.and_then(deadline::after);
        scope.tools = Some(Arc::clone(&tools));
        let scope = Arc::new(scope);
        let recorder = Recorder::new(self.journal, settings.clock.clone(), &scope).behind(self.known);
        let calls = self.turn.calls.iter();
        let calls = calls.map(|call| ToolCall::new(call.id.as_str(), &call.name, &call.arguments));
        let start = Start {
            setting: Setting {
                dispatcher: self.dispatcher,
                tools,
                calls: Arc::new(SentCalls::new(calls.collect())),
                scope,
            },
            presence: self.presence,
            recorded: Some(Box::new(Recorded { recorder, past: Some(self.turn), preface: self.answers })),
        };
        Ok(TurnHandle::spawn(&runtime, start))
    }
}

impl fmt::Debug for ResumeBuilder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ResumeBuilder").field("turn", &self.turn_id).finish_non_exhaustive()
    }
}

const fn wanted(asked: Asked) -> &'static str {
    match asked {
        Asked::Approval => "an approval, a rejection or an edit",
        Asked::Recovery => "a decision whether it runs again",
        Asked::Question => "an answer to its question",
        Asked::External => "the result of a tool that the client runs",
    }
}
