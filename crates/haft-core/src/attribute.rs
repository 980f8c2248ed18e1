//! What the code that `#[haft::tool]` writes calls: nothing here is for other callers, and any of it may change.
//!
//! The attribute sees tokens, not types. Where a decision depends on a type, the code it writes calls a method on a
//! reference to a reference to … a probe: traits for more references are tried first, so that the first one whose bounds
//! hold decides. That one either goes on, or has a bound that nothing meets and that says what is wrong.

mod approval;
mod argument;
mod failure;
mod future;
mod receiver;
mod required;
mod returned;

pub use approval::{Whole, approval};
pub use argument::{ArgumentProbe, argument, extractor};
pub use failure::{FailureProbe, failure};
pub use future::{FutureProbe, future};
pub use receiver::receiver;
pub use required::{RequiredText, required_text};
pub use returned::{ReturnedProbe, returned};
pub use {schemars, serde};

/// The traits that decide: to be imported without their names, which would hide those of users.
pub mod probes {
    pub use super::argument::{
        Complete as _, Extracted as _, Unreadable as _, Unsuited as _, WithoutSchema as _,
    };
    pub use super::failure::{AnyError as _, Convertible as _, Foreign as _, NoFailure as _};
    pub use super::future::{Immovable as _, Movable as _};
    pub use super::returned::{
        OkOutput as _, OkUnsuited as _, OkValue as _, Output as _, Unsuitable as _, Value as _,
        WithResultInside as _,
    };
}
