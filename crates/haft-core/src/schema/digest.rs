//! Digests of what must not change unseen: definitions, arguments, questions.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest as _, Sha256};

/// A SHA-256 digest that is tagged with what it was taken of. Shown as 64 lower-case hexadecimal digits.
///
/// ```
/// use haft_core::Digest;
///
/// let of_arguments = Digest::of("arguments", [r#"{"city":"Oslo"}"#]);
/// assert_ne!(of_arguments, Digest::of("definition", [r#"{"city":"Oslo"}"#]));
/// assert_eq!(of_arguments.to_string().parse::<Digest>(), Ok(of_arguments));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of `parts` under `domain`.
    ///
    /// Equal only for the same domain and the same parts: lengths are digested too, so `["ab", "c"]` and `["a", "bc"]`
    /// differ, and no digest of one domain is ever one of another.
    pub fn of<P: AsRef<[u8]>>(domain: &str, parts: impl IntoIterator<Item = P>) -> Self {
        let mut hasher = Sha256::new();
        let mut part = |bytes: &[u8]| {
            hasher.update((bytes.len() as u64).to_le_bytes());
            hasher.update(bytes);
        };
        part(b"haft");
        part(domain.as_bytes());
        for piece in parts {
            part(piece.as_ref());
        }
        Self(hasher.finalize().into())
    }

    /// The 32 bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Digest({self})")
    }
}

/// The text is not a digest: it must be 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a digest is 64 lower-case hexadecimal digits")]
#[non_exhaustive]
pub struct ParseDigestError;

impl ParseDigestError {
    /// The stable number.
    #[expect(clippy::unused_self, clippy::trivially_copy_pass_by_ref, reason = "asked of every error alike")]
    pub const fn code(&self) -> u16 {
        2102
    }
}

impl FromStr for Digest {
    type Err = ParseDigestError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut bytes = [0; 32];
        let (pairs, rest) = text.as_bytes().as_chunks::<2>();
        if pairs.len() != bytes.len() || !rest.is_empty() {
            return Err(ParseDigestError);
        }
        for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
            *byte = nibble(*high)? << 4 | nibble(*low)?;
        }
        Ok(Self(bytes))
    }
}

fn nibble(digit: u8) -> Result<u8, ParseDigestError> {
    match digit {
        b'0'..=b'9' => Ok(digit - b'0'),
        b'a'..=b'f' => Ok(digit - b'a' + 10),
        _ => Err(ParseDigestError),
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}
