//! Why serving could not begin or go on.

use std::io;

/// Why serving could not begin or go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// 2801: the client and this server have no protocol version in common, or what came first was no beginning.
    #[error("the client began with what can not be answered: {0}")]
    Handshake(String),
    /// 2802: the client can not be read or written.
    #[error("the client can not be read or written: {0}")]
    Stream(#[from] io::Error),
    /// 2803: the system has no random bytes to make a key or a token of.
    #[error("the system gives no random bytes: {0}")]
    Random(String),
    /// 2804: a text is no token.
    #[error("a token has at least {least} characters, and only letters, digits and -._~+/=", least = super::http::LEAST_TOKEN)]
    Token,
}

impl ServeError {
    /// The stable number.
    pub const fn code(&self) -> u16 {
        match self {
            Self::Handshake(_) => 2801,
            Self::Stream(_) => 2802,
            Self::Random(_) => 2803,
            Self::Token => 2804,
        }
    }
}
