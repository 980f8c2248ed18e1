//! One connection, from the moment that its tools are known until it ends.

use std::{future::Future, pin::Pin, sync::Arc, time::Duration};

use rmcp::{
    Peer, RoleClient, ServiceError,
    model::{CancelledNotification, CancelledNotificationParam, ErrorCode, SubscriptionFilter},
    service::RunningServiceCancellationToken,
};
use tokio::{
    sync::Notify,
    task::JoinSet,
    time::{Instant, sleep, sleep_until, timeout},
};

use super::{
    McpEra, McpError, McpServerChange,
    driver::{Connected, Driver},
    list::Listing,
    remote::Link,
    session::{Abandoned, Session},
};
use crate::sandbox::Running;

/// How long a connection may take to say goodbye.
const GOODBYE: Duration = Duration::from_secs(3);
/// How long a list of tools counts before the next one is asked for: some servers say with each list that it has changed.
const PAUSE: Duration = Duration::from_millis(100);
const LONG_PAUSE: Duration = Duration::from_secs(1);
/// As many goodbyes to calls are said at once.
const CANCELS: usize = 64;

type Refresh = Pin<Box<dyn Future<Output = Result<Listing, McpError>> + Send>>;

/// One connection that is ready.
pub(super) struct Serving<'a> {
    driver: &'a Driver,
    connected: Connected,
    /// What is said on the side.
    tasks: JoinSet<()>,
    refresh: Option<Refresh>,
}

enum Happened {
    Stopped,
    Closed,
    Exited(String),
    Abandoned(Abandoned),
    Changed,
    Listed(Result<Listing, McpError>),
}

impl<'a> Serving<'a> {
    pub(super) fn new(driver: &'a Driver, connected: Connected) -> Self {
        Self { driver, connected, tasks: JoinSet::new(), refresh: None }
    }

    /// Serves until the connection ends; why it did.
    pub(super) async fn run(mut self) -> McpError {
        let session = Arc::clone(&self.connected.session);
        if session.era().0 == McpEra::Modern && session.tells_changes() {
            self.tasks.spawn(listen(session.peer.clone(), Arc::clone(&self.connected.changed)));
        }
        let Connected { service, mut running, mut abandoned, changed, .. } = self.connected;
        let cancel = service.cancellation_token();
        let mut closed = JoinSet::new();
        closed.spawn(async move { drop(service.waiting().await) });
        let limit = self.driver.remote.server.connect_timeout;
        let (mut exit, mut counts) = (None, Instant::now());
        loop {
            let happened = tokio::select! {
                () = self.driver.stop.cancelled() => Happened::Stopped,
                _ = closed.join_next() => Happened::Closed,
                status = exited(&mut running) => Happened::Exited(status),
                Some(call) = abandoned.recv(), if self.tasks.len() < CANCELS => Happened::Abandoned(call),
                () = changed.notified(), if self.refresh.is_none() => Happened::Changed,
                listed = next(&mut self.refresh), if self.refresh.is_some() => Happened::Listed(listed),
                Some(_) = self.tasks.join_next(), if !self.tasks.is_empty() => continue,
            };
            match happened {
                Happened::Abandoned(call) => {
                    let peer = session.peer.clone();
                    self.tasks.spawn(async move { cancelled(&peer, call).await });
                }
                Happened::Changed => {
                    self.refresh = Some(Box::pin(relist(Arc::clone(&session), counts, limit)));
                }
                Happened::Listed(listed) => {
                    self.refresh = None;
                    let changed = refreshed(self.driver, listed);
                    counts = Instant::now() + if changed { PAUSE } else { LONG_PAUSE };
                }
                Happened::Stopped | Happened::Closed => break,
                Happened::Exited(status) => {
                    exit = Some(status);
                    break;
                }
            }
        }
        // From now on no call is sent here.
        self.driver.remote.set(Link::Connecting);
        drop(session);
        self.tasks.shutdown().await;
        let exit = say_goodbye(cancel, closed, running, exit).await;
        if self.driver.stop.is_cancelled() { McpError::Closed } else { self.driver.lost("", exit) }
    }
}

/// Ends the connection, then the program behind it; how that ended.
async fn say_goodbye(
    cancel: RunningServiceCancellationToken,
    mut closed: JoinSet<()>,
    running: Option<Running>,
    exit: Option<String>,
) -> Option<String> {
    cancel.cancel();
    drop(timeout(GOODBYE, closed.join_next()).await);
    let Some(running) = running else { return exit };
    let status = running.end().await.map(|status| status.to_string());
    exit.or(status)
}

async fn exited(running: &mut Option<Running>) -> String {
    match running {
        Some(running) => match running.exited().await {
            Ok(status) => status.to_string(),
            Err(error) => error.to_string(),
        },
        None => std::future::pending().await,
    }
}

async fn next(refresh: &mut Option<Refresh>) -> Result<Listing, McpError> {
    match refresh {
        Some(refresh) => refresh.await,
        None => std::future::pending().await,
    }
}

async fn relist(session: Arc<Session>, counts: Instant, limit: Duration) -> Result<Listing, McpError> {
    sleep_until(counts).await;
    timeout(limit, session.list()).await.unwrap_or(Err(McpError::Timeout { limit }))
}

/// A new list takes the place of the old one; a failed one does not. Whether there are other tools now.
fn refreshed(driver: &Driver, listed: Result<Listing, McpError>) -> bool {
    match listed {
        Ok(listing) => {
            let changed = driver.publish(listing);
            if changed {
                driver.emit(McpServerChange::ToolsChanged { tools: driver.remote.tools().len() });
            }
            changed
        }
        Err(error) => {
            let error = error.hiding(&driver.remote.secrets);
            tracing::warn!(server = %driver.remote.server.name(), %error, "the tools of an MCP server stay as they were");
            driver.emit(McpServerChange::RefreshFailed { error });
            false
        }
    }
}

async fn cancelled(peer: &Peer<RoleClient>, call: Abandoned) {
    let params = CancelledNotificationParam::new(Some(call.id), Some(call.reason.to_owned()));
    let notification = CancelledNotification::new(params);
    // A server that can not be told is one that is lost.
    drop(peer.send_notification(notification.into()).await);
}

/// Follows what a server of the newest protocol says about its list.
async fn listen(peer: Peer<RoleClient>, changed: Arc<Notify>) {
    let mut pause = Duration::from_millis(500);
    loop {
        let filter = SubscriptionFilter::builder().tools_list_changed().build();
        match peer.listen(filter).await {
            Ok(mut subscription) => {
                pause = Duration::from_millis(500);
                // What changed before this was said is not told again.
                changed.notify_one();
                while let Ok(Some(_)) = subscription.next().await {
                    changed.notify_one();
                }
            }
            Err(ServiceError::McpError(error)) if error.code == ErrorCode::METHOD_NOT_FOUND => return,
            Err(ServiceError::TransportClosed) => return,
            Err(error) => tracing::debug!(%error, "an MCP server does not say when its tools change"),
        }
        sleep(pause).await;
        pause = Duration::from_secs(60).min(pause * 2);
    }
}
