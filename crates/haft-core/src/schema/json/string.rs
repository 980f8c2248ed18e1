//! Strings: escapes decoded, lone surrogates and raw control characters refused.

use super::fault::{Fault, FaultKind};
use super::source::Source;

const INSIDE: &str = "inside a string";

/// Reads a string; the cursor stands behind its opening quote.
pub(super) fn read(source: &mut Source<'_>) -> Result<String, Fault> {
    let mut text = String::new();
    loop {
        let plain = source.rest().bytes().take_while(|byte| !matches!(byte, b'"' | b'\\' | 0..=0x1F)).count();
        let start = source.offset();
        source.advance(plain);
        text.push_str(source.since(start));
        match source.peek() {
            Some(b'"') => {
                source.advance(1);
                return Ok(text);
            }
            Some(b'\\') => text.push(escape(source)?),
            Some(control) => {
                let escaped = match control {
                    b'\n' => r"\n".to_owned(),
                    b'\r' => r"\r".to_owned(),
                    b'\t' => r"\t".to_owned(),
                    other => format!(r"\u{other:04x}"),
                };
                return Err(source.malformed(format!(
                    "a string holds the raw control character U+{control:04X}, to be written `{escaped}`,"
                )));
            }
            None => return Err(source.truncated(INSIDE)),
        }
    }
}

/// Reads one escape; the cursor stands on its backslash.
fn escape(source: &mut Source<'_>) -> Result<char, Fault> {
    let start = source.offset();
    source.advance(1);
    let plain = match source.peek() {
        Some(quoted @ (b'"' | b'\\' | b'/')) => char::from(quoted),
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => {
            source.advance(1);
            return unicode(source, start);
        }
        _ => {
            let wanted = r#"an escape (one of " \ / b f n r t u; a backslash itself is written `\\`)"#;
            return Err(source.unexpected(wanted, INSIDE));
        }
    };
    source.advance(1);
    Ok(plain)
}

/// Reads the rest of `\uXXXX`, with the second half of a surrogate pair where one is needed.
fn unicode(source: &mut Source<'_>, start: usize) -> Result<char, Fault> {
    let first = hex(source)?;
    if let Some(character) = char::from_u32(first) {
        return Ok(character);
    }
    let lone = |source: &Source<'_>| {
        let reason = format!("\\u{first:04x} is half of a surrogate pair without its other half");
        source.fault_at(start, FaultKind::Malformed, reason)
    };
    if first >= 0xDC00 {
        return Err(lone(source));
    }
    for expected in [b'\\', b'u'] {
        if !source.take(expected) {
            return Err(if source.peek().is_none() { source.truncated(INSIDE) } else { lone(source) });
        }
    }
    let second = hex(source)?;
    if !(0xDC00..0xE000).contains(&second) {
        return Err(lone(source));
    }
    let code = 0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00);
    char::from_u32(code).ok_or_else(|| lone(source))
}

/// Reads four hexadecimal digits.
fn hex(source: &mut Source<'_>) -> Result<u32, Fault> {
    let mut code = 0;
    for _ in 0..4 {
        let digit = source.peek().and_then(|byte| char::from(byte).to_digit(16));
        let digit = digit.ok_or_else(|| source.unexpected("a hexadecimal digit", INSIDE))?;
        code = code * 16 + digit;
        source.advance(1);
    }
    Ok(code)
}
