//! Secrets taken out of texts that others wrote: what a server says on standard error, what the network says of an address.

use std::fmt;

/// What stands for a secret.
const HIDDEN: &str = "***";
/// A value that is shorter stands in every other word.
const SHORTEST: usize = 6;

/// Values that no text may show; they are shown nowhere themselves.
#[derive(Clone, Default)]
pub(crate) struct Secrets(Vec<String>);

impl Secrets {
    pub(crate) fn add(&mut self, secrets: impl IntoIterator<Item = String>) {
        self.0.extend(secrets.into_iter().filter(|secret| secret.len() >= SHORTEST));
        // The longest first, so that none leaves a part of another.
        self.0.sort_by(|one, other| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
        self.0.dedup();
    }

    pub(crate) fn redact(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, secret| text.replace(secret.as_str(), HIDDEN))
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} secrets", self.0.len())
    }
}
