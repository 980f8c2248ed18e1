//! The HTTP server, and what ends it.

use std::{fs, future::IntoFuture as _, io, net::SocketAddr, path::Path, time::Duration};

use anyhow::{Context as _, anyhow};
use axum::serve::ListenerExt as _;
use haft::{
    CancellationToken,
    serve::mcp::{BearerToken, HttpOptions, McpService},
};
use tokio::net::TcpListener;

use crate::{host::Host, settings::Http};

/// Where clients ask.
const PATH: &str = "/mcp";
/// How long what runs may take at the end; the sessions end sooner.
const FAREWELL: Duration = Duration::from_secs(3);

/// A server that clients can reach, and that answers once it runs.
pub(crate) struct Server {
    listener: TcpListener,
    router: axum::Router,
}

impl Server {
    /// Takes the address, and says which it is.
    pub(crate) async fn bind(service: &McpService, settings: &Http, host: &mut Host) -> anyhow::Result<Self> {
        let given = settings.token_file.as_deref().map(read_token).transpose()?;
        let listener = TcpListener::bind(&settings.address).await.map_err(|error| {
            anyhow!("{} can not be served at: {error}{}", settings.address, advice(&error))
        })?;
        let address = listener.local_addr()?;
        let options = options(settings, address, given, host)?;
        let router = axum::Router::new().route_service(PATH, service.http(options));
        host.note(format_args!("serving MCP clients at http://{address}{PATH}; Ctrl-C ends it"));
        Ok(Self { listener, router })
    }

    /// Serves until `stop` is cancelled.
    pub(crate) async fn run(self, stop: &CancellationToken) -> anyhow::Result<()> {
        // An answer in several parts would else wait for the client's acknowledgement of the first.
        let listener = self.listener.tap_io(|stream| drop(stream.set_nodelay(true)));
        let server =
            axum::serve(listener, self.router).with_graceful_shutdown(stop.clone().cancelled_owned());
        tokio::select! {
            served = server.into_future() => served.context("the server failed"),
            () = async { stop.cancelled().await; tokio::time::sleep(FAREWELL).await } => Ok(()),
        }
    }
}

/// What to do about an address that can not be had.
fn advice(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::AddrInUse => {
            "; another program serves there, perhaps another haft: name another port, 0 for any that is free"
        }
        io::ErrorKind::InvalidInput => "; an address is HOST:PORT, such as 127.0.0.1:8848",
        _ => "",
    }
}

/// Who may ask: at an address that others reach, whoever shows the token.
fn options(
    settings: &Http,
    address: SocketAddr,
    given: Option<BearerToken>,
    host: &mut Host,
) -> anyhow::Result<HttpOptions> {
    let mut options = HttpOptions::new();
    for name in &settings.hosts {
        options = options.host(name);
    }
    for origin in &settings.origins {
        options = options.origin(origin);
    }
    let token = match given {
        None if !address.ip().is_loopback() => {
            let made = BearerToken::generate()?;
            host.note(format_args!(
                "clients have to show this token, which is not told again: {}",
                made.reveal()
            ));
            Some(made)
        }
        given => given,
    };
    if !address.ip().is_loopback() {
        options = options.any_host();
    }
    Ok(match token {
        Some(token) => options.token(token),
        None => options,
    })
}

fn read_token(file: &Path) -> anyhow::Result<BearerToken> {
    let text = fs::read_to_string(file).with_context(|| format!("{} can not be read", file.display()))?;
    BearerToken::new(&text).with_context(|| format!("{} holds no token", file.display()))
}

/// Listens from now on for the system's wish that haft end; the future waits for it.
#[cfg(unix)]
pub(crate) fn termination() -> impl Future<Output = ()> {
    use tokio::signal::unix::{SignalKind, signal};
    let signals = signal(SignalKind::terminate());
    async {
        match signals {
            Ok(mut signals) => drop(signals.recv().await),
            // The signal then ends the process by itself.
            Err(_) => std::future::pending().await,
        }
    }
}

/// Listens from now on for the system's wish that haft end; the future waits for it.
#[cfg(not(unix))]
pub(crate) fn termination() -> impl Future<Output = ()> {
    std::future::pending()
}
