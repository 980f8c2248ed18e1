//! Which files count, and what of several of them.

use std::path::Path;

use haft::{
    Leniency, ToolCall, UnknownFields,
    config::{
        Config, ConfigOrigin, ConfigSource, Environment, ServerState, Trust, TrustStore, content_digest,
    },
};

use super::Folder;

fn in_folder(folder: &Folder) -> Environment {
    Environment::empty(folder.0.join("work"))
        .with_config_folder(folder.0.join("user"))
        .with_state_folder(folder.0.join("state"))
}

fn found(folder: &Folder) -> Config {
    Config::load(&in_folder(folder), &ConfigSource::Found).unwrap()
}

fn trust(folder: &Folder, file: &Path) {
    let store = TrustStore::of(&in_folder(folder)).unwrap();
    store.trust(file, content_digest(&std::fs::read(file).unwrap())).unwrap();
}

fn names(config: &Config) -> Vec<String> {
    config.mcp_servers().iter().map(|server| server.name().to_owned()).collect()
}

fn tools(config: &Config) -> Vec<String> {
    let registry = config.registry_builder().unwrap().build().unwrap();
    registry.iter().map(|tool| tool.name().to_owned()).collect()
}

#[test]
fn without_a_file_there_are_the_built_in_tools() {
    let folder = Folder::new();
    for config in [
        found(&folder),
        Config::default(),
        Config::load(&in_folder(&folder), &ConfigSource::Nothing).unwrap(),
    ] {
        assert_eq!(config.files(), []);
        assert_eq!(tools(&config), ["calculate", "current_date", "day_name"]);
        assert_eq!((names(&config), config.leniency()), (Vec::new(), Leniency::default()));
    }
    // Nor where there is no user.
    let config = Config::load(&Environment::empty(&folder.0), &ConfigSource::Found).unwrap();
    assert_eq!((config.files(), config.problems()), (&[][..], &[][..]));
}

#[test]
fn a_nearer_file_goes_before_a_farther_one_setting_by_setting() {
    let folder = Folder::new();
    folder.file(
        "user/haft.toml",
        "builtin = [\"math\"]\n[leniency]\nunknown_fields = \"as_schema\"\nrepairs = false\n",
    );
    folder.file("work/haft.toml", "builtin = [\"day-name\"]\n[leniency]\nrepairs = true\n");
    let config = found(&folder);
    assert_eq!(tools(&config), ["day_name"]);
    assert_eq!(config.leniency(), Leniency::default().with_unknown_fields(UnknownFields::AsSchema));
    let origins: Vec<_> = config.files().iter().map(|file| (file.origin, file.trust)).collect();
    assert_eq!(origins, [(ConfigOrigin::Folder, Trust::NotNeeded), (ConfigOrigin::User, Trust::NotNeeded)]);
}

#[test]
fn servers_of_a_folder_wait_for_trust_and_the_rest_works() {
    let folder = Folder::new();
    folder.file("user/haft.toml", "[servers.mine]\ncommand = \"mine\"\n[servers.both]\ncommand = \"user\"\n");
    let file = folder.file(
        "work/.mcp.json",
        r#"{"mcpServers": {"theirs": {"command": "theirs"}, "both": {"url": "https://a"}}}"#,
    );
    let config = found(&folder);
    // A server that nobody has trusted hides none.
    assert_eq!(names(&config), ["mine", "both"]);
    let problems: Vec<String> = config.problems().iter().map(ToString::to_string).collect();
    assert_eq!(problems.len(), 1);
    assert!(problems[0].ends_with(".mcp.json: the servers theirs, both are left out: nobody has trusted this file; `haft trust` shows what would be started, and asks"), "{problems:?}");
    assert_eq!(config.problems()[0].code(), 2909);

    trust(&folder, &file);
    let config = found(&folder);
    assert_eq!(config.problems(), []);
    assert_eq!(names(&config), ["theirs", "both", "mine"]);
    let shadowed = config.servers().last().unwrap();
    assert!(matches!(shadowed.state, ServerState::Shadowed), "{shadowed:?}");

    // One character more, and it asks again.
    folder.file(
        "work/.mcp.json",
        r#"{"mcpServers": {"theirs": {"command": "theirs"}, "both": {"url": "https://b"}}}"#,
    );
    let config = found(&folder);
    assert_eq!(names(&config), ["mine", "both"]);
    assert!(config.problems()[0].message.contains("the file has changed since it was trusted"));
}

