//! `haft turn`: from a provider's message to the messages that answer it.

mod events;

use std::io::{self, Write};

use anyhow::{anyhow, bail};
use haft::{
    CancellationToken, Dispatcher, ToolCall, ToolResult, TurnOutcome,
    provider::{Provider, ProviderError, ProviderMessage},
};

use self::events::EventLog;
use crate::{
    asking,
    host::{Exit, Host},
    output,
    settings::Turn,
    workbench::Workbench,
};

pub(super) fn run(settings: &Turn, host: &mut Host) -> anyhow::Result<Exit> {
    super::announce(&settings.message, "a provider's message", host);
    let text = settings.message.read()?;
    let (provider, calls) = calls(&text, settings, host)?;
    let events = settings.events.as_ref().map(EventLog::open).transpose()?;
    let mut bench = Workbench::open(&settings.configuration, host)?;
    super::block_on(async {
        let names: Vec<&str> = calls.iter().map(|call| call.name.as_str()).collect();
        bench.connect_for_model(&names, host).await;
        let mut dispatcher = asking::attend(bench.dispatcher(), &bench.registry, settings.yes);
        if let Some(concurrency) = settings.concurrency {
            dispatcher = dispatcher.concurrency(concurrency);
        }
        let finished = finish(dispatcher.build(), calls, host.interrupt.cancels(), events).await;
        // Told at once: a server may take its time to end.
        let told = finished.and_then(|finished| tell(finished, provider, settings, host));
        bench.close().await;
        told
    })?
}

fn tell(
    Finished { results, notes }: Finished,
    provider: Provider,
    settings: &Turn,
    host: &mut Host,
) -> anyhow::Result<Exit> {
    for note in notes {
        host.note(note);
    }
    print(&provider.messages(&results), settings.on_one_line, &mut host.stdout)?;
    host.stdout.flush()?;
    let failed = results.iter().any(ToolResult::is_error);
    Ok(host.interrupt.outcome(Exit::failed_if(failed && settings.fail_on_error)))
}

/// The calls of the message, and whose form the answer takes.
fn calls(text: &str, settings: &Turn, host: &mut Host) -> anyhow::Result<(Provider, Vec<ToolCall>)> {
    let provider = settings.provider.map_or_else(|| Provider::detect(text), Ok);
    let read = provider.and_then(|provider| Ok((provider, provider.calls(text)?)));
    let (provider, calls) = read.map_err(|error| anyhow!("{}: {error}{}", settings.message, how(&error)))?;
    for note in calls.notes() {
        host.note(note);
    }
    Ok((provider, calls.into_vec()))
}

/// How what the error advises is said on the command line.
fn how(error: &ProviderError) -> String {
    match error {
        ProviderError::Unrecognized { .. } => {
            let names: Vec<&str> = Provider::ALL.iter().map(|provider| provider.name()).collect();
            format!(" with `--from {}`", names.join("|"))
        }
        ProviderError::OtherProvider { found, .. } => format!(" (`--from {found}`)"),
        _ => String::new(),
    }
}

/// How a turn ended.
struct Finished {
    /// One result a call, in the model's order.
    results: Vec<ToolResult>,
    notes: Vec<String>,
}

/// Runs the turn to its end, whatever ends it.
async fn finish(
    dispatcher: Dispatcher,
    calls: Vec<ToolCall>,
    cancellation: CancellationToken,
    events: Option<EventLog>,
) -> anyhow::Result<Finished> {
    let (turn, observed) = dispatcher.turn(calls).cancellation(cancellation).start()?;
    let log = async {
        if let Some(log) = events {
            log.write(observed).await.err()
        } else {
            // Without an observer no event is made.
            drop(observed);
            None
        }
    };
    let (outcome, fault) = tokio::join!(turn.finish(), log);
    let mut notes: Vec<String> = fault.into_iter().collect();
    let results = match outcome {
        Ok(TurnOutcome::Finished(results)) => results,
        // The dispatcher denies what nobody answers.
        Ok(_) => bail!("the turn waits for an answer that nobody can give"),
        Err(error) => {
            notes.push(error.to_string());
            error.results().to_vec()
        }
    };
    Ok(Finished { results, notes })
}

/// One JSON document; for people with a line for each message.
fn print(messages: &[ProviderMessage], on_one_line: bool, out: &mut impl Write) -> io::Result<()> {
    let (before, between, after) =
        if on_one_line || messages.is_empty() { ("", ",", "") } else { ("\n  ", ",\n  ", "\n") };
    let messages: Vec<String> =
        messages.iter().map(|message| output::safe_json(message.as_json().to_owned())).collect();
    writeln!(out, "{{\"messages\":[{before}{}{after}]}}", messages.join(between))
}

#[cfg(test)]
mod tests {
    use std::{future::pending, time::Duration};

    use haft::{DefinitionError, Tool, ToolError, ToolErrorKind, ToolRegistry};

    use super::*;

    /// Runs a call of `first` and two that wait for ever.
    fn turn(
        first: Result<Tool, DefinitionError>,
        token: CancellationToken,
    ) -> (Vec<ToolErrorKind>, Vec<String>) {
        let first = first.expect("a tool");
        let waits =
            Tool::builder("wait").description("Waits for ever.").read_only(true).run(pending::<String>);
        let calls = [first.name(), "wait", "wait"];
        let calls =
            calls.iter().zip(["a", "b", "c"]).map(|(name, id)| ToolCall::new(id, *name, "{}")).collect();
        let registry = ToolRegistry::builder().tool(first).tool(waits).build().expect("a registry");
        let dispatcher = Dispatcher::builder(registry).grace(Duration::ZERO).build();
        let finished = super::super::block_on(finish(dispatcher, calls, token, None));
        let Finished { results, notes } = finished.expect("a runtime").expect("a turn");
        (results.iter().map(|result| result.error().expect("an error").kind()).collect(), notes)
    }

    #[test]
    fn an_interrupted_turn_has_a_result_for_every_call() {
        let token = CancellationToken::new();
        let interrupt = token.clone();
        let stops = Tool::builder("stop").description("Interrupts.").read_only(true).run(move || {
            interrupt.cancel();
            pending::<String>()
        });
        let (kinds, notes) = turn(stops, token);
        assert_eq!(kinds[0], ToolErrorKind::Cancelled);
        assert_eq!((kinds.len(), notes.len()), (3, 0));
    }

    #[test]
    fn an_aborted_turn_has_them_too_and_says_so() {
        let aborts = Tool::builder("abort")
            .description("Aborts the run.")
            .run_sync(|| Err::<String, _>(ToolError::new("no more").propagate()));
        let (kinds, notes) = turn(aborts, CancellationToken::new());
        assert_eq!(kinds, [ToolErrorKind::Execution, ToolErrorKind::NotRun, ToolErrorKind::NotRun]);
        assert!(notes.iter().any(|note| note.contains("aborted the run")), "{notes:?}");
    }
}
