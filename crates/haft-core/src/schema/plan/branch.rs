//! The alternatives through which a subschema came to apply, so that parts of the same alternative are weighed together.

use std::rc::Rc;

use super::node::NodeId;

/// Which keyword offers the alternatives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Union {
    AnyOf,
    OneOf,
    If,
}

/// One alternative of a union, inside the one above it. Each is made once, so it is known by its address.
#[derive(Debug)]
pub(in crate::schema) struct Branch {
    above: Option<Rc<Branch>>,
    depth: usize,
    owner: NodeId,
    union: Union,
}

impl Branch {
    pub(super) fn below(above: Option<&Rc<Self>>, owner: NodeId, union: Union) -> Rc<Self> {
        let depth = above.map_or(0, |above| above.depth) + 1;
        Rc::new(Self { above: above.cloned(), depth, owner, union })
    }

    fn same_union(&self, other: &Self) -> bool {
        self.owner == other.owner && self.union == other.union
    }
}

/// Whether `branch` is `outer` or lies inside it; everything lies inside no branch.
pub(super) fn lies_within(branch: Option<&Rc<Branch>>, outer: Option<&Rc<Branch>>) -> bool {
    let Some(outer) = outer else { return true };
    chain(branch).find(|branch| branch.depth <= outer.depth).is_some_and(|branch| Rc::ptr_eq(branch, outer))
}

fn same(one: Option<&Rc<Branch>>, other: Option<&Rc<Branch>>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => Rc::ptr_eq(one, other),
        (None, None) => true,
        _ => false,
    }
}

fn chain(innermost: Option<&Rc<Branch>>) -> impl Iterator<Item = &Rc<Branch>> {
    std::iter::successors(innermost, |branch| branch.above.as_ref())
}

/// Whether something is refused inside `outer`, given for each declaration its branch and whether that refuses it: one that
/// applies there in any case refuses it, or all alternatives of a union that declare it do.
pub(super) fn refused_within(outer: Option<&Rc<Branch>>, declared: &[(Option<&Rc<Branch>>, bool)]) -> bool {
    if declared.iter().any(|(branch, refused)| *refused && same(*branch, outer)) {
        return true;
    }
    let mut inner: Vec<&Rc<Branch>> = Vec::new();
    for (branch, _) in declared {
        let next = chain(*branch).find(|branch| same(branch.above.as_ref(), outer));
        inner.extend(next.filter(|next| !inner.iter().any(|known| Rc::ptr_eq(known, next))));
    }
    inner.iter().any(|first| {
        let mut union = inner.iter().filter(|branch| branch.same_union(first));
        union.all(|branch| refused_within(Some(*branch), declared))
    })
}
