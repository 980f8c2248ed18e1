//! A counting semaphore for a tool's own use.

use std::{future::Future, sync::Arc};

use tokio::sync::{OwnedSemaphorePermit, Semaphore as Inner};

/// Lets so many pass at once, first come first served. Cheap to clone; a clone is the same semaphore.
///
/// ```
/// use haft_core::Semaphore;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let connections = Semaphore::new(4);
/// let answer = connections.run(async { 42 }).await;
/// assert_eq!(answer, 42);
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Semaphore(Arc<Inner>);

/// A place in a [`Semaphore`], given back when it is dropped.
#[derive(Debug)]
#[must_use = "the place is given back when it is dropped"]
pub struct Permit(Option<OwnedSemaphorePermit>);

impl Permit {
    /// Whether a place is held.
    pub fn is_held(&self) -> bool {
        self.0.is_some()
    }
}

impl Semaphore {
    /// Lets `places` pass at once; zero counts as 1.
    pub fn new(places: usize) -> Self {
        Self(Arc::new(Inner::new(places.clamp(1, Inner::MAX_PERMITS))))
    }

    /// Waits for a place.
    pub async fn acquire(&self) -> Permit {
        Permit(Arc::clone(&self.0).acquire_owned().await.ok())
    }

    /// Waits for a place, and holds it while the future runs.
    pub async fn run<T>(&self, future: impl Future<Output = T>) -> T {
        let _permit = self.acquire().await;
        future.await
    }

    /// How many places are free.
    pub fn available(&self) -> usize {
        self.0.available_permits()
    }
}
