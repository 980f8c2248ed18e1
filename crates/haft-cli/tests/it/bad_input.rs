//! What can not be read is said with what, where and what to do; nothing is printed as a result, exit 2.

use crate::haft::{Folder, haft, haft_with};

#[test]
fn files_that_can_not_be_read_are_named_with_the_fault() {
    let folder = Folder::new();
    let path = folder.path();
    let missing = format!("{path}/none.json");
    let cases = [
        ("missing", missing.as_str(), "does not exist; name an existing file, or `-` for standard input"),
        ("a folder", &path, "is a folder; name a file"),
        ("empty", &folder.file("a.json", " \n"), "is empty; JSON is expected"),
        ("no UTF-8", &folder.file("b.json", b"[\n \"\xff\"]"), "is not UTF-8 at line 2, column 3 (byte 4)"),
        ("no JSON", &folder.file("c.json", "[\n {]"), "is not JSON: key must be a string at line 2 column 3"),
        ("cut off", &folder.file("d.json", "{\"tools\":["), "ends before its JSON does: EOF"),
        ("no tools", &folder.file("e.json", "{\"jsonrpc\":\"2.0\",\"error\":{}}"), "holds no tools"),
        ("no list", &folder.file("f.json", "\"tools\""), "holds no tools"),
    ];
    for (what, file, message) in cases {
        for command in ["list", "validate"] {
            let run = haft(&[command, "--tools", file]).exits(2);
            assert_eq!(run.stdout, "", "{what}");
            assert!(run.stderr.starts_with(&format!("haft: error: the file {file} ")), "{what}: {run:#?}");
            assert!(run.stderr.contains(message), "{what}: {run:#?}");
            assert_eq!(run.stderr.lines().count(), 1, "{what}: {run:#?}");
        }
    }
}

#[test]
fn the_calls_of_validate_have_to_be_readable() {
    let folder = Folder::new();
    let tools = folder.file("tools.json", "[{\"name\":\"a\"}]");
    let run = haft(&["validate", "--tools", &tools, &format!("{}/none", folder.path())]).exits(2);
    assert!(run.stderr.contains("does not exist"), "{run:#?}");
    let run = haft(&["validate", "--tools", &tools, &folder.path()]).exits(2);
    assert!(run.stderr.contains("is a folder"), "{run:#?}");
}

#[test]
fn standard_input_is_named_too() {
    let run = haft_with(&["list", "--tools", "-"], "nope").exits(2);
    assert!(run.stderr.starts_with("haft: error: standard input is not JSON: "), "{run:#?}");
    let run = haft_with(&["call", "day_name", "-"], "").exits(2);
    assert!(run.stderr.contains("standard input is empty"), "{run:#?}");
}

#[test]
fn wrong_use_exits_with_2_and_says_how_it_is_used() {
    let cases: [&[&str]; 9] = [
        &[],
        &["lsit"],
        &["list", "--as", "gemnii"],
        &["list", "x"],
        &["show"],
        &["call"],
        &["validate"],
        &["completions", "tcsh"],
        &["list", "--color", "sometimes"],
    ];
    for arguments in cases {
        let run = haft(arguments).exits(2);
        assert_eq!(run.stdout, "", "{arguments:?}");
        assert!(run.stderr.contains("Usage") || run.stderr.contains("possible values"), "{run:#?}");
    }
}
