//! The word that was probably meant.

/// The nearest of the words, where one is near enough.
pub(crate) fn nearest<'a>(word: &str, words: &[&'a str]) -> Option<&'a str> {
    let near = |known: &str| strsim::jaro_winkler(word, known);
    let best = words.iter().copied().max_by(|a, b| near(a).total_cmp(&near(b)))?;
    (near(best) >= 0.8).then_some(best)
}

/// "did you mean …", or all there is.
pub(crate) fn advice(word: &str, words: &[&str], quote: impl Fn(&str) -> String) -> String {
    if let Some(known) = nearest(word, words) {
        return format!("did you mean {}?", quote(known));
    }
    let all: Vec<String> = words.iter().map(|known| quote(known)).collect();
    format!("there are {}", all.join(", "))
}

#[cfg(test)]
mod tests {
    use super::{advice, nearest};

    #[test]
    fn a_slip_finds_its_word_and_another_word_finds_none() {
        let words = ["read_only", "destructive", "timeout"];
        assert_eq!(nearest("readonly", &words), Some("read_only"));
        assert_eq!(nearest("destructiv", &words), Some("destructive"));
        assert_eq!(nearest("colour", &words), None);
        let quoted = |word: &str| format!("`{word}`");
        assert_eq!(advice("time_out", &words, quoted), "did you mean `timeout`?");
        assert_eq!(advice("colour", &words, quoted), "there are `read_only`, `destructive`, `timeout`");
    }
}
