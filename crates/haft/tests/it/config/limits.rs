//! Limits and leniency that were set are those that calls have.

use std::{future::pending, time::Duration};

use haft::{
    CallContext, Tool, ToolCall, ToolErrorKind, ToolSource,
    config::{Config, ConfigSource},
};
use serde_json::json;

use super::{Folder, environment};

fn config(text: &str) -> Config {
    let folder = Folder::new();
    let file = folder.file("haft.toml", text);
    Config::load(&environment(&folder.0), &ConfigSource::File(file)).unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_call_ends_after_the_time_that_was_set() {
    let config = config("timeout = \"3m\"\ngrace = \"5s\"\nconcurrency = 7\n");
    let waits = Tool::builder("wait").description("Waits for ever.").run(pending::<String>);
    let registry = config.registry_builder().unwrap().tool(waits).build().unwrap();
    let builder = config.dispatcher_builder(registry);
    assert!(format!("{builder:?}").contains("concurrency: 7"), "{builder:?}");
    let begun = tokio::time::Instant::now();
    let result = builder.build().call("wait", "{}", CallContext::new()).await.unwrap();
    assert_eq!(result.error().unwrap().kind(), ToolErrorKind::Timeout);
    assert!((180..190).contains(&begun.elapsed().as_secs()), "{:?}", begun.elapsed());
    let unset = config_without_limits();
    let registry = unset.registry_builder().unwrap().build().unwrap();
    assert!(format!("{:?}", unset.dispatcher_builder(registry)).contains("concurrency: 32"));
    assert!(Duration::from_secs(180) < begun.elapsed() + Duration::from_secs(1));
}

fn config_without_limits() -> Config {
    config("")
}

/// A call with a field that the schema does not list, and with a number as text.
fn valid(config: &Config, source: ToolSource) -> (bool, bool) {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
    let tool = Tool::builder("t").description("Does.").schema(schema).source(source).run_sync(|| "done");
    let registry = config.registry_builder().unwrap().tool(tool).build().unwrap();
    let valid = |arguments: &str| registry.validate(&ToolCall::new("c", "t", arguments)).unwrap().valid;
    (valid(r#"{"n": 1, "x": 2}"#), valid(r#"{"n": "1"}"#))
}

#[test]
fn leniency_of_a_source_is_that_of_all_but_for_what_it_says() {
    let config = config("[leniency]\nrepairs = false\n[leniency.mcp]\nunknown_fields = \"as_schema\"\n");
    assert_eq!(valid(&config, ToolSource::Mcp), (true, false));
    assert_eq!(valid(&config, ToolSource::Http), (false, false));
    let config = config_without_limits();
    assert_eq!(valid(&config, ToolSource::Mcp), (false, true));
    let config = self::config("[leniency.mcp]\nrepairs = []\n");
    assert_eq!(valid(&config, ToolSource::Mcp), (false, false));
    assert_eq!(valid(&config, ToolSource::Http), (false, true));
}
