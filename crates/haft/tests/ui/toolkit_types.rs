//! Types that threads can not share, futures that can not move, arguments without a schema: each shows at its place.
//~ 14:6 `Rc<u8>` cannot be sent between threads safely
//~ 26:14 future cannot be sent between threads safely
//~ 34:27 the parameter's type `Schemaless` has no schema
//~ 38:24 a tool can not return `Schemaless`

use std::rc::Rc;

struct Local(Rc<u8>);
#[derive(serde::Deserialize)]
struct Schemaless;

#[haft::toolkit]
impl Local {
    /// Says nothing.
    #[tool]
    fn nothing(&self) {}
}

struct Shared;

#[haft::toolkit]
impl Shared {
    /// Waits.
    #[tool]
    async fn waits(&self) {
        let local = Rc::new(1);
        std::future::ready(()).await;
        drop(local);
    }

    /// Reads.
    #[tool]
    fn reads(&self, what: Schemaless) {}

    /// Gives.
    #[tool]
    fn gives(&self) -> Schemaless {
        Schemaless
    }
}

fn main() {}
