//! Ctrl-C while the command waits for input: it ends at once with 130, and what it had judged is out.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    process::{Command, Stdio},
};

use crate::haft::{Folder, command};

#[test]
fn an_interrupted_stream_ends_with_130_and_its_verdicts() {
    let folder = Folder::new();
    let tools = folder.file("tools.json", "[{\"name\":\"a\"}]");
    let mut command = command(&["validate", "--tools", &tools]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    writeln!(stdin, "{{\"name\":\"a\"}}").unwrap();
    let mut line = String::new();
    // The verdict comes while the input is still open.
    stdout.read_line(&mut line).unwrap();
    assert_eq!(line, "{\"name\":\"a\",\"valid\":true,\"arguments\":{}}\n");

    let status = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(status.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    drop(stdin);
}

#[test]
fn a_reader_that_goes_away_ends_the_stream_quietly() {
    let folder = Folder::new();
    let tools = folder.file("tools.json", "[{\"name\":\"a\"}]");
    let mut command = command(&["validate", "--tools", &tools]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().unwrap();
    // The command ends while it is written to.
    let call = "{\"name\":\"a\"}\n".repeat(1_000);
    while stdin.write_all(call.as_bytes()).is_ok() {}
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}
