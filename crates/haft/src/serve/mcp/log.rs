//! The log that clients see: by level, and only what they want.

#![expect(deprecated, reason = "clients of today still take the log")]

use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU8, Ordering},
    },
};

use haft_core::{CallRequest, Extract, ToolError};
use rmcp::model::LoggingLevel;
use serde_json::Value;
use tokio::sync::Notify;

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

/// Stands for nothing of the log.
const OFF: u8 = u8::MAX;

impl Default for Threshold {
    fn default() -> Self {
        Self(AtomicU8::new(LogLevel::Info as u8))
    }
}

impl Threshold {
    pub(super) fn off() -> Self {
        Self(AtomicU8::new(OFF))
    }

    pub(super) fn set(&self, level: LogLevel) {
        self.0.store(level as u8, Ordering::Relaxed);
    }

    pub(super) fn get(&self) -> Option<LogLevel> {
        LogLevel::ALL.get(usize::from(self.0.load(Ordering::Relaxed))).copied()
    }
}

/// One entry of the log.
#[derive(Debug)]
pub(super) struct LogEntry {
    pub(super) level: LogLevel,
    pub(super) logger: String,
    pub(super) data: Value,
}

/// How many entries wait for a client before further ones are dropped.
const WAITING: usize = 256;

/// Where the entries of one call go: nothing but a few words of memory until there is one.
#[derive(Debug)]
pub(super) struct CallLog {
    from: LogLevel,
    waiting: Mutex<VecDeque<LogEntry>>,
    written: Notify,
}

impl CallLog {
    /// Takes entries of that level and above.
    pub(super) fn new(from: LogLevel) -> Self {
        Self { from, waiting: Mutex::default(), written: Notify::new() }
    }

    fn waiting(&self) -> MutexGuard<'_, VecDeque<LogEntry>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps an entry; one that finds no room is one that the client is too slow for.
    fn write(&self, entry: LogEntry) {
        let mut waiting = self.waiting();
        if waiting.len() < WAITING {
            waiting.push_back(entry);
            drop(waiting);
            self.written.notify_one();
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting().is_empty()
    }

    /// The oldest entry, if there is one.
    pub(super) fn take(&self) -> Option<LogEntry> {
        self.waiting().pop_front()
    }

    /// The oldest entry, when there is one. One reader at a time; giving up the future loses nothing.
    pub(super) async fn next(&self) -> LogEntry {
        loop {
            if let Some(entry) = self.take() {
                return entry;
            }
            self.written.notified().await;
        }
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
    log: Option<Arc<CallLog>>,
}

impl ClientLog {
    /// A log that nobody reads, for calling a tool's function as the plain function it is.
    pub fn detached() -> Self {
        Self { tool: String::new(), log: None }
    }

    /// Whether an entry of that level is wanted.
    pub fn wants(&self, level: LogLevel) -> bool {
        self.log.as_ref().is_some_and(|log| level >= log.from)
    }

    /// Writes an entry: a text, or any JSON value.
    pub fn write(&self, level: LogLevel, data: impl Into<Value>) {
        if let Some(log) = self.log.as_ref().filter(|log| level >= log.from) {
            log.write(LogEntry { level, logger: self.tool.clone(), data: data.into() });
        }
    }
}

impl Extract for ClientLog {
    type Bound = ();

    fn extract((): &(), request: &mut CallRequest<'_>) -> Result<Self, ToolError> {
        let Some(log) = request.extension::<CallLog>() else { return Ok(Self::detached()) };
        Ok(Self { tool: request.context().tool_name().to_owned(), log: Some(log) })
    }
}
