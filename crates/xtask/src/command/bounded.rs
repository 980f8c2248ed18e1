//! Running programs that might not end: to a deadline, or beside what needs them.

use std::io::{BufRead as _, BufReader, PipeReader, Read};
use std::process::{ChildStdin, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, bail};

use super::group::Group;
use super::{Command, Output};

/// How long output may take to end once all programs that write it have.
const REST: Duration = Duration::from_secs(10);

impl Command {
    /// Runs to the end with both streams in one buffer, or to the deadline, which the text then says.
    pub(crate) fn output_within(mut self, limit: Duration) -> anyhow::Result<Output> {
        let (reader, writer) = std::io::pipe().context("cannot make a pipe")?;
        self.inner.stdout(writer.try_clone().context("cannot make a pipe")?).stderr(writer);
        let group = Group::spawn(&mut self.inner).with_context(|| format!("cannot start `{self}`"))?;
        let shown = self.to_string();
        // The command holds the pipe's writing end: while it lives, the reader would never see the end.
        drop(self);
        let collected = collect(reader);
        let status = group.wait(limit).context("cannot wait for the program")?;
        let bytes = collected.recv_timeout(REST).context("a program that left its group holds the output")?;
        let mut text = String::from_utf8_lossy(&bytes).into_owned();
        if status.is_none() {
            text = format!("{text}\n`{shown}` did not end within {} s", limit.as_secs());
        }
        Ok(Output { success: status.is_some_and(|status| status.success()), text })
    }

    /// Starts a program that goes on, and waits for the first line that it prints.
    pub(crate) fn background(mut self, limit: Duration) -> anyhow::Result<Background> {
        self.inner.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut group = Group::spawn(&mut self.inner).with_context(|| format!("cannot start `{self}`"))?;
        let stdin = group.child().stdin.take();
        let stdout = group.child().stdout.take().context("the program has no standard output")?;
        let (sender, line) = mpsc::channel();
        thread::spawn(move || {
            let mut stdout = BufReader::new(stdout);
            let mut first = String::new();
            if stdout.read_line(&mut first).is_ok_and(|length| length > 0) {
                drop(sender.send(first));
            }
            drop(std::io::copy(&mut stdout, &mut std::io::sink())); // so that it never waits for a reader
        });
        match line.recv_timeout(limit) {
            Ok(first) => Ok(Background { first: first.trim_end().to_owned(), _stdin: stdin, _group: group }),
            Err(_) => bail!("`{self}` printed no line within {} s", limit.as_secs()),
        }
    }
}

/// A program that runs until this is dropped.
#[derive(Debug)]
pub(crate) struct Background {
    /// The first line that it printed.
    pub(crate) first: String,
    _stdin: Option<ChildStdin>,
    _group: Group,
}

fn collect(mut reader: PipeReader) -> mpsc::Receiver<Vec<u8>> {
    let (sender, collected) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        drop(reader.read_to_end(&mut bytes)); // what was read until then is what there is
        drop(sender.send(bytes));
    });
    collected
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        Command::new("sh", ["-c", script])
    }

    #[test]
    fn a_program_that_ends_says_how() {
        let output = shell("echo out; echo err >&2; exit 3").output_within(Duration::from_secs(60)).unwrap();
        assert!(!output.success);
        assert_eq!(output.text, "out\nerr\n");
        assert!(shell("true").output_within(Duration::from_secs(60)).unwrap().success);
    }

    #[test]
    fn a_program_that_does_not_end_is_ended_with_its_children() {
        let output = shell("sleep 600 & sleep 600").output_within(Duration::from_millis(200)).unwrap();
        assert!(!output.success);
        assert!(output.text.contains("did not end within"), "{}", output.text);
    }

    #[test]
    fn children_that_outlive_a_program_neither_hold_up_its_output_nor_stay() {
        let output = shell("sleep 600 & echo $!").output_within(Duration::from_secs(60)).unwrap();
        assert!(output.success);
        let child = output.text.trim().parse().ok().and_then(rustix::process::Pid::from_raw).unwrap();
        // Killed before the output ended; its parent, the system's first process, may yet have to reap it.
        let gone = rustix::process::test_kill_process(child).is_err();
        assert!(gone || is_zombie(child), "{child:?} lives");
    }

    fn is_zombie(id: rustix::process::Pid) -> bool {
        let shown = shell(&format!("ps -o stat= -p {}", id.as_raw_nonzero())).output().unwrap().text;
        shown.trim().is_empty() || shown.trim().starts_with('Z')
    }

    #[test]
    fn a_program_in_the_background_is_known_by_its_first_line() {
        let background = shell("echo ready; exec sleep 600").background(Duration::from_secs(60)).unwrap();
        assert_eq!(background.first, "ready");
        let error = shell("exec sleep 600").background(Duration::from_millis(200)).unwrap_err();
        assert!(error.to_string().contains("printed no line"), "{error}");
    }
}
