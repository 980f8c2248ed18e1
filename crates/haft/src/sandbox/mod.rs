//! Programs that haft starts: the only place that starts any.
