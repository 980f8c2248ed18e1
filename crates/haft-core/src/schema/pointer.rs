//! JSON pointers (RFC 6901) and the dotted form in which messages show them.

use std::borrow::Cow;

use serde_json::Value;

/// Appends one reference token to `path`.
pub(crate) fn push(path: &mut String, token: &str) {
    path.push('/');
    if !token.contains(['~', '/']) {
        path.push_str(token);
        return;
    }
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
    let mut child = String::with_capacity(path.len() + 1 + token.len());
    child.push_str(path);
    push(&mut child, token);
    child
}

/// The value at `path` within `root`, as [`Value::pointer`] finds it; a token without an escape is not copied for that.
pub(crate) fn find<'v>(root: &'v Value, path: &str) -> Option<&'v Value> {
    if path.is_empty() {
        return Some(root);
    }
    path.strip_prefix('/')?.split('/').try_fold(root, |value, token| {
        let token = if token.contains('~') {
            Cow::Owned(token.replace("~1", "/").replace("~0", "~"))
        } else {
            Cow::Borrowed(token)
        };
        match value {
            Value::Object(members) => members.get(&*token),
            Value::Array(items) => items.get(place(&token)?),
            _ => None,
        }
    })
}

/// The place in a list that a token names: without a sign, and without zeros before it.
fn place(token: &str) -> Option<usize> {
    let is_plain = !token.starts_with('+') && (token.len() == 1 || !token.starts_with('0'));
    token.parse().ok().filter(|_| is_plain)
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::find;

    #[test]
    fn a_pointer_leads_where_that_of_serde_json_does() {
        let root = json!({"a": [0, {"b/c": 1, "~d": 2}], "": {"": 3}, "+1": 4, "10": [5], "a~b": 6});
        for path in [
            "",
            "/",
            "//",
            "/a",
            "/a/0",
            "/a/1",
            "/a/2",
            "/a/00",
            "/a/01",
            "/a/+1",
            "/a/-",
            "/a/1/b~1c",
            "/a/1/~0d",
            "/a/1/~d",
            "/a~0b",
            "/a~b",
            "/+1",
            "/10/0",
            "/10/0/x",
            "a",
            "a/0",
            "/none",
            "/a/18446744073709551616",
        ] {
            assert_eq!(find(&root, path), root.pointer(path), "{path}");
        }
    }
}
