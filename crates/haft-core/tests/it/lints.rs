//! Advice on tools.

use std::collections::BTreeSet;
use std::time::Duration;

use haft_core::{Args, Json, Lint, LintLevel, LintRow, Linter, Projection, Tool, ToolBuilder, ToolRegistry};
use serde_json::{Value, json};

fn named(name: &str, description: &str, schema: &Value) -> Tool {
    let run = |Args(arguments): Args<Value>| arguments.to_string();
    Tool::builder(name).description(description).schema(schema.clone()).run_sync(run).expect("it is defined")
}

fn ids(rows: &[LintRow]) -> Vec<&'static str> {
    rows.iter().map(|row| row.lint.id()).collect()
}

const GOOD: &str = "Finds the customers whose name matches, by page.";

fn good() -> Value {
    json!({"type": "object", "required": ["query"], "properties": {
        "query": {"type": "string", "description": "Part of the name."},
        "page": {"type": "integer", "description": "Which page.", "default": 1},
        "city": {"type": "string", "description": "Where they live; by default anywhere."},
    }})
}

#[test]
fn a_good_tool_needs_no_advice() {
    let rows = Linter::new().provider(Projection::Mcp).tool(&named("search_customers", GOOD, &good()));
    assert_eq!(rows, []);
}

/// Each practice has its lint, fires for its fault alone, and is silent once allowed.
#[test]
fn each_practice_has_its_lint() {
    let without = |name: &str, keyword: &str| {
        let mut schema = good();
        schema["properties"][name].as_object_mut().expect("an object").remove(keyword);
        schema
    };
    let builder = || -> ToolBuilder { Tool::builder("search_customers").description(GOOD) };
    let output =
        json!({"type": "object", "properties": {"names": {"type": "array", "items": {"type": "string"}}}});
    let cases: [(&str, Tool, &[&str]); 9] = [
        ("vague-name", named("Search", GOOD, &good()), &[]),
        ("short-description", named("search_customers", "Finds customers.", &good()), &[]),
        ("description-is-name", named("search_all_the_customers", "Search all the customers", &good()), &[]),
        (
            "undescribed-parameter",
            named("search_customers", GOOD, &without("query", "description")),
            &["/properties/query"],
        ),
        (
            "unstated-default",
            named("search_customers", GOOD, &without("page", "default")),
            &["/properties/page"],
        ),
        ("text-output", builder().output_schema(output.clone()).run_sync(|| "none").expect("a tool"), &[]),
        (
            "text-output",
            builder()
                .output_schema(output)
                .run(|| async { Ok::<_, std::fmt::Error>("none") })
                .expect("a tool"),
            &[],
        ),
        ("blocking-without-timeout", builder().run_blocking(|| "none").expect("a tool"), &[]),
        ("long-description", named("search_customers", &GOOD.repeat(30), &good()), &[]),
    ];
    for (id, tool, places) in cases {
        let lint: Lint = id.parse().expect("a lint");
        let linter = Linter::new().provider(Projection::OpenAi);
        let rows = linter.clone().tool(&tool);
        assert_eq!(ids(&rows), [id], "{rows:?}");
        assert_eq!(rows[0].places, places);
        assert_eq!(rows[0].level, LintLevel::Advice);
        assert!(!rows[0].mend.is_empty());
        assert_eq!(linter.clone().allow(lint).tool(&tool), []);
        assert_eq!(linter.clone().allow_for(tool.name(), lint).tool(&tool), []);
        assert_eq!(ids(&linter.allow_for("another", lint).tool(&tool)), [id]);
    }
    let timed = builder().timeout(Duration::from_secs(1)).run_blocking(|| Json(1_u8)).expect("a tool");
    assert_eq!(Linter::new().provider(Projection::OpenAi).tool(&timed), []);
}

