//! What a schema demands at one place, in the form in which a reader needs it.

use std::ops::BitOr;
use std::sync::atomic::{AtomicU8, Ordering};

use serde_json::Value;

use super::super::check::Pattern;

/// A compiled schema.
#[derive(Debug)]
pub(in crate::schema) struct Checks {
    pub(super) nodes: Vec<Node>,
    pub(super) root: NodeId,
}

/// Index of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NodeId(pub(super) u32);

impl NodeId {
    /// The node that allows everything.
    pub(super) const ANY: Self = Self(0);
    /// The node that allows nothing.
    pub(super) const NOTHING: Self = Self(1);
    /// The node of values that another node describes.
    pub(super) const ELSEWHERE: Self = Self(2);
}

impl Checks {
    pub(super) fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id.0 as usize)
    }

    pub(super) fn root(&self) -> Option<&Node> {
        self.node(self.root)
    }
}

/// A set of JSON types; the two booleans count apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kinds(pub(super) u8);

impl Kinds {
    pub(super) const NONE: Self = Self(0);
    pub(super) const NULL: Self = Self(1);
    pub(super) const TRUE: Self = Self(2);
    pub(super) const FALSE: Self = Self(4);
    pub(super) const INTEGER: Self = Self(8);
    pub(super) const NUMBER: Self = Self(16);
    pub(super) const STRING: Self = Self(32);
    pub(super) const ARRAY: Self = Self(64);
    pub(super) const OBJECT: Self = Self(128);
    pub(super) const ALL: Self = Self(255);
    /// Numbers of either kind: `1` may stand where a number is wanted.
    pub(super) const NUMERIC: Self = Self(Self::INTEGER.0 | Self::NUMBER.0);

