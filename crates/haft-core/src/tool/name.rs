//! Names that every provider takes, and how foreign names become such.

use std::{
    collections::{HashMap, HashSet},
    fmt,
    sync::Arc,
};

use serde::{Serialize, Serializer};
use sha2::{Digest as _, Sha256};

const LIMIT: usize = 64;
const SUFFIX: usize = 9;

/// A tool's name: 1 to 64 of the characters `A-Z`, `a-z`, `0-9`, `_` and `-`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ToolName(Arc<str>);

/// A name that no tool can have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidToolName(String);

impl InvalidToolName {
    /// The stable number of this error: 2001.
    #[expect(clippy::unused_self, reason = "every error answers `code()`")]
    pub const fn code(&self) -> u16 {
        2001
    }
}

impl ToolName {
    /// Checks a name.
    ///
    /// # Errors
    /// When it is empty, longer than 64 characters, or has a character that providers refuse.
    pub fn new(name: &str) -> Result<Self, InvalidToolName> {
        let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if name.is_empty() {
            return Err(InvalidToolName("a tool's name may not be empty".to_owned()));
        }
        if let Some(bad) = name.chars().find(|c| !allowed(*c)) {
            return Err(InvalidToolName(format!(
                "the tool name {name:?} has the character {bad:?}; letters, digits, '_' and '-' are allowed: {:?} would do",
                sanitize(name).map(|name| name.as_str().to_owned()).unwrap_or_default()
            )));
        }
        if name.len() > LIMIT {
            return Err(InvalidToolName(format!(
                "the tool name {name:?} has {} characters; {LIMIT} are allowed",
                name.len()
            )));
        }
        Ok(Self(name.into()))
    }

    pub(crate) fn shared(&self) -> Arc<str> {
        Arc::clone(&self.0)
    }

    /// The name of no registered tool, for a context without one.
    pub(crate) fn detached() -> Self {
        Self("detached".into())
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ToolName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl Serialize for ToolName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

/// Makes a name out of any text: each character that is not allowed becomes `_`, and 64 are kept.
///
/// # Errors
/// When the text is empty.
///
/// ```
/// assert_eq!(haft_core::sanitize("get user").unwrap().as_str(), "get_user");
/// ```
pub fn sanitize(text: &str) -> Result<ToolName, InvalidToolName> {
    let name: String = text
        .chars()
        .take(LIMIT)
        .map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' })
        .collect();
    ToolName::new(&name)
}

/// Names for the tools of a foreign source, in the order given; each valid name is kept.
///
/// A name that had to be changed and meets another gets `_` and 8 hex digits of the original's SHA-256, within
/// the 64 characters, whatever the order. Refused are an original that stands there twice, the second time, and one
/// whose name meets another even so.
///
/// ```
/// let names = haft_core::assign_names(&["get user", "get_user", "list"]);
/// let names: Vec<_> = names.iter().map(|name| name.as_ref().unwrap().as_str()).collect();
/// assert_eq!(names, ["get_user_d77d8fbc", "get_user", "list"]);
/// ```
pub fn assign_names(originals: &[&str]) -> Vec<Result<ToolName, InvalidToolName>> {
    let names = assignment(originals);
    let mut seen = HashSet::new();
    originals
        .iter()
        .map(|original| {
            let wanted = sanitize(original)?;
            if !seen.insert(*original) {
                return Err(InvalidToolName(format!(
                    "two tools of one source are named {original:?}; the first is kept"
                )));
            }
            names.get(original).cloned().ok_or_else(|| {
                InvalidToolName(format!(
                    "no name is left for the tool {original:?}: {:?} and the same with a digest are taken; rename it at its \
                     source",
                    wanted.as_str()
                ))
            })
        })
        .collect()
}

/// The names by original. It looks at all of them together, so that no order matters.
fn assignment<'a>(originals: &[&'a str]) -> HashMap<&'a str, ToolName> {
    let wanted = originals.iter().filter_map(|original| Some((*original, sanitize(original).ok()?)));
    let mut names: HashMap<&str, ToolName> = wanted.collect();
    let mut hashed = HashSet::new();
    loop {
        let mut count: HashMap<&ToolName, usize> = HashMap::new();
        for name in names.values() {
            *count.entry(name).or_default() += 1;
        }
        let changed = names.iter().filter(|(original, name)| name.as_str() != **original);
        let meeting = changed.filter(|(_, name)| count.get(name).is_some_and(|count| *count > 1));
        let meeting: Vec<&str> = meeting.map(|(original, _)| *original).collect();
        let before = hashed.len();
        for original in &meeting {
            if hashed.insert(*original)
                && let Some(name) = names.get_mut(original)
                && let Ok(other) = with_hash(name, original)
            {
                *name = other;
            }
        }
        if hashed.len() == before {
            names.retain(|original, _| !meeting.contains(original));
            return names;
        }
    }
}

fn with_hash(name: &ToolName, original: &str) -> Result<ToolName, InvalidToolName> {
    let kept: String = name.as_str().chars().take(LIMIT - SUFFIX).collect();
    let hash = Sha256::digest(original).iter().take(4).fold(0_u32, |hash, byte| hash << 8 | u32::from(*byte));
    ToolName::new(&format!("{kept}_{hash:08x}"))
}
