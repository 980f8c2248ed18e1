//! JSON pointers (RFC 6901) and the dotted form in which messages show them.

/// Appends one reference token to `path`.
pub(crate) fn push(path: &mut String, token: &str) {
    path.push('/');
    for character in token.chars() {
        match character {
            '~' => path.push_str("~0"),
            '/' => path.push_str("~1"),
            other => path.push(other),
        }
    }
}

/// `path` with one reference token more.
pub(crate) fn child(path: &str, token: &str) -> String {
    let mut child = path.to_owned();
    push(&mut child, token);
    child
}

/// The reference tokens of `path`, unescaped.
pub(crate) fn tokens(path: &str) -> impl Iterator<Item = String> + '_ {
    path.split('/').skip(1).map(|token| token.replace("~1", "/").replace("~0", "~"))
}

/// The last reference token, unescaped; `None` for the root.
pub(crate) fn last(path: &str) -> Option<String> {
    tokens(path).last()
}

/// The pointer of the value that holds the one at `path`.
pub(crate) fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}

/// `path` as people write it: `/items/0/name` is `items.0.name`.
pub(crate) fn dotted(path: &str) -> String {
    tokens(path).collect::<Vec<_>>().join(".")
}
