//! What a dispatcher is made with.

use std::{fmt, num::NonZeroUsize, sync::Arc, time::Duration};

use crate::{
    ask::Answerer,
    clock::{Clock, IdSource, RandomIds},
    dispatch::{
        Dispatcher, blocking::BlockingPool, gate::Gate, hooks::Hooks, keys::Keys, presence::PresenceBoard,
    },
    error::ErrorStyle,
    event::Subscribers,
    hook::Hook,
    journal::{Journal, MemoryJournal},
    registry::ToolRegistry,
};

/// How many calls run at once, unless set.
const CONCURRENCY: usize = 32;
/// How many threads the pool for blocking functions has at most, unless set.
const BLOCKING_THREADS: usize = 32;
/// How long a function that was told to end may take, unless set.
const GRACE: Duration = Duration::from_secs(2);

/// How many turns may wait for answers without a journal; then the oldest is forgotten.
const WAITING_TURNS: usize = 10_000;

/// What a dispatcher works with.
pub(crate) struct Settings {
    pub(crate) registry: ToolRegistry,
    pub(crate) concurrency: usize,
    pub(crate) slots: Gate,
    pub(crate) grace: Duration,
    pub(crate) call_timeout: Option<Duration>,
    pub(crate) style: ErrorStyle,
    pub(crate) clock: Option<Arc<dyn Clock>>,
    pub(crate) ids: Arc<dyn IdSource>,
    pub(crate) subscribers: Arc<Subscribers>,
    pub(crate) presence: Arc<PresenceBoard>,
    pub(crate) pool: BlockingPool,
    pub(crate) keys: Keys,
    pub(crate) journal: Option<Arc<dyn Journal>>,
    /// Where turns without a journal wait.
    pub(crate) memory: Arc<MemoryJournal>,
    pub(crate) answerer: Option<Arc<dyn Answerer>>,
    /// Whether a turn may wait beyond its run.
    pub(crate) suspends: bool,
    pub(crate) policy_version: String,
    pub(crate) hooks: Hooks,
}

/// Whether the stages are compiled out that a host may leave idle: only to measure what they cost idle, since nothing is
/// hooked or written down then. What a tool's own approval says holds in every build.
pub(super) const WITHOUT_STAGES: bool = cfg!(haft_without_stages);

impl Settings {
    /// Whether hooks stand around calls.
    pub(super) fn has_hooks(&self) -> bool {
        !WITHOUT_STAGES && !self.hooks.is_empty()
    }

    /// Whether turns are written down.
    pub(super) fn has_journal(&self) -> bool {
        !WITHOUT_STAGES && self.journal.is_some()
    }
}

/// Builds a [`Dispatcher`].
///
/// ```
/// use haft_core::{Dispatcher, ErrorStyle, ToolRegistry};
/// use std::time::Duration;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let dispatcher = Dispatcher::builder(ToolRegistry::builder().build()?)
///     .concurrency(8)
///     .timeout(Duration::from_secs(60))
///     .error_style(ErrorStyle::Refusal)
///     .build();
/// # Ok(())
/// # }
/// ```
#[must_use = "a builder does nothing until `build`"]
pub struct DispatcherBuilder {
    registry: ToolRegistry,
    concurrency: usize,
    blocking_threads: usize,
    grace: Duration,
    call_timeout: Option<Duration>,
    style: ErrorStyle,
    clock: Option<Arc<dyn Clock>>,
    ids: Arc<dyn IdSource>,
    journal: Option<Arc<dyn Journal>>,
    answerer: Option<Arc<dyn Answerer>>,
    suspends: bool,
    policy_version: String,
    hooks: Vec<Arc<dyn Hook>>,
}

impl DispatcherBuilder {
    pub(super) fn new(registry: ToolRegistry) -> Self {
        Self {
            registry,
            concurrency: CONCURRENCY,
            blocking_threads: BLOCKING_THREADS,
            grace: GRACE,
            call_timeout: None,
            style: ErrorStyle::Object,
            clock: None,
            ids: Arc::new(RandomIds::default()),
            journal: None,
            answerer: None,
            suspends: true,
            policy_version: String::new(),
            hooks: Vec::new(),
        }
    }

