//! A full disk behind standard output is an error of every command, said alike; a reader that went away is none.

use std::{fs::File, process::Stdio};

use crate::haft::{Folder, Run, command};

const UNWRITABLE: &str = "haft: error: standard output can not be written: ";

/// Runs the command with its standard output in a device that is always full.
fn into_full_device(arguments: &[&str]) -> Run {
    let full = File::options().write(true).open("/dev/full").unwrap();
    let mut command = command(arguments);
    let output = command.stdin(Stdio::null()).stdout(full).output().unwrap();
    Run {
        code: output.status.code().unwrap_or(-1),
        stdout: String::new(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn every_command_says_alike_that_it_can_not_write() {
    let folder = Folder::new();
    let tools = folder.file("tools.json", "[{\"name\":\"a\"}]");
    let schema = folder.file("schema.json", r#"{"type":"object","properties":{"a":{"type":"string"}}}"#);
    let few = folder.file("few.jsonl", "{\"name\":\"a\"}\n");
    let many = folder.file("many.jsonl", "{\"name\":\"a\"}\n".repeat(10_000));
    let message = folder.file("message.json", "{\"role\":\"assistant\",\"content\":\"Hello.\"}");
    let cases: [&[&str]; 21] = [
        &["--help"],
        &["--version"],
        &["help"],
        &["turn", "--help"],
        &["completions", "bash"],
        &["completions", "zsh"],
        &["list"],
        &["list", "--json"],
        &["list", "--as", "mcp"],
        &["lint", "--tools", &tools],
        &["lint", "--tools", &tools, "--json"],
        &["schema", &schema, "--as", "gemini"],
        &["schema", &schema, "--as", "lean", "--report"],
        &["show", "calculate"],
        &["show", "calculate", "--json"],
        &["call", "current_date"],
        &["call", "current_date", "--json"],
        &["call", "none"],
        &["turn", &message],
        &["validate", "--tools", &tools, &few],
        &["validate", "--tools", &tools, &many],
    ];
    for arguments in cases {
        let run = into_full_device(arguments).exits(2);
        let last = run.stderr.lines().last().unwrap_or_default();
        assert!(last.starts_with(UNWRITABLE) && last.len() > UNWRITABLE.len(), "{arguments:?}: {run:#?}");
        assert_eq!(run.stderr.matches("haft: error: ").count(), 1, "{arguments:?}: {run:#?}");
    }
}

#[test]
fn a_reader_that_went_away_is_no_error() {
    let cases: [&[&str]; 3] = [&["--help"], &["completions", "zsh"], &["list", "--json"]];
    for arguments in cases {
        let mut command = command(arguments);
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = command.stdin(Stdio::null()).stdout(writer).output().unwrap();
        assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]), "{arguments:?}");
    }
}
