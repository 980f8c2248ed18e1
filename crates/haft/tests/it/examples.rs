//! The example programs do what their first lines say.

use std::{fs, path::Path};

#[path = "../../examples/approval.rs"]
#[allow(dead_code, reason = "the program's `main` is not called here")]
mod approval;

/// What the program prints.
async fn run(arguments: &[&str]) -> Vec<String> {
    let mut out = Vec::new();
    approval::run(arguments, &mut out).await.unwrap();
    String::from_utf8(out).unwrap().lines().map(str::to_owned).collect()
}

fn id(line: &str) -> &str {
    line.split(' ').next().unwrap()
}

#[tokio::test]
async fn an_approval_in_one_process() {
    let lines = run(&[]).await;
    assert!(
        lines[0].ends_with(r#" waits: may transfer run with {"amount":500,"to":"Grace"}?"#),
        "{lines:#?}"
    );
    assert!(lines[1].ends_with(r#" waits: may transfer run with {"amount":700,"to":"Alan"}?"#), "{lines:#?}");
    assert_eq!(lines[2], lines[1], "the second one waits still");
    assert_eq!(
        lines[3..],
        ["call_1: 20 went to Ada", "call_2: 500 went to Grace", "call_3: 700 went to Alan"]
    );
}

#[tokio::test]
async fn an_approval_across_restarts() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("approval-{}.jsonl", std::process::id()));
    let file = path.to_str().unwrap();
    let waiting = run(&["begin", file]).await;
    // A crash while a line was written leaves a part of it.
    let torn = fs::read_to_string(file).unwrap() + r#"[{"v":1,"session":"s-1","tu"#;
    fs::write(file, torn).unwrap();
    let still = run(&["answer", file, id(&waiting[1]), "reject"]).await;
    assert_eq!(still, waiting[..1]);
    let lines = run(&["answer", file, id(&waiting[0]), "approve"]).await;
    assert_eq!(lines[..2], ["call_1: 20 went to Ada", "call_2: 500 went to Grace"]);
    assert!(lines[2].contains("a person rejected the call of transfer: a person said no"), "{lines:#?}");
    // An answer is used once, and a turn that has ended is not taken up.
    let again = approval::run(&["answer", file, id(&waiting[0]), "approve"], &mut Vec::new()).await;
    assert!(again.unwrap_err().to_string().contains("has ended"));
    let unknown = approval::run(&["answer", file, "apr_0", "approve"], &mut Vec::new()).await;
    assert_eq!(unknown.unwrap_err().to_string(), "nothing waits for apr_0");
    assert!(approval::run(&["begin"], &mut Vec::new()).await.is_err());
    fs::remove_file(path).unwrap();
}

/// Two clicks on one button, in two processes.
#[tokio::test]
async fn an_approval_that_two_processes_hear_of_is_used_once() {
    let name = format!("approval-twice-{}.jsonl", std::process::id());
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let file = path.to_str().unwrap();
    let waiting = run(&["begin", file]).await;
    let (mut out, mut other_out) = (Vec::new(), Vec::new());
    let click = ["answer", file, id(&waiting[0]), "approve"];
    let (one, other) = tokio::join!(approval::run(&click, &mut out), approval::run(&click, &mut other_out));
    assert!(one.is_ok() != other.is_ok(), "{one:?} {other:?}");
    let written = fs::read_to_string(file).unwrap();
    assert_eq!(written.matches(r#""type":"approval_resolved""#).count(), 1, "{written}");
    // The first call needed no approval, and ran when the turn began.
    assert_eq!(written.matches(r#""type":"call_started""#).count(), 2, "{written}");
    fs::remove_file(path).unwrap();
}
