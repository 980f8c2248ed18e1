//! Commands in a folder with a configuration: what counts, what is said of it, and what is not.

use serde_json::{Value, json};

use crate::haft::{Folder, Run, command, run};

/// A user with a folder to work in.
pub(crate) struct User {
    pub(crate) folder: Folder,
}

impl User {
    pub(crate) fn new() -> Self {
        let folder = Folder::new();
        for name in ["project", "home", "config/haft", "state"] {
            std::fs::create_dir_all(format!("{}/{name}", folder.path())).unwrap();
        }
        Self { folder }
    }

    /// Runs the command in the folder.
    pub(crate) fn haft(&self, arguments: &[&str]) -> Run {
        self.haft_with(arguments, "")
    }

    pub(crate) fn haft_with(&self, arguments: &[&str], input: &str) -> Run {
        let mut command = command(arguments);
        let path = |name: &str| format!("{}/{name}", self.folder.path());
        command.current_dir(path("project")).env("TOKEN", SECRET);
        for (name, folder) in [("HOME", "home"), ("XDG_CONFIG_HOME", "config"), ("XDG_STATE_HOME", "state")] {
            command.env(name, path(folder));
        }
        let ran = run(command, input);
        assert!(!ran.stdout.contains(SECRET) && !ran.stderr.contains(SECRET), "{ran:#?}");
        // Paths differ in every run.
        let plain = |text: &str| text.replace(&self.folder.path(), "");
        Run { code: ran.code, stdout: plain(&ran.stdout), stderr: plain(&ran.stderr) }
    }

    pub(crate) fn file(&self, name: &str, text: &str) -> String {
        self.folder.file(name, text)
    }
}

/// The value of the variable `TOKEN`; no output ever holds it.
pub(crate) const SECRET: &str = "s3cr3t-of-the-environment";

const WAITING: &str =
    r#"{"mcpServers": {"notes": {"command": "no-such-program", "env": {"KEY": "${TOKEN}"}}}}"#;

fn names(run: &Run) -> Vec<String> {
    let name = |line: &str| line.split_whitespace().next().unwrap_or_default().to_owned();
    run.stdout.lines().map(name).collect()
}

