//! Standard output, whose errors say that they are its own.

use std::io::{self, BufWriter, Write};

/// Standard output: what was asked for, and nothing else.
#[derive(Debug)]
pub(crate) struct Stdout(BufWriter<io::Stdout>);

impl Stdout {
    pub(crate) fn new() -> Self {
        Self(BufWriter::new(io::stdout()))
    }
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes).map_err(|error| named(&error))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush().map_err(|error| named(&error))
    }
}

/// The error with its place; its kind stays, for what waits on it or ends quietly.
fn named(error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("standard output can not be written: {error}"))
}
