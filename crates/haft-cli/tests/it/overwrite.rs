//! `haft turn --events`: the events never overwrite the message, nor the answer.

use std::{
    fs::{self, File},
    process::Stdio,
};

use crate::haft::{Folder, Run, command, haft};

const MESSAGE: &str = "{\"role\":\"assistant\",\"content\":\"Hello.\"}\n";

#[test]
fn a_log_over_the_message_is_refused_by_whatever_path() {
    let folder = Folder::new();
    let message = folder.file("m.json", MESSAGE);
    let mut paths =
        vec![message.clone(), format!("{}/./m.json", folder.path()), format!("{}//m.json", folder.path())];
    #[cfg(unix)]
    {
        let (link, name) = (format!("{}/link.json", folder.path()), format!("{}/name.json", folder.path()));
        std::os::unix::fs::symlink(&message, &link).unwrap();
        fs::hard_link(&message, &name).unwrap();
        paths.extend([link, name]);
    }
    for path in &paths {
        let run = haft(&["turn", "--events", path, &message]).exits(2);
        assert_eq!(
            run.stderr,
            format!(
                "haft: error: the events would overwrite the file {message}, which holds the message; name another file for them\n"
            )
        );
        assert_eq!(run.stdout, "");
        haft(&["turn", "--events", &message, path]).exits(2);
        assert_eq!(fs::read_to_string(&message).unwrap(), MESSAGE, "{path}");
    }
    haft(&["turn", "--events", &format!("{}/other.jsonl", folder.path()), &message]).exits(0);
}

/// Runs `haft turn` with standard input and output in files.
#[cfg(unix)]
fn turn(arguments: &[&str], input: &str, output: &str) -> Run {
    let mut command = command(&[&["turn"], arguments].concat());
    command.stdin(File::open(input).unwrap()).stdout(File::create(output).unwrap()).stderr(Stdio::piped());
    let run = command.output().unwrap();
    Run {
        code: run.status.code().unwrap_or(-1),
        stdout: fs::read_to_string(output).unwrap(),
        stderr: String::from_utf8(run.stderr).unwrap(),
    }
}

#[cfg(unix)]
#[test]
fn files_behind_standard_input_and_output_are_seen_too() {
    let folder = Folder::new();
    let (message, answer) = (folder.file("m.json", MESSAGE), folder.file("a.json", ""));
    let run = turn(&["--events", &message], &message, &answer).exits(2);
    assert!(run.stderr.contains("would overwrite standard input"), "{run:#?}");
    assert_eq!(fs::read_to_string(&message).unwrap(), MESSAGE);
    let run = turn(&["--events", &answer], &message, &answer).exits(2);
    assert!(run.stderr.contains("would overwrite each other"), "{run:#?}");
    // A device takes what it gets.
    let run = turn(&["--events", "/dev/null"], &message, &answer).exits(0);
    assert_eq!(run.stdout, "{\"messages\":[]}\n");
}
