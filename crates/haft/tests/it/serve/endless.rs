//! A tool that never ends by itself, and what is left of its calls.

use std::{
    future::pending,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use haft::{CancellationToken, Dispatcher, Tool, ToolRegistry};
use tokio::sync::Notify;

use super::kit::DEADLINE;

struct Dropped(Arc<AtomicBool>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// The tool `endless`: that it has begun, and whether its function was dropped.
pub(super) fn endless(grace: Duration) -> (Arc<Notify>, Arc<AtomicBool>, Dispatcher) {
    let (begun, dropped) = (Arc::new(Notify::new()), Arc::new(AtomicBool::new(false)));
    let (begins, drops) = (Arc::clone(&begun), Arc::clone(&dropped));
    let tool = Tool::builder("endless").description("Never ends.").read_only(true).run(
        move |_: CancellationToken| {
            let gone = Dropped(Arc::clone(&drops));
            begins.notify_one();
            async move {
                let _gone = gone;
                pending::<String>().await
            }
        },
    );
    let registry = ToolRegistry::builder().tool(tool.unwrap()).build().unwrap();
    (begun, dropped, Dispatcher::builder(registry).grace(grace).build())
}

/// Waits until nothing is left of its call.
pub(super) async fn has_ended(dropped: &AtomicBool, dispatcher: &Dispatcher) {
    let gone = async {
        while !dropped.load(Ordering::SeqCst) || dispatcher.status().running != 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(DEADLINE, gone).await.expect("the function ends");
}
