//! `haft serve`: the tools for MCP clients.

use haft::{CancellationToken, Dispatcher, SystemClock, serve::mcp::McpService};

use crate::{
    asking,
    host::{Exit, Host},
    server,
    settings::Serve,
};

pub(super) fn run(settings: &Serve, host: &mut Host) -> anyhow::Result<Exit> {
    let registry = asking::registry(settings.leniency.clone())?;
    let mut dispatcher =
        asking::attend_clients(Dispatcher::builder(registry).clock(SystemClock), settings.yes);
    if let Some(concurrency) = settings.concurrency {
        dispatcher = dispatcher.concurrency(concurrency);
    }
    // A child, so that an end by SIGTERM is told from one by a person.
    let stop = host.interrupt.cancels().child_token();
    super::block_on(serve(dispatcher.build(), settings, stop, host))??;
    Ok(if host.interrupt.happened() { Exit::Interrupted } else { Exit::Success })
}

/// Serves until the client leaves or haft is told to end.
async fn serve(
    dispatcher: Dispatcher,
    settings: &Serve,
    stop: CancellationToken,
    host: &mut Host,
) -> anyhow::Result<()> {
    let service = McpService::builder(dispatcher).shutdown(stop.clone()).build();
    let serving = async {
        match &settings.http {
            Some(http) => server::serve(&service, http, &stop, host).await,
            None => Ok(service.stdio().await?),
        }
    };
    tokio::pin!(serving);
    tokio::select! {
        served = &mut serving => return served,
        () = server::terminated() => stop.cancel(),
    }
    serving.await
}
