//! The list of known faults: each has its test, or names the later part of the product that it waits for.

use std::{collections::BTreeSet, path::Path};

use serde::Deserialize;

use crate::support;

/// The areas that the table below covers.
const AREAS: [&str; 8] = [
    "schema/provider",
    "tool names",
    "results",
    "concurrency",
    "arguments",
    "approvals/HITL",
    "durable",
    "mcp",
];

/// A part of the product that is not there yet.
#[derive(Debug, Clone, Copy)]
enum Later {
    /// Rules that allow, ask and deny.
    Rules,
    Files,
    Shell,
    LargeOutputs,
    PolicyFile,
    /// Forms of the console and the command line.
    Forms,
    Todo,
    /// Tools made of a service's description.
    OpenApi,
}

/// A fault of the list: what proves that it is none here, and what has to come before the rest can be proved.
struct Case {
    id: &'static str,
    /// Test files from the folder `crates`, each with a test.
    tests: &'static [(&'static str, &'static str)],
    later: &'static [Later],
}

const fn proved(id: &'static str, tests: &'static [(&'static str, &'static str)]) -> Case {
    Case { id, tests, later: &[] }
}

const fn partly(
    id: &'static str,
    tests: &'static [(&'static str, &'static str)],
    later: &'static [Later],
) -> Case {
    Case { id, tests, later }
}

const fn waits(id: &'static str, later: &'static [Later]) -> Case {
    Case { id, tests: &[], later }
}

const NAMES: &str = "haft-core/tests/it/names.rs";
const JUDGE: &str = "haft-core/tests/it/schema_judge.rs";
const PLAIN: &str = "haft-core/tests/it/projection_cases.rs";
const FORMS: &str = "haft-core/tests/it/projection_providers.rs";
const DEFINE: &str = "haft-core/tests/it/schema_define.rs";
const REPAIRS: &str = "haft-core/tests/it/repairs.rs";
const NAME_REPAIR: &str = "haft-core/tests/it/name_repair.rs";
const OUTPUTS: &str = "haft-core/tests/it/outputs.rs";
const EVENTS: &str = "haft-core/tests/it/events.rs";
const DETACHED: &str = "haft-core/tests/it/detached.rs";
const APPROVALS: &str = "haft-core/tests/it/approvals.rs";
const INTERRUPTED: &str = "haft-core/tests/it/interrupted.rs";
const PROVIDERS: &str = "haft/tests/it/provider/properties.rs";
const RECORDED: &str = "haft/tests/it/provider/recorded.rs";
const READING: &str = "haft/tests/it/provider/reading.rs";

const SOURCE: &str = "haft/tests/it/mcp_source/list.rs";
const SOURCE_CALLS: &str = "haft/tests/it/mcp_source/calls.rs";
const SOURCE_FAULTS: &str = "haft/tests/it/mcp_source/faults.rs";
const SOURCE_PROGRAM: &str = "haft/tests/it/mcp_source/program.rs";
const SERVE: &str = "haft/tests/it/serve/cases.rs";
const SERVE_ERAS: &str = "haft/tests/it/serve/eras.rs";
const SERVE_OBSERVED: &str = "haft/tests/it/serve/observed.rs";
const SUPERVISE: &str = "haft-cli/tests/it/supervise.rs";

