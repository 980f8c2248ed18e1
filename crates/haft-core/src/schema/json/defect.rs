//! Content that is valid JSON but that two readers may understand differently.

/// A defect of a readable text; any of them makes the text unfit as arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Defect {
    /// An object has the same key twice, compared after unescaping.
    DuplicateKey {
        /// JSON pointer of the repeated member.
        path: String,
        /// The key.
        key: String,
    },
    /// An integer is outside the range from -2^63 to 2^64 - 1.
    IntegerRange {
        /// JSON pointer of the number.
        path: String,
        /// The literal as it was written.
        digits: String,
    },
    /// A number is too large for a 64-bit float.
    FloatRange {
        /// JSON pointer of the number.
        path: String,
        /// The literal as it was written.
        digits: String,
    },
}
