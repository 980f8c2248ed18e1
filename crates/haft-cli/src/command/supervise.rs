//! `haft supervise`: owns the program of an MCP server, so that it ends however haft ends.

use crate::cli::Supervise;

/// What a shell says of a program that can not be started.
const NOT_STARTED: u8 = 127;

/// Runs the program to its end. It speaks on this process's input and output, so nothing else is written there.
pub(crate) fn run(settings: Supervise) -> u8 {
    let mut words = settings.program.into_iter();
    let Some(program) = words.next() else { return NOT_STARTED };
    let name = program.to_string_lossy().into_owned();
    match supervise(program, words.collect()) {
        Ok(code) => code,
        Err(error) => {
            anstream::eprintln!("haft: the program {name:?} can not be started: {error}");
            NOT_STARTED
        }
    }
}

#[cfg(unix)]
use haft::sandbox::supervise;

#[cfg(not(unix))]
fn supervise(_: std::ffi::OsString, _: Vec<std::ffi::OsString>) -> std::io::Result<u8> {
    Err(std::io::Error::new(std::io::ErrorKind::Unsupported, "there are no process groups on this system"))
}
