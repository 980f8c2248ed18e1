//! The beginning of a text that others wrote, fit for a message.

/// The first characters of a text on one line: control characters are escaped, and an ellipsis stands for what is left out.
pub(crate) fn excerpt(text: &str, most: usize) -> String {
    let mut excerpt: String = text.chars().take(most).flat_map(visible).collect();
    if text.chars().nth(most).is_some() {
        excerpt.push('…');
    }
    excerpt
}

fn visible(character: char) -> impl Iterator<Item = char> {
    let quote = matches!(character, '"' | '\'').then_some(character);
    quote.into_iter().chain(character.escape_debug().filter(move |_| quote.is_none()))
}

#[cfg(test)]
mod tests {
    use super::excerpt;

    #[test]
    fn a_text_is_cut_and_shown_on_one_line() {
        assert_eq!(excerpt("it's \"so\"", 9), "it's \"so\"");
        assert_eq!(excerpt("it's \"so\"", 8), "it's \"so…");
        assert_eq!(excerpt("a\n\u{1b}[1mß", 99), "a\\n\\u{1b}[1mß");
    }
}
