//! Patterns that every dialect of regular expressions plainly takes.

/// A longer pattern is compiled to be judged.
const BYTES: usize = 400;
/// How deep groups may nest.
const DEPTH: usize = 4;
/// How often something may be repeated by number, counted through all groups around it.
const REPEATED: u32 = 200;

/// Whether the pattern is made of letters, classes, groups and repetition in their simplest form.
pub(super) fn is_sound(pattern: &str) -> bool {
    let mut reader = Reader { rest: pattern.as_bytes() };
    pattern.len() <= BYTES && reader.choices(DEPTH).is_some() && reader.rest.is_empty()
}

struct Reader<'p> {
    rest: &'p [u8],
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    fn next(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    fn skip(&mut self, text: &str) -> bool {
        match self.rest.strip_prefix(text.as_bytes()) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// Sequences between `|`; gives how often what is dearest in them is repeated.
    fn choices(&mut self, depth: usize) -> Option<u32> {
        let mut most = self.sequence(depth)?;
        while self.skip("|") {
            most = most.max(self.sequence(depth)?);
        }
        Some(most)
    }

    fn sequence(&mut self, depth: usize) -> Option<u32> {
        let mut most = 1;
        while let Some(first) = self.peek() {
            if matches!(first, b'|' | b')') {
                break;
            }
            let inner = self.atom(depth)?;
            // What has no width is not repeated.
            let times = if matches!(first, b'^' | b'$') { 1 } else { self.repetition()? };
            most = most.max(inner.checked_mul(times).filter(|times| *times <= REPEATED)?);
        }
        Some(most)
    }

    fn atom(&mut self, depth: usize) -> Option<u32> {
        match self.next()? {
            b'(' => {
                // Either a group that captures or one that does not; nothing else begins with a question mark here.
                if !self.skip("?:") && self.peek() == Some(b'?') {
                    return None;
                }
                let most = self.choices(depth.checked_sub(1)?)?;
                self.skip(")").then_some(most)
            }
            b'[' => self.class().map(|()| 1),
            b'\\' => self.escape().map(|()| 1),
            b'^' | b'$' | b'.' | b'-' => Some(1),
            byte => is_literal(byte).then_some(1),
        }
    }

    /// The rest of an escape: a class by letter, or a mark that stands for itself.
    fn escape(&mut self) -> Option<()> {
        let known = br"dws.-/+*?()[]{}$^|\";
        known.contains(&self.next()?).then_some(())
    }

    /// The rest of a class, behind its bracket.
    fn class(&mut self) -> Option<()> {
        self.skip("^");
        let mut is_empty = true;
        loop {
            let low = match self.next()? {
                b']' => return (!is_empty).then_some(()),
                // A hyphen for itself stands last.
                b'-' => return (self.next()? == b']' && !is_empty).then_some(()),
                b'\\' => {
                    self.escape()?;
                    None
                }
                byte if is_literal(byte) || b".+*?()$|".contains(&byte) => Some(byte),
                _ => return None,
            };
            is_empty = false;
            if self.peek() == Some(b'-') && self.rest.get(1) != Some(&b']') {
                self.next();
                let high = self.next()?;
                let is_range =
                    |low: u8| low.is_ascii_alphanumeric() && high.is_ascii_alphanumeric() && low <= high;
                low.filter(|low| is_range(*low))?;
            }
        }
    }

    /// How often the atom before is repeated by number.
    fn repetition(&mut self) -> Option<u32> {
        let times = match self.peek() {
            Some(b'*' | b'+' | b'?') => {
                self.next();
                1
            }
            Some(b'{') => {
                self.next();
                let least = self.number()?;
                let most = if self.skip(",") && self.peek() != Some(b'}') { self.number()? } else { least };
                if !self.skip("}") || least > most {
                    return None;
                }
                most.max(1)
            }
            _ => return Some(1),
        };
        // Lazy and possessive forms, and repetition of repetition.
        (!matches!(self.peek(), Some(b'*' | b'+' | b'?' | b'{'))).then_some(times)
    }

    fn number(&mut self) -> Option<u32> {
        let digits = self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let text = std::str::from_utf8(self.rest.get(..digits)?).ok()?;
        self.rest = self.rest.get(digits..)?;
        text.parse().ok().filter(|times| *times <= REPEATED)
    }
}

/// Whether a character stands for itself everywhere.
fn is_literal(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_ /:,;@%='\"!#".contains(&byte)
}
