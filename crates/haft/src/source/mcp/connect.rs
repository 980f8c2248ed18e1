//! Making a connection to a server.

use std::{
    fmt, io,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
};

use rmcp::{
    RoleClient,
    model::ProtocolVersion,
    service::{ClientInitializeError, ClientLifecycleMode, ClientServiceExt as _, RunningService},
    transport::IntoTransport,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::Notify,
};

use super::{
    McpEra, McpError, McpTransport,
    handler::Handler,
    http,
    remote::Remote,
    wire::{Awaited, Bounds, Noise, Pipe},
};
use crate::sandbox::{Program, Running};

pub(super) type Reader = Box<dyn AsyncRead + Send + Unpin>;
pub(super) type Writer = Box<dyn AsyncWrite + Send + Unpin>;
type Streams = Pin<Box<dyn Future<Output = io::Result<(Reader, Writer)>> + Send>>;

/// How the streams of a server come about that the host connects itself.
pub(super) enum Connector {
    /// By its definition.
    Definition,
    /// Once.
    Given(Mutex<Option<(Reader, Writer)>>),
    /// Whenever they are wanted.
    Made(Box<dyn Fn() -> Streams + Send + Sync>),
}

impl fmt::Debug for Connector {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Definition => "Definition",
            Self::Given(_) => "Given",
            Self::Made(_) => "Made",
        })
    }
}

/// Which protocol is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lifecycle {
    /// The newest, then the older one.
    Either,
    Only(McpEra),
}

impl Lifecycle {
    pub(super) fn of(era: Option<McpEra>) -> Self {
        era.map_or(Self::Either, Self::Only)
    }

    fn mode(self) -> ClientLifecycleMode {
        let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
        match self {
            Self::Either => ClientLifecycleMode::Auto {
                preferred_versions,
                legacy_version: Some(ProtocolVersion::LATEST_WITH_INITIALIZE),
            },
            Self::Only(McpEra::Modern) => ClientLifecycleMode::Discover { preferred_versions },
            Self::Only(McpEra::Legacy) => ClientLifecycleMode::Initialize,
        }
    }
}

/// A connection on which nothing has been said yet.
pub(super) struct Opened {
    wire: Wire,
    /// The program behind it, to be taken out.
    pub(super) running: Option<Running>,
    pub(super) awaited: Arc<Awaited>,
}

enum Wire {
    Streams(Reader, Writer),
    Http(Box<http::Transport>),
}

impl Opened {
    /// Starts the program, or makes ready to send requests.
    pub(super) async fn open(
        remote: &Remote,
        connector: &mut Connector,
        supervisor: Option<&std::path::Path>,
    ) -> Result<Self, McpError> {
        let awaited = Arc::new(Awaited::default());
        let (wire, running) = match connector {
            Connector::Given(streams) => {
                let streams = streams.get_mut().unwrap_or_else(PoisonError::into_inner);
                let (reader, writer) = streams.take().ok_or(McpError::Closed)?;
                (Wire::Streams(reader, writer), None)
            }
            Connector::Made(make) => {
                let unreachable = |error: io::Error| McpError::Unreachable { why: error.to_string() };
                let (reader, writer) = make().await.map_err(unreachable)?;
                (Wire::Streams(reader, writer), None)
            }
            Connector::Definition => match &remote.server.transport {
                McpTransport::Stdio { command, arguments, environment, folder } => {
                    let (arguments, environment) = (arguments.clone(), environment.clone());
                    let supervisor = supervisor.map(Into::into);
                    let (command, folder) = (command.clone(), folder.clone());
                    let program = Program { command, arguments, environment, folder, supervisor };
                    if let Some(folder) = program.missing_folder() {
                        return Err(McpError::Folder {
                            command: program.command.to_string_lossy().into_owned(),
                            folder: folder.display().to_string(),
                        });
                    }
                    let (running, input, output) = program.start().map_err(|source| McpError::Start {
                        command: program.command.to_string_lossy().into_owned(),
                        source: Arc::new(source),
                    })?;
                    (Wire::Streams(Box::new(output), Box::new(input)), Some(running))
                }
                McpTransport::Http { url, headers } => {
                    let transport = http::transport(remote, url, headers, &awaited)?;
                    (Wire::Http(Box::new(transport)), None)
                }
                McpTransport::Given => return Err(McpError::Closed),
            },
        };
        remote.writes_to(running.as_ref().map(Running::tail));
        Ok(Self { wire, running, awaited })
    }
}

/// A connection whose protocol is agreed on.
pub(super) type Service = RunningService<RoleClient, Handler>;

/// Agrees with the server on the protocol.
pub(super) async fn introduce(
    remote: &Remote,
    opened: Opened,
    lifecycle: Lifecycle,
    changed: &Arc<Notify>,
) -> Result<Service, ClientInitializeError> {
    let Opened { wire, awaited, .. } = opened;
    let server: Arc<str> = remote.server.name.as_str().into();
    let handler = Handler {
        server: Arc::clone(&server),
        answering: Arc::clone(&remote.answering),
        awaited: Arc::clone(&awaited),
        changed: Arc::clone(changed),
    };
    match wire {
        Wire::Streams(reader, writer) => {
            let probe = (lifecycle == Lifecycle::Either).then_some(remote.server.probe);
            let bounds = Bounds { message: remote.server.largest_message, probe };
            let noise = Noise::new(Arc::clone(&server), remote.secrets.clone());
            let pipe = Pipe::new((server, noise), reader, writer, bounds, awaited);
            serve(handler, pipe, lifecycle).await
        }
        Wire::Http(transport) => serve(handler, *transport, lifecycle).await,
    }
}

async fn serve<T, E, A>(
    handler: Handler,
    transport: T,
    lifecycle: Lifecycle,
) -> Result<Service, ClientInitializeError>
where
    T: IntoTransport<RoleClient, E, A>,
    E: std::error::Error + Send + Sync + 'static,
{
    handler.serve_with_lifecycle(transport, lifecycle.mode()).await
}
