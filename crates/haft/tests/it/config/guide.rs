//! The guide's files are read without a problem, and every key there is stands in it.

use std::{fs, path::Path};

use haft::config::{Config, ConfigProblemKind, ConfigSource, Environment};
use serde_json::Value;

use super::{Folder, named};

fn guide() -> String {
    chapter("configuration")
}

fn chapter(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../docs/guide/{name}.md"));
    fs::read_to_string(path).unwrap()
}

/// The code blocks of a language.
fn blocks<'t>(text: &'t str, language: &str) -> Vec<&'t str> {
    let opening = format!("```{language}\n");
    text.split(&opening).skip(1).map(|rest| rest.split_once("\n```").unwrap().0).collect()
}

#[test]
fn what_the_guide_shows_can_be_read() {
    let (text, folder) = (guide(), Folder::new());
    let (toml, json) = (blocks(&text, "toml"), blocks(&text, "json"));
    assert!(!toml.is_empty() && !json.is_empty());
    let files = toml.iter().map(|text| ("a.toml", text)).chain(json.iter().map(|text| ("a.json", text)));
    for (name, text) in files {
        let config = named(&folder.file(name, text)).unwrap();
        assert_eq!(config.problems(), [], "{text}");
        assert!(config.mcp_servers().len() >= 2);
    }
}

#[test]
fn what_the_chapter_on_servers_shows_can_be_read_and_says_the_same_twice() {
    let (text, folder) = (chapter("add-a-server"), Folder::new());
    let mut names = Vec::new();
    for (name, text) in [("a.json", blocks(&text, "json")[0]), ("a.toml", blocks(&text, "toml")[0])] {
        let environment = Environment::empty(folder.0.clone()).with_variable("SEARCH_TOKEN", "s3cr3t");
        let config = Config::load(&environment, &ConfigSource::File(folder.file(name, text))).unwrap();
        assert_eq!(config.problems(), [], "{text}");
        names.push(config.mcp_servers().iter().map(|server| server.name().to_owned()).collect::<Vec<_>>());
    }
    assert_eq!(names, [["files", "search"], ["files", "search"]]);
}

/// They are for other programs, so all that can be told here is that they are what those read.
#[test]
fn what_clients_are_given_is_json() {
    let blocks = blocks(&chapter("connect-a-client"), "json").join("\n");
    let values = serde_json::Deserializer::from_str(&blocks).into_iter::<Value>();
    let programs = values.map(|value| {
        let value = value.unwrap();
        let servers = value.get("mcpServers").or(value.get("servers")).unwrap();
        servers["haft"].get("command").or(servers["haft"].get("url")).unwrap().as_str().unwrap().to_owned()
    });
    assert_eq!(programs.collect::<Vec<_>>(), ["haft", "haft", "http://127.0.0.1:8848/mcp"]);
}

#[test]
fn every_key_stands_in_the_guide() {
    let (text, schema) = (guide(), Config::schema());
    let toml = blocks(&text, "toml").join("\n");
    let mut looked = 0;
    for pointer in [
        "/properties",
        "/properties/leniency/properties",
        "/properties/servers/additionalProperties/properties",
    ] {
        for (key, schema) in schema.pointer(pointer).unwrap().as_object().unwrap() {
            let shown = toml
                .lines()
                .any(|line| line.starts_with(&format!("{key} =")) || line.starts_with(&format!("[{key}")));
            assert!(
                shown || text.contains(&format!(" {key}")) || key == "$schema",
                "{key} stands not in the guide"
            );
            assert!(
                schema["description"].as_str().is_some_and(|help| help.ends_with('.')),
                "{key} is described"
            );
            looked += 1;
        }
    }
    assert!(looked > 25, "{looked}");
}

#[test]
fn every_code_has_its_section() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/error-codes.md");
    let text = fs::read_to_string(path).unwrap();
    for code in ConfigProblemKind::ALL.map(ConfigProblemKind::code).into_iter().chain([2910]) {
        assert!(text.contains(&format!("\n### {code} ")), "{code}");
    }
}
