//! Refusals: a code, a message and rows of advice, as tab-separated text that converts both ways.

use std::borrow::Cow;

use serde::{Serialize, Serializer, ser::SerializeStruct};

const MARK: &str = "refused";

/// A refusal with advice for the model.
///
/// Control characters are made safe when it is made, so that [`body`](Self::body) and [`parse`](Self::parse)
/// convert without loss.
///
/// ```
/// use haft_core::Refusal;
///
/// let mut refusal = Refusal::new("not-permitted", "This caller may not write here.").unwrap();
/// refusal.push_row(["ask", "an editor"]);
/// let text = refusal.body();
/// assert_eq!(text, "refused\tnot-permitted\tThis caller may not write here.\nask\tan editor");
/// assert_eq!(Refusal::parse(&text), Some(refusal));
/// assert_eq!(Refusal::parse("all went well"), None);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    code: String,
    message: String,
    rows: Vec<Vec<String>>,
}

/// The code of a refusal does not match `[a-z][a-z0-9-]*`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a refusal's code is lower-case letters, digits and '-', and begins with a letter: {text:?} is not")]
#[non_exhaustive]
pub struct InvalidRefusalCode {
    /// The code as given.
    pub text: String,
}

impl InvalidRefusalCode {
    /// The stable number of this error: 2101.
    #[expect(clippy::unused_self, reason = "every error answers `code()`")]
    pub const fn code(&self) -> u16 {
        2101
    }
}

impl Refusal {
    /// A refusal without rows.
    ///
    /// # Errors
    /// When `code` does not match `[a-z][a-z0-9-]*`.
    pub fn new(code: &str, message: &str) -> Result<Self, InvalidRefusalCode> {
        if !is_code(code) {
            return Err(InvalidRefusalCode { text: code.to_owned() });
        }
        Ok(Self { code: code.to_owned(), message: field(message).into_owned(), rows: Vec::new() })
    }

    /// A refusal whose code is mended where it has to be.
    pub(crate) fn lenient(code: &str, message: &str) -> Self {
        let mended: String = code
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' })
            .skip_while(|c| !c.is_ascii_lowercase())
            .collect();
        let code = if mended.is_empty() { MARK.to_owned() } else { mended };
        Self { code, message: field(message).into_owned(), rows: Vec::new() }
    }

    /// Adds a row of advice; a row without fields is left out.
    pub fn push_row<I>(&mut self, fields: I)
    where
        I: IntoIterator,
        I::Item: AsRef<str>,
    {
        let row: Vec<String> = fields.into_iter().map(|value| field(value.as_ref()).into_owned()).collect();
        if !row.is_empty() {
            self.rows.push(row);
        }
    }

    /// The code.
    pub fn code(&self) -> &str {
        &self.code
    }

    /// The message.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The rows of advice.
    pub fn rows(&self) -> &[Vec<String>] {
        &self.rows
    }

    /// `refused<TAB>code<TAB>message`, then a row a line.
    pub fn body(&self) -> String {
        format!("{MARK}\t{}", self.rows_text())
    }

    /// The same without the first field.
    pub fn rows_text(&self) -> String {
        let mut text = format!("{}\t{}", self.code, self.message);
        for row in &self.rows {
            text.push('\n');
            text.push_str(&row.join("\t"));
        }
        text
    }

    /// Reads either form back; `None` for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        let mut lines = text.split('\n');
        let first: Vec<&str> = lines.next()?.split('\t').collect();
        let (code, message) = match first.as_slice() {
            [mark, code, message] if *mark == MARK => (*code, *message),
            [code, message] => (*code, *message),
            _ => return None,
        };
        let rows: Vec<Vec<String>> =
            lines.map(|line| line.split('\t').map(str::to_owned).collect()).collect();
        let safe = |value: &str| matches!(field(value), Cow::Borrowed(_));
        if !is_code(code) || !safe(message) || !rows.iter().flatten().all(|value| safe(value)) {
            return None;
        }
        Some(Self { code: code.to_owned(), message: message.to_owned(), rows })
    }
}

impl Serialize for Refusal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Refusal", 2)?;
        fields.serialize_field("code", &self.code)?;
        fields.serialize_field("rows", &self.rows)?;
        fields.end()
    }
}

fn is_code(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
}

/// Makes a value safe for one tab-separated field: each control or line separator becomes a space.
///
/// ```
/// assert_eq!(haft_core::field("one\ttwo\nthree"), "one two three");
/// ```
pub fn field(value: &str) -> Cow<'_, str> {
    let breaks = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    if value.contains(breaks) { Cow::Owned(value.replace(breaks, " ")) } else { Cow::Borrowed(value) }
}
