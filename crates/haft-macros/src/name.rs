//! The rule for a tool's name, as providers have it.

const LIMIT: usize = 64;

/// What is wrong with a name and what would do.
pub(crate) fn fault(name: &str) -> Option<String> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if name.is_empty() {
        return Some("a tool's name may not be empty".to_owned());
    }
    let suggestion: String = name.chars().take(LIMIT).map(|c| if allowed(c) { c } else { '_' }).collect();
    let fault = if let Some(bad) = name.chars().find(|c| !allowed(*c)) {
        format!("has the character {bad:?}; letters, digits, `_` and `-` are allowed")
    } else if name.chars().count() > LIMIT {
        format!("has {} characters; {LIMIT} are allowed", name.chars().count())
    } else {
        return None;
    };
    Some(format!("the tool name {name:?} {fault}: `name = {suggestion:?}` would do"))
}

/// The name in lower snake case.
pub(crate) fn snake(name: &str) -> String {
    let mut made = String::new();
    let mut lower = false;
    for c in name.chars() {
        if c.is_ascii_uppercase() && lower {
            made.push('_');
        }
        lower = c.is_ascii_lowercase() || c.is_ascii_digit();
        made.push(if c == '-' { '_' } else { c.to_ascii_lowercase() });
    }
    let start = made.trim_start_matches('_');
    let named = match start.chars().next() {
        Some('a'..='z') => start.to_owned(),
        Some(_) => format!("tool_{start}"),
        None => "tool".to_owned(),
    };
    named.chars().take(LIMIT).collect()
}

#[cfg(test)]
mod tests {
    use super::{fault, snake};

    #[test]
    fn a_name_in_snake_case_is_left_alone() {
        for (name, made) in
            [("fetchURL-now", "fetch_url_now"), ("a_b2", "a_b2"), ("_", "tool"), ("2x", "tool_2x")]
        {
            assert_eq!(snake(name), made);
            assert_eq!(snake(made), made);
        }
    }

    #[test]
    fn names_follow_the_rule_of_providers() {
        for good in ["a", "get-user_2", &"x".repeat(64)] {
            assert_eq!(fault(good), None);
        }
        for (bad, said) in [
            ("", "empty"),
            ("get user", "' '; letters, digits, `_` and `-` are allowed: `name = \"get_user\"` would do"),
            ("größe", "`name = \"gr__e\"`"),
            (&"x".repeat(65), "has 65 characters; 64 are allowed"),
        ] {
            let fault = fault(bad).unwrap_or_default();
            assert!(fault.contains(said), "{fault}");
        }
    }
}
