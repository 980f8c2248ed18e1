//! What the fuzz tests share.

/// A small deterministic generator (xorshift), so that every run tries the same texts.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new() -> Self {
        Self(0x9E37_79B9_7F4A_7C15)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(bound.max(1)).unwrap()).unwrap()
    }
}

/// An error is told in one line that a terminal can show.
pub(crate) fn one_line(text: &str) {
    assert!(!text.is_empty() && text.len() < 3_000, "{} bytes: {text}", text.len());
    assert!(!text.contains(char::is_control), "{text:?}");
}
