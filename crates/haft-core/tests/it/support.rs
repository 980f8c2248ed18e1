//! What several tests share.

use std::path::PathBuf;

/// The folder of the data sets; without it the test says that it is skipped, or fails where nothing may be skipped.
pub(crate) fn data(test: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("HAFT_DATA");
    if folder.is_none() {
        assert!(std::env::var("HAFT_STRICT").as_deref() != Ok("1"), "{test}: HAFT_DATA is not set");
        eprintln!("skipped: {test}: HAFT_DATA is not set");
    }
    folder.map(PathBuf::from)
}
