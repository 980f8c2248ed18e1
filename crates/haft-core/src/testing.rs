//! What tests of tools are made of: contexts, scripted turns, answers, a clock, and a simulation.
//!
//! A tool's function is a plain function; call it as one where that is enough. Beyond that:
//!
//! - [`TestContext`] calls one tool alone, with typed arguments, state and everything else that a function can ask for.
//! - [`Script`] runs a turn and answers what it waits for; [`Played`] compares results, events and journal.
//! - [`Simulation`] runs a turn again and again, in other orders, cancelled and crashed at every step.
//! - [`Answers`] answers from a list, [`TestClock`] goes on when it is told to, and
//!   [`CountingIds`](crate::CountingIds) give the same ids in every run.
//!
//! Nothing here panics: what is not as expected is an error whose text shows the difference.

mod answers;
mod clock;
mod context;
mod effects;
mod lines;
mod mismatch;
mod play;
mod script;
mod simulation;

pub use answers::Answers;
pub use clock::TestClock;
pub use context::TestContext;
pub use effects::{EffectLog, LoggedEffect};
pub use mismatch::Mismatch;
pub use script::{Played, Script, ScriptError};
pub use simulation::{Moment, Simulation, SimulationFault, SimulationReport};
