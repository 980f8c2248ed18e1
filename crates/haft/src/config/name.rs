//! Names of servers: what may stand before the `__` of a tool's name.

use crate::source::mcp::LONGEST_NAME;

/// The name that a foreign one becomes: `GitHub (work)` → `GitHub_work`. None where nothing of it can be kept.
pub(super) fn tame(name: &str) -> Option<String> {
    let keep = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let parts: Vec<&str> = name.split(|c| !keep(c)).filter(|part| !part.is_empty()).collect();
    let tamed: String = parts.join("_").chars().take(LONGEST_NAME).collect();
    let tamed = tamed.trim_end_matches('_').to_owned();
    (!tamed.is_empty()).then_some(tamed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::mcp::is_server_name;

    #[test]
    fn a_tamed_name_is_valid_and_a_valid_one_stays() {
        let cases = [
            ("files", Some("files")),
            ("my-server_2", Some("my-server_2")),
            ("GitHub (work)", Some("GitHub_work")),
            ("a__b", Some("a_b")),
            ("_a_", Some("a")),
            ("@scope/name", Some("scope_name")),
            ("github.com/a/b", Some("github_com_a_b")),
            ("日本", None),
            ("", None),
            ("_", None),
        ];
        for (name, tamed) in cases {
            assert_eq!(tame(name).as_deref(), tamed, "{name}");
            assert_eq!(is_server_name(name), tamed == Some(name), "{name}");
        }
        let long = "ab_".repeat(40);
        assert!(is_server_name(&tame(&long).unwrap()), "{long}");
    }
}
