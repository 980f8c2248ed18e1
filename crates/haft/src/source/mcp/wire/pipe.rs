//! The transport over a pair of streams: a program's standard input and output, or a connection of the host's.

use std::{collections::VecDeque, future::Future, io, sync::Arc, time::Duration};

use rmcp::{
    ErrorData, RoleClient,
    model::{ClientJsonRpcMessage, ClientRequest, ErrorCode, RequestId, ServerJsonRpcMessage},
    transport::Transport,
};
use tokio::{
    io::{AsyncRead, AsyncWrite, AsyncWriteExt as _},
    sync::{mpsc, oneshot},
    task::JoinSet,
    time::Instant,
};

use crate::lines::{Line, Lines, Trace};

use super::{awaited::Awaited, frame::Seen, noise::Noise};

/// As many messages wait to be written; whoever sends more waits as well.
const QUEUE: usize = 64;

/// How long what was said last may take to be written.
const FAREWELL: Duration = Duration::from_millis(200);

/// What of a connection is bounded.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Bounds {
    /// How long a message may be, in bytes.
    pub(in super::super) message: usize,
    /// How long a server may be silent when it is asked whether it speaks the newest protocol, where it may speak another.
    pub(in super::super) probe: Option<Duration>,
}

type Written = (Vec<u8>, oneshot::Sender<io::Result<()>>);

/// Messages over a pair of streams, one a line.
pub(in super::super) struct Pipe<R> {
    server: Arc<str>,
    lines: Lines<R>,
    noise: Noise,
    bounds: Bounds,
    awaited: Arc<Awaited>,
    outgoing: Option<mpsc::Sender<Written>>,
    /// Writes, so that no half message is left by whoever stops waiting for it.
    writing: JoinSet<()>,
    ready: VecDeque<ServerJsonRpcMessage>,
    /// The question for the newest protocol, and until when it is waited for.
    probe: Option<(RequestId, Instant)>,
}

impl<R: AsyncRead + Send + Unpin> Pipe<R> {
    pub(in super::super) fn new(
        (server, noise): (Arc<str>, Noise),
        reader: R,
        writer: impl AsyncWrite + Send + Unpin + 'static,
        bounds: Bounds,
        awaited: Arc<Awaited>,
    ) -> Self {
        let (outgoing, queue) = mpsc::channel(QUEUE);
        let mut writing = JoinSet::new();
        writing.spawn(write(writer, queue));
        let (lines, ready) = (Lines::new(reader, bounds.message), VecDeque::new());
        Self { server, lines, noise, bounds, awaited, outgoing: Some(outgoing), writing, ready, probe: None }
    }

    /// Takes a line apart; what it says is ready then.
    fn arrived(&mut self, line: Line) {
        let (trace, line, why) = match line {
            Line::Whole(line) => match std::str::from_utf8(&line) {
                Ok(text) => return self.said(text.trim_start_matches('\u{feff}').trim_end_matches('\r')),
                Err(_) => (Trace::of(&line), line, "is no UTF-8".to_owned()),
            },
            Line::TooLong { bytes, trace } => {
                let why = format!("has {bytes} bytes; {} are read at most", self.bounds.message);
                (trace, Vec::new(), why)
            }
        };
        let id = trace.id.filter(|_| !trace.has_method);
        let id = id.and_then(|id| serde_json::from_str::<RequestId>(id.get()).ok());
        match id.filter(|id| self.awaited.wanted(id).is_some()) {
            // Whoever waits for it is told.
            Some(id) => {
                self.awaited.answered(&id);
                self.ready.extend(Seen::broken(id, format!("the answer {why}")).into_message());
            }
            None => self.noise.skipped("a line", &String::from_utf8_lossy(&line), &format!("it {why}")),
        }
    }

    fn said(&mut self, text: &str) {
        for seen in Seen::all(text, &self.awaited) {
            if let Some(why) = seen.noise() {
                self.noise.skipped("a line", text, why);
            }
            self.ready.extend(seen.into_message());
        }
    }

    /// The server has not said which protocol it speaks: one that answers no unknown request is an old one.
    fn silent(&mut self) {
        let Some((id, _)) = self.probe.take() else { return };
        self.awaited.answered(&id);
        let why = "the server did not answer whether it speaks the newest protocol";
        let error = ErrorData::new(ErrorCode::METHOD_NOT_FOUND, why, None);
        self.ready.push_back(ServerJsonRpcMessage::error(error, Some(id)));
    }
}

impl<R: AsyncRead + Send + Unpin> Transport<RoleClient> for Pipe<R> {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        self.awaited.sent(&message);
        if let ClientJsonRpcMessage::Request(request) = &message
            && matches!(request.request, ClientRequest::DiscoverRequest(_))
            && let Some(limit) = self.bounds.probe
        {
            self.probe = Some((request.id.clone(), Instant::now() + limit));
        }
        let outgoing = self.outgoing.clone();
        async move {
            let mut text = serde_json::to_vec(&message)?;
            text.push(b'\n');
            let (done, written) = oneshot::channel();
            let closed = || io::Error::from(io::ErrorKind::BrokenPipe);
            outgoing.ok_or_else(closed)?.send((text, done)).await.map_err(|_| closed())?;
            written.await.map_err(|_| closed())?
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            if let Some(message) = self.ready.pop_front() {
                if let Some((id, _)) = &self.probe
                    && answers(&message, id)
                {
                    self.probe = None;
                }
                return Some(message);
            }
            let until = self.probe.as_ref().map(|(_, until)| *until);
            let line = tokio::select! {
                line = self.lines.next() => line,
                // A server that can not be written to is of no use, even where it still writes itself.
                _ = self.writing.join_next(), if !self.writing.is_empty() => return None,
                () = sleep_until(until) => {
                    self.silent();
                    continue;
                }
            };
            match line {
                Ok(Some(line)) => self.arrived(line),
                Ok(None) => return None,
                Err(error) => {
                    tracing::debug!(server = %self.server, %error, "reading from an MCP server ended");
                    return None;
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        // The writer ends with its queue, and what it writes to is closed with it.
        self.outgoing = None;
        drop(tokio::time::timeout(FAREWELL, self.writing.join_next()).await);
        self.writing.shutdown().await;
        Ok(())
    }
}

async fn write(mut writer: impl AsyncWrite + Unpin, mut queue: mpsc::Receiver<Written>) {
    while let Some((text, done)) = queue.recv().await {
        let result = match writer.write_all(&text).await {
            Ok(()) if queue.is_empty() => writer.flush().await,
            result => result,
        };
        let failed = result.is_err();
        // Whoever sent it may have stopped waiting.
        drop(done.send(result));
        if failed {
            return;
        }
    }
}

async fn sleep_until(until: Option<Instant>) {
    match until {
        Some(until) => tokio::time::sleep_until(until).await,
        None => std::future::pending().await,
    }
}

fn answers(message: &ServerJsonRpcMessage, id: &RequestId) -> bool {
    match message {
        ServerJsonRpcMessage::Response(response) => response.id == *id,
        ServerJsonRpcMessage::Error(error) => error.id.as_ref().is_none_or(|answered| answered == id),
        _ => false,
    }
}
