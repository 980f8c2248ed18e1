//! The HTTP server, and what ends it.

pub(crate) mod named;
mod opening;
mod outage;

use std::{fs, io, net::SocketAddr, path::Path, time::Duration};

use anyhow::{Context as _, anyhow};
use axum::http::StatusCode;
use haft::{
    CancellationToken,
    serve::mcp::{BearerToken, HttpOptions, McpService},
};
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::{conn::auto::Builder, graceful::GracefulShutdown},
    service::TowerToHyperService,
};
use tokio::{
    net::{TcpListener, TcpStream},
    time::Instant,
};

use self::{opening::Opening, outage::Outage};
use crate::{host::Host, settings::Http};

/// What is warned of under this name is shown.
pub(crate) const CONNECTIONS: &str = "haft::server::connections";
/// What is said anywhere else.
const ELSEWHERE: &str = "MCP clients are served at /mcp\n";
/// Where clients ask.
const PATH: &str = "/mcp";
/// How long the head of a request may take, and how long a connection may be idle: longer than the clients of most keep one.
const HEAD: Duration = Duration::from_secs(120);
/// How long nobody is let in where the system has no room for another connection.
const PAUSE: Duration = Duration::from_millis(500);
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
        let service = service.http(options);
        let slashed = format!("{PATH}/");
        let router =
            axum::Router::new().route_service(PATH, service.clone()).route_service(&slashed, service);
        let router = router.fallback((StatusCode::NOT_FOUND, ELSEWHERE));
        host.note(format_args!("serving MCP clients at http://{address}{PATH}; Ctrl-C ends it"));
        Ok(Self { listener, router })
    }

    /// Serves until `stop` is cancelled.
    pub(crate) async fn run(self, stop: &CancellationToken) {
        let (connections, mut outage) = (Connections::default(), Outage::default());
        loop {
            let accepted = tokio::select! {
                accepted = self.listener.accept() => accepted,
                () = stop.cancelled() => break,
            };
            match accepted {
                Ok((stream, _)) => connections.serve(stream, self.router.clone()),
                Err(error) if is_of_one_connection(&error) => {}
                Err(error) => {
                    // Too many files are open, as a rule: there will be room once another connection ends.
                    if outage.begins(Instant::now()) {
                        tracing::warn!(target: CONNECTIONS, "no connection can be taken now: {error}");
                    }
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
        // Nobody is let in any more.
        drop(self.listener);
        drop(tokio::time::timeout(FAREWELL, connections.graceful.shutdown()).await);
    }
}

/// What clients are connected by.
struct Connections {
    builder: Builder<TokioExecutor>,
    graceful: GracefulShutdown,
}

impl Default for Connections {
    fn default() -> Self {
        let mut builder = Builder::new(TokioExecutor::new());
        builder.http1().timer(TokioTimer::new()).header_read_timeout(HEAD);
        builder.http2().timer(TokioTimer::new()).keep_alive_interval(HEAD);
        Self { builder, graceful: GracefulShutdown::new() }
    }
}

impl Connections {
    fn serve(&self, stream: TcpStream, router: axum::Router) {
        // An answer in several parts would else wait for the client's acknowledgement of the first.
        drop(stream.set_nodelay(true));
        let stream = TokioIo::new(Opening::new(stream));
        let connection = self.builder.serve_connection(stream, TowerToHyperService::new(router)).into_owned();
        let connection = self.graceful.watch(connection);
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection of a client ended");
            }
        });
    }
}

/// Whether what failed is one connection, which was gone before it was taken.
fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

/// What to do about an address that can not be had.
fn advice(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::AddrInUse => {
            "; another program serves there, perhaps another haft: name another port, 0 for any that is free"
        }
        // The system has an address that it can not give, or a right that is missing; what else goes wrong is in the text.
        io::ErrorKind::AddrNotAvailable | io::ErrorKind::PermissionDenied => "",
        _ => "; an address is HOST:PORT, such as 127.0.0.1:8848",
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
