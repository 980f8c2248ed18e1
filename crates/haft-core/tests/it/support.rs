//! What several tests share.

use std::path::PathBuf;

/// The folder of the data sets; without it the test says that it is skipped, or fails where nothing may be skipped.
pub(crate) fn data(test: &str) -> Option<PathBuf> {
    folder(test, "HAFT_DATA")
}

/// The folder of the list of known faults; as [`data`] without it.
pub(crate) fn cases(test: &str) -> Option<PathBuf> {
    folder(test, "HAFT_CASES")
}

fn folder(test: &str, variable: &str) -> Option<PathBuf> {
    let folder = std::env::var_os(variable);
    if folder.is_none() {
        assert!(std::env::var("HAFT_STRICT").as_deref() != Ok("1"), "{test}: {variable} is not set");
        eprintln!("skipped: {test}: {variable} is not set");
    }
    folder.map(PathBuf::from)
}