#[test]
fn without_a_configuration_everything_is_as_ever() {
    let user = User::new();
    assert_eq!(names(&user.haft(&["list"]).exits(0).quiet()), ["calculate", "current_date", "day_name"]);
    assert_eq!(user.haft(&["call", "calculate", r#"{"expression":"1+1"}"#]).exits(0).quiet().stdout, "2\n");
}

#[test]
fn the_folder_the_user_and_the_command_line_say_which_tools_there_are() {
    let user = User::new();
    user.file("config/haft/haft.toml", "builtin = [\"math\"]\n");
    assert_eq!(names(&user.haft(&["list"]).exits(0).quiet()), ["calculate"]);
    user.file("project/haft.toml", "builtin = [\"day-name\"]\n");
    assert_eq!(names(&user.haft(&["list"]).exits(0).quiet()), ["day_name"]);
    let other = user.file("other.toml", "builtin = false\n");
    assert_eq!(names(&user.haft(&["list", "--config", &other]).exits(0).quiet()), [""; 0]);
    assert_eq!(names(&user.haft(&["list", "--no-config"]).exits(0).quiet()).len(), 3);
    let run = user.haft(&["call", "calculate", r#"{"expression":"1+1"}"#]).exits(1);
    assert_eq!(run.json()["tools"], json!(["day_name"]));
    let message =
        r#"{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"calculate","input":{}}]}"#;
    let run = user.haft_with(&["turn"], message).exits(0);
    assert!(run.stdout.contains("not-found"), "{run:#?}");
    let run = user.haft(&["lint", "--json"]).exits(0).quiet();
    assert_eq!(run.json()["tools"], 1);
    user.haft(&["show", "day_name"]).exits(0).quiet();
    user.haft(&["show", "calculate"]).exits(2);
}

#[test]
fn limits_and_leniency_hold_for_calls() {
    let user = User::new();
    let call = ["call", "Day-Name", r#"{"date": "2026-11-30"}"#];
    user.haft(&call).exits(0);
    user.file("project/haft.toml", "[leniency]\nrepairs = false\n");
    user.haft(&call).exits(1);
    user.haft(&[&call[..], &["--no-config"]].concat()).exits(0);
    user.haft(&[&call[..], &["--no-config", "--strict"]].concat()).exits(1);
}

#[test]
fn a_mistake_is_told_with_its_place_and_nothing_runs() {
    let user = User::new();
    user.file("project/haft.toml", "concurency = 4\n\n[builtin]\nmats = true\n");
    for arguments in [&["list"][..], &["call", "calculate", "{}"], &["show", "x"], &["lint"], &["config"]] {
        let run = user.haft(arguments).exits(2);
        insta::allow_duplicates! {
            insta::assert_snapshot!(run.stderr, @r"
            haft: error: /project/haft.toml:1:1: unknown key `concurency`; did you mean `concurrency`?
            haft: error: /project/haft.toml:4:1: there is no built-in tool `mats`; did you mean `math`?
            ");
        }
        assert_eq!(run.stdout, "");
    }
    // Who reads no configuration has none.
    user.haft(&["list", "--no-config"]).exits(0).quiet();
    user.haft(&["config", "schema"]).exits(0).quiet();
}

#[test]
fn the_configuration_has_to_exist_where_it_is_named() {
    let user = User::new();
    let run = user.haft(&["list", "--config", "none.toml"]).exits(2);
    assert_eq!(run.stderr, "haft: error: /project/none.toml: the file does not exist\n");
    let run = user.haft(&["list", "--config", "none.toml", "--no-config"]).exits(2);
    assert!(run.stderr.contains("cannot be used with"), "{run:#?}");
}

#[test]
fn what_waits_for_trust_is_told_where_it_matters() {
    let user = User::new();
    user.file("project/.mcp.json", WAITING);
    let note = "haft: note: /project/.mcp.json: the server notes is left out: nobody has trusted this file; \
                `haft trust` shows what would be started, and asks\n";
    for arguments in [&["list"][..], &["lint"]] {
        assert_eq!(user.haft(arguments).exits(0).stderr, note);
    }
    let run = user.haft(&["call", "notes__add"]).exits(1);
    assert_eq!((run.stderr.as_str(), &run.json()["kind"]), (note, &json!("not-found")));
    // A built-in tool needs no server.
    user.haft(&["call", "current_date"]).exits(0).quiet();
    user.haft(&["show", "current_date"]).exits(0).quiet();
}

#[test]
fn the_effective_configuration_is_shown_without_secrets() {
    let user = User::new();
    user.file("project/.mcp.json", WAITING);
    user.file(
        "config/haft/haft.toml",
        "timeout = \"20s\"\n[servers.search]\nurl = \"https://example.com/?k=${TOKEN}\"\n",
    );
    let shown = user.haft(&["config"]).exits(0).quiet().json();
    assert_eq!(
        shown["files"][0],
        json!({"path": "/project/.mcp.json", "origin": "folder", "trust": "missing"})
    );
    assert_eq!(shown["files"][1]["origin"], "user");
    assert_eq!(shown["timeout"], "20s");
    let states: Vec<&Value> =
        shown["servers"].as_array().unwrap().iter().map(|server| &server["state"]).collect();
    assert_eq!(states, ["untrusted", "ready"]);
    assert_eq!(shown["servers"][1]["url"], "https://example.com/?k=${TOKEN}");
    assert_eq!(shown["problems"][0]["code"], 2909);
}

#[test]
fn the_schema_is_printed_as_it_is_published() {
    let published = include_str!("../../../../docs/haft.schema.json");
    let printed = User::new().haft(&["config", "schema"]).exits(0).quiet();
    assert_eq!(printed.json(), serde_json::from_str::<Value>(published).unwrap());
}

#[test]
fn built_in_tools_are_listed_by_their_spec_names() {
    let user = User::new();
    user.file("project/haft.toml", "[builtin]\nday-name = false\n");
    let run = user.haft(&["list", "--builtin"]).exits(0).quiet();
    let lines: Vec<&str> = run.stdout.lines().take(4).collect();
    assert_eq!(
        lines,
        [
            "math          on   calculate",
            "current-date  on   current_date",
            "day-name      off  day_name",
            "http          not there yet"
        ]
    );
    assert_eq!(run.stdout.lines().count(), 17);
    let json = user.haft(&["list", "--builtin", "--json"]).exits(0).quiet().json();
    assert_eq!(json[2], json!({"name": "day-name", "enabled": false, "tools": ["day_name"]}));
    user.haft(&["list", "--builtin", "--as", "mcp"]).exits(2);
}
