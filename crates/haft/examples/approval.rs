//! A turn that waits for a person, in one process and across a restart.
//!
//! ```text
//! cargo run --example approval                            asks, answers and resumes in one process
//! cargo run --example approval -- begin turns.jsonl       begins a turn, prints what it waits for, and ends
//! cargo run --example approval -- answer turns.jsonl ID approve
//! ```
//!
//! `answer` takes an ID that `begin` printed, and `approve` or `reject`. Between the two no process runs: all that is known
//! stands in the file, one line for each time that the turn was written down.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::exit,
    reason = "a program of its own: it may read its arguments and write a file"
)]

use std::{
    fs::{File, OpenOptions},
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use haft::{
    ApprovalDecision, Dispatcher, Entry, EntryBody, Journal, JournalError, JournalFuture, MemoryJournal,
    PendingKind, ToolCall, ToolRegistry, TurnOutcome, Waiting,
};

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Moves money between two accounts.
#[haft::tool(destructive, approve = |a| a.amount > 100, recovery = "keyed")]
fn transfer(
    /// Account to credit.
    to: String,
    /// Amount in euros.
    amount: u32,
) -> String {
    format!("{amount} went to {to}")
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    run(&arguments, &mut io::stdout()).await
}

/// Does what the arguments ask for.
pub(crate) async fn run(arguments: &[&str], out: &mut impl io::Write) -> Result<(), Failure> {
    match arguments {
        [] => {
            let dispatcher = dispatcher(Arc::new(MemoryJournal::new()))?;
            let Some(waiting) = begin(&dispatcher, out).await? else { return Ok(()) };
            for pending in waiting.pending() {
                let decision = ApprovalDecision::Approve;
                answer(&dispatcher, (&waiting.session, &waiting.turn), (&pending.id, decision), out).await?;
            }
            Ok(())
        }
        ["begin", file] => begin(&dispatcher(Arc::new(FileJournal::open(file)?))?, out).await.map(drop),
        ["answer", file, id, word] => {
            let decision = match *word {
                "approve" => ApprovalDecision::Approve,
                "reject" => ApprovalDecision::reject("a person said no"),
                other => return Err(format!("approve or reject, not {other}").into()),
            };
            let journal = FileJournal::open(file)?;
            let (session, turn) = journal.waits_for(id)?.ok_or_else(|| format!("nothing waits for {id}"))?;
            answer(&dispatcher(Arc::new(journal))?, (&session, &turn), (id, decision), out).await
        }
        _ => Err("give nothing, `begin FILE`, or `answer FILE ID approve|reject`".into()),
    }
}

fn dispatcher(journal: Arc<dyn Journal>) -> Result<Dispatcher, Failure> {
    let registry = ToolRegistry::builder().tools(haft::tools![transfer]).build()?;
    Ok(Dispatcher::builder(registry).journal(journal).build())
}

/// Begins a turn as a model's message would, and shows what it waits for.
async fn begin(dispatcher: &Dispatcher, out: &mut impl io::Write) -> Result<Option<Waiting>, Failure> {
    let calls = vec![
        ToolCall::new("call_1", "transfer", r#"{"to": "Ada", "amount": 20}"#),
        ToolCall::new("call_2", "transfer", r#"{"to": "Grace", "amount": 500}"#),
        ToolCall::new("call_3", "transfer", r#"{"to": "Alan", "amount": 700}"#),
    ];
    let turn = dispatcher.turn(calls).session("s-1").start_unobserved()?;
    show(turn.finish().await?, out)
}

/// Goes on with a turn, with one answer.
async fn answer(
    dispatcher: &Dispatcher,
    (session, turn): (&str, &str),
    (id, decision): (&str, ApprovalDecision),
    out: &mut impl io::Write,
) -> Result<(), Failure> {
    let resumed = dispatcher.resume(session, turn).await?.answer(id, decision)?;
    let turn = resumed.start_unobserved()?;
    show(turn.finish().await?, out).map(drop)
}

fn show(outcome: TurnOutcome, out: &mut impl io::Write) -> Result<Option<Waiting>, Failure> {
    match outcome {
        TurnOutcome::Finished(results) => {
            for result in results {
                writeln!(out, "{}: {}", result.id(), result.text())?;
            }
            Ok(None)
        }
        TurnOutcome::Suspended(waiting) => {
            for pending in waiting.pending() {
                if let PendingKind::Approval(request) = &pending.kind {
                    writeln!(
                        out,
                        "{} waits: may {} run with {}?",
                        pending.id, request.tool, request.arguments
                    )?;
                }
            }
            Ok(Some(waiting))
        }
        _ => Err("an outcome that this program does not know".into()),
    }
}

/// A journal in a file: what is appended at once is one line, so that a crash leaves all of it or nothing.
#[derive(Debug)]
struct FileJournal(Arc<Mutex<File>>);

impl FileJournal {
    /// Opens the file, or makes it; a last line that a crash has cut is dropped.
    fn open(path: impl AsRef<Path>) -> io::Result<Self> {
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
        file.set_len(u64::try_from(whole).map_err(io::Error::other)?)?;
        Ok(Self(Arc::new(Mutex::new(file))))
    }

    /// Appends a line, unless the turn of which the caller knows so many entries has others too; whether it did.
    fn append_line(file: &Mutex<File>, line: &str, behind: Option<(usize, &Entry)>) -> io::Result<bool> {
        if let Some((known, first)) = behind {
            // The other process may be answered at the same time: the file is its own from the look to the append.
            let locked = file.lock().unwrap_or_else(PoisonError::into_inner).try_clone()?;
            locked.lock()?;
            let same = |entry: &&Entry| entry.session == first.session && entry.turn == first.turn;
            let is_known = Self::entries(file)?.iter().filter(same).count() == known;
            let written = if is_known { Self::append_line(file, line, None) } else { Ok(false) };
            locked.unlock()?;
            return written;
        }
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::End(0))?;
        file.write_all(line.as_bytes())?;
        file.sync_data()?; // only now the turn may go on
        Ok(true)
    }

    fn entries(file: &Mutex<File>) -> io::Result<Vec<Entry>> {
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        let mut text = String::new();
        file.rewind()?;
        file.read_to_string(&mut text)?;
        let mut entries = Vec::new();
        for line in text.lines() {
            entries.extend(serde_json::from_str::<Vec<Entry>>(line)?);
        }
        Ok(entries)
    }

    /// The session and turn of what waits for an answer of that id.
    fn waits_for(&self, id: &str) -> io::Result<Option<(String, String)>> {
        let waits =
            |entry: &Entry| matches!(&entry.entry, EntryBody::CallSuspended { id: waits, .. } if waits == id);
        let entry = Self::entries(&self.0)?.into_iter().find(waits);
        Ok(entry.map(|entry| (entry.session, entry.turn)))
    }
}

impl Journal for FileJournal {
    fn append<'a>(&'a self, entries: &'a [Entry]) -> JournalFuture<'a, ()> {
        Box::pin(async move {
            let line = serde_json::to_string(entries).map_err(failed)? + "\n";
            let file = Arc::clone(&self.0);
            let written = tokio::task::spawn_blocking(move || Self::append_line(&file, &line, None)).await;
            written.map_err(failed)?.map(drop).map_err(failed)
        })
    }

    fn append_behind<'a>(&'a self, known: usize, entries: &'a [Entry]) -> JournalFuture<'a, ()> {
        Box::pin(async move {
            let Some(first) = entries.first().cloned() else { return Ok(()) };
            let line = serde_json::to_string(entries).map_err(failed)? + "\n";
            let file = Arc::clone(&self.0);
            let append = move || Self::append_line(&file, &line, Some((known, &first)));
            let appended = tokio::task::spawn_blocking(append).await.map_err(failed)?.map_err(failed)?;
            appended.then_some(()).ok_or_else(JournalError::taken_up)
        })
    }

    fn read<'a>(&'a self, session: &'a str, turn: &'a str) -> JournalFuture<'a, Vec<Entry>> {
        Box::pin(async move {
            let file = Arc::clone(&self.0);
            let read = tokio::task::spawn_blocking(move || Self::entries(&file)).await;
            let mut entries = read.map_err(failed)?.map_err(failed)?;
            entries.retain(|entry| entry.session == session && entry.turn == turn);
            Ok(entries)
        })
    }
}

fn failed(error: impl std::fmt::Display) -> JournalError {
    JournalError::new(error.to_string())
}
