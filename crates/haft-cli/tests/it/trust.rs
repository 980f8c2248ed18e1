//! `haft trust`: what is shown, what is remembered, and that a changed file asks again.

use serde_json::json;

use crate::configured::User;

const SERVERS: &str = r#"{"mcpServers": {
  "notes": {"command": "python3", "args": ["notes.py", "a b", "--token", "abcdefgh", "${TOKEN}"],
            "env": {"KEY": "${TOKEN}", "LITERAL": "s3cr3t-literal"}, "cwd": "sub"},
  "search": {"url": "https://me:pw@example.com/mcp?key=s3cr3t-literal", "headers": {"Authorization": "Bearer ${OTHER:-x}"}},
  "off": {"command": "off", "disabled": true},
  "wrong": {"command": 3}
}}"#;

fn states(user: &User) -> Vec<String> {
    let shown = user.haft(&["config"]).exits(0).json();
    let servers = shown["servers"].as_array().unwrap();
    servers.iter().map(|server| server["state"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn nothing_is_trusted_where_nobody_can_be_asked() {
    let user = User::new();
    user.file("project/.mcp.json", SERVERS);
    // A yes that nobody typed at a terminal is none.
    let run = user.haft_with(&["trust"], "y\n").exits(1);
    insta::assert_snapshot!(run.stdout, @r#"
    /project/.mcp.json has 4 servers:
      wrong
        faulty  `command`: expected text, found a number
      notes
        starts  python3 notes.py "a b" --token *** ${TOKEN}
        in      sub
        gives   KEY, LITERAL
        reads   TOKEN
      search
        asks    https://***@example.com/mcp?key=***
        sends   Authorization
        reads   OTHER
      off (off)
        starts  off
    "#);
    assert_eq!(
        run.stderr,
        "haft: note: /project/.mcp.json is not trusted; `haft trust --yes` trusts it without asking\n"
    );
    assert_eq!(states(&user), ["faulty", "untrusted", "untrusted", "disabled"]);
}

#[test]
fn a_file_is_trusted_until_it_changes() {
    let user = User::new();
    user.file("project/.mcp.json", SERVERS);
    let run = user.haft(&["trust", "--yes"]).exits(0);
    assert!(run.stdout.ends_with("\n/project/.mcp.json is trusted until it changes\n"), "{run:#?}");
    assert_eq!(run.stderr, "");
    assert_eq!(states(&user), ["faulty", "ready", "ready", "disabled"]);
    let run = user.haft(&["trust", "--yes"]).exits(0);
    assert_eq!(run.stderr, "haft: note: nothing in the working directory waits for trust\n");

    user.file("project/.mcp.json", &SERVERS.replace("notes.py", "evil.py"));
    assert_eq!(states(&user), ["faulty", "untrusted", "untrusted", "disabled"]);
    let run = user.haft(&["trust"]).exits(1);
    assert!(run.stdout.contains("has 4 servers; it has changed since it was trusted:"), "{run:#?}");
    // What it was is trusted still.
    user.file("project/.mcp.json", SERVERS);
    assert_eq!(states(&user), ["faulty", "ready", "ready", "disabled"]);
}

#[test]
fn trust_is_listed_and_taken_back() {
    let user = User::new();
    assert_eq!(user.haft(&["trust", "--list"]).exits(0).stderr, "haft: note: no file is trusted\n");
    user.file("project/.mcp.json", SERVERS);
    user.file("project/haft.toml", "[servers.a]\ncommand = \"a\"\n");
    let other = user.file("other.json", SERVERS);
    user.haft(&["trust", "--yes"]).exits(0);
    user.haft(&["trust", "--yes", &other]).exits(0);
    user.file("project/haft.toml", "[servers.a]\ncommand = \"b\"\n");
    let run = user.haft(&["trust", "--list"]).exits(0).quiet();
    assert_eq!(
        run.stdout,
        "trusted  /other.json\ntrusted  /project/.mcp.json\nchanged  /project/haft.toml\n"
    );
    let listed = user.haft(&["trust", "--list", "--json"]).exits(0).quiet().json();
    assert_eq!((&listed[0]["file"], &listed[0]["state"]), (&json!("/other.json"), &json!("trusted")));

    let run = user.haft(&["trust", "--revoke", &other]).exits(0);
    assert_eq!(run.stdout, "/other.json is trusted no more\n");
    let run = user.haft(&["trust", "--revoke", &other]).exits(0);
    assert_eq!(run.stdout, "/other.json was not trusted\n");
    assert_eq!(user.haft(&["trust", "--revoke"]).exits(0).quiet().stdout.lines().count(), 2);
    assert_eq!(user.haft(&["trust", "--list"]).exits(0).stdout, "");
}

#[test]
fn a_program_reads_what_was_trusted() {
    let user = User::new();
    user.file("project/mcp.json", SERVERS);
    let reports = user.haft(&["trust", "--json"]).exits(1).json();
    assert_eq!((&reports[0]["file"], &reports[0]["trusted"]), (&json!("/project/mcp.json"), &json!(false)));
    assert_eq!(
        reports[0]["servers"][2],
        json!({"name": "search", "url": "https://***@example.com/mcp?key=***", "headers": ["Authorization"], "reads": ["OTHER"]})
    );
    let reports = user.haft(&["trust", "--json", "--yes"]).exits(0).json();
    assert_eq!(reports[0]["trusted"], true);
    assert_eq!(reports[0]["digest"].as_str().unwrap().len(), 64);
}

#[test]
fn a_file_without_servers_needs_no_trust_and_a_broken_one_gets_none() {
    let user = User::new();
    let file = user.file("a.toml", "concurrency = 3\n");
    let run = user.haft(&["trust", "--yes", &file]).exits(0);
    assert!(run.stderr.ends_with("a.toml names no server and needs no trust\n"), "{run:#?}");
    let file = user.file("b.toml", "concurrency = \n");
    let run = user.haft(&["trust", "--yes", &file]).exits(2);
    assert!(run.stderr.contains("b.toml:1:15: this is no TOML"), "{run:#?}");
    user.haft(&["trust", "--yes", "none.toml"]).exits(2);
    user.haft(&["trust", "--yes", "--list"]).exits(2);
}

#[test]
fn text_of_a_file_can_not_steer_the_terminal() {
    let user = User::new();
    user.file("project/.mcp.json", r#"{"mcpServers": {"a": {"command": "x\u001b[2J\u202e", "args": ["\n  b\n", "y; rm -rf ~"], "env": {"\u001bA": "1"}}}}"#);
    let run = user.haft(&["trust"]).exits(1);
    assert!(!run.stdout.contains(['\u{1b}', '\u{202e}']), "{run:#?}");
    assert!(run.stdout.contains(r#""x\u{1b}[2J\u{202e}" "\n  b\n" "y; rm -rf ~""#), "{run:#?}");
}

#[test]
fn without_a_home_trust_is_refused_with_the_reason() {
    let user = User::new();
    user.file("project/.mcp.json", SERVERS);
    // A file where the folder of trust should be.
    user.file("state/haft", "");
    let run = user.haft(&["trust", "--yes"]).exits(2);
    assert!(run.stderr.starts_with("haft: error: /state/haft/trusted"), "{run:#?}");
    // Commands say so, and go on.
    let run = user.haft(&["list"]).exits(0);
    assert!(run.stderr.contains("left out") && run.stdout.contains("calculate"), "{run:#?}");
}
