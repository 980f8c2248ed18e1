//! Which branch of a union was meant, so that its own complaint can be told instead of "none of them fits".

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind as Kind;
use serde_json::Value;

use super::super::finding::Finding;
use super::describe::one_of;
use super::explain::Explainer;

type Branch = [ValidationError<'static>];

/// The complaint of the one branch that the value was meant for, else a description of all of them.
pub(super) fn findings(
    explainer: Explainer<'_>,
    union: &ValidationError<'_>,
    branches: &[Vec<ValidationError<'static>>],
    depth: usize,
) -> Vec<Finding> {
    let place = union.instance_path().as_str();
    let whole = || vec![explainer.mismatch(place, explainer.union(union))];
    let Some(depth) = depth.checked_sub(1) else { return whole() };
    let of_kind: Vec<&Branch> =
        branches.iter().map(Vec::as_slice).filter(|branch| !wrong_kind(place, branch)).collect();
    let meant: Vec<&Branch> = of_kind.iter().copied().filter(|branch| tag(place, branch).is_none()).collect();
    match (meant.as_slice(), of_kind.as_slice()) {
        ([only], _) => only.iter().flat_map(|error| explainer.findings_within(error, depth)).collect(),
        ([], [_, ..]) => wrong_tag(explainer, place, &of_kind).map_or_else(whole, |finding| vec![finding]),
        _ => whole(),
    }
}

/// Whether a branch wanted another type or another constant than the value itself.
fn wrong_kind(place: &str, branch: &Branch) -> bool {
    branch.iter().any(|error| {
        error.instance_path().as_str() == place
            && matches!(
                error.kind(),
                Kind::Type { .. } | Kind::Constant { .. } | Kind::Enum { .. } | Kind::FalseSchema
            )
    })
}

/// The place and values of a property that a branch fixes and the value has otherwise: its tag.
fn tag<'b>(place: &str, branch: &'b Branch) -> Option<(&'b str, Vec<Value>)> {
    branch.iter().find_map(|error| {
        let path = error.instance_path().as_str();
        let direct = path.strip_prefix(place)?.strip_prefix('/').is_some_and(|name| !name.contains('/'));
        match error.kind() {
            Kind::Constant { expected_value } if direct => {
                Some((path, vec![expected_value.as_ref().clone()]))
            }
            Kind::Enum { options } if direct => Some((path, options.as_array()?.clone())),
            _ => None,
        }
    })
}

/// Every branch was ruled out by the same tag: its allowed values are what the model needs.
fn wrong_tag(explainer: Explainer<'_>, place: &str, branches: &[&Branch]) -> Option<Finding> {
    let tags: Vec<_> = branches.iter().map(|branch| tag(place, branch)).collect::<Option<_>>()?;
    let (path, _) = *tags.first().map(|(path, values)| (path, values)).as_ref()?;
    if tags.iter().any(|(other, _)| other != path) {
        return None;
    }
    let mut values: Vec<Value> = Vec::new();
    for value in tags.iter().flat_map(|(_, values)| values) {
        if !values.contains(value) {
            values.push(value.clone());
        }
    }
    Some(explainer.mismatch(path, one_of(&values)))
}