const CASES: [Case; 73] = [
    // Schemas for providers.
    proved("B01", &[(FORMS, "gemini_has_one_type_that_may_be_null")]),
    proved("B02", &[(PLAIN, "mcp_offers_one_way_to_leave_a_property_out")]),
    proved("B04", &[(PLAIN, "formats_of_no_vocabulary_are_stripped_everywhere")]),
    proved("B05", &[(FORMS, "gemini_always_has_items")]),
    proved("B07", &[(FORMS, "gemini_gets_only_its_own_keywords")]),
    proved("B08", &[(FORMS, "gemini_lists_literals")]),
    proved("B10", &[(FORMS, "gemini_gets_only_its_own_keywords")]),
    proved(
        "B11",
        &[
            (DEFINE, "faults_are_named_by_their_place"),
            (PLAIN, "what_is_no_schema_is_refused_with_its_place"),
        ],
    ),
    proved("B13", &[(PLAIN, "alternatives_at_the_root_are_told_and_still_hold")]),
    proved(
        "B14",
        &[(PLAIN, "the_root_is_always_one_object"), (PLAIN, "one_bad_tool_does_not_sink_the_others")],
    ),
    proved("B16", &[(PLAIN, "null_and_absent_keywords_are_never_sent")]),
    proved("B17", &[(PLAIN, "null_and_absent_keywords_are_never_sent")]),
    proved("B19", &[(FORMS, "strict_is_decided_per_tool")]),
    proved("B20", &[(FORMS, "strict_references_stand_alone")]),
    proved(
        "B22",
        &[
            (PLAIN, "loops_of_references_end"),
            (FORMS, "gemini_has_recursion_written_out_to_a_bound"),
            (DEFINE, "recursion_and_loops_end"),
        ],
    ),
    proved("B23", &[(PLAIN, "loops_of_references_end"), (DEFINE, "recursion_and_loops_end")]),
    proved("B25", &[(JUDGE, "unknown_fields_are_refused_and_named")]),
    proved("B26", &[(JUDGE, "unknown_fields_are_refused_and_named")]),
    // Tool names.
    proved(
        "B28",
        &[(NAMES, "every_listed_name_reaches_its_tool"), (FORMS, "every_name_that_is_sent_reaches_its_tool")],
    ),
    proved(
        "B29",
        &[
            (NAMES, "foreign_names_become_names_of_one_tool_each"),
            (NAMES, "names_that_meet_are_told_apart_by_the_original"),
        ],
    ),
    proved(
        "B31",
        &[
            (NAMES, "a_name_is_what_every_provider_takes"),
            (FORMS, "every_name_that_is_sent_reaches_its_tool"),
        ],
    ),
    proved(
        "B32",
        &[
            (NAMES, "foreign_names_become_names_of_one_tool_each"),
            (SOURCE, "tools_are_named_after_their_server_and_found_by_their_own_name"),
        ],
    ),
    proved(
        "B34",
        &[
            (NAME_REPAIR, "a_name_that_one_tool_alone_is_like_is_that_tools"),
            (NAME_REPAIR, "two_tools_that_are_meant_alike_are_both_named"),
        ],
    ),
    partly("B35", &[(NAME_REPAIR, "whoever_decides_sees_the_tools_own_name")], &[Later::Rules]),
    proved("B37", &[(NAMES, "an_unknown_name_is_answered_with_the_tools_there_are")]),
    // Arguments.
    proved("B38", &[(JUDGE, "no_text_is_no_arguments")]),
    proved("B40", &[(JUDGE, "null_counts_as_left_out_where_it_is_refused")]),
    proved("B41", &[(JUDGE, "null_is_kept_where_it_is_allowed")]),
    waits("B43", &[Later::Forms]),
    proved("B44", &[(REPAIRS, "empty_text_is_left_out_where_it_is_refused")]),
    proved("B46", &[(REPAIRS, "arguments_encoded_twice_are_decoded_once")]),
    proved("B47", &[(REPAIRS, "numbers_and_booleans_are_read_out_of_text")]),
    proved(
        "B49",
        &[(JUDGE, "truncated_and_malformed_differ"), (REPAIRS, "what_was_cut_off_is_never_mended")],
    ),
    proved("B50", &[(JUDGE, "truncated_and_malformed_differ")]),
    partly("B52", &[(JUDGE, "integers_stay_exact"), (EVENTS, "events_keep_every_digit")], &[Later::Forms]),
    proved("B53", &[(JUDGE, "integers_stay_exact"), (READING, "arguments_stay_as_they_were_written")]),
    waits("B55", &[Later::PolicyFile]),
    proved("B56", &[(JUDGE, "duplicate_keys_are_refused")]),
    proved("B58", &[(REPAIRS, "allowed_values_are_found_in_another_letter_case")]),
    // Results.
    proved("B70", &[(OUTPUTS, "nothing_stays_nothing"), (PROVIDERS, "every_result_goes_back_once")]),
    proved("B71", &[(PROVIDERS, "every_result_goes_back_once")]),
    proved("B73", &[(SERVE_ERAS, "with_a_handshake"), (SERVE_ERAS, "without_a_handshake")]),
    proved(
        "B74",
        &[(OUTPUTS, "a_text_that_looks_like_a_failure_is_a_success"), (SOURCE_CALLS, "text_comes_back")],
    ),
    waits("B76", &[Later::LargeOutputs]),
    waits("B77", &[Later::Files, Later::Shell]),
    proved(
        "B79",
        &[
            (OUTPUTS, "a_failure_is_no_output"),
            (SOURCE_CALLS, "structured_results_are_checked_by_the_output_schema"),
        ],
    ),
    proved(
        "B80",
        &[
            (OUTPUTS, "declared_output_has_to_be_there"),
            (SOURCE_CALLS, "structured_results_are_checked_by_the_output_schema"),
        ],
    ),
    proved("B82", &[(DETACHED, "a_cancelled_turn_tells_what_ran_from_what_never_did")]),
    proved(
        "B83",
        &[
            (RECORDED, "results_go_back_as_each_provider_wants_them"),
            (PROVIDERS, "every_result_goes_back_once"),
        ],
    ),
    // Concurrency.
    waits("B85", &[Later::Files]),
    waits("B86", &[Later::Todo]),
    proved("B88", &[(DETACHED, "a_panic_on_a_thread_is_no_cancellation")]),
    proved("B89", &[(SOURCE_CALLS, "a_call_without_progress_ends_and_the_server_is_told")]),
    proved(
        "B91",
        &[
            (SOURCE_CALLS, "a_cancelled_call_is_cancelled_at_the_server_too"),
            (SERVE_OBSERVED, "a_cancelled_call_ends_and_has_no_answer"),
        ],
    ),
    // Approvals.
    proved("B110", &[(APPROVALS, "a_repeated_call_with_other_arguments_is_asked_about_anew")]),
    proved("B112", &[(APPROVALS, "three_approvals_are_asked_once_each")]),
    proved("B113", &[(APPROVALS, "each_pending_approval_survives_a_restart_and_routes_to_its_call")]),
    proved("B115", &[(APPROVALS, "a_pending_sibling_holds_the_turn")]),
    proved("B116", &[(APPROVALS, "an_edit_is_recorded_and_told_to_the_model")]),
    // Turns that survive their process.
    proved("B118", &[(INTERRUPTED, "what_may_have_been_done_is_not_done_again")]),
    partly("B119", &[(INTERRUPTED, "a_call_that_runs_again_sends_the_same_key")], &[Later::OpenApi]),
    // MCP.
    proved("B92", &[(SOURCE_FAULTS, "noise_on_the_line_is_skipped")]),
    proved("B94", &[(SOURCE_FAULTS, "an_answer_that_is_no_text_fails_its_call_alone")]),
    proved("B95", &[(SERVE, "b95_an_unknown_version_is_answered_with_one_that_is_known")]),
    proved("B97", &[(SERVE, "b97_what_has_no_id_has_no_answer")]),
    proved(
        "B98",
        &[
            (SERVE, "b98_ids_come_back_as_they_were_written"),
            (SOURCE_CALLS, "answers_find_their_calls_in_any_order_and_as_text_or_number"),
        ],
    ),
    proved("B100", &[(SOURCE, "all_pages_are_read_whatever_the_cursor")]),
    proved(
        "B101",
        &[
            (SOURCE, "a_cursor_that_never_moves_ends_the_list"),
            (SERVE, "b101_a_list_that_fits_has_no_cursor"),
        ],
    ),
    proved(
        "B103",
        &[
            (SOURCE_CALLS, "progress_keeps_a_call_alive_and_is_handed_on"),
            (SOURCE_CALLS, "a_server_that_only_ever_reports_progress_meets_the_ceiling"),
        ],
    ),
    proved(
        "B104",
        &[
            (SOURCE_PROGRAM, "closing_ends_all_that_a_program_started"),
            (SUPERVISE, "all_that_a_server_started_ends_when_its_host_is_killed"),
        ],
    ),
    proved(
        "B106",
        &[
            (SOURCE_FAULTS, "a_large_answer_comes_whole"),
            (SOURCE_FAULTS, "an_answer_beyond_the_cap_fails_its_call_alone"),
        ],
    ),
    proved(
        "B107",
        &[(SOURCE_FAULTS, "a_line_that_never_ends_costs_its_call_and_what_came_before_it_is_there")],
    ),
    proved("B109", &[(SOURCE_PROGRAM, "a_program_gets_few_variables_and_those_that_are_given")]),
];

