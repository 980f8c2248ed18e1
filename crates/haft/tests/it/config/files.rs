//! Files as they are written, good and bad, each with what is made of it in a file beside it.

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use haft::config::Config;

use super::{LITERAL, SECRET, data, named};

/// The files of a folder that are no expectation.
fn files(folder: &str) -> Vec<PathBuf> {
    let mut files: Vec<_> =
        fs::read_dir(data().join(folder)).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_none_or(|extension| extension != "expected"));
    files.sort();
    files
}

/// Compares with the file beside it; `HAFT_BLESS=1` writes that.
fn is_expected(path: &Path, found: &str) {
    let found = found.replace(&format!("{}/", path.parent().unwrap().display()), "");
    assert!(!found.contains(SECRET) && !found.contains(LITERAL), "{}: {found}", path.display());
    let expected = PathBuf::from(format!("{}.expected", path.display()));
    if std::env::var_os("HAFT_BLESS").is_some() {
        fs::write(&expected, &found).unwrap();
    }
    let wanted = fs::read_to_string(&expected).unwrap_or_default();
    assert_eq!(found, wanted, "{}: HAFT_BLESS=1 rewrites it", expected.display());
}

/// Everything that is made of a configuration.
fn shown(config: &Config) -> String {
    serde_json::to_string_pretty(config).unwrap() + "\n"
}

#[test]
fn good_files_are_read_as_they_are() {
    let files = files("good");
    assert!(files.len() >= 20, "{}", files.len());
    for path in files {
        let config = named(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert_eq!(config.problems(), [], "{}", path.display());
        is_expected(&path, &shown(&config));
    }
}

#[test]
fn mistakes_are_told_with_their_place_and_what_to_do() {
    let files = files("bad");
    assert!(files.len() >= 20, "{}", files.len());
    for path in files {
        let (mut text, problems) = match named(&path) {
            Ok(config) => {
                assert_ne!(config.problems(), [], "{}", path.display());
                let ready: Vec<_> = config.mcp_servers().iter().map(|one| one.name().to_owned()).collect();
                (format!("left: {}\n", ready.join(", ")), config.problems().to_vec())
            }
            Err(error) => (String::new(), error.problems().to_vec()),
        };
        for problem in problems {
            let line = problem.to_string();
            assert!(!line.contains(char::is_control), "{line:?}");
            writeln!(text, "{} {line}", problem.code()).unwrap();
        }
        is_expected(&path, &text);
    }
}

/// What is shown of a server is what it is made with.
#[test]
fn servers_are_made_with_all_that_is_said_of_them() {
    let config = named(&data().join("good/everything.toml")).unwrap();
    let made = format!("{:?}", config.mcp_servers());
    for said in [
        "20s",
        "300s",
        "60s",
        "3s",
        "Legacy",
        "1048576",
        "read_file",
        "list_directory",
        "write_file",
        "trust_annotations: true",
        "instructions: false",
    ] {
        assert!(made.contains(said), "{said}: {made}");
    }
    let config = named(&data().join("good/long-timeout.toml")).unwrap();
    assert_eq!(format!("{:?}", config.mcp_servers()).matches("1800s").count(), 2, "the ceiling is no lower");
}

#[test]
fn a_file_that_is_no_file_is_refused_and_not_waited_for() {
    let folder = super::Folder::new();
    let missing = named(&folder.0.join("none.toml")).unwrap_err();
    assert!(missing.to_string().ends_with("none.toml: the file does not exist"), "{missing}");
    assert_eq!(missing.code(), 2901);
    let is_folder = named(&folder.0).unwrap_err();
    assert!(is_folder.to_string().contains("this is no file"), "{is_folder}");
    let large = folder.file("large.toml", "#".repeat(1024 * 1024 + 1));
    let large = named(&large).unwrap_err();
    assert!(large.to_string().contains("larger than 1 MiB"), "{large}");
    let just_fits = folder.file("fits.toml", "#".repeat(1024 * 1024));
    assert!(named(&just_fits).is_ok());
}
