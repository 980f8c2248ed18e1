//! Where references lead in what is written: to the root, or to a definition in one table.

use serde_json::Value;

use super::super::dialect::Dialect;
use super::super::plan::References;
use super::super::pointer;
use super::reference::{self, TABLES};

/// The definitions of a schema, with those that are made because a reference led elsewhere.
pub(super) struct Definitions<'s> {
    root: &'s Value,
    references: References<'s>,
    /// What references led to and where it stands now: JSON pointer and name.
    turned: Vec<(String, String)>,
    table: &'static str,
}

impl<'s> Definitions<'s> {
    /// Those of `root`; in an `is_old` dialect the table has its older name.
    pub(super) fn of(root: &'s Value, dialect: Dialect, is_old: bool) -> Self {
        let [newer, older] = TABLES;
        let references = References::of(root, dialect);
        Self { root, references, turned: Vec::new(), table: if is_old { older } else { newer } }
    }

    /// The keyword that holds the table.
    pub(super) fn table(&self) -> &'static str {
        self.table
    }

    /// Whether references are turned: those that are found dynamically can not be.
    pub(super) fn turns(&self) -> bool {
        !self.references.is_dynamic()
    }

    /// The reference at `place` as it is written; `None` where it stays.
    pub(super) fn turn(&mut self, place: &str, reference: &str) -> Option<String> {
        if !self.turns() {
            return None;
        }
        let (target, _) = self.references.target(place, reference)?;
        if target.is_empty() || is_definition(&target) {
            return Some(reference::to(&target));
        }
        let name = match self.turned.iter().find(|(known, _)| *known == target) {
            Some((_, name)) => name.clone(),
            None => self.add(target),
        };
        Some(reference::to(&pointer::child(&format!("/{}", self.table), &name)))
    }

    /// Where the reference at `place` leads, and what stands there.
    pub(super) fn target(&self, place: &str, reference: &str) -> Option<(String, &'s Value)> {
        self.references.target(place, reference).filter(|_| self.turns())
    }

    /// The definition with that number: its name, where it stood, its schema.
    pub(super) fn turned(&self, number: usize) -> Option<(String, String, &'s Value)> {
        let (target, name) = self.turned.get(number)?;
        Some((name.clone(), target.clone(), self.root.pointer(target)?))
    }

    fn add(&mut self, target: String) -> String {
        let base = pointer::last(&target).unwrap_or_default();
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '_' };
        let base: String = base.chars().map(plain).collect();
        let mut name = base.clone();
        let mut number = 1;
        while self.is_taken(&name) {
            number += 1;
            name = format!("{base}_{number}");
        }
        self.turned.push((target, name.clone()));
        name
    }

    fn is_taken(&self, name: &str) -> bool {
        let stands = |table| self.root.get(table).is_some_and(|table: &Value| table.get(name).is_some());
        TABLES.into_iter().any(stands) || self.turned.iter().any(|(_, known)| known == name)
    }
}

/// Whether a JSON pointer is that of a definition in a table of the root.
fn is_definition(target: &str) -> bool {
    let mut tokens = pointer::tokens(target);
    let table = tokens.next().is_some_and(|table| TABLES.contains(&table.as_str()));
    table && tokens.next().is_some() && tokens.next().is_none()
}
