//! No secret is in anything that can be shown: not the environment's, and not what a file holds in plain words.

use std::fs;

use axum::{
    Router,
    http::{Response, Uri},
};
use haft::{
    ToolRegistry,
    config::{Config, ConfigSource, Environment},
    source::mcp::McpServers,
};

use super::{Folder, LITERAL, SECRET, data};

/// Everything that a configuration can be shown as.
fn outputs(loaded: &Result<Config, haft::config::ConfigError>) -> String {
    match loaded {
        Err(error) => format!("{error} {error:?} {:?}", error.problems()),
        Ok(config) => format!(
            "{config:?} {config:#?} {} {:?} {:?} {:?} {:?}",
            serde_json::to_string(config).unwrap(),
            config.mcp_servers(),
            config.problems(),
            config.servers(),
            config.remarks(),
        ),
    }
}

/// Every way in which a secret can stand in a server: by itself, as a placeholder, and in a wrong place.
#[test]
fn a_secret_is_shown_nowhere_wherever_it_stands() {
    let folder = Folder::new();
    let values = [LITERAL.to_owned(), "${TOKEN}".to_owned(), "x${TOKEN}".to_owned(), "${TOKEN".to_owned()];
    let mut looked = 0;
    for value in &values {
        let servers = [
            format!(r#"{{"command": "a", "env": {{"KEY": "{value}"}}}}"#),
            format!(r#"{{"command": "a", "environment": {{"KEY": "{value}", "OTHER": ["{value}"]}}}}"#),
            format!(r#"{{"command": "a", "args": ["--token", "{value}", "--api-key={value}"]}}"#),
            format!(r#"{{"command": ["a", "--header", "Authorization: Bearer {value}"]}}"#),
            format!(r#"{{"url": "https://user:{value}@example.com/?key={value}"}}"#),
            format!(
                r#"{{"url": "https://example.com", "headers": {{"A": "{value}", "B": {{"C": "{value}"}}}}}}"#
            ),
            format!(r#"{{"url": "https://example.com", "headers": {{"A": "{value}"}}}}"#),
            format!(r#"{{"url": "{value}"}}"#),
            format!(r#"{{"command": "a", "url": "{value}"}}"#),
            format!(r#"{{"command": "a", "type": "{value}", "timeout": "{value}", "enabled": "{value}"}}"#),
            format!(r#"{{"command": "a", "envFile": "{value}", "oauth": "{value}", "unknown": "{value}"}}"#),
            format!(r#"{{"command": "a", "env": "{value}", "headers": "{value}", "include": "{value}"}}"#),
        ];
        for server in servers {
            for text in [format!(r#"{{"mcpServers": {{"s": {server}}}}}"#), toml_of(&server)] {
                for name in ["a.json", "a.toml"]
                    .into_iter()
                    .filter(|name| name.ends_with("json") == text.starts_with('{'))
                {
                    let path = folder.file(name, &text);
                    let environment = Environment::empty(&folder.0).with_variable("TOKEN", SECRET);
                    let outputs = outputs(&Config::load(&environment, &ConfigSource::File(path)));
                    assert!(!outputs.contains(SECRET), "{text}\n{outputs}");
                    // What stands where an address is expected may be shown as one.
                    let is_address = server.contains(&format!(r#""url": "{LITERAL}""#));
                    assert!(is_address || !outputs.contains(LITERAL), "{text}\n{outputs}");
                    assert!(!format!("{environment:?}").contains(SECRET));
                    looked += 1;
                }
            }
        }
    }
    assert_eq!(looked, values.len() * 24);
}

/// The same server in `haft.toml`: JSON's tables are inline tables, but for the `:`.
fn toml_of(server: &str) -> String {
    let value: serde_json::Value = serde_json::from_str(server).unwrap();
    format!("servers.s = {}\n", inline(&value))
}

fn inline(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::Object(entries) => {
            let entries: Vec<String> =
                entries.iter().map(|(key, value)| format!("{key} = {}", inline(value))).collect();
            format!("{{ {} }}", entries.join(", "))
        }
        other => other.to_string(),
    }
}

/// A mistake in the language itself shows none of the line that it stands in.
#[test]
fn an_error_of_syntax_shows_nothing_of_the_file() {
    let folder = Folder::new();
    for (name, text) in [
        (
            "a.toml",
            format!("[servers.a]\ncommand = \"a\"\nenv = {{ KEY = \"{LITERAL}\" }}\nargs = [\"{LITERAL}\"\n"),
        ),
        (
            "a.json",
            format!(
                r#"{{"mcpServers": {{"a": {{"command": "a", "env": {{"KEY": "{LITERAL}" "B": "{LITERAL}"}}}}}}}}"#
            ),
        ),
    ] {
        for cut in 0..text.len() {
            if !text.is_char_boundary(cut) {
                continue;
            }
            let (before, after) = text.split_at(cut);
            for broken in [
                before.to_owned(),
                format!("{before}\"{after}"),
                format!("{before}={after}"),
                format!("{before}]{after}"),
            ] {
                let path = folder.file(name, &broken);
                let loaded = Config::load(&Environment::empty(&folder.0), &ConfigSource::File(path));
                if let Err(error) = &loaded {
                    let shown = format!("{error} {error:?}");
                    // A key may be shown, and what is broken in this way may be one.
                    assert!(!shown.contains(LITERAL) || shown.contains("key `"), "{broken}\n{shown}");
                }
            }
        }
    }
}

/// What a server writes, or the network says of an address, is not ours to trust.
#[test]
fn texts_of_others_lose_the_secrets() {
    let config = super::named(&data().join("good/everything.toml")).unwrap();
    let said = format!("no such key: {SECRET}; https://example.com/mcp?key={SECRET} Bearer {SECRET} info");
    let shown = config.redact(&said);
    assert!(!shown.contains(SECRET), "{shown}");
    assert!(shown.starts_with("no such key: ***; ") && shown.ends_with("?key=*** *** info"), "{shown}");
    let config = super::named(&data().join("good/claude-desktop.json")).unwrap();
    assert_eq!(config.redact(&format!("KEY={LITERAL}")), "KEY=***");
}

/// Whatever a server quotes of what it was given, in whatever form, is not told.
#[tokio::test]
async fn what_was_filled_into_an_address_or_an_argument_is_not_told() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let router = Router::new().fallback(|uri: Uri| async move {
        let (path, response) = (uri.path(), Response::builder());
        if path.starts_with("/moved") {
            return response.status(307).header("location", path).body(String::new()).unwrap();
        }
        response.status(404).body(format!("nothing at {path} of hunter2-ä|4711")).unwrap()
    });
    let mut tasks = tokio::task::JoinSet::new();
    tasks.spawn(async move { axum::serve(listener, router).await.unwrap() });
    let folder = Folder::new();
    let servers = [
        format!("page]\nurl = \"http://{address}/s/${{TOKEN}}/mcp\""),
        format!("moved]\nurl = \"http://{address}/moved/${{TOKEN}}/mcp\""),
        format!("user]\nurl = \"http://${{TOKEN}}@{address}/moved/mcp\""),
        "program]\ncommand = \"sh\"\nargs = [\"-c\", \"echo no entry for $1 >&2; exit 3\", \"sh\", \"${TOKEN}\"]".into(),
        "gone]\ncommand = \"/no/such/${TOKEN}/program\"".into(),
    ];
    let text = format!("[servers.{}\n", servers.join("\n[servers."));
    let environment = Environment::empty(&folder.0).with_variable("TOKEN", "hunter2-ä|4711");
    let config = Config::load(&environment, &ConfigSource::File(folder.file("haft.toml", text))).unwrap();
    let mut builder = McpServers::builder();
    for server in config.mcp_servers() {
        builder = builder.server(server);
    }
    let servers = builder.connect(&ToolRegistry::builder().build().unwrap()).await;
    let shown = format!("{:#?}", servers.status());
    assert!(!shown.contains("hunter2") && !shown.contains("4711"), "{shown}");
    for told in [
        "404 Not Found: nothing at /s/***/mcp of ***".to_owned(),
        format!("to http://{address}/moved/***/mcp,"),
        format!("to http://{address}/moved/mcp,"),
        "no entry for ***".to_owned(),
        "/no/such/***/program".to_owned(),
    ] {
        assert!(shown.contains(&told), "{told}: {shown}");
    }
}

#[test]
fn the_files_of_the_other_tests_hold_secrets() {
    let with = |text: &str| {
        let files = ["good", "bad"].map(|folder| fs::read_dir(data().join(folder)).unwrap());
        files
            .into_iter()
            .flatten()
            .filter(|file| {
                let path = file.as_ref().unwrap().path();
                let is_input = path.extension().is_none_or(|extension| extension != "expected");
                is_input && String::from_utf8_lossy(&fs::read(&path).unwrap()).contains(text)
            })
            .count()
    };
    assert!(with(LITERAL) >= 4 && with("${TOKEN}") >= 4);
}
