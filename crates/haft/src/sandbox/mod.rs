//! Programs that haft starts: the only place that starts any.
//!
//! A program gets few variables of this process, has a process group of its own, and its whole group is ended with it.
//! Where this process may be killed, a supervisor ends the group: a second program that owns it, see [`supervise`].

mod environment;
mod program;
#[cfg(unix)]
mod supervise;
mod tail;

pub(crate) use program::{Program, Running};
#[cfg(unix)]
pub use supervise::supervise;
pub(crate) use tail::Tail;
