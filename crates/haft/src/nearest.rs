//! The known name that a mistyped one is meant for.

/// The nearest of the names, where one is near.
pub(super) fn nearest<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = plain(name);
    let most = (name.chars().count() / 3).max(1);
    names
        .into_iter()
        .map(|known| (strsim::damerau_levenshtein(&name, &plain(known)), known))
        .filter(|(distance, _)| *distance <= most)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, known)| known)
}

/// Without what people write in different ways.
fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).take(64).map(|c| c.to_ascii_lowercase()).collect()
}
