//! Golden files: plain files in `testdata`, compared byte by byte; `HAFT_BLESS=1` rewrites them.

use std::{collections::BTreeSet, path::PathBuf};

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata").join(name)
}

/// Compares a text with the golden file of that name.
pub(crate) fn check(name: &str, actual: &str) {
    let path = path(name);
    let actual = format!("{actual}\n");
    if std::env::var_os("HAFT_BLESS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &actual).unwrap();
    }
    let golden = std::fs::read_to_string(&path);
    let golden = golden.unwrap_or_else(|error| panic!("{name}: {error}; HAFT_BLESS=1 writes it"));
    assert_eq!(actual, golden, "{name} differs; HAFT_BLESS=1 rewrites it");
}

/// The golden files of a folder are these and no others.
pub(crate) fn assert_all(folder: &str, expected: &BTreeSet<String>) {
    let files = std::fs::read_dir(path(folder)).unwrap();
    let files: BTreeSet<String> =
        files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(&files, expected, "testdata/{folder}");
}
