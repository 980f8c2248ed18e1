//! Mutated files: whatever the bytes, there is a configuration or an error of one line a mistake, never a panic.

use std::fs;

use haft::config::{Config, ConfigSource, Environment};

use super::{Folder, data};
use crate::fuzzing::{Random, one_line};

/// The fuzz body: takes any bytes.
fn reads(folder: &Folder, name: &str, bytes: &[u8]) -> bool {
    let path = folder.file(name, bytes);
    let environment = Environment::empty(&folder.0).with_variable("TOKEN", "t");
    match Config::load(&environment, &ConfigSource::File(path)) {
        Ok(config) => {
            let shown = serde_json::to_string(&config).unwrap();
            assert!(shown.len() < 100_000 + 2 * bytes.len(), "{}", shown.len());
            config.problems().iter().for_each(|problem| one_line(&problem.to_string()));
            config.registry_builder().unwrap().build().unwrap();
            for server in config.mcp_servers() {
                // A tool's name is split at the first `__`.
                assert!(!server.name().is_empty() && !server.name().contains("__"), "{}", server.name());
            }
            true
        }
        Err(error) => {
            assert!(!error.problems().is_empty() && error.problems().len() <= 100);
            error.problems().iter().for_each(|problem| one_line(&problem.to_string()));
            false
        }
    }
}

const FRAGMENTS: &[&str] = &[
    "null",
    "[]",
    "{}",
    "\"\"",
    "7",
    "true",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\\",
    "\\ud83d",
    "\\u0000",
    "\u{202e}",
    "\n",
    "=",
    "#",
    "'''",
    "\"\"\"",
    "//",
    "/*",
    "*/",
    "${",
    "${TOKEN}",
    "${A:-b}",
    "$${",
    "{env:TOKEN}",
    "command = ",
    "\"command\":",
    "\"mcp\":",
    "[servers.a]\n",
    "[[servers]]\n",
    "servers.b.",
    "1e999",
    "0x",
    "2026-11-30",
    "\u{feff}",
    "é",
];

fn mutate(random: &mut Random, bytes: &mut Vec<u8>) {
    let at = random.below(bytes.len() + 1);
    let end = at + random.below(24.min(bytes.len() - at + 1));
    match random.below(4) {
        0 => drop(bytes.splice(at..at, FRAGMENTS[random.below(FRAGMENTS.len())].bytes())),
        1 => drop(bytes.splice(at..end, FRAGMENTS[random.below(6)].bytes())),
        2 => drop(bytes.drain(at..end)),
        _ => {
            let repeated = bytes[at..end].repeat(random.below(4));
            bytes.splice(at..at, repeated);
        }
    }
}

#[test]
fn every_file_is_read_or_refused() {
    let folder = Folder::new();
    let mut random = Random::new();
    let (mut tried, mut read) = (0, 0);
    for (kind, mutations) in [("good", 60), ("bad", 20)] {
        let mut files: Vec<_> =
            fs::read_dir(data().join(kind)).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.retain(|path| path.extension().is_none_or(|extension| extension != "expected"));
        files.sort();
        for path in files {
            let seed = fs::read(&path).unwrap();
            let name = path.file_name().unwrap().to_str().unwrap();
            for _ in 0..mutations {
                let mut bytes = seed.clone();
                for _ in 0..=random.below(3) {
                    mutate(&mut random, &mut bytes);
                }
                tried += 1;
                read += usize::from(reads(&folder, name, &bytes));
            }
        }
    }
    // Mutations that all break the syntax would try next to nothing.
    assert!(read * 10 > tried, "{read} of {tried} files were read");
}

#[test]
fn depth_and_size_are_no_danger() {
    let folder = Folder::new();
    let n = 100_000;
    let toml = [
        format!("a = {}{}", "[".repeat(n), "]".repeat(n)),
        format!("a = {}{}", "{a=".repeat(n), "}".repeat(n)),
        format!("{}a = 1", "a.".repeat(n)),
        format!("[{}a]\nb = 1", "a.".repeat(n)),
        format!("servers.{}a = 1", "a.".repeat(n)),
        "[[a]]\n".repeat(n),
        (0..n).map(|i| format!("a{i}=1")).collect::<Vec<_>>().join("\n"),
        format!("builtin = [{}]", "\"x\",".repeat(n)),
        format!("a = \"{}\"", "x".repeat(500_000)),
    ];
    for text in toml {
        reads(&folder, "a.toml", text.as_bytes());
    }
    let json = [
        format!("{}1{}", "{\"a\":".repeat(n), "}".repeat(n)),
        format!("{{\"mcpServers\":{}{}}}", "[".repeat(n), "]".repeat(n)),
        format!(
            "{{\"mcpServers\":{{{}\"z\":1}}}}",
            (0..20_000).map(|i| format!("\"a{i}\":1,")).collect::<Vec<_>>().concat()
        ),
        format!("{{\"mcpServers\":{{\"a\":{{\"command\":\"{}\"}}}}}}", "${".repeat(n)),
        format!("{{{}", "/**/".repeat(n)),
        "{//".repeat(n),
    ];
    for text in json {
        reads(&folder, "a.json", text.as_bytes());
    }
}
