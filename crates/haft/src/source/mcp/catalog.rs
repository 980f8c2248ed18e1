//! The tools of all servers, for a registry to follow.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use haft_core::{Tool, ToolCatalog};

use super::remote::Remote;

/// The tools of all servers, in the order in which the servers were given.
pub(super) struct Catalog {
    pub(super) remotes: Vec<Arc<Remote>>,
    pub(super) generation: Arc<AtomicU64>,
}

impl ToolCatalog for Catalog {
    fn tools(&self) -> Vec<Tool> {
        self.remotes.iter().flat_map(|remote| remote.tools()).collect()
    }

    fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }
}