    /// How many calls run at once, in all turns together: 32 unless set; 1 runs each turn strictly in order. Zero
    /// counts as 1.
    pub fn concurrency(mut self, calls: usize) -> Self {
        self.concurrency = calls.max(1);
        self
    }

    /// How many threads there are at most for functions that block: 32 unless set. Zero counts as 1.
    pub fn blocking_threads(mut self, threads: usize) -> Self {
        self.blocking_threads = threads.max(1);
        self
    }

    /// How long a function that was told to end may take before it is left behind: 2 seconds unless set.
    pub fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// How long a call may take where its tool does not say; unbounded unless set.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.call_timeout = Some(timeout);
        self
    }

    /// How failures are written for the model.
    pub fn error_style(mut self, style: ErrorStyle) -> Self {
        self.style = style;
        self
    }

    /// The clock that events are dated by; they bear no date without one.
    pub fn clock(mut self, clock: impl Clock + 'static) -> Self {
        self.clock = Some(Arc::new(clock));
        self
    }

    /// Where ids of turns come from: random ones unless set.
    pub fn ids(mut self, ids: impl IdSource + 'static) -> Self {
        self.ids = Arc::new(ids);
        self
    }

    /// Where turns are recorded; nothing is recorded unless set.
    ///
    /// A turn that suspends without a journal waits in memory, as long as the dispatcher lives and fewer than 10,000
    /// others wait.
    pub fn journal(mut self, journal: Arc<dyn Journal>) -> Self {
        self.journal = Some(journal);
        self
    }

    /// Who answers questions and approvals while turns run; without one, or where it does not answer, turns suspend.
    pub fn answerer(mut self, answerer: impl Answerer + 'static) -> Self {
        self.answerer = Some(Arc::new(answerer));
        self
    }

    /// Whether a turn may wait beyond its run for an answer; it may unless set.
    ///
    /// With `false` every turn finishes: what nobody answers while it runs is denied. For hosts that can not resume.
    pub fn suspends(mut self, suspends: bool) -> Self {
        self.suspends = suspends;
        self
    }

    /// Adds a hook; hooks run in the order in which they were added.
    pub fn hook(mut self, hook: impl Hook + 'static) -> Self {
        self.hooks.push(Arc::new(hook));
        self
    }

    /// The version of the host's rules: an approval that was given under another one does not count.
    pub fn policy_version(mut self, version: impl Into<String>) -> Self {
        self.policy_version = version.into();
        self
    }

    /// Builds the dispatcher.
    pub fn build(self) -> Dispatcher {
        let threads = NonZeroUsize::new(self.blocking_threads).unwrap_or(NonZeroUsize::MIN);
        let hooks = self.registry.hooks().iter().cloned().chain(self.hooks).collect();
        Dispatcher(Arc::new(Settings {
            registry: self.registry,
            concurrency: self.concurrency,
            slots: Gate::new(self.concurrency),
            grace: self.grace,
            call_timeout: self.call_timeout,
            style: self.style,
            clock: self.clock,
            ids: self.ids,
            subscribers: Arc::new(Subscribers::default()),
            presence: Arc::new(PresenceBoard::default()),
            pool: BlockingPool::new(threads),
            keys: Keys::default(),
            journal: self.journal,
            memory: Arc::new(MemoryJournal::bounded(WAITING_TURNS)),
            answerer: self.answerer,
            suspends: self.suspends,
            policy_version: self.policy_version,
            hooks,
        }))
    }
}

impl fmt::Debug for DispatcherBuilder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("DispatcherBuilder")
            .field("concurrency", &self.concurrency)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Settings").field("concurrency", &self.concurrency).finish_non_exhaustive()
    }
}
