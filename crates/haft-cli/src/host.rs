//! What every command works with: where to write, who interrupts, and how the process ends.

use std::{
    fmt,
    io::{self, IsTerminal as _, Write},
};

use anstream::{AutoStream, ColorChoice, stream::RawStream};
use anstyle::{AnsiColor, Style};

use crate::{interrupt::Interrupt, output, stderr, stdout::Stdout};

/// How the process ends; the numbers are promised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// 0: done.
    Success,
    /// 1: done, and something that was asked about failed.
    Failure,
    /// 2: wrong use, or nothing to work on.
    Misuse,
    /// 130: interrupted.
    Interrupted,
}

impl Exit {
    pub(crate) const fn code(self) -> i32 {
        match self {
            Self::Success => 0,
            Self::Failure => 1,
            Self::Misuse => 2,
            Self::Interrupted => 130,
        }
    }

    /// [`Failure`](Self::Failure) when something failed.
    pub(crate) const fn failed_if(failed: bool) -> Self {
        if failed { Self::Failure } else { Self::Success }
    }
}

/// The terminal, or the files and pipes in its place, and the person at it.
pub(crate) struct Host {
    pub(crate) stdout: Stdout,
    pub(crate) stdout_is_terminal: bool,
    pub(crate) interrupt: Interrupt,
    heading: Style,
    stderr: AutoStream<stderr::Stream>,
    stderr_is_terminal: bool,
    /// How wide what is shown of what is waited for is.
    progress: usize,
}

impl Host {
    pub(crate) fn new(color: ColorChoice, interrupt: Interrupt) -> Self {
        let bold = chosen(color, &io::stdout()) != ColorChoice::Never;
        Self {
            stdout: Stdout::new(),
            stdout_is_terminal: io::stdout().is_terminal(),
            interrupt,
            heading: if bold { Style::new().bold() } else { Style::new() },
            stderr: AutoStream::new(stderr::stream(), chosen(color, &io::stderr())),
            stderr_is_terminal: io::stderr().is_terminal(),
            progress: 0,
        }
    }

    /// How headings look on standard output; plain where it takes no colour.
    pub(crate) fn heading(&self) -> Style {
        self.heading
    }

    /// Tells a person what is good to know, in one line on standard error.
    pub(crate) fn note(&mut self, text: impl fmt::Display) {
        self.tell(AnsiColor::Yellow.on_default(), "note", &text.to_string());
    }

    /// Tells a person what could not be done, in one line on standard error.
    pub(crate) fn problem(&mut self, text: impl fmt::Display) {
        self.tell(AnsiColor::Red.on_default().bold(), "error", &text.to_string());
    }

    /// Shows a person at the terminal what is waited for, in the place of what was shown before; nothing takes it away.
    pub(crate) fn progress(&mut self, text: &str) {
        if !self.stderr_is_terminal {
            return;
        }
        let line = if text.is_empty() { String::new() } else { format!("haft: {}", output::line(text)) };
        let mut stderr = stderr::stream();
        // Nothing is left to be done where standard error is closed.
        let _ = write!(stderr, "{}", in_place(&line, self.progress)).and_then(|()| stderr.flush());
        self.progress = line.chars().count();
    }

    /// Asks a person at the terminal, who answers on the same line.
    pub(crate) fn ask(&mut self, question: &str) {
        // Nothing is left to be done where standard error is closed.
        let _ = write!(self.stderr, "{}", output::line(question)).and_then(|()| self.stderr.flush());
    }

    /// Writes a JSON document to standard error; it has to be safe for a terminal.
    pub(crate) fn tell_json(&mut self, json: &str) {
        // Nothing is left to be done where standard error is closed.
        let _ = writeln!(self.stderr, "{json}");
    }

    /// Ends what a command began: what it wrote is out, what went wrong is said.
    pub(crate) fn conclude(&mut self, result: anyhow::Result<Exit>) -> Exit {
        let flushed = self.stdout.flush();
        match result.and_then(|exit| Ok(flushed.map(|()| exit)?)) {
            Ok(exit) => exit,
            // The reader has seen enough, as `head` does; there is nobody to tell.
            Err(error) if is_broken_pipe(&error) => Exit::Success,
            Err(error) => {
                self.tell(AnsiColor::Red.on_default().bold(), "error", &format!("{error:#}"));
                Exit::Misuse
            }
        }
    }

    /// Prints help or the version, and says what is wrong with a command line and how it is used.
    pub(crate) fn explain(&mut self, message: &clap::Error) -> Exit {
        let text = message.render();
        if message.use_stderr() {
            // Nothing is left to be done where standard error is closed.
            let _ = write!(self.stderr, "{}", text.ansi());
            return Exit::Misuse;
        }
        let styled = self.heading != Style::new();
        let printed =
            if styled { write!(self.stdout, "{}", text.ansi()) } else { write!(self.stdout, "{text}") };
        self.conclude(printed.map(|()| Exit::Success).map_err(Into::into))
    }

    fn tell(&mut self, style: Style, label: &str, text: &str) {
        self.progress("");
        let line = format!("haft: {style}{label}{style:#}: {}\n", output::line(text));
        // Nothing is left to be done where standard error is closed.
        let _ = self.stderr.write_all(line.as_bytes());
    }
}

/// A line in the place of one that was so wide. It is overwritten, since not every terminal can do more than that.
fn in_place(line: &str, width: usize) -> String {
    let rest = width.saturating_sub(line.chars().count());
    match (line.is_empty(), width) {
        (true, 0) => String::new(),
        (true, _) => format!("\r{}\r", " ".repeat(rest)),
        (false, _) => format!("\r{line}{}", " ".repeat(rest)),
    }
}

/// As asked; left to choose, a terminal has colour unless `NO_COLOR` or its like says otherwise.
fn chosen(color: ColorChoice, stream: &impl RawStream) -> ColorChoice {
    match color {
        ColorChoice::Auto if stream.is_terminal() => AutoStream::choice(stream),
        ColorChoice::Auto => ColorChoice::Never,
        asked => asked,
    }
}

/// Whether nobody reads any more.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    use super::in_place;

    #[test]
    fn a_line_takes_the_place_of_a_longer_one_and_leaves_nothing() {
        assert_eq!(in_place("one", 0), "\rone");
        assert_eq!(in_place("a", 3), "\ra  ");
        assert_eq!(in_place("", 3), "\r   \r");
        assert_eq!(in_place("", 0), "");
    }
}
