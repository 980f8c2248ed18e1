//! What a host should know about a message, beside its calls.

use std::fmt;

use haft_core::ToolCallId;

use crate::provider::error::excerpt;

/// Something that a host should know about a message whose calls were read; none of it stops a call.
///
/// Its text is one line for people; text that came from the model is escaped in it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// A call came without an id that is a text, and got one that no other call of the message has.
    GeneratedId {
        /// The place among the calls, from 0.
        position: usize,
        /// The name that was called.
        name: String,
        /// The id that its result goes back under.
        id: ToolCallId,
    },
    /// The call came in the form that preceded `tool_calls`; its result goes back in that form.
    FunctionCall,
    /// The response has several choices; one was read.
    SeveralChoices {
        /// The one that was read, from 0.
        used: usize,
        /// How many there are.
        count: usize,
    },
    /// The document is a conversation; the last message of the model was read.
    Conversation {
        /// Its place, from 0.
        position: usize,
        /// How many messages there are.
        count: usize,
    },
    /// Calls that later messages of the conversation answer were left out.
    Answered {
        /// How many.
        count: usize,
    },
    /// The provider runs this call itself; it needs no result from here.
    ProviderRun {
        /// The type of the block.
        kind: String,
        /// The tool, where the block names it.
        name: Option<String>,
    },
    /// The model asks for something that is no call of a tool, and that the host answers in its own way.
    ForHost {
        /// The type of the block.
        kind: String,
    },
    /// A block of a type that is not known here was left out.
    UnknownBlock {
        /// The type of the block.
        kind: String,
    },
    /// The model's output was cut off, so the last call may lack what it was going to say.
    CutOff {
        /// The provider's word for the reason.
        reason: String,
    },
    /// The message calls no tool.
    NoCalls,
}

impl fmt::Display for Note {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::GeneratedId { position, name, id } if name.is_empty() => write!(
                formatter,
                "call {} came without an id and without a name: its result goes back as {id}, which the model's message \
                 needs as well",
                position + 1,
            ),
            Self::GeneratedId { position, name, id } => write!(
                formatter,
                "call {} ({}) came without an id: its result goes back as {id}, which the model's message needs as well",
                position + 1,
                excerpt(name),
            ),
            Self::FunctionCall => formatter.write_str(
                "the call came as a `function_call`: its result goes back as a message of role `function`",
            ),
            Self::SeveralChoices { used, count } => {
                write!(formatter, "the response has {count} choices: choice {} was read", used + 1)
            }
            Self::Conversation { position, count } => write!(
                formatter,
                "the input is a conversation: message {} of {count}, the model's last one, was read",
                position + 1
            ),
            Self::ProviderRun { kind, name: Some(name) } => {
                write!(formatter, "the provider runs {} itself ({})", excerpt(name), excerpt(kind))
            }
            Self::ProviderRun { kind, name: None } => {
                write!(formatter, "the provider runs a call of its own ({})", excerpt(kind))
            }
            Self::Answered { count: 1 } => {
                formatter.write_str("one call is answered later in the conversation, and was left out")
            }
            Self::Answered { count } => {
                write!(formatter, "{count} calls are answered later in the conversation, and were left out")
            }
            Self::ForHost { kind } => {
                write!(
                    formatter,
                    "a block of type {:?} is no call of a tool: answer it yourself",
                    excerpt(kind)
                )
            }
            Self::UnknownBlock { kind } => {
                write!(formatter, "a block of the unknown type {:?} was left out", excerpt(kind))
            }
            Self::CutOff { reason } => write!(
                formatter,
                "the model's output was cut off ({}): its last call may be incomplete",
                excerpt(reason)
            ),
            Self::NoCalls => formatter.write_str("the message calls no tool"),
        }
    }
}