#[derive(Deserialize)]
struct Listed {
    id: String,
    area: String,
}

/// Every fault of the areas stands in the table, and nothing else does.
#[test]
fn every_case_has_its_test_or_waits() {
    let Some(folder) = support::cases("every_case_has_its_test_or_waits") else { return };
    let list = std::fs::read_to_string(folder.join("cases.jsonl")).unwrap();
    let listed = list.lines().map(|line| serde_json::from_str::<Listed>(line).unwrap());
    let listed: BTreeSet<String> =
        listed.filter(|case| AREAS.contains(&case.area.as_str())).map(|case| case.id).collect();
    let table: BTreeSet<String> = CASES.iter().map(|case| case.id.to_owned()).collect();
    assert_eq!(table, listed, "the table has to name each case of {AREAS:?}");
}

/// Whether a file has a test of that name: a function under an attribute that makes it one.
fn has_test(text: &str, name: &str) -> bool {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let declared = format!("fn {name}(");
    lines.iter().enumerate().any(|(place, line)| {
        // Attributes may span lines; a blank line or the end of another item is above them.
        let above = lines[..place].iter().rev().take_while(|line| !line.is_empty() && !line.ends_with('}'));
        let mut above = above.filter(|line| line.starts_with("#[test") || line.starts_with("#[tokio::test"));
        line.contains(&declared) && above.next().is_some()
    })
}

#[test]
fn every_test_that_a_case_names_exists() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for Case { id, tests, later } in CASES {
        assert!(!tests.is_empty() || !later.is_empty(), "{id} has neither a test nor what it waits for");
        for (file, test) in tests {
            let text = std::fs::read_to_string(crates.join(file));
            let text = text.unwrap_or_else(|error| panic!("{id} names {file}: {error}"));
            assert!(has_test(&text, test), "{id} names {file}::{test}, which is no test");
        }
    }
    let ids: BTreeSet<&str> = CASES.iter().map(|case| case.id).collect();
    assert_eq!(ids.len(), CASES.len(), "a case stands there twice");
}

#[test]
fn only_tests_are_taken_for_tests() {
    let text = "fn helper() {}\n/// Says.\n#[test]\n/// More.\nfn real() {}\n#[tokio::test(start_paused = true)]\nasync fn waits() {}\n";
    assert!(has_test(text, "real") && has_test(text, "waits"));
    assert!(!has_test(text, "helper") && !has_test(text, "absent") && !has_test(text, "rea"));
}
