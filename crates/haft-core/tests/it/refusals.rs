//! Refusals convert between text and value without loss, whatever they say.

use haft_core::{Refusal, ToolError, field};
use proptest::{collection::vec, prelude::*};

use crate::script::runner;

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[a-z\t\n\r\u{0}\u{85}\u{2028}\u{2029} ]{0,12}",
        Just("refused".to_owned()),
        Just(String::new()),
    ]
}

fn refusal() -> impl Strategy<Value = Refusal> {
    ("[a-z][a-z0-9-]{0,12}", text(), vec(vec(text(), 0..4), 0..4)).prop_map(|(code, message, rows)| {
        let mut refusal = Refusal::new(&code, &message).unwrap();
        for row in rows {
            refusal.push_row(row);
        }
        refusal
    })
}

fn is_code(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|first| first.is_ascii_lowercase())
        && letters.all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
}

#[test]
fn a_refusal_reads_back_from_both_of_its_forms() {
    runner(2_000)
        .run(&refusal(), |refusal| {
            assert_eq!(Refusal::parse(&refusal.body()).as_ref(), Some(&refusal));
            assert_eq!(Refusal::parse(&refusal.rows_text()).as_ref(), Some(&refusal));
            assert_eq!(refusal.body(), format!("refused\t{}", refusal.rows_text()));
            assert_eq!(refusal.rows_text().split('\n').count(), 1 + refusal.rows().len());
            Ok(())
        })
        .unwrap();
}

/// Text is a refusal exactly when it is what a refusal would write.
#[test]
fn other_text_is_no_refusal() {
    let texts = prop_oneof![
        any::<String>(),
        "(refused\t)?[a-zA-Z0-9-]{0,6}\t[a-z \t\n\r\u{85}]{0,12}",
        refusal().prop_map(|refusal| refusal.body()),
        (refusal(), any::<prop::sample::Index>(), any::<char>()).prop_map(|(refusal, place, c)| {
            let mut letters: Vec<char> = refusal.body().chars().collect();
            let place = place.index(letters.len());
            letters[place] = c;
            letters.into_iter().collect()
        }),
    ];
    runner(4_000)
        .run(&texts, |text| {
            let first: Vec<&str> = text.split('\n').next().unwrap().split('\t').collect();
            let head = if first.len() == 3 && first[0] == "refused" { &first[1..] } else { &first[..] };
            let separators = |c: char| c == '\t' || c == '\n';
            let expected = head.len() == 2
                && is_code(head[0])
                && !text
                    .replace(separators, "")
                    .contains(|c: char| c.is_control() || "\u{2028}\u{2029}".contains(c));
            let parsed = Refusal::parse(&text);
            assert_eq!(parsed.is_some(), expected, "{text:?}");
            if let Some(refusal) = parsed {
                assert!(text == refusal.body() || text == refusal.rows_text(), "{text:?}");
            }
            Ok(())
        })
        .unwrap();
    for text in [
        "",
        "refused",
        "\t",
        "refused\t\t",
        "refused\tNot-a-code\tno",
        "refused\t1a\tno",
        "refused\ta\tb\tc",
        "all went well",
        "Error: a\tb",
        "a\tb\rc",
        r#"{"error":"ToolExecutionError"}"#,
        "refused\ta\tb\n\u{85}",
    ] {
        assert_eq!(Refusal::parse(text), None, "{text:?}");
    }
}

#[test]
fn a_value_is_made_safe_for_one_field_and_no_more() {
    runner(1_000)
        .run(&text(), |text| {
            let safe = field(&text);
            assert_eq!(safe.chars().count(), text.chars().count());
            for (before, after) in text.chars().zip(safe.chars()) {
                let breaks = before.is_control() || matches!(before, '\u{2028}' | '\u{2029}');
                assert_eq!(after, if breaks { ' ' } else { before });
            }
            assert_eq!(field(&safe), safe);
            Ok(())
        })
        .unwrap();
}

#[test]
fn a_code_is_checked_by_the_host_and_mended_for_a_tool() {
    runner(1_000)
        .run(&(text(), text()), |(code, message)| {
            assert_eq!(Refusal::new(&code, &message).is_ok(), is_code(&code));
            let error = ToolError::refusal(&code, &message).row([&message]);
            let refusal = error.refused().unwrap();
            assert!(is_code(refusal.code()));
            if is_code(&code) {
                assert_eq!(refusal.code(), code);
            }
            assert_eq!(refusal.message(), field(&message));
            Ok(())
        })
        .unwrap();
    let error = Refusal::new("Not Found", "").unwrap_err();
    assert_eq!((error.code(), error.text.as_str()), (2101, "Not Found"));
    assert_eq!(ToolError::refusal("Not Found!", "").refused().unwrap().code(), "not-found-");
}
