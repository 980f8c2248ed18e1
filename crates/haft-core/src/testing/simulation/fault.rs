//! What a simulation has found, and how to come there again.

use std::fmt;

use crate::{journal::Entry, testing::lines};

/// What was done to a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Moment {
    /// Nothing: it only ran in the order of its seed.
    Undisturbed,
    /// It was cancelled.
    Cancelled {
        /// At which step of its functions, from 0.
        step: usize,
    },
    /// Its process ended, and it was resumed from its journal.
    Crashed {
        /// How many entries the journal had.
        entries: usize,
        /// The last one, such as `call_started a attempt 1`.
        last: String,
    },
}

impl Moment {
    pub(super) fn crashed(entries: &[Entry], cut: usize) -> Self {
        let last = lines::journal(entries).into_iter().nth(cut.saturating_sub(1)).unwrap_or_default();
        Self::Crashed { entries: cut, last }
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Undisturbed => formatter.write_str("run without any disturbance"),
            Self::Cancelled { step } => write!(formatter, "cancelled at step {step}"),
            Self::Crashed { entries, last } => {
                write!(formatter, "crashed after entry {entries} ({last}) and resumed")
            }
        }
    }
}

/// A promise that a turn did not keep under simulation.
///
/// `Debug` is the same text, so that a test that ends with `?` shows it readably.
#[derive(Clone, PartialEq, Eq)]
pub struct SimulationFault {
    seed: u64,
    moment: Moment,
    what: String,
}

impl SimulationFault {
    pub(super) fn new(seed: u64, moment: Moment, what: String) -> Self {
        Self { seed, moment, what }
    }

    /// The stable number of this error: 2602.
    #[expect(clippy::unused_self, reason = "every error answers `code()`")]
    pub const fn code(&self) -> u16 {
        2602
    }

    /// The seed that leads here again: `.seeds(seed..seed + 1)`.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// What was done to the turn.
    pub fn moment(&self) -> &Moment {
        &self.moment
    }
}

impl fmt::Display for SimulationFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "seed {}, {}: {}", self.seed, self.moment, self.what)
    }
}

impl fmt::Debug for SimulationFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl std::error::Error for SimulationFault {}
