//! Members that an object has had: none may stand there twice.

use std::borrow::Cow;
use std::collections::HashSet;
use std::hash::BuildHasher;

use foldhash::fast::RandomState;

use super::cursor::{Cursor, Stop};
use super::node::{Kinds, Node, NodeId, ObjectChecks, Property, Unlisted};

/// Names that are kept in line before a set is made.
const FEW: usize = 16;

/// The members of one object so far.
#[derive(Debug, Default)]
pub(super) struct Keys {
    /// Bit `n` is set where property `n` was there.
    listed: u64,
    /// The property that came last.
    last: Option<usize>,
    count: usize,
    others: Option<Box<Others>>,
}

/// Hashes of the names that are not listed; two that are equal count as one name, which the complete road decides.
#[derive(Debug, Default)]
struct Others {
    hasher: RandomState,
    few: Vec<u64>,
    many: HashSet<u64, RandomState>,
}

impl Others {
    fn add(&mut self, name: &str) -> bool {
        let hash = self.hasher.hash_one(name);
        if self.few.len() < FEW {
            let new = !self.few.contains(&hash);
            self.few.push(hash);
            return new;
        }
        !self.few.contains(&hash) && self.many.insert(hash)
    }
}

impl Keys {
    /// Reads the next key; gives what holds for its value, before which the cursor then stands.
    #[inline]
    pub(super) fn next<'t, 'c>(
        &mut self,
        node: &'c Node,
        cursor: &mut Cursor<'t, 'c>,
    ) -> Result<(Cow<'t, str>, &'c Node), Stop> {
        self.count += 1;
        if let Some(object) = &node.object {
            let start = cursor.at + 1;
            let place = object.likely(self.last);
            if let Some(likely) = object.properties.get(place)
                && cursor.key_is(&likely.name)?
            {
                let name = cursor.text.get(start..start + likely.name.len()).ok_or(Stop::Undecided)?;
                return Ok((Cow::Borrowed(name), self.listed(place, likely, node, cursor)?));
            }
            let name = cursor.key()?;
            if let Some(place) = object.find(&name) {
                object.note_follower(self.last, place);
                let property = object.properties.get(place).ok_or(Stop::Undecided)?;
                return Ok((name, self.listed(place, property, node, cursor)?));
            }
            let below = self.other(&name, node, Some(object), cursor)?;
            return Ok((name, below));
        }
        let name = cursor.key()?;
        let below = self.other(&name, node, None, cursor)?;
        Ok((name, below))
    }

    /// Notes a property that the schema lists.
    #[inline]
    fn listed<'c>(
        &mut self,
        place: usize,
        property: &Property,
        object: &Node,
        cursor: &mut Cursor<'_, 'c>,
    ) -> Result<&'c Node, Stop> {
        let bit = 1_u64 << place;
        if self.listed & bit != 0 {
            return Err(Stop::Undecided);
        }
        self.listed |= bit;
        self.last = Some(place);
        // Other branches may list it.
        cursor.doubt |= cursor.trying && !property.listed && !object.part;
        let node = cursor.node(property.node)?;
        // `null` may count as left out.
        if cursor.peek() == Some(b'n') && !node.kinds.meets(Kinds::NULL) {
            return Err(Stop::Undecided);
        }
        Ok(node)
    }

    fn other<'c>(
        &mut self,
        name: &str,
        node: &'c Node,
        object: Option<&ObjectChecks>,
        cursor: &mut Cursor<'_, 'c>,
    ) -> Result<&'c Node, Stop> {
        // serde_json gives maps with such names a meaning of their own.
        let private = name.starts_with("$serde_json::");
        if private || !self.others.get_or_insert_default().add(name) {
            return Err(Stop::Undecided);
        }
        let id = match object {
            None => NodeId::ANY,
            Some(object) => object.of_other(name)?,
        };
        if id == NodeId::NOTHING {
            return Err(Stop::Refused);
        }
        let silent = object.is_none_or(|object| object.unlisted != Unlisted::Spoken);
        if cursor.trying && !node.part {
            // Other branches may list the name, and close the object or drop the null.
            cursor.doubt |= silent || cursor.peek() == Some(b'n');
        } else if object.is_some_and(|object| object.unlisted == Unlisted::Closed) {
            return Err(Stop::Undecided);
        }
        cursor.node(id)
    }

    /// Whether the node accepts an object of these members, and of those that are `filled`.
    #[inline]
    pub(super) fn accept(&self, node: &Node, filled: usize) -> Result<(), Stop> {
        let Some(object) = &node.object else { return Ok(()) };
        let count = self.count + filled;
        let complete = self.listed & object.required == object.required;
        if complete && count >= object.least && count <= object.most { Ok(()) } else { Err(Stop::Refused) }
    }

    /// The next absent property from `place` on that is filled, with its place.
    pub(super) fn next_filled<'c>(
        &self,
        object: &'c ObjectChecks,
        place: usize,
    ) -> Option<(usize, &'c Property, &'c serde_json::Value)> {
        let absent = |(at, _): &(usize, &Property)| self.listed & (1_u64 << *at) == 0;
        let mut rest = object.properties.iter().enumerate().skip(place).filter(absent);
        rest.find_map(|(at, property)| Some((at, property, property.default.as_ref()?)))
    }

    /// How many absent properties are filled.
    pub(super) fn count_filled(&self, object: &ObjectChecks) -> usize {
        let filled = |(at, property): &(usize, &Property)| {
            property.default.is_some() && self.listed & (1_u64 << *at) == 0
        };
        if object.fills { object.properties.iter().enumerate().filter(filled).count() } else { 0 }
    }
}

impl ObjectChecks {
    /// What holds for a member that is not listed.
    fn of_other(&self, name: &str) -> Result<NodeId, Stop> {
        let mut matching = self.patterns.iter().filter(|(pattern, _)| pattern.matches(name));
        match (matching.next(), matching.next()) {
            (None, _) => Ok(self.others),
            (Some((_, id)), None) => Ok(*id),
            (Some(_), Some(_)) => Err(Stop::Undecided),
        }
    }
}
