//! Who gets tokens for a server that wants to know who asks.

use std::{fmt, future::Future, pin::Pin};

/// The future of a token; none where there is none, and an error where one can not be had.
pub type TokenFuture<'a> = Pin<Box<dyn Future<Output = Result<Option<String>, String>> + Send + 'a>>;

/// Gets the tokens that requests to a server carry, by OAuth for instance.
///
/// ```
/// use haft::source::mcp::{Authorizer, McpServer, TokenFuture};
///
/// #[derive(Debug)]
/// struct Fixed;
///
/// impl Authorizer for Fixed {
///     fn token<'a>(&'a self, challenge: Option<&'a str>) -> TokenFuture<'a> {
///         Box::pin(async move {
///             match challenge {
///                 None => Ok(Some("a token".to_owned())),
///                 Some(_) => Err("the server refuses the only token that there is".to_owned()),
///             }
///         })
///     }
/// }
///
/// let server = McpServer::http("notes", "https://example.com/mcp").authorizer(Fixed);
/// ```
pub trait Authorizer: fmt::Debug + Send + Sync {
    /// The token for the next request, without `Bearer`.
    ///
    /// Asked before each request, so it has to be remembered. With a `challenge` the server has refused the last request: it
    /// is the value of `WWW-Authenticate`, empty where the server gave none. One challenge is answered at a time.
    fn token<'a>(&'a self, challenge: Option<&'a str>) -> TokenFuture<'a>;
}
