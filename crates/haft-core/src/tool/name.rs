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
/// the 64 characters, whatever the order. An original that stands there twice is refused the second time.
///
/// ```
/// let names = haft_core::assign_names(&["get user", "get_user", "list"]);
/// let names: Vec<_> = names.iter().map(|name| name.as_ref().unwrap().as_str()).collect();
/// assert_eq!(names, ["get_user_d77d8fbc", "get_user", "list"]);
/// ```
pub fn assign_names(originals: &[&str]) -> Vec<Result<ToolName, InvalidToolName>> {
    let mut wanted: HashMap<ToolName, HashSet<&str>> = HashMap::new();
    for original in originals {
        if let Ok(name) = sanitize(original) {
            wanted.entry(name).or_default().insert(original);
        }
    }
    let mut taken = HashSet::new();
    let mut seen = HashSet::new();
    originals
        .iter()
        .map(|original| {
            let name = sanitize(original)?;
            let contested = wanted.get(&name).is_some_and(|by| by.len() > 1);
            let name =
                if contested && name.as_str() != *original { with_hash(&name, original)? } else { name };
            if !seen.insert(*original) || !taken.insert(name.clone()) {
                return Err(InvalidToolName(format!(
                    "two tools of one source are named {original:?}; the first is kept"
                )));
            }
            Ok(name)
        })
        .collect()
}

fn with_hash(name: &ToolName, original: &str) -> Result<ToolName, InvalidToolName> {
    let kept: String = name.as_str().chars().take(LIMIT - SUFFIX).collect();
    let hash = Sha256::digest(original).iter().take(4).fold(0_u32, |hash, byte| hash << 8 | u32::from(*byte));
    ToolName::new(&format!("{kept}_{hash:08x}"))
}
