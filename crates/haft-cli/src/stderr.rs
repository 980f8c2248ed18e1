//! Standard error, and that nobody waits for who does not read it.

use std::io;
#[cfg(unix)]
use std::{
    io::Write,
    sync::atomic::{AtomicBool, Ordering},
};

/// What Windows needs for its colours is the stream itself.
#[cfg(not(unix))]
pub(crate) use io::stderr as stream;
#[cfg(not(unix))]
pub(crate) type Stream = io::Stderr;

/// Standard error for all that writes to it here.
#[cfg(unix)]
pub(crate) type Stream = Box<dyn Write + Send>;

#[cfg(unix)]
pub(crate) fn stream() -> Stream {
    Box::new(Stderr)
}

/// From now on what a full pipe or socket does not take is lost. A terminal is waited for, and a file never fills up.
///
/// Standard error is shared with others, such as who started this process, and with standard output where both go to one
/// place. So the stream itself stays as it is: a mode of it would be theirs too.
#[cfg(unix)]
pub(crate) fn wait_for_nobody() {
    use std::os::{fd::AsFd as _, unix::fs::FileTypeExt as _};
    let copy = io::stderr().as_fd().try_clone_to_owned().map(std::fs::File::from);
    let Ok(kind) = copy.and_then(|file| file.metadata()).map(|metadata| metadata.file_type()) else { return };
    if kind.is_fifo() && reopened().is_ok() {
        return;
    }
    if kind.is_fifo() || kind.is_socket() {
        POLLED.store(true, Ordering::Relaxed);
        // The standard library would wait to tell of a panic.
        std::panic::set_hook(Box::new(|panic| drop(writeln!(Stderr, "haft: {panic}"))));
    }
}

#[cfg(not(unix))]
pub(crate) fn wait_for_nobody() {}

/// Opens the pipe once more, which gives a stream of one's own to it that does not wait.
#[cfg(target_os = "linux")]
fn reopened() -> io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt as _;
    let flags = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    let own = std::fs::OpenOptions::new().write(true).custom_flags(flags).open("/proc/self/fd/2")?;
    Ok(rustix::stdio::dup2_stderr(own)?)
}

#[cfg(all(unix, not(target_os = "linux")))]
fn reopened() -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Whether there has to be room for what is written.
#[cfg(unix)]
static POLLED: AtomicBool = AtomicBool::new(false);

/// So much goes into every pipe and socket that has room at all.
#[cfg(unix)]
const AT_ONCE: usize = 512;

/// Standard error, which is not waited for where that was said.
#[cfg(unix)]
struct Stderr;

#[cfg(unix)]
impl Write for Stderr {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        let mut stderr = io::stderr().lock();
        if !POLLED.load(Ordering::Relaxed) {
            return stderr.write(text);
        }
        if !has_room(&stderr) {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        stderr.write(text.get(..AT_ONCE).unwrap_or(text))
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

/// Whether a write would not wait; one that fails at once does not.
#[cfg(unix)]
fn has_room(stream: &impl std::os::fd::AsFd) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let mut polled = [PollFd::new(stream, PollFlags::OUT)];
    poll(&mut polled, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })).is_ok_and(|ready| ready > 0)
}
