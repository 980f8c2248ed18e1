//! What the README and the guide show of the command is what it prints.

use std::{fs, path::Path};

use crate::haft::{Run, haft, haft_with};

/// The text of a document of the repository.
fn document(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)).unwrap()
}

/// The code block that follows `mark`, without its fence.
fn block_after<'a>(text: &'a str, mark: &str) -> &'a str {
    let rest = text.split_once(mark).unwrap_or_else(|| panic!("{mark:?} is not shown")).1;
    let block = rest.split_once("```").unwrap().1;
    block.split_once('\n').unwrap().1.split_once("\n```").unwrap().0
}

/// Asserts that each line shown is the line printed, where `…` stands for anything.
#[track_caller]
fn shows(shown: &str, run: &Run) {
    assert_eq!(shown.lines().count(), run.stdout.lines().count(), "{shown}\n{run:#?}");
    for (shown, printed) in shown.lines().zip(run.stdout.lines()) {
        let mut rest = printed;
        for part in shown.split('…').map(str::trim) {
            let at = rest.find(part).unwrap_or_else(|| panic!("{part:?} is not in {printed:?}"));
            rest = rest.split_at(at + part.len()).1;
        }
        assert!(shown.contains('…') || shown.trim() == printed.trim(), "{shown}\n{printed}");
    }
}

#[test]
fn the_readme_shows_what_a_turn_prints() {
    let text = document("README.md");
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/first-call.json");
    shows(block_after(&text, "turn testdata/first-call.json\n```"), &haft(&["turn", file]).exits(0));
}

#[test]
fn the_guide_shows_what_a_message_on_standard_input_prints() {
    let text = document("docs/guide/your-own-client.md");
    let session = block_after(&text, "## Without Rust");
    let (message, shown) = session.split_once("' | haft turn\n").unwrap();
    let message = message.strip_prefix("$ echo '").unwrap();
    shows(shown, &haft_with(&["turn"], message).exits(0));
}
