//! Regular expressions as other tools write them, and what servers do not take of them.

use super::super::check::Pattern;

/// The expression as every engine reads it, where it is none as it stands but plainly meant.
///
/// JavaScript takes a `-` beside a class such as `\w` for itself, and a `{` that begins no repetition; Python ends a text
/// with `\Z`.
pub(super) fn meant(pattern: &str) -> Option<String> {
    let written = written(pattern);
    let is_sound = |pattern: &str| Pattern::new(pattern).is_sound();
    (written != pattern && !is_sound(pattern) && is_sound(&written)).then_some(written)
}

/// Whether it looks around or refers back, which engines without backtracking can not do.
pub(super) fn looks_around(pattern: &str) -> bool {
    let mut rest = pattern;
    let mut in_class = false;
    while let Some(character) = rest.chars().next() {
        let after = rest.get(character.len_utf8()..).unwrap_or_default();
        rest = after;
        match character {
            '\\' => {
                let escaped = after.chars().next();
                let refers = escaped.is_some_and(|escaped| matches!(escaped, '1'..='9'));
                if !in_class && (refers || after.starts_with("k<")) {
                    return true;
                }
                rest = after.get(escaped.map_or(0, char::len_utf8)..).unwrap_or_default();
            }
            '[' => in_class = true,
            ']' => in_class = false,
            '(' if !in_class && ["?=", "?!", "?<=", "?<!"].iter().any(|group| after.starts_with(group)) => {
                return true;
            }
            _ => {}
        }
    }
    false
}

/// What stands before a `-` inside of a class.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Start,
    /// A class of its own, such as `\w`.
    Class,
    Character,
}

fn written(pattern: &str) -> String {
    let mut made = String::with_capacity(pattern.len() + 2);
    let mut rest = pattern.chars().peekable();
    let mut before: Option<Before> = None;
    while let Some(character) = rest.next() {
        match (character, before) {
            ('\\', _) => {
                let escaped = rest.next();
                match escaped {
                    Some('Z') if before.is_none() => made.push('$'),
                    Some(escaped) => made.extend(['\\', escaped]),
                    None => made.push('\\'),
                }
                if escaped.is_some_and(|escaped| matches!(escaped, 'p' | 'P' | 'u' | 'x' | 'k')) {
                    braced(&mut made, &mut rest);
                }
                let is_class = escaped.is_some_and(|escaped| "wWdDsS".contains(escaped));
                before = before.map(|_| if is_class { Before::Class } else { Before::Character });
            }
            ('[', None) => {
                made.push('[');
                if rest.next_if_eq(&'^').is_some() {
                    made.push('^');
                }
                before = Some(Before::Start);
            }
            (']', Some(_)) => {
                made.push(']');
                before = None;
            }
            ('-', Some(stands)) => {
                let ahead: String = rest.clone().take(2).collect();
                let beside = stands == Before::Class && !ahead.starts_with(']')
                    || stands == Before::Character && is_class(&ahead);
                made.push_str(if beside { r"\-" } else { "-" });
                before = Some(Before::Character);
            }
            ('{', None) => {
                let ahead: String = rest.clone().collect();
                made.push_str(if repeats(&ahead) { "{" } else { r"\{" });
            }
            (other, _) => {
                made.push(other);
                before = before.map(|_| Before::Character);
            }
        }
    }
    made
}

/// Copies what stands in braces behind an escape.
fn braced(made: &mut String, rest: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    if rest.peek() != Some(&'{') {
        return;
    }
    for character in rest.by_ref() {
        made.push(character);
        if character == '}' {
            return;
        }
    }
}

fn is_class(text: &str) -> bool {
    text.strip_prefix('\\').is_some_and(|name| name.starts_with(|name| "wWdDsS".contains(name)))
}

/// Whether a repetition stands behind `{`, or what other engines take for one.
fn repeats(ahead: &str) -> bool {
    let Some((inside, _)) = ahead.split_once('}') else { return false };
    inside.chars().all(|character| character.is_ascii_digit() || character == ',')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_other_engines_take_is_written_for_all() {
        for (pattern, expected) in [
            (r"^[\w-.]+@[\w-]+$", Some(r"^[\w\-.]+@[\w-]+$")),
            (r"^[a-\d]$", Some(r"^[a\-\d]$")),
            (r"^[\w.\-\s-x]+\Z", Some(r"^[\w.\-\s\-x]+$")),
            (r"^\d{4}\Z", Some(r"^\d{4}$")),
            (r"^{[a-z]+}$", Some(r"^\{[a-z]+}$")),
            // Sound as they stand.
            (r"^[\w.-]+$", None),
            (r"^\p{L}{2,3}\u0041$", None),
            (r"^[-\w]+[^-\w]$", None),
            (r"^(?!x)a\/b$", None),
            // Meant in more than one way, or in none.
            ("a{,3}", None),
            (r"\h", None),
            ("[", None),
            ("(", None),
            ("*a", None),
            (r"a\", None),
        ] {
            assert_eq!(meant(pattern).as_deref(), expected, "{pattern}");
        }
    }

    #[test]
    fn looking_around_is_told_from_what_only_looks_like_it() {
        for pattern in ["^(?!x)a", "a(?=b)", "(?<=a)b", "(?<!a)b", r"(a)\1", r"(?<n>a)\k<n>", r"\\(?=a)"] {
            assert!(looks_around(pattern), "{pattern}");
        }
        for pattern in
            ["(?:a)", "(?<n>a)", "(?P<n>a)", "(?i)a", r"\(?=a", "[(?=]", r"[\]1(?=]", r"\\1", r"\d", "", "\\"]
        {
            assert!(!looks_around(pattern), "{pattern}");
        }
    }
}
