//! Patterns that every dialect of regular expressions plainly takes.

/// A longer pattern is compiled to be judged.
const BYTES: usize = 400;
/// How deep groups may nest.
const DEPTH: usize = 4;
/// How often something may be repeated by number, counted through all groups around it.
const REPEATED: u32 = 200;
/// How many atoms there may be once all repetition by number is written out: each is a piece of the compiled pattern.
const ATOMS: u32 = 600;

/// Whether the pattern is made of letters, classes, groups and repetition in their simplest form.
pub(super) fn is_sound(pattern: &str) -> bool {
    let mut reader = Reader { rest: pattern.as_bytes() };
    pattern.len() <= BYTES && reader.choices(DEPTH).is_some() && reader.rest.is_empty()
}

/// What a part of a pattern comes to when it is compiled.
#[derive(Clone, Copy)]
struct Weight {
    /// How often what is dearest in it is repeated by number.
    repeated: u32,
    /// How many atoms it has with all repetition written out.
    atoms: u32,
}

impl Weight {
    const ONE: Self = Self { repeated: 1, atoms: 1 };

    /// Both, one after the other; none where that is too much.
    fn beside(self, other: Self) -> Option<Self> {
        let repeated = self.repeated.max(other.repeated);
        let atoms = self.atoms.checked_add(other.atoms).filter(|atoms| *atoms <= ATOMS)?;
        Some(Self { repeated, atoms })
    }

    /// It so many times; none where that is too much.
    fn repeated(self, times: u32) -> Option<Self> {
        let repeated = self.repeated.checked_mul(times).filter(|times| *times <= REPEATED)?;
        Some(Self { repeated, atoms: self.atoms.checked_mul(times)? })
    }
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

    /// Sequences between `|`.
    fn choices(&mut self, depth: usize) -> Option<Weight> {
        let mut weight = self.sequence(depth)?;
        while self.skip("|") {
            weight = weight.beside(self.sequence(depth)?)?;
        }
        Some(weight)
    }

    fn sequence(&mut self, depth: usize) -> Option<Weight> {
        let mut weight = Weight { repeated: 1, atoms: 0 };
        while let Some(first) = self.peek() {
            if matches!(first, b'|' | b')') {
                break;
            }
            let inner = self.atom(depth)?;
            // What has no width is not repeated.
            let times = if matches!(first, b'^' | b'$') { 1 } else { self.repetition()? };
            weight = weight.beside(inner.repeated(times)?)?;
        }
        Some(weight)
    }

    fn atom(&mut self, depth: usize) -> Option<Weight> {
        match self.next()? {
            b'(' => {
                // Either a group that captures or one that does not; nothing else begins with a question mark here.
                if !self.skip("?:") && self.peek() == Some(b'?') {
                    return None;
                }
                let weight = self.choices(depth.checked_sub(1)?)?;
                self.skip(")").then_some(weight)
            }
            b'[' => self.class().map(|()| Weight::ONE),
            b'\\' => self.escape().map(|()| Weight::ONE),
            b'^' | b'$' | b'.' | b'-' => Some(Weight::ONE),
            byte => is_literal(byte).then_some(Weight::ONE),
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
