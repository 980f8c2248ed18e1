//! One server that is measured: a process of its own, on the other core where there is one.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use crate::http::Connection;
use crate::lines::Lines;
use crate::messages::{Era, INITIALIZED, initialize, list};

/// How a server is spoken to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Transport {
    Stdio,
    Http(Era),
}

/// The argument that stands for `stdio` or `http`.
pub(crate) const TRANSPORT: &str = "TRANSPORT";

/// A program that serves.
pub(crate) struct Program {
    pub(crate) name: &'static str,
    pub(crate) path: PathBuf,
    pub(crate) arguments: Vec<String>,
}

/// A server that has given its first list.
pub(crate) struct Server {
    pub(crate) process: Process,
    pub(crate) link: Link,
    /// From before its start until its list was read.
    pub(crate) start: Duration,
}

/// The way to a server.
pub(crate) enum Link {
    Lines(Lines),
    Http { address: String },
}

/// A process that is killed when it is through.
pub(crate) struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

impl Program {
    pub(crate) fn start(&self, transport: Transport) -> Server {
        let started = Instant::now();
        let word = if transport == Transport::Stdio { "stdio" } else { "http" };
        let mut command = Command::new(&self.path);
        command
            .args(self.arguments.iter().map(|argument| if argument == TRANSPORT { word } else { argument }));
        let input = if transport == Transport::Stdio { Stdio::piped() } else { Stdio::null() };
        command.stdin(input).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = Process(on_core(1, || command.spawn().expect("the server starts")));
        let link = match transport {
            Transport::Stdio => {
                let mut lines = Lines::new(&mut process.0);
                lines.ask(&initialize());
                lines.tell(INITIALIZED);
                lines.ask(&list(Era::Legacy));
                Link::Lines(lines)
            }
            Transport::Http(era) => {
                let address = address(&mut process.0);
                let mut connection = Connection::open(&address, era);
                connection.post("tools/list", &list(era));
                Link::Http { address }
            }
        };
        Server { process, link, start: started.elapsed() }
    }
}

/// The host and port of the URL that a server prints first.
fn address(child: &mut Child) -> String {
    let mut line = String::new();
    let stdout = child.stdout.take().expect("it is piped");
    BufReader::new(stdout).read_line(&mut line).expect("the server prints a line");
    let address = line.trim().strip_prefix("http://").and_then(|rest| rest.strip_suffix("/mcp"));
    address.unwrap_or_else(|| panic!("no address but {line:?}")).to_owned()
}

impl Process {
    /// CPU time of all its threads.
    pub(crate) fn cpu(&self) -> Duration {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", self.0.id())).expect("the server runs");
        let nanoseconds = tasks.flatten().map(|task| {
            let text = std::fs::read_to_string(task.path().join("schedstat")).unwrap_or_default();
            text.split(' ').next().and_then(|word| word.parse().ok()).unwrap_or(0)
        });
        Duration::from_nanos(nanoseconds.sum())
    }

    /// Memory that is resident, in KiB.
    pub(crate) fn memory(&self) -> f64 {
        let status =
            std::fs::read_to_string(format!("/proc/{}/status", self.0.id())).expect("the server runs");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("the system says it");
        line.trim().trim_end_matches("kB").trim().parse().expect("it is a number")
    }
}

/// Keeps this thread, and what it starts, to one of two cores while it works; to none where there are not two.
pub(crate) fn on_core<T>(core: usize, work: impl FnOnce() -> T) -> T {
    static CORES: OnceLock<Vec<usize>> = OnceLock::new();
    let before = sched_getaffinity(None).expect("the system says it");
    let cores =
        CORES.get_or_init(|| (0..CpuSet::MAX_CPU).filter(|core| before.is_set(*core)).take(2).collect());
    if cores.len() == 2 {
        let mut one = CpuSet::new();
        one.set(cores[core]);
        sched_setaffinity(None, &one).expect("the core is one of ours");
    }
    let done = work();
    sched_setaffinity(None, &before).expect("they were ours before");
    done
}
