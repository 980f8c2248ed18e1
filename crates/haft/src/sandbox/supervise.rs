//! The supervisor: a process that owns a program and ends it when the process that started both is gone.

use std::{
    ffi::OsString,
    io,
    process::Command,
    thread,
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::{Pid, Signal, WaitId, WaitIdOptions, WaitOptions, kill_process_group, waitid},
};

use super::program::GRACE;

/// How often is looked whether the program has ended, where nothing tells.
const LOOK: Duration = Duration::from_millis(50);

/// How long is looked for what was killed and is still there.
const LAST: Duration = Duration::from_secs(5);

/// Runs a program whose input and output are those of this process, and ends it with everything that it started when the
/// other end of the standard input is closed: also where the process there was killed. The exit code is the program's.
///
/// This is what `haft supervise -- COMMAND ARGUMENTS` does; a host that has no `haft` calls it from a program of its own,
/// whose path it gives as [`McpServersBuilder::supervisor`](crate::source::mcp::McpServersBuilder::supervisor).
///
/// Whoever kills this process as well, as a kill by name does, leaves a program that does not end with its input.
///
/// It blocks, and expects to be alone in its process.
///
/// # Errors
/// When the program can not be started, or not be watched.
///
/// ```no_run
/// # fn main() -> std::io::Result<()> {
/// let code = haft::sandbox::supervise("npx".into(), vec!["some-server".into()])?;
/// # Ok(())
/// # }
/// ```
pub fn supervise(command: OsString, arguments: Vec<OsString>) -> io::Result<u8> {
    // Whatever the program leaves behind becomes a child of this process, and is seen.
    #[cfg(target_os = "linux")]
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    let program = start(command, arguments)?;
    let gone = wait_for_either(program)?;
    if gone && !ends_within(program, GRACE)? {
        signal(program, Signal::TERM);
        if !ends_within(program, GRACE)? {
            signal(program, Signal::KILL);
        }
    }
    // The program is not reaped yet, so its group can be no other.
    end_rest(program);
    let status = rustix::process::waitpid(Some(program), WaitOptions::empty())?;
    let code = status.and_then(|(_, status)| status.exit_status());
    Ok(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}

#[expect(clippy::disallowed_methods, reason = "this is where processes are started")]
fn start(command: OsString, arguments: Vec<OsString>) -> io::Result<Pid> {
    use std::os::unix::process::CommandExt as _;

    let mut program = Command::new(command);
    let child = program.args(arguments).process_group(0).spawn()?;
    let id = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    // Its output ends with it, not with this process.
    let nowhere = std::fs::OpenOptions::new().write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdout(&nowhere)?;
    rustix::stdio::dup2_stderr(&nowhere)?;
    id.ok_or_else(|| io::Error::other("the program has no process id"))
}

/// Waits until the program has ended, or the other end of the standard input is closed: `true` then. Nothing is read.
fn wait_for_either(program: Pid) -> io::Result<bool> {
    let input = io::stdin();
    // Where the system can tell when a process ends, nothing has to be looked at in between.
    #[cfg(target_os = "linux")]
    let handle = rustix::process::pidfd_open(program, rustix::process::PidfdFlags::empty()).ok();
    #[cfg(not(target_os = "linux"))]
    let handle: Option<std::os::fd::OwnedFd> = None;
    let look = Timespec { tv_sec: 0, tv_nsec: i64::from(LOOK.subsec_nanos()) };
    let look = handle.is_none().then_some(look);
    while !has_ended(program)? {
        let mut watched = vec![PollFd::new(&input, PollFlags::empty())];
        watched.extend(handle.iter().map(|handle| PollFd::new(handle, PollFlags::IN)));
        match poll(&mut watched, look.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let closed = PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL;
        if watched.first().is_some_and(|input| input.revents().intersects(closed)) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn has_ended(program: Pid) -> io::Result<bool> {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    Ok(waitid(WaitId::Pid(program), options)?.is_some())
}

fn ends_within(program: Pid, limit: Duration) -> io::Result<bool> {
    let end = now() + limit;
    while !has_ended(program)? {
        if now() >= end {
            return Ok(false);
        }
        pause();
    }
    Ok(true)
}

#[expect(clippy::disallowed_methods, reason = "no runtime runs in a supervisor")]
fn now() -> Instant {
    Instant::now()
}

#[expect(clippy::disallowed_methods, reason = "no runtime runs in a supervisor")]
fn pause() {
    thread::sleep(LOOK / 5);
}

fn signal(program: Pid, signal: Signal) {
    // Nothing of the group may be left.
    let _ = kill_process_group(program, signal);
}

/// Ends what the program has left behind.
fn end_rest(program: Pid) {
    signal(program, Signal::TERM);
    let until = now() + Duration::from_millis(500);
    while others_left(program) && now() < until {
        pause();
    }
    signal(program, Signal::KILL);
    #[cfg(target_os = "linux")]
    {
        let end = |pid| {
            // It may have ended by now.
            let _ = rustix::process::kill_process(pid, Signal::KILL);
        };
        // What it started is adopted only once it is gone itself, and that may take a moment where others are busy.
        let until = now() + LAST;
        while (!has_ended(program).unwrap_or(true) || others_left(program)) && now() < until {
            adopted(program).into_iter().for_each(end);
            pause();
        }
    }
}

/// Reaps what has ended, but the program itself; whether anything is left.
fn others_left(program: Pid) -> bool {
    #[cfg(target_os = "linux")]
    {
        let others = adopted(program);
        for pid in &others {
            let _ = rustix::process::waitpid(Some(*pid), WaitOptions::NOHANG);
        }
        !others.is_empty()
    }
    #[cfg(not(target_os = "linux"))]
    {
        rustix::process::test_kill_process_group(program).is_ok()
    }
}

/// The children of this process, but the program: what lost its parent has become one.
#[cfg(target_os = "linux")]
fn adopted(program: Pid) -> Vec<Pid> {
    let own = rustix::process::getpid();
    let Ok(processes) = std::fs::read_dir("/proc") else { return Vec::new() };
    let ids =
        processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok().and_then(Pid::from_raw));
    ids.filter(|pid| *pid != program && parent(*pid) == Some(own)).collect()
}

#[cfg(target_os = "linux")]
fn parent(pid: Pid) -> Option<Pid> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name of the program stands in parentheses, and may hold anything.
    let (_, fields) = stat.rsplit_once(')')?;
    fields.split_ascii_whitespace().nth(1)?.parse().ok().and_then(Pid::from_raw)
}
