//! Ctrl-C: ends a running turn in order the first time, the process at once the second time.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use haft::CancellationToken;

use crate::host::Exit;

/// Watches for Ctrl-C on a thread of its own, so that no command can keep it from being heard.
#[derive(Clone)]
pub(crate) struct Interrupt {
    token: CancellationToken,
    in_order: Arc<AtomicBool>,
}

impl Interrupt {
    /// Begins to watch; where that can not be, the system's own way stays: the process is killed.
    pub(crate) fn listen() -> Self {
        let interrupt = Self { token: CancellationToken::new(), in_order: Arc::default() };
        let watched = interrupt.clone();
        // A failure to begin leaves the default, which ends the process as well.
        let _ = thread::Builder::new().name("interrupt".to_owned()).spawn(move || watched.watch());
        interrupt
    }

    /// From now on the first Ctrl-C cancels the token instead of ending the process.
    pub(crate) fn cancels(&self) -> CancellationToken {
        self.in_order.store(true, Ordering::SeqCst);
        self.token.clone()
    }

    /// Whether a person has interrupted.
    pub(crate) fn happened(&self) -> bool {
        self.token.is_cancelled()
    }

    /// How the process ends: as it would, unless a person has interrupted.
    pub(crate) fn outcome(&self, exit: Exit) -> Exit {
        if self.happened() { Exit::Interrupted } else { exit }
    }

    fn watch(&self) {
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
        runtime.block_on(async {
            while tokio::signal::ctrl_c().await.is_ok() {
                if !self.in_order.load(Ordering::SeqCst) || self.token.is_cancelled() {
                    std::process::exit(Exit::Interrupted.code());
                }
                self.token.cancel();
            }
        });
    }
}
