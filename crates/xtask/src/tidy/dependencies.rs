//! What haft-core may not pull in: anything that reaches the network, files, processes or the environment.

use crate::command::Command;
use crate::workspace::Workspace;

const CORE: &str = "haft-core";

/// Crates that do what haft-core leaves to others; a name that ends in `*` stands for all that start so.
const BANNED: [&str; 44] = [
    "async-std",
    "axum*",
    "bollard",
    "cap-*",
    "chrono",
    "config",
    "curl*",
    "diesel*",
    "directories*",
    "dirs*",
    "dotenv*",
    "duct",
    "h2",
    "home",
    "hyper*",
    "isahc",
    "jiff",
    "libsqlite3-sys",
    "mio",
    "native-tls",
    "nix",
    "notify",
    "openssl*",
    "polling",
    "redb",
    "reqwest*",
    "rmcp*",
    "rusqlite",
    "rustix",
    "rustls*",
    "sled",
    "smol",
    "socket2",
    "sqlx*",
    "subprocess",
    "surf",
    "sysinfo",
    "tempfile",
    "time",
    "tokio-postgres",
    "tonic*",
    "ureq*",
    "walkdir",
    "which",
];

/// The features of tokio that touch no operating system; `default` of tokio is empty.
const TOKIO_FEATURES: [&str; 6] = ["default", "macros", "rt", "sync", "time", "tokio-macros"];

pub(super) fn check(workspace: &Workspace, failures: &mut Vec<String>) -> anyhow::Result<()> {
    let tree = Command::cargo([
        "tree",
        "--package=haft-core",
        "--edges=normal",
        "--prefix=none",
        "--no-dedupe",
        "--format={p}\t{f}",
    ])
    .current_dir(&workspace.root)
    .stdout()?;
    failures.extend(faults(&tree));
    Ok(())
}

/// Reads lines of `name vVERSION …<TAB>feature,feature`.
fn faults(tree: &str) -> Vec<String> {
    let mut found: Vec<String> = tree.lines().filter_map(fault).collect();
    found.sort();
    found.dedup();
    found
}

fn fault(line: &str) -> Option<String> {
    let (package, features) = line.split_once('\t')?;
    let name = package.split(' ').next()?;
    if BANNED.iter().any(|banned| matches(name, banned)) {
        return Some(format!(
            "{CORE}: depends on {name}, but does no I/O; see `cargo tree -p {CORE} -i {name}`"
        ));
    }
    if name != "tokio" {
        return None;
    }
    let extra: Vec<&str> = features
        .split(',')
        .filter(|feature| !feature.is_empty() && !TOKIO_FEATURES.contains(feature))
        .collect();
    (!extra.is_empty()).then(|| {
        format!(
            "{CORE}: tokio is built with {}; see `cargo tree -p {CORE} -e features -i tokio`",
            extra.join(", ")
        )
    })
}

fn matches(name: &str, banned: &str) -> bool {
    match banned.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == banned,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clean_tree_has_no_fault() {
        let tree = "haft-core v0.1.0 (/a/b)\t\ntokio v1.54.1\tdefault,macros,rt,sync,time,tokio-macros\nhalf v2.0.0\t\n";
        assert_eq!(faults(tree), Vec::<String>::new());
    }

    #[test]
    fn banned_crates_and_features_are_named_once() {
        let tree = "hyper-util v0.1.0\t\nhyper-util v0.1.0\t\ntokio v1.54.1\tdefault,net,fs,rt\n";
        let found = faults(tree);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found.iter().any(|fault| fault.contains("depends on hyper-util")));
        assert!(found.iter().any(|fault| fault.contains("built with net, fs;")));
    }
}
