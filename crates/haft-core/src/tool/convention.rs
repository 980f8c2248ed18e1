//! Small conventions that tools share.

/// The lines, or a note that says why there are none: a model takes an empty list for a failure.
///
/// ```
/// assert_eq!(haft_core::or_note(Vec::new(), "No open orders."), ["No open orders."]);
/// ```
pub fn or_note(lines: Vec<String>, note: impl Into<String>) -> Vec<String> {
    if lines.is_empty() { vec![note.into()] } else { lines }
}

/// How large a text is, for a message: characters below 1,000, then kilobytes and megabytes of its bytes.
///
/// ```
/// assert_eq!(haft_core::size_of("four"), "4 characters");
/// assert_eq!(haft_core::size_of(&"x".repeat(2_500)), "2.5 kB");
/// ```
#[expect(clippy::cast_precision_loss, reason = "one decimal is shown")]
pub fn size_of(text: &str) -> String {
    match text.len() {
        0..1_000 => match text.chars().count() {
            1 => "1 character".to_owned(),
            count => format!("{count} characters"),
        },
        // More would be rounded to 1000.0 kB.
        bytes @ 1_000..999_950 => format!("{:.1} kB", bytes as f64 / 1e3),
        bytes => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}
