//! One figure and its line: `figure GROUP/NAME VALUE goal GOAL`.

use std::fmt;
use std::str::FromStr;

use anyhow::{Context as _, bail, ensure};

/// A measured number with the goal it is held against.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Figure {
    /// `GROUP/NAME`.
    pub(crate) name: String,
    pub(crate) value: f64,
    pub(crate) goal: Goal,
}

/// What a figure is meant to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Goal {
    None,
    AtMost(f64),
    AtLeast(f64),
    Exactly(f64),
}

impl Figure {
    pub(crate) fn is_met(&self) -> bool {
        match self.goal {
            Goal::None => true,
            Goal::AtMost(limit) => self.value <= limit,
            Goal::AtLeast(limit) => self.value >= limit,
            #[expect(clippy::float_cmp, reason = "a goal of equality is stated for whole numbers")]
            Goal::Exactly(limit) => self.value == limit,
        }
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::AtMost(limit) => write!(f, "<={limit}"),
            Self::AtLeast(limit) => write!(f, ">={limit}"),
            Self::Exactly(limit) => write!(f, "={limit}"),
        }
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "figure {} {} goal {}", self.name, self.value, self.goal)
    }
}

impl FromStr for Goal {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Self> {
        if text == "none" {
            return Ok(Self::None);
        }
        if let Some(limit) = text.strip_prefix("<=") {
            return Ok(Self::AtMost(number(limit)?));
        }
        if let Some(limit) = text.strip_prefix(">=") {
            return Ok(Self::AtLeast(number(limit)?));
        }
        match text.strip_prefix('=') {
            Some(limit) => Ok(Self::Exactly(number(limit)?)),
            None => bail!("a goal is <=N, >=N, =N or none, not {text}"),
        }
    }
}

impl FromStr for Figure {
    type Err = anyhow::Error;

    fn from_str(line: &str) -> anyhow::Result<Self> {
        let words: Vec<&str> = line.split(' ').collect();
        let ["figure", name, value, "goal", goal] = words.as_slice() else {
            bail!("`{line}` is not `figure GROUP/NAME VALUE goal GOAL`");
        };
        let parts = name.split_once('/').filter(|(group, rest)| !group.is_empty() && !rest.is_empty());
        ensure!(parts.is_some(), "`{name}` is not GROUP/NAME");
        Ok(Self { name: (*name).to_owned(), value: number(value)?, goal: goal.parse()? })
    }
}

fn number(text: &str) -> anyhow::Result<f64> {
    let number: f64 = text.parse().with_context(|| format!("`{text}` is no number"))?;
    ensure!(number.is_finite(), "`{text}` is no number");
    Ok(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_reads_back_as_it_was_written() {
        for line in [
            "figure size/haft-core-crates 78 goal none",
            "figure call/typed-small 1.53 goal <=2",
            "figure call/rate 10.5 goal >=3.25",
            "figure call/allocs 0 goal =0",
        ] {
            assert_eq!(line.parse::<Figure>().unwrap().to_string(), line);
        }
    }

    #[test]
    fn other_lines_are_refused() {
        for line in [
            "",
            "figure size 1 goal none",
            "figure size/ 1 goal none",
            "figure size/a 1ms goal none",
            "figure size/a NaN goal none",
            "figure size/a 1 goal <2",
            "figure size/a  1 goal none",
            "figure size/a 1 goal none # why",
        ] {
            assert!(line.parse::<Figure>().is_err(), "{line}");
        }
    }

    #[test]
    fn goals_are_judged() {
        let met = |line: &str| line.parse::<Figure>().unwrap().is_met();
        assert!(met("figure a/b 2 goal <=2") && !met("figure a/b 2.1 goal <=2"));
        assert!(met("figure a/b 2 goal >=2") && !met("figure a/b 1.9 goal >=2"));
        assert!(met("figure a/b 2 goal =2") && !met("figure a/b 3 goal =2"));
        assert!(met("figure a/b 2 goal none"));
    }
}
