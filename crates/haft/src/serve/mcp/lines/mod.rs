//! Messages as lines over a pair of streams, with everything bounded.

mod calls;
mod gate;
mod held;
mod ids;
mod incoming;
mod lifecycle;
mod opening;
mod outbox;
mod written;

use std::{collections::VecDeque, future::pending, io, sync::Arc, time::Duration};

use haft_core::CancellationToken;
use rmcp::{
    RoleServer,
    model::{ClientNotification, ErrorData, JsonRpcMessage, RequestId, ServerNotification},
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};
use tokio::{io::AsyncRead, time::Instant};

use self::{
    calls::Calls,
    gate::Gate,
    held::Held,
    incoming::Incoming,
    lifecycle::Lifecycle,
    written::{answers, written},
};
pub(in crate::serve::mcp) use self::{opening::Opening, outbox::Outbox};
use super::{plain::PlainCall, session::Session};
use crate::lines::{self, Line, Trace};

/// How long a message may be: 16 MiB.
const LONGEST: usize = 16 * 1024 * 1024;

/// As many lines that are no messages are told of.
const TOLD: u32 = 10;
/// How long a client that sends no more is worked for without any of its requests coming to an end.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long calls that were told to end are waited for when the session ends.
const FAREWELL: Duration = Duration::from_secs(2);

/// A request that waits to be taken up.
#[derive(Debug)]
enum Request {
    /// A call that may be answered here.
    Call(PlainCall),
    /// What the protocol's library answers.
    Message(Box<RxJsonRpcMessage<RoleServer>>),
}

/// Messages as lines; the writing half is [`Outbox::write_to`].
pub(super) struct Lines<R> {
    input: lines::Lines<R>,
    outbox: Arc<Outbox>,
    gate: Arc<Gate>,
    calls: Calls,
    held: Held,
    lifecycle: Lifecycle,
    /// Messages of a batch that have not been looked at.
    batch: VecDeque<String>,
    /// What the opening has read and not answered.
    put_back: Option<Read>,
    /// A request that the opening has answered, and that is the library's first.
    repeated: Option<Box<RxJsonRpcMessage<RoleServer>>>,
    /// How many lines were no messages.
    told: u32,
    /// Cancelled when the client sends no more.
    ended: CancellationToken,
    /// Cancelled to end the session: what runs is told to end.
    stop: CancellationToken,
    /// Once the client sends no more: how many of its requests had come to an end, and when the rest is given up.
    last: Option<(u64, Instant)>,
}

impl<R: AsyncRead + Unpin + Send> Lines<R> {
    pub(super) fn new(
        reader: R,
        outbox: Arc<Outbox>,
        session: Arc<Session>,
        stop: CancellationToken,
    ) -> Self {
        let (gate, ended) = (Arc::<Gate>::default(), session.ended().clone());
        Self {
            input: lines::Lines::new(reader, LONGEST),
            calls: Calls::new(session, Arc::clone(&gate), Arc::clone(&outbox), stop.clone()),
            outbox,
            gate,
            held: Held::default(),
            lifecycle: Lifecycle::default(),
            batch: VecDeque::new(),
            put_back: None,
            repeated: None,
            told: 0,
            ended,
            stop,
            last: None,
        }
    }

