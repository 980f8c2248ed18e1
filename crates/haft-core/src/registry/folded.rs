//! Finds tools by names that differ from theirs in nothing but letter case, `-` and `_`.

use std::{
    collections::HashMap,
    hash::{BuildHasher as _, Hasher as _},
};

use foldhash::fast::RandomState;

/// The places of tools by the hash of their folded names: the names stand with the tools, and many tools have to be small.
#[derive(Default)]
pub(super) struct FoldedNames {
    first: HashMap<u64, u32, RandomState>,
    /// Where several tools have one hash, all but the first.
    more: HashMap<u64, Vec<u32>, RandomState>,
    hasher: RandomState,
}

impl FoldedNames {
    pub(super) fn add(&mut self, name: &str, place: usize) {
        let (hash, Ok(place)) = (self.hash(name), u32::try_from(place)) else { return };
        let first = *self.first.entry(hash).or_insert(place);
        if first != place {
            let more = self.more.entry(hash).or_default();
            if !more.contains(&place) {
                more.push(place);
            }
        }
    }

    /// The places of tools that may have such a name, in the order of their registration.
    pub(super) fn places(&self, name: &str) -> impl Iterator<Item = usize> + '_ {
        let hash = self.hash(name);
        let more = self.more.get(&hash).into_iter().flatten();
        self.first.get(&hash).into_iter().chain(more).map(|place| *place as usize)
    }

    pub(super) fn shrink(&mut self) {
        self.more.shrink_to_fit();
    }

    pub(super) fn clear(&mut self) {
        self.first.clear();
        self.more.clear();
    }

    fn hash(&self, name: &str) -> u64 {
        let mut hasher = self.hasher.build_hasher();
        folded(name).for_each(|byte| hasher.write_u8(byte));
        hasher.finish()
    }
}

/// Whether two names are the same but for letter case, `-` and `_`.
pub(super) fn are_alike(one: &str, other: &str) -> bool {
    folded(one).eq(folded(other))
}

/// Names of tools are ASCII; of other text only that part is folded.
fn folded(name: &str) -> impl Iterator<Item = u8> + '_ {
    name.bytes().filter(|byte| !matches!(byte, b'-' | b'_')).map(|byte| byte.to_ascii_lowercase())
}
