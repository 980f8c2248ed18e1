//! Variables are filled in where the server is made, and nowhere else.

use haft::{config::Config, source::mcp::McpTransport};

use super::{LITERAL, SECRET, data, named};

fn transport(config: &Config, name: &str) -> McpTransport {
    let servers = config.mcp_servers();
    servers.iter().find(|server| server.name() == name).unwrap().transport().clone()
}

#[test]
fn every_value_that_may_hold_a_secret_is_filled_in() {
    let config = named(&data().join("good/everything.toml")).unwrap();
    let McpTransport::Stdio { command, arguments, environment, folder } = transport(&config, "files") else {
        panic!("a program");
    };
    assert_eq!(command, "npx");
    assert_eq!(arguments, ["-y", "@modelcontextprotocol/server-filesystem", ".", "7", "true"]);
    let environment: Vec<_> =
        environment.iter().map(|(name, value)| (name.to_str().unwrap(), value.to_str().unwrap())).collect();
    assert_eq!(environment, [("DEPTH", "3"), ("HAFT_DEPTH", "1"), ("LEVEL", "info"), ("TOKEN", SECRET)]);
    assert_eq!(folder.unwrap(), data().join("good/data"));

    let McpTransport::Http { url, headers } = transport(&config, "search") else { panic!("an address") };
    assert_eq!(url, format!("https://example.com/mcp?key={SECRET}"));
    assert_eq!(headers["Authorization"], format!("Bearer {SECRET}"));
    assert_eq!(headers["X-Team"], "none");
}

#[test]
fn placeholders_have_defaults_and_can_be_written_as_text() {
    let config = named(&data().join("good/placeholders.toml")).unwrap();
    let McpTransport::Stdio { command, arguments, folder, .. } = transport(&config, "a") else {
        panic!("a program");
    };
    assert_eq!(command, "/opt/tools/run");
    let all = format!("a{SECRET}b{SECRET}c");
    assert_eq!(arguments, ["${LITERAL}", SECRET, "", "instead", "$TOKEN", "{env:TOKEN}", all.as_str()]);
    assert_eq!(folder.unwrap(), std::path::Path::new("/home/me/work"));
}

#[test]
fn the_placeholders_of_other_programs_are_filled_in_too() {
    let good = data().join("good");
    let config = named(&good.join("vscode.json")).unwrap();
    let McpTransport::Stdio { arguments, environment, .. } = transport(&config, "memory") else {
        panic!("a program");
    };
    assert_eq!(arguments, ["-y", "server-memory", good.to_str().unwrap()]);
    assert!(!environment.contains_key(std::ffi::OsStr::new("GONE")));
    assert_eq!(environment[std::ffi::OsStr::new("LEVEL")], SECRET);

    let config = named(&good.join("opencode.jsonc")).unwrap();
    let McpTransport::Stdio { command, arguments, environment, .. } = transport(&config, "local") else {
        panic!("a program");
    };
    assert_eq!((command.to_str().unwrap(), arguments.len()), ("bun", 4));
    assert_eq!(arguments, ["x", "server", "--quiet", "last"]);
    assert_eq!(environment[std::ffi::OsStr::new("KEY")], SECRET);
    let McpTransport::Http { headers, .. } = transport(&config, "remote") else { panic!("an address") };
    assert_eq!(headers["Authorization"], format!("Bearer {SECRET}"));

    let config = named(&good.join("claude-desktop.json")).unwrap();
    let McpTransport::Stdio { environment, .. } = transport(&config, "filesystem") else {
        panic!("a program")
    };
    assert_eq!(environment[std::ffi::OsStr::new("API_KEY")], LITERAL);
}

/// What other programs fill in, and haft does not, is told: else a server gets the placeholder for a key.
#[test]
fn placeholders_that_stay_as_they_are_are_told() {
    let config = named(&data().join("good/other-placeholders.json")).unwrap();
    let stays = |what: &str| format!("{what} stays as it is written: only ${{NAME}} is filled in here");
    let told: Vec<&str> =
        config.remarks().iter().map(|remark| remark.split_once(": ").map_or("", |(_, told)| told)).collect();
    let places = [
        "the variable A of the server program",
        "the variable B of the server program",
        "the variable C of the server program",
        "an argument of the server program",
        "the header Authorization of the server address",
    ];
    assert_eq!(told, places.map(stays));
}

#[test]
fn a_path_in_the_own_folder_is_found_there_and_arguments_stay() {
    let config = named(&data().join("good/tilde.json")).unwrap();
    let McpTransport::Stdio { command, arguments, folder, .. } = transport(&config, "home") else {
        panic!("a program");
    };
    assert_eq!((command.to_str(), folder.unwrap()), (Some("/home/me/bin/server"), "/home/me".into()));
    assert_eq!(arguments, ["~/notes"]);
}
