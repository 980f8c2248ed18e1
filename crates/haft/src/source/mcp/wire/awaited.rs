//! What a server has been asked, and who waits for the answer.

use std::{
    collections::HashMap,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicI64, AtomicU64, Ordering},
    },
};

use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, GetExtensions as _, GetMeta as _,
    NumberOrString, ProgressToken, RequestId,
};
use serde_json::Value;
use tokio::sync::mpsc;

/// As many reports of one call wait to be handed on; what comes on top is dropped, since newer ones follow.
const REPORTS: usize = 256;

/// How far a server says that a call is.
#[derive(Debug, Clone, PartialEq)]
pub(in super::super) struct ProgressReport {
    pub(in super::super) done: f64,
    pub(in super::super) total: Option<f64>,
    pub(in super::super) message: Option<String>,
}

/// What a server asks of this side while a call runs.
#[derive(Debug)]
pub(in super::super) struct PeerRequest {
    pub(in super::super) method: String,
    pub(in super::super) params: Value,
    pub(in super::super) reply: tokio::sync::oneshot::Sender<Result<Value, rmcp::ErrorData>>,
}

/// Where a call hears of what concerns it, other than its result. It travels with the request to the transport.
#[derive(Debug, Clone)]
pub(in super::super) struct Inbox {
    progress: mpsc::Sender<ProgressReport>,
    requests: mpsc::Sender<PeerRequest>,
}

impl Inbox {
    pub(in super::super) fn new() -> (Self, mpsc::Receiver<ProgressReport>, mpsc::Receiver<PeerRequest>) {
        let (progress, reports) = mpsc::channel(REPORTS);
        let (requests, asked) = mpsc::channel(8);
        (Self { progress, requests }, reports, asked)
    }

    /// Hands on what a server asks; given back where the call asks too much already, or is over.
    pub(in super::super) fn ask(&self, request: PeerRequest) -> Result<(), PeerRequest> {
        self.requests.try_send(request).map_err(|error| match error {
            mpsc::error::TrySendError::Full(request) | mpsc::error::TrySendError::Closed(request) => request,
        })
    }
}

/// In which form an answer is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// As the protocol library reads it.
    Read,
    /// The result of a call, as it was written.
    Call,
    /// A page of the list of tools, as it was written.
    List,
}

struct Entry {
    wanted: Wanted,
    token: Option<NumberOrString>,
    inbox: Option<Inbox>,
    /// Later ones have higher numbers.
    number: u64,
}

#[derive(Default)]
struct Tables {
    requests: HashMap<RequestId, Entry>,
    tokens: HashMap<NumberOrString, RequestId>,
}

/// The requests of one connection that are not answered yet.
#[derive(Default)]
pub(in super::super) struct Awaited {
    tables: Mutex<Tables>,
    count: AtomicU64,
    /// The highest number that was the id of a request.
    highest: AtomicI64,
}

impl Awaited {
    /// Notes what is about to be sent.
    pub(in super::super) fn sent(&self, message: &ClientJsonRpcMessage) {
        match message {
            ClientJsonRpcMessage::Request(request) => {
                let wanted = match &request.request {
                    ClientRequest::CallToolRequest(_) => Wanted::Call,
                    ClientRequest::ListToolsRequest(_) => Wanted::List,
                    _ => Wanted::Read,
                };
                let token = request.request.get_meta().get_progress_token().map(|ProgressToken(token)| token);
                let inbox = request.request.extensions().get::<Inbox>().cloned();
                let number = self.count.fetch_add(1, Ordering::Relaxed);
                if let NumberOrString::Number(id) = &request.id {
                    self.highest.fetch_max(id.saturating_add(1), Ordering::Relaxed);
                }
                let mut tables = self.tables();
                if let Some(token) = token.clone().filter(|_| inbox.is_some()) {
                    tables.tokens.insert(token, request.id.clone());
                }
                tables.requests.insert(request.id.clone(), Entry { wanted, token, inbox, number });
            }
            ClientJsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.answered(id);
                }
            }
            _ => {}
        }
    }

    /// In which form the answer to a request is wanted; none where there is no such request.
    pub(super) fn wanted(&self, id: &RequestId) -> Option<Wanted> {
        self.tables().requests.get(id).map(|entry| entry.wanted)
    }

    /// Whether there was such a request.
    pub(super) fn was_sent(&self, id: &RequestId) -> bool {
        matches!(id, NumberOrString::Number(id) if (0..self.highest.load(Ordering::Relaxed)).contains(id))
    }

    /// A request has its answer, or nobody waits for it any more.
    pub(in super::super) fn answered(&self, id: &RequestId) {
        let mut tables = self.tables();
        if let Some(Entry { token: Some(token), .. }) = tables.requests.remove(id) {
            tables.tokens.remove(&token);
        }
    }

    /// Hands progress on to the call that it is about; `false` where there is none.
    pub(super) fn progressed(&self, token: &NumberOrString, report: ProgressReport) -> bool {
        let tables = self.tables();
        let entry = tables.tokens.get(token).and_then(|id| tables.requests.get(id));
        let Some(Entry { inbox: Some(inbox), .. }) = entry else { return false };
        // A full inbox has newer reports than the call can show already.
        drop(inbox.progress.try_send(report));
        true
    }

    /// Where the call that a request of the server belongs to hears of it; the latest call where that is not said.
    pub(in super::super) fn inbox(&self, id: Option<&RequestId>) -> Option<Inbox> {
        let tables = self.tables();
        match id {
            Some(id) => tables.requests.get(id)?.inbox.clone(),
            None => {
                let calls = tables.requests.values().filter(|entry| entry.inbox.is_some());
                calls.max_by_key(|entry| entry.number)?.inbox.clone()
            }
        }
    }

    fn tables(&self) -> MutexGuard<'_, Tables> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
