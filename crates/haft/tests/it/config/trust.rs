//! Trust is for one content of one file, and is remembered.

use std::fs;

use haft::config::{Environment, Trust, TrustError, TrustStore, content_digest};

use super::Folder;

fn store(folder: &Folder) -> TrustStore {
    TrustStore::of(&Environment::empty(&folder.0).with_state_folder(folder.0.join("state"))).unwrap()
}

#[test]
fn trust_is_for_one_content_of_one_file() {
    let folder = Folder::new();
    let (one, other) = (folder.file("a/mcp.json", "1"), folder.file("b/mcp.json", "1"));
    let store = store(&folder);
    assert_eq!(store.look(&one, content_digest(b"1")).unwrap(), Trust::Missing);
    store.trust(&one, content_digest(b"1")).unwrap();
    assert_eq!(store.look(&one, content_digest(b"1")).unwrap(), Trust::Given);
    assert_eq!(store.look(&one, content_digest(b"2")).unwrap(), Trust::Outdated);
    assert_eq!(
        store.look(&other, content_digest(b"1")).unwrap(),
        Trust::Missing,
        "the same words in another folder start other programs"
    );
    // The content that was trusted before counts no more.
    store.trust(&one, content_digest(b"2")).unwrap();
    assert_eq!(store.look(&one, content_digest(b"1")).unwrap(), Trust::Outdated);
    assert_eq!(store.look(&folder.0.join("a/../a/mcp.json"), content_digest(b"2")).unwrap(), Trust::Given);
}

#[test]
fn trust_is_listed_and_taken_back() {
    let folder = Folder::new();
    let store = store(&folder);
    assert_eq!(store.list().unwrap(), []);
    let files: Vec<_> = ["b", "a", "c"].map(|name| folder.file(name, name)).to_vec();
    for file in &files {
        store.trust(file, content_digest(&fs::read(file).unwrap())).unwrap();
    }
    fs::write(&files[0], "changed").unwrap();
    fs::remove_file(&files[2]).unwrap();
    // What somebody else put there is no record.
    folder.file("state/trusted/x.json", "[]");
    folder.file("state/trusted/y.txt", "{}");
    let listed: Vec<_> = store
        .list()
        .unwrap()
        .iter()
        .map(|file| (file.file.file_name().unwrap().to_owned(), file.now()))
        .collect();
    assert_eq!(
        listed,
        [("a".into(), Trust::Given), ("b".into(), Trust::Outdated), ("c".into(), Trust::Missing)]
    );
    for file in &files {
        assert!(store.revoke(file).unwrap());
        assert!(!store.revoke(file).unwrap());
    }
    assert_eq!(store.list().unwrap(), []);
}

#[test]
fn a_record_of_another_file_counts_for_nothing() {
    let folder = Folder::new();
    let (one, other) = (folder.file("one", "1"), folder.file("other", "1"));
    let store = store(&folder);
    store.trust(&one, content_digest(b"1")).unwrap();
    let records = folder.0.join("state/trusted");
    let record = fs::read_dir(&records).unwrap().next().unwrap().unwrap().path();
    let text = fs::read(&record).unwrap();
    store.trust(&other, content_digest(b"1")).unwrap();
    for entry in fs::read_dir(&records).unwrap() {
        fs::write(entry.unwrap().path(), &text).unwrap();
    }
    assert_eq!(store.look(&one, content_digest(b"1")).unwrap(), Trust::Given);
    assert_eq!(store.look(&other, content_digest(b"1")).unwrap(), Trust::Missing);
    for entry in fs::read_dir(&records).unwrap() {
        fs::write(entry.unwrap().path(), "{\"file\": 3}").unwrap();
    }
    assert_eq!(store.look(&one, content_digest(b"1")).unwrap(), Trust::Missing);
}

#[test]
fn without_a_folder_nothing_is_trusted_and_why_is_said() {
    let folder = Folder::new();
    let error = TrustStore::of(&Environment::empty(&folder.0)).unwrap_err();
    assert!(matches!(error, TrustError::NoFolder));
    assert_eq!(error.code(), 2910);
    // A file where the folder should be.
    let in_the_way = folder.file("state", "");
    let store = store(&folder);
    let error = store.trust(&in_the_way, content_digest(b"")).unwrap_err();
    assert!(error.to_string().contains("state"), "{error}");
}

#[cfg(unix)]
#[test]
fn the_records_are_for_the_user_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = Folder::new();
    let file = folder.file("a", "1");
    store(&folder).trust(&file, content_digest(b"1")).unwrap();
    let mode = fs::metadata(folder.0.join("state/trusted")).unwrap().permissions().mode();
    assert_eq!(mode & 0o077, 0, "{mode:o}");
}
