//! `docs/figures.md`: one section per group, with the command and the date of its last run.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::{fs, io};

use anyhow::Context as _;

use super::Group;
use super::figure::{Figure, Goal};

const HEAD: &str = "\
# Figures

Every figure that the project states, as `cargo xtask figures [GROUP]` last printed it. The command rewrites this page;
do not edit it by hand. Ratios compare with a floor measured in the same run, so they hold across machines where
times would not.
";

/// The page as sections by the name of their group.
#[derive(Debug, Default)]
pub(super) struct Page {
    sections: BTreeMap<String, String>,
}

impl Page {
    pub(super) fn read(path: &Path) -> anyhow::Result<Self> {
        match fs::read_to_string(path) {
            Ok(text) => Ok(Self::parse(&text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
        }
    }

    fn parse(text: &str) -> Self {
        let sections = text.split("\n## ").skip(1).map(|section| {
            let name = section.lines().next().unwrap_or_default().trim();
            (name.to_owned(), format!("## {}\n", section.trim_end()))
        });
        Self { sections: sections.collect() }
    }

    /// Puts a group's new section in the place of its old one.
    pub(super) fn replace(&mut self, group: &str, section: String) {
        self.sections.insert(group.to_owned(), section);
    }

    /// Writes the sections in the order of the groups; one whose group is gone goes too.
    pub(super) fn write<'a>(&self, path: &Path, groups: impl Iterator<Item = &'a str>) -> anyhow::Result<()> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        }
        fs::write(path, self.text(groups)).with_context(|| format!("cannot write {}", path.display()))
    }

    fn text<'a>(&self, groups: impl Iterator<Item = &'a str>) -> String {
        let mut text = HEAD.to_owned();
        for section in groups.filter_map(|group| self.sections.get(group)) {
            text.push('\n');
            text.push_str(section);
        }
        text
    }
}

/// The section of a group that was just measured.
pub(super) fn section(group: &Group, figures: &[Figure]) -> String {
    let today = jiff::Timestamp::now().strftime("%Y-%m-%d").to_string();
    let (system, processor) = (std::env::consts::OS, std::env::consts::ARCH);
    let name = group.name;
    let mut text = format!(
        "## {name}\n\n{}\n\nLast run: `cargo xtask figures {name}`, {today}, {system} {processor}.\n\n",
        group.about
    );
    text.push_str("| figure | value | goal | |\n|---|---:|---:|---|\n");
    for figure in figures {
        let verdict = match (figure.goal, figure.is_met()) {
            (Goal::None, _) => "",
            (_, true) => "met",
            (_, false) => "missed",
        };
        // Writing to a String does not fail.
        let _ = writeln!(text, "| `{}` | {} | {} | {verdict} |", figure.name, figure.value, figure.goal);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const GROUP: Group = Group { name: "size", about: "What is counted.", measure: |_| Ok(Vec::new()) };

    #[test]
    fn a_page_keeps_the_sections_of_groups_that_did_not_run() {
        let mut page = Page::default();
        page.replace("call", "## call\n\nold call\n".to_owned());
        page.replace("size", "## size\n\nold size\n".to_owned());
        let mut again = Page::parse(&page.text(["size", "call"].into_iter()));
        again.replace("size", "## size\n\nnew size\n".to_owned());
        assert_eq!(
            again.text(["size", "call"].into_iter()),
            format!("{HEAD}\n## size\n\nnew size\n\n## call\n\nold call\n")
        );
    }

    #[test]
    fn a_section_names_its_command_and_judges_goals() {
        let figures = [
            Figure { name: "size/a".into(), value: 3.0, goal: Goal::AtMost(2.0) },
            Figure { name: "size/b".into(), value: 1.5, goal: Goal::None },
        ];
        let text = section(&GROUP, &figures);
        assert!(text.contains("`cargo xtask figures size`"), "{text}");
        assert!(text.ends_with("| `size/a` | 3 | <=2 | missed |\n| `size/b` | 1.5 | none |  |\n"), "{text}");
    }
}
