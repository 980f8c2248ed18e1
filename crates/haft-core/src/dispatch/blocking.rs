//! A bounded pool of threads for functions that block; nobody ever waits for a thread to end.

use std::{
    collections::VecDeque,
    fmt,
    num::NonZeroUsize,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use crate::dispatch::guard::guarded;

type Job = Box<dyn FnOnce() + Send>;

/// How long a thread waits for work before it ends.
const IDLE: Duration = Duration::from_secs(10);

#[derive(Clone)]
pub(crate) struct BlockingPool(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    work: Condvar,
    threads: NonZeroUsize,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    threads: usize,
    idle: usize,
}

impl BlockingPool {
    pub(crate) fn new(threads: NonZeroUsize) -> Self {
        Self(Arc::new(Shared { state: Mutex::default(), work: Condvar::new(), threads }))
    }

    /// Runs a job on a thread of the pool, after those that wait already.
    ///
    /// Where no thread can be had and none is there, the job is dropped.
    pub(crate) fn submit(&self, job: impl FnOnce() + Send + 'static) {
        let mut state = self.0.lock();
        state.jobs.push_back(Box::new(job));
        if state.idle >= state.jobs.len() || state.threads >= self.0.threads.get() {
            drop(state);
            self.0.work.notify_one();
            return;
        }
        state.threads += 1;
        drop(state);
        let shared = Arc::clone(&self.0);
        let spawned = thread::Builder::new().name("haft-blocking".to_owned()).spawn(move || shared.work());
        if let Err(error) = spawned {
            tracing::warn!(%error, "no thread for a blocking tool");
            let mut state = self.0.lock();
            state.threads -= 1;
            if state.threads == 0 {
                state.jobs.clear();
            }
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self) {
        let mut state = self.lock();
        loop {
            if let Some(job) = state.jobs.pop_front() {
                drop(state);
                // What a job drops may panic; the thread, and the count of threads, outlive it.
                let _ = guarded(job);
                state = self.lock();
                continue;
            }
            state.idle += 1;
            let (woken, timeout) =
                self.work.wait_timeout(state, IDLE).unwrap_or_else(PoisonError::into_inner);
            state = woken;
            state.idle -= 1;
            if timeout.timed_out() && state.jobs.is_empty() {
                state.threads -= 1;
                return;
            }
        }
    }
}

impl fmt::Debug for BlockingPool {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.0.lock();
        write!(formatter, "BlockingPool({} of {} threads)", state.threads, self.0.threads)
    }
}
