//! The variables that a program gets without asking.

use std::{collections::BTreeMap, ffi::OsString};

/// What programs need to run at all. Everything else may be a secret of the host's.
#[cfg(not(windows))]
const PASSED_ON: &[&str] =
    &["HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"];
#[cfg(windows)]
const PASSED_ON: &[&str] = &[
    "APPDATA",
    "COMSPEC",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "PATH",
    "PATHEXT",
    "PROCESSOR_ARCHITECTURE",
    "PROGRAMFILES",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "USERNAME",
    "USERPROFILE",
    "WINDIR",
];

/// The variables of a program: those of this process that every program gets, and over them its own.
pub(super) fn variables(own: &BTreeMap<OsString, OsString>) -> BTreeMap<OsString, OsString> {
    chosen(this_process, own)
}

#[expect(clippy::disallowed_methods, reason = "what a program gets of this process is decided here, by name")]
fn this_process(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

fn chosen(
    get: impl Fn(&str) -> Option<OsString>,
    own: &BTreeMap<OsString, OsString>,
) -> BTreeMap<OsString, OsString> {
    let base = PASSED_ON.iter().filter_map(|name| Some((OsString::from(name), get(name)?)));
    // Bash runs a function of the environment that has such a value.
    let base = base.filter(|(_, value)| !value.to_string_lossy().starts_with("()"));
    let mut variables: BTreeMap<OsString, OsString> = base.collect();
    variables.extend(own.iter().map(|(name, value)| (name.clone(), value.clone())));
    variables
}

#[cfg(test)]
mod tests {
    use super::chosen;

    #[test]
    fn own_variables_come_on_top_of_a_few_of_this_process() {
        let get = |name: &str| match name {
            "PATH" => Some("/usr/bin".into()),
            "HOME" | "USERPROFILE" => Some("/home/ada".into()),
            "SECRET" => panic!("never asked for"),
            _ => None,
        };
        let own = [("MY_VAR".into(), "".into()), ("PATH".into(), "/opt/bin".into())].into();
        let variables = chosen(get, &own);
        let home = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
        let expected = [(home, "/home/ada"), ("MY_VAR", ""), ("PATH", "/opt/bin")];
        let expected = expected.map(|(name, value)| (name.into(), value.into()));
        assert_eq!(variables, expected.into());
    }

    #[test]
    fn no_function_of_a_shell_is_passed_on() {
        assert!(chosen(|_| Some("() { :; }".into()), &[].into()).is_empty());
    }
}
