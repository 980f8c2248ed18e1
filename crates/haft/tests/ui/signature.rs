//! Functions that can be no tools.

/// Is generic.
#[haft::tool]
fn generic<'a, T: Clone>(a: T, b: &'a str) -> T
where
    T: Send,
{
    a
}

/// Bounds nothing.
#[haft::tool]
fn bounded(a: u8)
where
    u8: Send,
{
}

/// Can not be promised anything.
#[haft::tool]
unsafe extern "C" fn foreign() {}

/// Borrows.
#[haft::tool]
async fn borrows(text: &str, list: Vec<&'static str>, owned: std::borrow::Cow<'_, str>, any: impl Clone) {}

/// Has no names.
#[haft::tool]
fn patterns((a, b): (u8, u8), ref c: u8) {}

/// Is no function.
#[haft::tool]
struct Structure;

/// Asks for too much.
#[haft::tool]
fn greedy(
    a: haft::ToolContext,
    b: haft::ToolContext,
    c: haft::ToolContext,
    d: haft::ToolContext,
    e: haft::ToolContext,
    f: haft::ToolContext,
    g: haft::ToolContext,
    h: haft::ToolContext,
    i: u8,
) {
}

trait Trait {
    /// Belongs to a trait.
    #[haft::tool]
    fn declared();
}

fn main() {}
