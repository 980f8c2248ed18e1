//! The schema that editors use says what the reader says.

use std::{fs, path::Path};

use haft::{InputSchema, Leniency, config::Config};

use super::data;

/// The schema without its root's title and the like; each says the same of a value.
fn accepts(value: &toml::Value) -> Result<(), String> {
    let schema = InputSchema::remote(Config::schema()).unwrap();
    let text = serde_json::to_string(value).unwrap();
    schema
        .judge(&text, &Leniency::none())
        .verdict
        .map(drop)
        .map_err(|refused| format!("{:?}", refused.issues))
}

fn toml_files(folder: &str) -> Vec<(String, String)> {
    let files = fs::read_dir(data().join(folder)).unwrap().map(|entry| entry.unwrap().path());
    let files = files.filter(|path| path.extension().is_some_and(|extension| extension == "toml"));
    let read = |path: std::path::PathBuf| Some((path.display().to_string(), fs::read_to_string(path).ok()?));
    files.filter_map(read).collect()
}

#[test]
fn the_published_schema_is_that_of_the_code() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/haft.schema.json");
    let schema = serde_json::to_string_pretty(&Config::schema()).unwrap() + "\n";
    if std::env::var_os("HAFT_BLESS").is_some() {
        fs::write(&path, &schema).unwrap();
    }
    let published: serde_json::Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(published, Config::schema(), "HAFT_BLESS=1 rewrites {}", path.display());
}

#[test]
fn what_is_read_fits_the_schema() {
    let files = toml_files("good");
    assert!(files.len() >= 9);
    for (path, text) in files {
        let value: toml::Value = toml::from_str(text.trim_start_matches('\u{feff}')).unwrap();
        // `shell = false` may be written before there is a `shell`; the schema offers what there is.
        let refused = accepts(&value).err().filter(|why| !why.contains("shell"));
        assert_eq!(refused, None, "{path}");
    }
}

#[test]
fn what_is_refused_does_not_fit_the_schema() {
    let mut looked = 0;
    for (path, text) in toml_files("bad") {
        let Ok(value) = toml::from_str::<toml::Value>(&text) else { continue };
        assert!(accepts(&value).is_err(), "{path}");
        looked += 1;
    }
    assert!(looked >= 6, "{looked}");
}

/// Each mistake by itself, as an editor would mark it.
#[test]
fn each_mistake_is_one_for_the_schema_and_for_the_reader() {
    let cases = [
        "concurrency = 0",
        "concurrency = 1.5",
        "concurrency = \"4\"",
        "concurrency = 65537",
        "timeout = 3",
        "timeout = \"3\"",
        "timeout = \"3 s\"",
        "grace = true",
        "builtin = 3",
        "builtin = [\"zebra\"]",
        "builtin.zebra = true",
        "builtin.math = 3",
        "builtin.math.x = 3",
        "leniency = true",
        "leniency.repairs = [\"x\"]",
        "leniency.x = 1",
        "leniency.mcp.unknown_fields = \"no\"",
        "leniency.unknown_fields = true",
        "zebra = 1",
        "servers = []",
        "servers.a = 1",
        "servers.a = {}",
        "servers.a = { command = 3 }",
        "servers.a = { command = [] }",
        "servers.a = { command = \"a\", zebra = 1 }",
        "servers.a = { command = \"a\", url = \"http://a\" }",
        "servers.a = { command = \"a\", args = \"a\" }",
        "servers.a = { command = \"a\", env = { A = [] } }",
        "servers.a = { command = \"a\", timeout = 3 }",
        "servers.a__b = { command = \"a\" }",
        "servers.\"a b\" = { command = \"a\" }",
        "servers.a = { command = \"a\", include = [[]] }",
    ];
    let folder = super::Folder::new();
    for text in cases {
        let value: toml::Value = toml::from_str(text).unwrap();
        assert!(accepts(&value).is_err(), "{text}");
        let read = super::named(&folder.file("haft.toml", text));
        assert!(read.is_err() || read.is_ok_and(|config| !config.problems().is_empty()), "{text}");
    }
}
