//! `cargo xtask figures`: every figure that the project states, measured anew.

mod call;
mod figure;
#[cfg(unix)]
mod mcp;
mod page;
mod schema;
mod size;
mod turn;

/// Stands in where processes cannot be ended by group.
#[cfg(not(unix))]
mod mcp {
    pub(super) const ABOUT: &str = "";

    pub(super) fn measure(_: &crate::workspace::Workspace) -> anyhow::Result<Vec<super::Figure>> {
        anyhow::bail!("this group is measured on Linux")
    }
}

use std::process::ExitCode;

use anyhow::Context as _;

use self::figure::Figure;
use crate::workspace::Workspace;

/// Options of `cargo xtask figures`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// The group to measure [default: all]
    #[arg(value_name = "GROUP")]
    group: Option<String>,
}

/// A set of figures that are measured together.
#[derive(Debug)]
struct Group {
    name: &'static str,
    about: &'static str,
    measure: fn(&Workspace) -> anyhow::Result<Vec<Figure>>,
}

const GROUPS: &[Group] = &[
    Group { name: "size", about: size::ABOUT, measure: size::measure },
    Group { name: "call", about: call::ABOUT, measure: call::measure },
    Group { name: "turn", about: turn::ABOUT, measure: turn::measure },
    Group { name: "schema", about: schema::ABOUT, measure: schema::measure },
    Group { name: "mcp", about: mcp::ABOUT, measure: mcp::measure },
];

pub(crate) fn run(workspace: &Workspace, options: &Options) -> anyhow::Result<ExitCode> {
    let chosen: Vec<&Group> = match &options.group {
        None => GROUPS.iter().collect(),
        Some(name) => GROUPS.iter().filter(|group| group.name == name).collect(),
    };
    if chosen.is_empty() {
        let names: Vec<&str> = GROUPS.iter().map(|group| group.name).collect();
        let name = options.group.as_deref().unwrap_or_default();
        anstream::eprintln!("error: no group of figures is named {name}; there are: {}", names.join(", "));
        return Ok(ExitCode::from(2));
    }
    let path = workspace.root.join("docs/figures.md");
    let mut page = page::Page::read(&path)?;
    for group in chosen {
        anstream::eprintln!("measuring {}", group.name);
        let figures = (group.measure)(workspace).with_context(|| format!("cannot measure {}", group.name))?;
        for figure in &figures {
            anstream::println!("{figure}");
            if !figure.is_met() {
                anstream::eprintln!("goal missed: {figure}");
            }
        }
        page.replace(group.name, page::section(group, &figures));
    }
    page.write(&path, GROUPS.iter().map(|group| group.name))?;
    Ok(ExitCode::SUCCESS)
}