/// What a provider would refuse or get less of has its lint, with the place.
#[test]
fn providers_are_told_apart() {
    let of = |projection: Projection, property: &Value| {
        let schema = json!({"type": "object", "required": ["p"], "properties": {"p": property}});
        let rows = Linter::new().provider(projection).allow(Lint::UndescribedParameter).tool(&named(
            "search_customers",
            GOOD,
            &schema,
        ));
        let rows: Vec<_> = rows.into_iter().map(|row| (row.lint, row.places)).collect();
        rows
    };
    let places = |places: &[&str]| places.iter().map(|place| (*place).to_owned()).collect::<Vec<_>>();
    let p = || places(&["/properties/p"]);
    assert_eq!(of(Projection::Lean, &json!({"description": "Any."})), [(Lint::Refused, p())]);
    assert_eq!(of(Projection::OpenAiStrict, &json!({"type": "object"})), [(Lint::NotStrict, p())]);
    let list = json!({"type": "array", "items": {"type": "string"}, "uniqueItems": true, "maxItems": 3});
    assert_eq!(
        of(Projection::Gemini, &list),
        [(Lint::Dropped, places(&["/properties/p/maxItems", "/properties/p/uniqueItems"]))]
    );
    let either = json!({"oneOf": [{"type": "string"}, {"type": "integer"}]});
    assert_eq!(of(Projection::Gemini, &either), [(Lint::Weakened, places(&["/properties/p/oneOf"]))]);
    assert_eq!(of(Projection::Gemini, &json!({"enum": ["", "a"]})), [(Lint::Narrowed, p())]);
    assert_eq!(of(Projection::Anthropic, &list), []);

    let odd = named(
        "9_customers",
        GOOD,
        &json!({"type": "object", "properties": {"$top": {"type": "integer", "default": 1}}}),
    );
    let rows = Linter::new().provider(Projection::Gemini).allow(Lint::UndescribedParameter).tool(&odd);
    assert_eq!(ids(&rows), ["renamed"]);
    assert_eq!(rows[0].places, ["/properties/$top"]);
}

/// One row a tool, provider and lint, in the order of registration; what is refused decides.
#[test]
fn a_report_has_one_row_for_each() {
    let many = json!({"type": "object", "properties": {
        "a": {"description": "Any."}, "b": {"description": "Any."}, "$c": {"type": ["string", "null"]}, "-d": {"oneOf": [{"type": "integer"}, {"type": "null"}]},
    }});
    let registry = ToolRegistry::builder()
        .tool(named("zeta_search", GOOD, &good()))
        .tool(named("1st", "First", &many))
        .build()
        .expect("it builds");
    let report = Linter::new().registry(&registry);
    assert_eq!(report.tools, 2);
    assert!(report.is_refused());
    let keys: Vec<_> = report.rows.iter().map(|row| (row.tool.clone(), row.provider, row.lint)).collect();
    assert_eq!(keys.iter().collect::<BTreeSet<_>>().len(), keys.len(), "{keys:?}");
    let rest = Linter::new().allow(Lint::Refused).registry(&registry);
    assert!(!rest.is_refused());
    let sent = serde_json::to_value(&report).expect("it serialises");
    assert_eq!(sent["tools"], 2);
    let row = sent["rows"]
        .as_array()
        .expect("rows")
        .iter()
        .find(|row| row["lint"] == "refused")
        .expect("one is refused");
    assert_eq!(
        (&row["tool"], &row["provider"], &row["level"]),
        (&json!("1st"), &json!("lean"), &json!("refused"))
    );
    let advice = sent["rows"].as_array().expect("rows").iter().find(|row| row["lint"] == "short-description");
    assert_eq!(advice.expect("it is short")["provider"], "any");
    assert_eq!(Linter::new().provider(Projection::Lean).unusable("x", "no name").len(), 1);
}

#[test]
fn every_lint_has_an_id_of_its_own() {
    let ids: BTreeSet<&str> = Lint::ALL.map(Lint::id).into_iter().collect();
    assert_eq!(ids.len(), Lint::ALL.len());
    for lint in Lint::ALL {
        assert_eq!(Lint::parse(lint.id()), Some(lint));
    }
    let error = "vague".parse::<Lint>().expect_err("there is none");
    assert!(error.to_string().contains("vague-name"), "{error}");
}
