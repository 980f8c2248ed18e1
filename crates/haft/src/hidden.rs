//! Characters that a person does not see, or that show other text than there is.

/// Whether a person who reads a text does not see the character, or sees others in another order because of it.
///
/// Such a character can hide in a text what a model reads and a person approves. Control characters are among them, line
/// breaks and tabs too: who shows several lines lets those pass. So are the joiners and selectors that emoji and some scripts are
/// written with.
///
/// ```
/// assert!(haft::is_hidden('\u{202e}') && haft::is_hidden('\u{200b}') && haft::is_hidden('\u{1b}'));
/// assert!(!haft::is_hidden('ü') && !haft::is_hidden('漢') && !haft::is_hidden(' '));
/// ```
pub fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            // Soft hyphen, grapheme joiner; marks, embeddings, overrides and isolates of the bidirectional algorithm.
            '\u{ad}' | '\u{34f}' | '\u{61c}'
            // Fillers and vowels of Hangul and Khmer that are never seen, and separators of Mongolian.
            | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
            // Without width, line separators, and operators that are not written.
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            // Formats of shorthand and of musical notes.
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            // Tags and more selectors.
            | '\u{e0000}'..='\u{e0fff}'
        )
}

#[cfg(test)]
mod tests {
    use super::is_hidden;

    #[test]
    fn what_is_not_seen_is_known_and_what_is_seen_is_not() {
        for hidden in [
            '\0',
            '\n',
            '\u{1b}',
            '\u{7f}',
            '\u{85}',
            '\u{9f}',
            '\u{ad}',
            '\u{34f}',
            '\u{61c}',
            '\u{115f}',
            '\u{1160}',
            '\u{17b4}',
            '\u{17b5}',
            '\u{180e}',
            '\u{200b}',
            '\u{200d}',
            '\u{200f}',
            '\u{2028}',
            '\u{202a}',
            '\u{202e}',
            '\u{2060}',
            '\u{2066}',
            '\u{206f}',
            '\u{3164}',
            '\u{fe00}',
            '\u{fe0f}',
            '\u{feff}',
            '\u{ffa0}',
            '\u{fff9}',
            '\u{e0001}',
            '\u{e0041}',
            '\u{e007f}',
            '\u{e0100}',
            '\u{e01ef}',
        ] {
            assert!(is_hidden(hidden), "{hidden:?}");
        }
        for seen in " ~aßé–…漢가ก🙂👩\u{301}\u{a0}\u{1f3fd}\u{3000}\u{fffd}".chars() {
            assert!(!is_hidden(seen), "{seen:?}");
        }
    }
}