    /// Whether the two have a type in common.
    pub(super) fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

impl BitOr for Kinds {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// What is demanded at one place. A group of checks is there only where a keyword demands one.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) kinds: Kinds,
    /// The values of `enum` or `const` that are text or integers; other ones are in `kinds`.
    pub(super) choices: Option<Box<Choices>>,
    pub(super) number: Option<Box<NumberChecks>>,
    pub(super) text: Option<Box<TextChecks>>,
    pub(super) array: Option<Box<ArrayChecks>>,
    pub(super) object: Option<Box<ObjectChecks>>,
    pub(super) union: Option<Box<Union>>,
    /// It only adds demands to a value that another node describes.
    pub(super) part: bool,
}

impl Node {
    pub(super) fn of_kinds(kinds: Kinds) -> Self {
        Self {
            kinds,
            choices: None,
            number: None,
            text: None,
            array: None,
            object: None,
            union: None,
            part: false,
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct Choices {
    pub(super) texts: Vec<Box<str>>,
    pub(super) integers: Vec<i128>,
}

/// Bounds, for integers exactly and for other numbers as they are held.
#[derive(Debug)]
pub(super) struct NumberChecks {
    pub(super) least: i128,
    pub(super) most: i128,
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) low_excluded: bool,
    pub(super) high_excluded: bool,
    pub(super) multiple_of: Option<i128>,
}

impl Default for NumberChecks {
    fn default() -> Self {
        Self {
            least: i128::MIN,
            most: i128::MAX,
            low: f64::NEG_INFINITY,
            high: f64::INFINITY,
            low_excluded: false,
            high_excluded: false,
            multiple_of: None,
        }
    }
}

#[derive(Debug)]
pub(super) struct TextChecks {
    /// In characters.
    pub(super) least: usize,
    pub(super) most: usize,
    pub(super) pattern: Option<Pattern>,
}

impl Default for TextChecks {
    fn default() -> Self {
        Self { least: 0, most: usize::MAX, pattern: None }
    }
}

#[derive(Debug)]
pub(super) struct ArrayChecks {
    pub(super) first: Vec<NodeId>,
    pub(super) others: NodeId,
    pub(super) least: usize,
    pub(super) most: usize,
    pub(super) unique: bool,
}

impl Default for ArrayChecks {
    fn default() -> Self {
        Self { first: Vec::new(), others: NodeId::ANY, least: 0, most: usize::MAX, unique: false }
    }
}

/// What a schema says of members that it does not list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unlisted {
    /// Nothing, and it lists none either.
    Silent,
    /// Nothing: they are left to the complete road.
    Closed,
    /// Something.
    Spoken,
}

#[derive(Debug)]
pub(super) struct ObjectChecks {
    pub(super) properties: Vec<Property>,
    /// For each property the beginning of its name and its length, to find it by.
    pub(super) prints: Vec<u64>,
    /// What came last behind each property, and first in the object: models keep to an order of theirs.
    pub(super) followers: Vec<AtomicU8>,
    /// Bit `n` is set where property `n` is required.
    pub(super) required: u64,
    /// What holds for members that are not listed.
    pub(super) others: NodeId,
    /// The keyword `properties` is there.
    pub(super) lists: bool,
    pub(super) unlisted: Unlisted,
    pub(super) patterns: Vec<(Pattern, NodeId)>,
    pub(super) least: usize,
    pub(super) most: usize,
    /// Whether an absent property may have to be filled.
    pub(super) fills: bool,
}

impl Default for ObjectChecks {
    fn default() -> Self {
        Self {
            properties: Vec::new(),
            prints: Vec::new(),
            followers: Vec::new(),
            required: 0,
            others: NodeId::ANY,
            lists: false,
            unlisted: Unlisted::Silent,
            patterns: Vec::new(),
            least: 0,
            most: usize::MAX,
            fills: false,
        }
    }
}

#[derive(Debug)]
pub(super) struct Property {
    pub(super) name: Box<str>,
    pub(super) node: NodeId,
    /// It stands in `properties`; else it is only required.
    pub(super) listed: bool,
    /// What stands there when the property is left out.
    pub(super) default: Option<Value>,
}

impl ObjectChecks {
    /// Where the property behind the one at `place`, or the first, probably stands.
    #[inline]
    pub(super) fn likely(&self, place: Option<usize>) -> usize {
        let follower = self.followers.get(place.map_or(0, |place| place + 1));
        follower.map_or(usize::MAX, |follower| follower.load(Ordering::Relaxed).into())
    }

    /// Notes what stood there. A lost note costs time, nothing else.
    pub(super) fn note_follower(&self, place: Option<usize>, found: usize) {
        if let (Some(follower), Ok(found)) =
            (self.followers.get(place.map_or(0, |place| place + 1)), u8::try_from(found))
        {
            follower.store(found, Ordering::Relaxed);
        }
    }

    /// The position of the property `name`.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        let print = print(name);
        let same = |(at, _): &(usize, &u64)| {
            self.properties.get(*at).is_some_and(|property| &*property.name == name)
        };
        self.prints.iter().enumerate().filter(|(_, other)| **other == print).find(same).map(|(at, _)| at)
    }
}

/// The first seven bytes of a name, and its length.
pub(super) fn print(name: &str) -> u64 {
    let mut print = (name.len() as u64) << 56;
    for (place, byte) in name.bytes().take(7).enumerate() {
        print |= u64::from(byte) << (8 * place);
    }
    print
}

/// Alternatives: `anyOf`, or `oneOf` where exactly one has to hold.
#[derive(Debug)]
pub(super) struct Union {
    pub(super) exactly: bool,
    pub(super) branches: Vec<NodeId>,
    /// The property by whose text a branch is picked, with the branch of each text.
    pub(super) tag: Option<Tag>,
    /// Members that no branch lists are refused or left to the complete road.
    pub(super) closed: bool,
    /// Whether the branches only add demands to an object that the node itself describes.
    pub(super) additional: bool,
}

#[derive(Debug)]
pub(super) struct Tag {
    pub(super) name: Box<str>,
    pub(super) branches: Vec<(Box<str>, NodeId)>,
}