    /// The next message for the session; none at the end. Giving up the future loses nothing.
    async fn next(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        if let Some(message) = self.repeated.take() {
            return Some(*message);
        }
        loop {
            if self.gate.has_room()
                && let Some((id, request)) = self.held.pop()
            {
                if let Some(message) = self.take_up(id, request) {
                    return Some(message);
                }
                continue;
            }
            if let Some(message) = self.batch.pop_front() {
                if let Some(message) = self.admit(message.as_bytes()) {
                    return Some(message);
                }
                continue;
            }
            let read = match self.put_back.take() {
                Some(read) => read,
                None => self.read().await,
            };
            match read {
                Read::Line(line) => {
                    if let Some(message) = self.admit(&line) {
                        return Some(message);
                    }
                }
                Read::TooLong(bytes, trace) => {
                    let why = format!("the message has {bytes} bytes; {LONGEST} are read at most");
                    let incoming = incoming::unreadable(&trace, ErrorData::invalid_request(why, None));
                    if let Some(message) = self.take(incoming, 0) {
                        return Some(message);
                    }
                }
                Read::Nothing => {}
                Read::Over => return None,
                Read::GivenUp => {
                    // Not an end of the input, after which what runs would run on: it is told to end.
                    self.stop.cancel();
                    while let Some((id, _)) = self.held.pop() {
                        self.refuse(
                            id,
                            ErrorData::internal_error("the session has ended; nothing was run", None),
                        );
                    }
                    return pending().await;
                }
            }
        }
    }

    /// Reads a line, while there is room for what it may lead to.
    async fn read(&mut self) -> Read {
        if self.last.is_some() {
            return self.finish().await;
        }
        let Self { input, outbox, gate, held, .. } = self;
        let may_read = !held.is_full();
        let line = async {
            outbox.room(outbox::FULL).await;
            input.next().await
        };
        if outbox.is_broken() {
            return Read::GivenUp;
        }
        let read = tokio::select! {
            // A line that is there already is not waited for.
            biased;
            read = line, if may_read => read,
            () = gate.pass(), if !held.is_empty() => return Read::Nothing,
            () = outbox.broken() => return Read::GivenUp,
        };
        match read {
            Ok(Some(Line::Whole(line))) => return Read::Line(line),
            Ok(Some(Line::TooLong { bytes, trace })) => return Read::TooLong(bytes, trace),
            Ok(None) => {}
            Err(error) => tracing::warn!(%error, "the client can not be read any more"),
        }
        self.ended.cancel();
        self.last = Some((gate.left().0, Instant::now() + PATIENCE));
        Read::Nothing
    }

    /// After the client's last word: what it has asked is answered, as long as that comes to anything.
    async fn finish(&mut self) -> Read {
        let (left, idle) = self.gate.left();
        if idle && self.held.is_empty() {
            return Read::Over;
        }
        let last = self.last.get_or_insert((left, Instant::now() + PATIENCE));
        if last.0 != left {
            *last = (left, Instant::now() + PATIENCE);
        }
        tokio::select! {
            () = self.gate.leaves(left) => Read::Nothing,
            () = tokio::time::sleep_until(last.1) => Read::GivenUp,
            () = self.outbox.broken() => Read::GivenUp,
        }
    }

    /// Takes in a line; none where that is all that had to be done, or what it says has to wait.
    fn admit(&mut self, line: &[u8]) -> Option<RxJsonRpcMessage<RoleServer>> {
        self.take(incoming::read(line), line.len())
    }

