//! A program with all that it starts, as one process group: it ends with its deadline, with its owner, or with an
//! interrupted xtask.

use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

/// The groups that run now. A signal ends them, since what the terminal sends reaches its foreground group only.
static RUNNING: Mutex<Vec<Pid>> = Mutex::new(Vec::new());

/// A started program; dropping it ends its group.
#[derive(Debug)]
pub(super) struct Group {
    child: Child,
    id: Pid,
}

impl Group {
    pub(super) fn spawn(command: &mut Command) -> std::io::Result<Self> {
        end_all_when_interrupted();
        let mut running = running(); // held, so that a signal does not come between
        let child = command.process_group(0).spawn()?;
        let id = Pid::from_child(&child);
        running.push(id);
        Ok(Self { child, id })
    }

    pub(super) fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Waits for the program; ends what is left of its group then, or at the deadline. `None` where it came to that.
    pub(super) fn wait(mut self, limit: Duration) -> std::io::Result<Option<ExitStatus>> {
        let (sender, ended) = mpsc::channel::<()>();
        let id = self.id;
        // The program stays unreaped, so that its id, which is the group's, is nobody else's until the group has ended.
        let watcher = thread::spawn(move || {
            let _ = rustix::process::waitid(WaitId::Pid(id), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
            drop(sender);
        });
        let in_time = ended.recv_timeout(limit) != Err(RecvTimeoutError::Timeout);
        self.end();
        drop(watcher.join());
        let status = self.child.wait()?;
        Ok(in_time.then_some(status))
    }

    fn end(&self) {
        let mut running = running();
        if let Some(position) = running.iter().position(|id| *id == self.id) {
            running.swap_remove(position);
            // Fails only where nothing is left of the group.
            let _ = rustix::process::kill_process_group(self.id, Signal::KILL);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.end();
        drop(self.child.wait());
    }
}

fn running() -> MutexGuard<'static, Vec<Pid>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

fn end_all_when_interrupted() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let Ok(mut signals) = Signals::new([SIGHUP, SIGINT, SIGTERM]) else {
            return; // then a signal ends xtask alone, as without this
        };
        thread::spawn(move || {
            if let Some(signal) = signals.forever().next() {
                for id in running().iter() {
                    let _ = rustix::process::kill_process_group(*id, Signal::KILL);
                }
                std::process::exit(128 + signal);
            }
        });
    });
}
