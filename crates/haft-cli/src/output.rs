//! Text of models and tools made safe for terminals, and JSON for programs.

use std::{
    borrow::Cow,
    fmt::Write as _,
    io::{self, Write},
};

use haft::is_hidden;
use serde::Serialize;

/// Foreign text for one line of a terminal: each hidden character, line breaks among them, is escaped as Rust would.
pub(crate) fn line(text: &str) -> Cow<'_, str> {
    escaped(text, is_hidden)
}

/// Foreign text of several lines: as [`line`], with line breaks and tabs kept.
pub(crate) fn block(text: &str) -> Cow<'_, str> {
    escaped(text, |c| is_hidden(c) && c != '\n' && c != '\t')
}

fn escaped(text: &str, escape: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&escape) {
        return Cow::Borrowed(text);
    }
    let (mut safe, mut before) = (String::with_capacity(text.len() + 8), ' ');
    for c in text.chars() {
        // What is escaped is nothing that a selector could stand behind.
        before = if escape(c) && !is_of_a_picture(c, before) {
            safe.extend(c.escape_default());
            ' '
        } else {
            safe.push(c);
            c
        };
    }
    Cow::Owned(safe)
}

/// Whether the character does nothing but choose how the picture before it looks, or join it with the next, as in most emoji.
fn is_of_a_picture(c: char, before: char) -> bool {
    let picture =
        !before.is_ascii() && !before.is_alphanumeric() && !before.is_whitespace() && !is_hidden(before);
    match c {
        '\u{fe0e}' | '\u{fe0f}' => picture,
        '\u{200d}' => picture || before == '\u{fe0f}',
        _ => false,
    }
}

/// A value as JSON text on one line; hidden characters are escaped, which means the same to a reader of JSON.
pub(crate) fn json<T: Serialize + ?Sized>(value: &T) -> serde_json::Result<String> {
    Ok(safe_json(serde_json::to_string(value)?))
}

/// A value as indented JSON text.
pub(crate) fn pretty_json<T: Serialize + ?Sized>(value: &T) -> serde_json::Result<String> {
    Ok(safe_json(serde_json::to_string_pretty(value)?))
}

/// JSON text that means the same, with hidden characters escaped.
///
/// Outside of strings JSON has no such character but white space, and inside of strings serde escapes those.
pub(crate) fn safe_json(text: String) -> String {
    let escape = |c: char| is_hidden(c) && !matches!(c, '\n' | '\r' | '\t');
    if !text.contains(escape) {
        return text;
    }
    let mut safe = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if escape(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(safe, "\\u{unit:04x}");
            }
        } else {
            safe.push(c);
        }
    }
    safe
}

/// Writes a value as one line of JSON.
pub(crate) fn write_json<T: Serialize + ?Sized>(out: &mut impl Write, value: &T) -> io::Result<()> {
    writeln!(out, "{}", json(value)?)
}

/// Writes a value as indented JSON.
pub(crate) fn write_pretty_json<T: Serialize + ?Sized>(out: &mut impl Write, value: &T) -> io::Result<()> {
    writeln!(out, "{}", pretty_json(value)?)
}

/// Writes JSON text that is compact with line breaks and indents; the order of its keys stays.
pub(crate) fn write_indented(out: &mut impl Write, compact: &str) -> io::Result<()> {
    writeln!(out, "{}", safe_json(indented(compact)))
}

fn indented(compact: &str) -> String {
    let mut text = String::with_capacity(compact.len() * 2);
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    let mut rest = compact.chars().peekable();
    let line = |text: &mut String, depth: usize| {
        text.push('\n');
        text.extend(std::iter::repeat_n("  ", depth));
    };
    while let Some(c) = rest.next() {
        if in_string {
            text.push(c);
            in_string = escaped || c != '"';
            escaped = c == '\\' && !escaped;
            continue;
        }
        match c {
            '{' | '[' => {
                text.push(c);
                if let Some(end) = rest.next_if(|next| matches!(next, '}' | ']')) {
                    text.push(end);
                } else {
                    depth += 1;
                    line(&mut text, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                line(&mut text, depth);
                text.push(c);
            }
            ',' => {
                text.push(c);
                line(&mut text, depth);
            }
            ':' => text.push_str(": "),
            _ => {
                in_string = c == '"';
                text.push(c);
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_shows_what_a_terminal_would_obey() {
        let hostile = "a\u{1b}[2J\u{9b}31m\u{202e}b\r\nc\td\u{2066}\u{7f}";
        assert_eq!(line(hostile), "a\\u{1b}[2J\\u{9b}31m\\u{202e}b\\r\\nc\\td\\u{2066}\\u{7f}");
        assert_eq!(block("one\n\ttwo\u{1b}"), "one\n\ttwo\\u{1b}");
        assert!(matches!(line("größer – 日本 🙂"), Cow::Borrowed(_)));
    }

    #[test]
    fn what_is_hidden_is_shown_and_emoji_stay() {
        let hidden = "a\u{200b}b\u{e0041}\u{3164}\u{fe0f}\u{200d}";
        assert_eq!(line(hidden), "a\\u{200b}b\\u{e0041}\\u{3164}\\u{fe0f}\\u{200d}");
        for emoji in ["☀\u{fe0f} 20°", "👩🏽\u{200d}💻", "❤\u{fe0f}\u{200d}🔥"] {
            assert_eq!(line(emoji), emoji);
        }
        assert_eq!(line("❤\u{fe0f}\u{fe0f}"), "❤\u{fe0f}\\u{fe0f}");
        assert_eq!(line("❤\u{fe01}"), "❤\\u{fe01}");
    }

    #[test]
    fn escaped_json_is_the_same_json() {
        let hostile = "a\u{1b}\u{9b}\u{202e}\n\u{2029}\u{200f}\u{7f}\u{200b}\u{fe0f}\u{e0041}z";
        let text = json(hostile).expect("text");
        assert!(!text.contains(is_hidden), "{text:?}");
        assert_eq!(serde_json::from_str::<String>(&text).expect("JSON"), hostile);
        assert_eq!(pretty_json(&[1]).expect("text"), "[\n  1\n]");
    }

    #[test]
    fn indenting_keeps_the_value() {
        let value =
            serde_json::json!({"a": [1, {"b\\": "x\"y{,:[\\"}], "e": [], "o": {}, "s": "\\\\", "n": null});
        let compact = serde_json::to_string(&value).expect("text");
        assert_eq!(indented(&compact), serde_json::to_string_pretty(&value).expect("text"));
    }
}
