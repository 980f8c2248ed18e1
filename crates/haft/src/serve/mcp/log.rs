//! The log that clients see: by level, and only what they want.

#![expect(deprecated, reason = "clients of today still take the log")]

use std::sync::atomic::{AtomicU8, Ordering};

use haft_core::{CallRequest, Extract, ToolError};
use rmcp::model::LoggingLevel;
use serde_json::Value;
use tokio::sync::mpsc;

/// How severe an entry of the log is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
#[repr(u8)]
pub enum LogLevel {
    /// For those who look for a fault.
    Debug,
    /// What goes on.
    Info,
    /// What is normal and worth knowing.
    Notice,
    /// What may become a fault.
    Warning,
    /// A fault.
    Error,
    /// A fault of a part that is needed.
    Critical,
    /// Somebody has to act at once.
    Alert,
    /// Nothing can be used.
    Emergency,
}

impl LogLevel {
    const ALL: [Self; 8] = [
        Self::Debug,
        Self::Info,
        Self::Notice,
        Self::Warning,
        Self::Error,
        Self::Critical,
        Self::Alert,
        Self::Emergency,
    ];

    pub(super) fn from_wire(level: LoggingLevel) -> Self {
        match level {
            LoggingLevel::Debug => Self::Debug,
            LoggingLevel::Info => Self::Info,
            LoggingLevel::Notice => Self::Notice,
            LoggingLevel::Warning => Self::Warning,
            LoggingLevel::Error => Self::Error,
            LoggingLevel::Critical => Self::Critical,
            LoggingLevel::Alert => Self::Alert,
            LoggingLevel::Emergency => Self::Emergency,
        }
    }

    pub(super) fn to_wire(self) -> LoggingLevel {
        match self {
            Self::Debug => LoggingLevel::Debug,
            Self::Info => LoggingLevel::Info,
            Self::Notice => LoggingLevel::Notice,
            Self::Warning => LoggingLevel::Warning,
            Self::Error => LoggingLevel::Error,
            Self::Critical => LoggingLevel::Critical,
            Self::Alert => LoggingLevel::Alert,
            Self::Emergency => LoggingLevel::Emergency,
        }
    }
}

/// What of the log a session wants: from `Info` on, until it says otherwise.
#[derive(Debug)]
pub(super) struct Threshold(AtomicU8);

impl Default for Threshold {
    fn default() -> Self {
        Self(AtomicU8::new(LogLevel::Info as u8))
    }
}

impl Threshold {
    pub(super) fn set(&self, level: LogLevel) {
        self.0.store(level as u8, Ordering::Relaxed);
    }

    pub(super) fn get(&self) -> LogLevel {
        let level = usize::from(self.0.load(Ordering::Relaxed));
        LogLevel::ALL.get(level).copied().unwrap_or(LogLevel::Info)
    }
}

/// One entry of the log.
#[derive(Debug)]
pub(super) struct LogEntry {
    pub(super) level: LogLevel,
    pub(super) logger: String,
    pub(super) data: Value,
}

/// Where the entries of one call go.
#[derive(Debug, Clone)]
pub(super) struct LogSink {
    from: LogLevel,
    entries: mpsc::Sender<LogEntry>,
}

/// How many entries wait for a client before further ones are dropped.
const WAITING: usize = 256;

impl LogSink {
    /// A sink for entries of that level and above, and where they come out.
    pub(super) fn new(from: LogLevel) -> (Self, mpsc::Receiver<LogEntry>) {
        let (entries, out) = mpsc::channel(WAITING);
        (Self { from, entries }, out)
    }
}

/// The log of the MCP client that calls, as a parameter of a tool's function.
///
/// The client gets what it wants of it; where none calls, or it wants none, nothing happens. A client that does not read
/// misses entries.
///
/// ```
/// use haft::{Tool, serve::mcp::{ClientLog, LogLevel}};
///
/// let tool = Tool::builder("clean").description("Cleans up.").run(|log: ClientLog| async move {
///     log.write(LogLevel::Info, "all clean");
///     "done"
/// })?;
/// # Ok::<(), haft::DefinitionError>(())
/// ```
#[derive(Debug, Clone)]
pub struct ClientLog {
    tool: String,
    sink: Option<LogSink>,
}

impl ClientLog {
    /// A log that nobody reads, for calling a tool's function as the plain function it is.
    pub fn detached() -> Self {
        Self { tool: String::new(), sink: None }
    }

    /// Whether an entry of that level is wanted.
    pub fn wants(&self, level: LogLevel) -> bool {
        self.sink.as_ref().is_some_and(|sink| level >= sink.from)
    }

    /// Writes an entry: a text, or any JSON value.
    pub fn write(&self, level: LogLevel, data: impl Into<Value>) {
        if let Some(sink) = self.sink.as_ref().filter(|sink| level >= sink.from) {
            // An entry that finds no room is one that the client is too slow for.
            let _ = sink.entries.try_send(LogEntry { level, logger: self.tool.clone(), data: data.into() });
        }
    }
}

impl Extract for ClientLog {
    type Bound = ();

    fn extract((): &(), request: &mut CallRequest<'_>) -> Result<Self, ToolError> {
        let Some(sink) = request.extension::<LogSink>() else { return Ok(Self::detached()) };
        Ok(Self { tool: request.context().tool_name().to_owned(), sink: Some((*sink).clone()) })
    }
}
