//! Secrets taken out of texts that others wrote: what a server says on standard error, what the network says of an address.

use std::{
    collections::VecDeque,
    fmt,
    ops::Range,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crate::excerpt::excerpt;

/// What stands for a secret.
const HIDDEN: &str = "***";
/// A value that is shorter stands in every other word.
const SHORTEST: usize = 6;
/// As many of the secrets that come and go are known.
const PASSING: usize = 8;

/// Values that no text may show; they are shown nowhere themselves.
#[derive(Clone, Default)]
pub(crate) struct Secrets {
    lasting: Vec<String>,
    /// Tokens that were given out last; all clones know them.
    passing: Arc<Mutex<VecDeque<String>>>,
}

/// The value of a variable or a header, and the token of `Bearer …` by itself too.
pub(crate) fn of_value(value: &str) -> impl Iterator<Item = String> {
    let token = value.split_once(' ').map(|(_, token)| token.trim().to_owned());
    token.into_iter().chain([value.to_owned()])
}

impl Secrets {
    pub(crate) fn add(&mut self, secrets: impl IntoIterator<Item = String>) {
        for secret in secrets {
            // Of a key of several lines each stands by itself where lines are read.
            let lines = secret.lines().map(|line| line.trim().to_owned()).filter(|line| *line != secret);
            self.lasting.extend(lines.filter(|line| line.len() >= SHORTEST));
            self.lasting.extend(Some(secret).filter(|secret| secret.len() >= SHORTEST));
        }
        self.lasting.sort();
        self.lasting.dedup();
    }

    /// Adds a secret that others follow, to all clones.
    pub(crate) fn pass(&self, secret: &str) {
        let mut passing = self.passing();
        if secret.len() < SHORTEST || passing.back().is_some_and(|last| last == secret) {
            return;
        }
        passing.retain(|known| known != secret);
        if passing.len() >= PASSING {
            passing.pop_front();
        }
        passing.push_back(secret.to_owned());
    }

    fn passing(&self) -> MutexGuard<'_, VecDeque<String>> {
        self.passing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn redact(&self, text: &str) -> String {
        Self::without(text, self.found(text))
    }

    /// The first characters of a text, for a message.
    pub(crate) fn excerpt(&self, text: &str, most: usize) -> String {
        let (beginning, rest) = text.split_at(text.char_indices().nth(most).map_or(text.len(), |(at, _)| at));
        excerpt(&self.redact_cut(beginning, !rest.is_empty()), usize::MAX)
    }

    /// The beginning of a text. Where it was cut off, a secret may have been cut in two.
    fn redact_cut(&self, beginning: &str, cut: bool) -> String {
        let mut found = self.found(beginning);
        if !cut {
            return Self::without(beginning, found);
        }
        let passing = self.passing();
        let all = self.lasting.iter().chain(passing.iter());
        let begun = all.map(|secret| begun_at_end(beginning, secret)).max().unwrap_or_default();
        drop(passing);
        if begun > 0 {
            found.push(beginning.len() - begun..beginning.len());
        }
        format!("{}…", Self::without(beginning, found))
    }

    /// Where secrets stand. They may lie over each other.
    fn found(&self, text: &str) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        for secret in self.lasting.iter().chain(self.passing().iter()) {
            let mut from = 0;
            while let Some(at) = text.get(from..).and_then(|rest| rest.find(secret.as_str())) {
                found.push(from + at..from + at + secret.len());
                from += at + secret.chars().next().map_or(1, char::len_utf8);
            }
        }
        found
    }

    fn without(text: &str, mut found: Vec<Range<usize>>) -> String {
        found.sort_by_key(|range| range.start);
        let (mut shown, mut from) = (String::with_capacity(text.len()), 0);
        for range in found {
            if range.start >= from {
                shown.push_str(text.get(from..range.start).unwrap_or_default());
                shown.push_str(HIDDEN);
            }
            from = from.max(range.end);
        }
        shown + text.get(from..).unwrap_or_default()
    }
}

/// How much of a secret stands at the end of a text, in bytes.
fn begun_at_end(text: &str, secret: &str) -> usize {
    let begun = secret
        .char_indices()
        .map(|(at, _)| at)
        .filter(|at| text.ends_with(secret.get(..*at).unwrap_or_default()));
    begun.max().unwrap_or_default()
}

impl fmt::Debug for Secrets {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} secrets", self.lasting.len() + self.passing().len())
    }
}

#[cfg(test)]
mod tests {
    use super::Secrets;

    fn secrets(secrets: &[&str]) -> Secrets {
        let mut all = Secrets::default();
        all.add(secrets.iter().map(|secret| (*secret).to_owned()));
        all
    }

    #[test]
    fn a_secret_is_hidden_wherever_a_text_is_cut() {
        let secrets = secrets(&["grünes-geheimnis", "geheimnis-geheim", "kurz"]);
        let text = "the key grünes-geheimnis, then geheimnis-geheimnis-geheim, kurz";
        for most in 0..=text.chars().count() {
            let shown = secrets.excerpt(text, most);
            for part in ["grün", "imni", "geh"] {
                assert!(!shown.contains(part), "{most}: {shown}");
            }
        }
        assert_eq!(secrets.excerpt(text, 99), "the key ***, then ***, kurz");
        assert_eq!(secrets.excerpt(text, 12), "the key ***…");
        assert_eq!(secrets.redact_cut("the key g", false), "the key g");
    }

    #[test]
    fn the_tokens_of_the_last_time_are_hidden_by_all_clones() {
        let secrets = secrets(&["lasting"]);
        let clone = secrets.clone();
        for number in 0..100 {
            clone.pass(&format!("token-{number:02}"));
            clone.pass("short");
            clone.pass("token-99");
        }
        let text = "lasting token-00 token-93 token-99 short";
        assert_eq!(secrets.redact(text), "*** token-00 *** *** short");
        assert_eq!(secrets.excerpt("token-98", 7), "***…");
        assert_eq!(format!("{secrets:?}"), "9 secrets");
    }

    #[test]
    fn each_line_of_a_key_is_hidden() {
        let secrets = secrets(&["-----BEGIN KEY-----\r\nMIIEowIBAAKC\n}\n"]);
        assert_eq!(secrets.redact("MIIEowIBAAKC } -----BEGIN KEY-----"), "*** } ***");
    }
}