#[test]
fn harmless_settings_of_a_folder_count_at_once() {
    let folder = Folder::new();
    folder.file("work/haft.toml", "builtin = [\"math\"]\n[servers.a]\ncommand = \"a\"\nenabled = false\n");
    let config = found(&folder);
    assert_eq!((tools(&config), config.problems()), (vec!["calculate".to_owned()], &[][..]));
    assert_eq!(config.files()[0].trust, Trust::NotNeeded, "it starts nothing");
}

#[test]
fn a_named_file_is_trusted_and_alone() {
    let folder = Folder::new();
    folder.file("user/haft.toml", "[servers.mine]\ncommand = \"mine\"\n");
    folder.file("work/other.toml", "[servers.other]\ncommand = \"other\"\n");
    let source = ConfigSource::File("other.toml".into());
    let config = Config::load(&in_folder(&folder), &source).unwrap();
    assert_eq!(names(&config), ["other"]);
    assert_eq!(config.files()[0].origin, ConfigOrigin::Named);
}

#[test]
fn an_mcp_json_that_can_not_be_read_costs_itself_alone_a_haft_toml_everything() {
    let folder = Folder::new();
    folder.file("user/haft.toml", "[servers.mine]\ncommand = \"mine\"\n");
    folder.file("work/mcp.json", "{\"servers\"");
    let config = found(&folder);
    assert_eq!(names(&config), ["mine"]);
    assert_eq!(config.problems()[0].code(), 2902);
    folder.file("work/haft.toml", "concurency = 3\n");
    let error = Config::load(&in_folder(&folder), &ConfigSource::Found).unwrap_err();
    assert!(
        error.to_string().ends_with("haft.toml:1:1: unknown key `concurency`; did you mean `concurrency`?"),
        "{error}"
    );
}

#[test]
fn a_server_that_is_switched_off_nearby_is_off() {
    let folder = Folder::new();
    folder.file("user/haft.toml", "[servers.a]\ncommand = \"a\"\n");
    folder.file("work/haft.toml", "[servers.a]\ncommand = \"a\"\nenabled = false\n");
    assert_eq!(names(&found(&folder)), Vec::<String>::new());
}

#[test]
fn who_stands_in_the_configuration_directory_is_the_user() {
    let folder = Folder::new();
    folder.file("user/haft.toml", "[servers.a]\ncommand = \"a\"\n");
    let environment = in_folder(&folder);
    let there =
        Environment::empty(folder.0.join("user")).with_config_folder(environment.config_folder().unwrap());
    let config = Config::load(&there, &ConfigSource::Found).unwrap();
    assert_eq!((names(&config), config.files().len()), (vec!["a".to_owned()], 1));
}

#[test]
fn leniency_is_set_for_all_and_for_one_source() {
    let folder = Folder::new();
    let text = "[leniency]\nrepairs = [\"scalar-text\"]\n[leniency.builtin]\nunknown_fields = \"as_schema\"\nrepairs = [\"name\"]\n";
    let source = ConfigSource::File(folder.file("a.toml", text));
    let config = Config::load(&in_folder(&folder), &source).unwrap();
    let valid = |config: &Config, name: &str, arguments: &str| {
        let registry = config.registry_builder().unwrap().build().unwrap();
        registry.validate(&ToolCall::new("c", name, arguments)).is_some_and(|verdict| verdict.valid)
    };
    assert!(valid(&config, "Day-Name", r#"{"date": "2026-11-30"}"#));
    let strict = config.repairing_nothing();
    assert!(!valid(&strict, "Day-Name", r#"{"date": "2026-11-30"}"#));
    assert_eq!(strict.leniency(), Leniency::strict());
}

/// Whatever way leads from haft to haft, the chain ends.
#[test]
fn a_haft_below_haft_below_haft_starts_no_servers() {
    let folder = Folder::new();
    let source = ConfigSource::File(folder.file("a.toml", "[servers.a]\ncommand = \"wrapper\"\n"));
    let mut environment = in_folder(&folder);
    for depth in 0..4 {
        let config = Config::load(&environment, &source).unwrap();
        assert_eq!(config.mcp_servers().len(), usize::from(depth < 2), "{depth}");
        assert_eq!(config.problems().len(), usize::from(depth >= 2), "{depth}");
        environment = environment.with_variable("HAFT_DEPTH", (depth + 1).to_string());
    }
}
