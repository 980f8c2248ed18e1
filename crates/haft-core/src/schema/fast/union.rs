//! Alternatives: a branch is picked by the value's type or tag; where that does not settle it, all are tried.

use super::cursor::{Cursor, Stop};
use super::node::{Kinds, Node, NodeId, Tag, Union, Unlisted};

impl<'c> Cursor<'_, 'c> {
    /// The node to read the value by, which stands at the cursor; a node without alternatives is that node itself.
    #[inline]
    pub(super) fn resolved(&mut self, node: &'c Node) -> Result<(&'c Node, bool), Stop> {
        match &node.union {
            None => Ok((node, false)),
            Some(union) => self.in_union(|cursor| cursor.alternative(node, union)),
        }
    }

    fn alternative(&mut self, node: &'c Node, union: &'c Union) -> Result<(&'c Node, bool), Stop> {
        let kinds = self.kinds()?;
        if !node.kinds.meets(kinds) {
            return Err(Stop::Refused);
        }
        if union.additional {
            self.tried(union, kinds)?;
            return Ok((node, false));
        }
        let picked = match self.only(union, kinds)? {
            Some(branch) => branch,
            None => match union.tag.as_ref().filter(|_| kinds == Kinds::OBJECT) {
                Some(tag) => self.tagged(tag)?,
                None => {
                    self.tried(union, kinds)?;
                    // It has been checked.
                    return Ok((self.node(NodeId::ANY)?, true));
                }
            },
        };
        let branch = self.node(picked)?;
        let silent =
            branch.object.as_ref().is_none_or(|object| !object.lists && object.unlisted != Unlisted::Spoken);
        if kinds == Kinds::OBJECT && union.closed && silent {
            return Err(Stop::Undecided);
        }
        let (branch, _) = self.resolved(branch)?;
        Ok((branch, true))
    }

    /// The branch of that type, when there is just one.
    fn only(&self, union: &Union, kinds: Kinds) -> Result<Option<NodeId>, Stop> {
        let admits = |id: &&NodeId| self.checks.node(**id).is_some_and(|branch| branch.kinds.meets(kinds));
        let mut branches = union.branches.iter().filter(admits);
        match (branches.next(), branches.next()) {
            (None, _) => Err(Stop::Refused),
            (only, None) => Ok(only.copied()),
            _ => Ok(None),
        }
    }

    /// What types the value at the cursor can be of.
    fn kinds(&self) -> Result<Kinds, Stop> {
        Ok(match self.peek() {
            Some(b'{') => Kinds::OBJECT,
            Some(b'[') => Kinds::ARRAY,
            Some(b'"') => Kinds::STRING,
            Some(b'-' | b'0'..=b'9') => Kinds::NUMERIC,
            Some(b't') => Kinds::TRUE,
            Some(b'f') => Kinds::FALSE,
            Some(b'n') => Kinds::NULL,
            _ => return Err(Stop::Undecided),
        })
    }

    /// The branch that the text of the tag picks; the cursor stays where it is.
    fn tagged(&mut self, tag: &Tag) -> Result<NodeId, Stop> {
        let (start, depth) = (self.at, self.depth());
        let (trying, doubt) = (self.trying, self.doubt);
        let elsewhere = self.node(NodeId::ELSEWHERE)?;
        self.enter()?;
        let mut found = Err(Stop::Refused);
        while self.peek() == Some(b'"') {
            let name = self.string()?;
            self.skip_whitespace();
            self.expect(b':')?;
            if *name == *tag.name {
                if self.peek() != Some(b'"') {
                    return Err(Stop::Undecided);
                }
                let text = self.string()?;
                let branch = tag.branches.iter().find(|(value, _)| **value == *text);
                found = branch.map(|(_, id)| *id).ok_or(Stop::Refused);
                break;
            }
            self.value::<()>(elsewhere, false)?;
            self.skip_whitespace();
            if self.peek() == Some(b',') {
                self.expect(b',')?;
            }
        }
        self.rewind(start, depth);
        (self.trying, self.doubt) = (trying, doubt);
        found
    }

    /// Tries every branch on the value, and comes back to where it begins.
    fn tried(&mut self, union: &Union, kinds: Kinds) -> Result<(), Stop> {
        let (start, depth) = (self.at, self.depth());
        let (trying, doubt) = (self.trying, self.doubt);
        self.trying = true;
        let mut holding = 0_usize;
        for id in &union.branches {
            let branch = self.node(*id)?;
            if !branch.kinds.meets(kinds) {
                continue;
            }
            self.doubt = false;
            let tried = self.value::<()>(branch, false);
            self.rewind(start, depth);
            match tried {
                Ok(()) if self.doubt => return Err(Stop::Undecided),
                Ok(()) => holding += 1,
                Err(Stop::Refused) => {}
                Err(Stop::Undecided) => return Err(Stop::Undecided),
            }
        }
        (self.trying, self.doubt) = (trying, doubt);
        let holds = if union.exactly { holding == 1 } else { holding > 0 };
        if holds { Ok(()) } else { Err(Stop::Refused) }
    }
}
