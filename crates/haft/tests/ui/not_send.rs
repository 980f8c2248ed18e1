//! A future that can not move between threads.
//~ 9:10 future cannot be sent between threads safely
//~ 9:10 has type `Rc<i32>` which is not `Send`

use std::rc::Rc;

/// Waits.
#[haft::tool]
async fn waits() {
    let shared = Rc::new(1);
    std::future::ready(()).await;
    drop(shared);
}

fn main() {}
