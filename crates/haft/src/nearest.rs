//! The known name that a mistyped one is meant for.

/// The nearest of the names, where one is near.
pub(crate) fn nearest<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
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

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_mistyped_name_is_found_and_another_is_not() {
        let names = ["write", "read_file"];
        for meant in ["read_flie", "readFile", "READ-FILE", "read_file"] {
            assert_eq!(nearest(meant, names), Some("read_file"), "{meant}");
        }
        assert_eq!(nearest("zzz", names), None);
    }
}
