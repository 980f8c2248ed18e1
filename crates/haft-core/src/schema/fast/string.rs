//! Strings: borrowed from the text where they hold no escape.

use std::borrow::Cow;

use super::cursor::{Cursor, Stop};

/// How many of eight bytes, the lowest first, stand before a quote, a backslash or a control character.
#[inline]
fn plain_bytes(eight: u64) -> usize {
    const ONES: u64 = u64::MAX / 255;
    const HIGH: u64 = ONES << 7;
    // The lowest byte that is found is found rightly; a higher one may be marked by a borrow from it.
    let zeros = |bytes: u64| bytes.wrapping_sub(ONES) & !bytes & HIGH;
    let quotes = zeros(eight ^ (ONES * u64::from(b'"')));
    let backslashes = zeros(eight ^ (ONES * u64::from(b'\\')));
    let controls = eight.wrapping_sub(ONES * 0x20) & !eight & HIGH;
    (quotes | backslashes | controls).trailing_zeros() as usize / 8
}

impl<'t> Cursor<'t, '_> {
    /// Reads a string; the cursor stands on its opening quote.
    #[inline]
    pub(super) fn string(&mut self) -> Result<Cow<'t, str>, Stop> {
        self.at += 1;
        let start = self.at;
        match self.plain()? {
            b'"' => {
                let text = self.since(start)?;
                self.at += 1;
                Ok(Cow::Borrowed(text))
            }
            _ => self.escaped(start).map(Cow::Owned),
        }
    }

    /// Moves to the next quote or backslash, and says which it is.
    #[inline]
    fn plain(&mut self) -> Result<u8, Stop> {
        while let Some(eight) = self.text.as_bytes().get(self.at..).and_then(<[u8]>::first_chunk) {
            let plain = plain_bytes(u64::from_le_bytes(*eight));
            self.at += plain;
            if plain < 8 {
                break;
            }
        }
        loop {
            match self.peek() {
                Some(found @ (b'"' | b'\\')) => return Ok(found),
                Some(0x20..) => self.at += 1,
                // A raw control character, or the end of the text.
                _ => return Err(Stop::Undecided),
            }
        }
    }

    /// Reads the rest of a string that holds an escape; `start` is where its text begins.
    fn escaped(&mut self, start: usize) -> Result<String, Stop> {
        let mut text = String::new();
        let mut start = start;
        loop {
            let found = self.plain()?;
            text.push_str(self.since(start)?);
            self.at += 1;
            if found == b'"' {
                return Ok(text);
            }
            text.push(self.escape()?);
            start = self.at;
        }
    }

    /// Reads one escape; the cursor stands behind its backslash.
    fn escape(&mut self) -> Result<char, Stop> {
        let character = match self.peek().ok_or(Stop::Undecided)? {
            quoted @ (b'"' | b'\\' | b'/') => char::from(quoted),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.unicode(),
            _ => return Err(Stop::Undecided),
        };
        self.at += 1;
        Ok(character)
    }

    /// Reads `uXXXX`, and the other half of a surrogate pair.
    fn unicode(&mut self) -> Result<char, Stop> {
        let first = self.hex()?;
        if !(0xD800..0xE000).contains(&first) {
            return char::from_u32(first).ok_or(Stop::Undecided);
        }
        self.word("\\")?;
        let second = self.hex()?;
        if first >= 0xDC00 || !(0xDC00..0xE000).contains(&second) {
            return Err(Stop::Undecided);
        }
        char::from_u32(0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00)).ok_or(Stop::Undecided)
    }

    /// Reads `u` and four hexadecimal digits.
    fn hex(&mut self) -> Result<u32, Stop> {
        self.word("u")?;
        let mut code = 0;
        for _ in 0..4 {
            let digit = self.peek().and_then(|byte| char::from(byte).to_digit(16)).ok_or(Stop::Undecided)?;
            code = code * 16 + digit;
            self.at += 1;
        }
        Ok(code)
    }
}
