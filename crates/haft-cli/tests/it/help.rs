//! The help of every command shows lines that work as they stand, and completions load into a shell.

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path, process::Command};

use crate::haft::{Folder, haft};

/// The commands that `haft --help` lists, but for `help` itself.
fn commands() -> Vec<String> {
    let help = haft(&["--help"]).exits(0).quiet().stdout;
    let list = help.split_once("Commands:\n").unwrap().1.split_once("\n\n").unwrap().0;
    let names = list.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next().map(str::to_owned));
    names.filter(|name| !name.is_empty() && name != "help").collect()
}

/// The lines under `Examples:`.
fn examples(help: &str) -> Vec<&str> {
    let rest = help.split_once("Examples:\n").unwrap_or_else(|| panic!("no examples in {help}")).1;
    rest.lines().map_while(|line| line.strip_prefix("  ")).collect()
}

/// The files and other commands that the examples name, and the folders that they write to.
fn furnish(folder: &Folder) {
    let message = r#"{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"day_name","input":{"date":"2026-11-30"}}]}"#;
    let schema = r#"{"type":"object","properties":{"a":{"type":"integer"}}}"#;
    let tools = format!(
        r#"{{"tools":[{{"name":"get_user"}},{{"name":"search"}},{{"name":"add","inputSchema":{schema}}}]}}"#
    );
    folder.file("response.json", message);
    folder.file("message.json", message);
    folder.file("request.json", "{}");
    folder.file("tools.json", &tools);
    folder.file("calls.jsonl", "{\"name\":\"add\",\"arguments\":{\"a\":1}}\n");
    folder.file("arguments.json", schema);
    folder.file("haft.toml", "builtin = true\n");
    folder.file(
        "mcp.json",
        r#"{"mcpServers": {"maths": {"command": "haft", "args": ["serve", "--no-config"]}}}"#,
    );
    for (name, text) in [("curl", message), ("some-mcp-client", &tools)] {
        let file = folder.file(name, format!("#!/bin/sh\ncat << 'END'\n{text}\nEND\n"));
        fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
    }
    for place in [".local/share/bash-completion/completions", ".zfunc", ".config/fish/completions"] {
        fs::create_dir_all(format!("{}/{place}", folder.path())).unwrap();
    }
}

#[test]
fn every_example_of_the_help_works_as_it_stands() {
    let folder = Folder::new();
    furnish(&folder);
    let built = Path::new(env!("CARGO_BIN_EXE_haft")).parent().unwrap().to_str().unwrap().to_owned();
    let path = format!("{}:{built}:{}", folder.path(), std::env::var("PATH").unwrap());
    let mut ran = 0;
    for command in commands().into_iter().map(Some).chain([None]) {
        let arguments: Vec<String> = command.into_iter().chain(["--help".to_owned()]).collect();
        let help = haft(&arguments).exits(0).quiet().stdout;
        // A server at a fixed port is another test's: see `serve`.
        for line in examples(&help).into_iter().filter(|line| !line.contains("--http")) {
            let mut shell = Command::new("sh");
            shell.args(["-c", line]).current_dir(folder.path()).env("PATH", &path).env("HOME", folder.path());
            shell.env_remove("XDG_CONFIG_HOME").env_remove("XDG_STATE_HOME");
            let output = shell.stdin(std::process::Stdio::null()).output().unwrap();
            let told = String::from_utf8(output.stderr).unwrap();
            // `haft lint` and `haft doctor` may find something; nothing else fails.
            let worked = output.status.code().is_some_and(|code| {
                code == 0 || code == 1 && (line.contains("lint") || line.contains("doctor"))
            });
            assert!(worked && !told.contains("haft: error"), "{line}\n{told}");
            assert!(
                !output.stdout.is_empty()
                    || line.contains('>')
                    || line.contains("lint")
                    || line.contains("serve"),
                "{line}\n{told}"
            );
            ran += 1;
        }
    }
    assert!(ran > 20, "{ran} examples");
}

#[test]
fn completions_of_every_shell_name_every_command() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = haft(&["completions", shell]).exits(0).quiet().stdout;
        for command in commands() {
            assert!(script.contains(&command), "{shell}: {command}");
        }
    }
}

#[test]
fn completions_load_into_bash_and_complete() {
    let folder = Folder::new();
    let script = folder.file("haft.bash", haft(&["completions", "bash"]).exits(0).stdout);
    // The words so far, the last of which is completed, and a completion.
    let cases = [
        ("haft va", "validate"),
        ("haft turn --from ''", "openai-responses"),
        ("haft list --as ''", "anthropic"),
        ("haft completions ''", "fish"),
        ("haft call --js", "--json"),
    ];
    for (words, expected) in cases {
        let text = format!(
            "set -eu; . '{script}'; set -- {words}; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); \
             _haft haft \"${{COMP_WORDS[$COMP_CWORD]}}\" \"${{COMP_WORDS[$COMP_CWORD - 1]}}\"; echo \"${{COMPREPLY[@]}}\""
        );
        let output = Command::new("bash").args(["--norc", "-c", &text]).output().unwrap();
        let (told, found) =
            (String::from_utf8(output.stderr).unwrap(), String::from_utf8(output.stdout).unwrap());
        assert!(output.status.success() && told.is_empty(), "{words}: {told}");
        assert!(found.split_whitespace().any(|word| word == expected), "{words}: {found}");
    }
}
