//! Issues on their way into a refusal: ranked, sorted, each once.

use super::issue::Issue;

/// The order in which a refusal lists issues.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    /// Unknown fields first: a misspelt name explains the missing field behind it.
    Unknown,
    Missing,
    Other,
    /// Fields that only seem wrong because the part that lists them failed; told when nothing else is.
    Leftover,
}

/// An issue with its rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) rank: Rank,
    pub(super) issue: Issue,
}

impl Finding {
    pub(super) fn new(rank: Rank, issue: Issue) -> Self {
        Self { rank, issue }
    }
}

/// The issues in the order of a refusal. The order does not depend on how a validator or a map happens to iterate.
pub(super) fn ordered(mut findings: Vec<Finding>) -> Vec<Issue> {
    if findings.iter().any(|finding| finding.rank < Rank::Leftover) {
        findings.retain(|finding| finding.rank < Rank::Leftover);
    }
    let key = |finding: &Finding| (finding.rank, finding.issue.path.clone(), finding.issue.expected.clone());
    findings.sort_by_cached_key(key);
    findings.dedup_by(|next, kept| {
        let same_place = next.rank == kept.rank && next.issue.path == kept.issue.path;
        same_place && (next.rank < Rank::Other || next.issue.expected == kept.issue.expected)
    });
    findings.into_iter().map(|finding| finding.issue).collect()
}
