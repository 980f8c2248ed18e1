//! Names of servers, and of their tools.

use haft_core::{InvalidToolName, ToolName, assign_names};

/// A server's name leaves this many characters of a tool's at least.
pub(crate) const LONGEST: usize = 40;

/// Whether a name can stand before those of tools: `<server>__<tool>` is then taken apart in one way only.
pub(crate) fn is_server_name(name: &str) -> bool {
    let part = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    name.len() <= LONGEST && name.split('_').all(part)
}

/// The names that the tools of a server have here.
pub(super) fn tool_names(server: &str, tools: &[&str]) -> Vec<Result<ToolName, InvalidToolName>> {
    let names: Vec<String> = tools.iter().map(|tool| format!("{server}__{tool}")).collect();
    assign_names(&names.iter().map(String::as_str).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::{is_server_name, tool_names};

    #[test]
    fn a_server_name_is_told_from_a_tool_name() {
        for name in ["files", "my-files", "a_b-c", "2", "A"] {
            assert!(is_server_name(name), "{name}");
        }
        let long = "a".repeat(41);
        for name in ["", "_a", "a_", "a__b", "a.b", "ä", "a b", &long] {
            assert!(!is_server_name(name), "{name}");
        }
    }

    #[test]
    fn names_of_tools_are_made_fit_and_stay_apart() {
        let long = "x".repeat(80);
        let names = tool_names("files", &["read", "get user", "get_user", "a.b/c", &long]);
        let names: Vec<_> = names.iter().map(|name| name.as_ref().unwrap().as_str()).collect();
        assert_eq!(names[0], "files__read");
        assert!(names[1].starts_with("files__get_user_") && names[1] != names[2], "{names:?}");
        assert_eq!((names[2], names[3], names[4].len()), ("files__get_user", "files__a_b_c", 64));
    }
}