    fn take(&mut self, incoming: Incoming, bytes: usize) -> Option<RxJsonRpcMessage<RoleServer>> {
        let message = match incoming {
            Incoming::Call(id, call) if self.lifecycle.has_begun() => {
                return self.request(id, Request::Call(call), bytes);
            }
            Incoming::Call(id, call) => match call.into_request() {
                Ok(request) => JsonRpcMessage::request(request, id),
                Err(error) => {
                    let error = incoming::wrong_parameters("tools/call", &error);
                    return self.take(Incoming::Refused(id, error), bytes);
                }
            },
            Incoming::Message(message) => *message,
            Incoming::Refused(id, error) => {
                // Another request of this id waits for its own answer.
                let is_free = !self.gate.contains(&id) && !self.held.contains(&id);
                return if is_free { self.refuse(id, error) } else { None };
            }
            Incoming::Batch(messages) => {
                self.batch.extend(messages);
                return None;
            }
            Incoming::Noise(why) => {
                self.told = self.told.saturating_add(1);
                match self.told {
                    ..TOLD => tracing::warn!("a line of the client is no message, and is dropped: {why}"),
                    TOLD => {
                        tracing::warn!("lines of the client that are no messages are not told of any more");
                    }
                    _ => {}
                }
                return None;
            }
        };
        if !self.lifecycle.admits(&message) {
            return None;
        }
        if let Some(error) = self.lifecycle.misses(&message)
            && let JsonRpcMessage::Request(request) = message
        {
            return self.refuse(request.id, error);
        }
        match &message {
            JsonRpcMessage::Request(request) => {
                let id = request.id.clone();
                return self.request(id, Request::Message(Box::new(message)), bytes);
            }
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    if self.held.forget(id) {
                        return None;
                    }
                    self.gate.leave(id);
                }
            }
            other => {
                if let Some(id) = incoming::answered(other) {
                    self.gate.answered(id);
                }
            }
        }
        Some(message)
    }

    /// Takes in a request that was so many bytes long.
    fn request(
        &mut self,
        id: RequestId,
        request: Request,
        bytes: usize,
    ) -> Option<RxJsonRpcMessage<RoleServer>> {
        if self.gate.contains(&id) || self.held.contains(&id) {
            let error = "a request of the same id has no answer yet; an id is used once";
            return self.refuse(id, ErrorData::invalid_request(error, None));
        }
        if !self.gate.has_room() || !self.held.is_empty() {
            self.held.push(id, request, bytes);
            return None;
        }
        self.take_up(id, request)
    }

    /// Takes up a request: here, or else by the protocol's library.
    fn take_up(&self, id: RequestId, request: Request) -> Option<RxJsonRpcMessage<RoleServer>> {
        let message = match request {
            Request::Message(message) => *message,
            Request::Call(call) => match self.calls.begin(&id, call)?.into_request() {
                Ok(request) => JsonRpcMessage::request(request, id.clone()),
                Err(error) => return self.refuse(id, incoming::wrong_parameters("tools/call", &error)),
            },
        };
        self.gate.enter(id);
        Some(message)
    }

    fn refuse(&self, id: RequestId, error: ErrorData) -> Option<RxJsonRpcMessage<RoleServer>> {
        let refused =
            written(&JsonRpcMessage::error(error, Some(id))).and_then(|line| self.outbox.push(&line));
        // A client that is gone needs no answer.
        drop(refused);
        None
    }
}

/// What reading came to.
enum Read {
    Line(Vec<u8>),
    /// A line of so many bytes, which are gone.
    TooLong(u64, Trace),
    /// Something else has changed.
    Nothing,
    /// There will be no more, and all that was asked is answered.
    Over,
    /// Nobody waits for what is still open.
    GivenUp,
}

impl<R: AsyncRead + Unpin + Send> Transport<RoleServer> for Lines<R> {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let line = written(&message);
        let waits = matches!(message, JsonRpcMessage::Notification(_));
        let is_known = answers(&message).is_some_and(ids::is_answered_already);
        let outbox = Arc::clone(&self.outbox);
        // What has to be said is kept at once, in order; what could be left out waits for its turn.
        let kept = match (&line, waits) {
            _ if is_known => Some(Ok(())),
            (Ok(line), false) => Some(outbox.push(line)),
            _ => None,
        };
        match &message {
            JsonRpcMessage::Request(request) => self.gate.ask(&request.id),
            JsonRpcMessage::Notification(notification) => {
                if let ServerNotification::CancelledNotification(cancelled) = &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.gate.answered(id);
                }
            }
            other => {
                if let Some(id) = answers(other) {
                    self.gate.leave(id);
                }
            }
        }
        async move {
            match kept {
                Some(kept) => kept,
                None => {
                    outbox.room(outbox::BUSY).await;
                    outbox.push(&line?)
                }
            }
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let message = self.next().await;
        if message.is_none() {
            self.ended.cancel();
        }
        message
    }

    async fn close(&mut self) -> io::Result<()> {
        // The library has waited for what it answers, and has told the rest to end.
        self.stop.cancel();
        let _ = tokio::time::timeout(FAREWELL, self.gate.ended_here()).await;
        self.outbox.close();
        Ok(())
    }
}
