//! The token that clients show.

use std::fmt;

use crate::serve::mcp::ServeError;

/// How many characters a token has at least.
pub(in crate::serve::mcp) const LEAST: usize = 16;
/// How many random bytes a new one is made of.
const RANDOM: usize = 32;

/// A token that clients show with every request, in the header `Authorization: Bearer …`. It is shown nowhere.
#[derive(Clone)]
pub struct BearerToken(String);

impl BearerToken {
    /// Takes a text; white space around it does not count.
    ///
    /// # Errors
    /// When the text is shorter than 16 characters, or has some that no header can carry.
    pub fn new(text: &str) -> Result<Self, ServeError> {
        let text = text.trim();
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte);
        if text.len() < LEAST || !text.bytes().all(allowed) {
            return Err(ServeError::Token);
        }
        Ok(Self(text.to_owned()))
    }

    /// Makes a token of 64 random hex digits.
    ///
    /// # Errors
    /// When the system gives no random bytes.
    pub fn generate() -> Result<Self, ServeError> {
        let mut random = [0_u8; RANDOM];
        getrandom::fill(&mut random).map_err(|error| ServeError::Random(error.to_string()))?;
        let digits = random.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        Ok(Self(digits.filter_map(|digit| char::from_digit(u32::from(digit), 16)).collect()))
    }

    /// The token itself, to tell it to somebody once.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Whether a header's value shows this token. How long that takes says nothing of how much of it was right.
    pub(super) fn is_shown_by(&self, header: &[u8]) -> bool {
        let Some((scheme, shown)) = header.split_at_checked("Bearer ".len()) else { return false };
        if !scheme.eq_ignore_ascii_case(b"Bearer ") {
            return false;
        }
        let shown = shown.trim_ascii();
        let own = self.0.as_bytes();
        let differences = own.iter().zip(shown).fold(0_u8, |found, (own, shown)| found | (own ^ shown));
        std::hint::black_box(differences) == 0 && own.len() == shown.len()
    }
}

impl fmt::Debug for BearerToken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("BearerToken(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_token_is_it() {
        let token = BearerToken::new(" 0123456789abcdef\n").expect("a token");
        for shown in ["Bearer 0123456789abcdef", "bearer  0123456789abcdef "] {
            assert!(token.is_shown_by(shown.as_bytes()), "{shown}");
        }
        for shown in [
            "",
            "Bearer ",
            "Bearer 0123456789abcde",
            "Bearer 0123456789abcdef0",
            "Bearer 0123456789abcdeF",
            "Basic 0123456789abcdef",
            "0123456789abcdef",
        ] {
            assert!(!token.is_shown_by(shown.as_bytes()), "{shown}");
        }
    }

    #[test]
    fn a_token_is_long_and_shown_nowhere() {
        assert!(BearerToken::new("short").is_err());
        assert!(BearerToken::new("with space in between").is_err());
        let (one, other) =
            (BearerToken::generate().expect("random"), BearerToken::generate().expect("random"));
        assert_ne!(one.reveal(), other.reveal());
        assert!(BearerToken::new(one.reveal()).is_ok());
        assert!(!format!("{one:?}").contains(one.reveal()));
    }
}
