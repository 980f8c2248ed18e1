//! A schema made ready to judge: the validator, and the plan for what the validator does not decide.

use std::sync::OnceLock;

use serde_json::Value;

use super::check::{Checker, accepted_at, refuse_unsound};
use super::error::SchemaError;
use super::finding::{Finding, Rank};
use super::issue::{Issue, shown};
use super::plan::{Effort, Plan};

/// Everything that judging needs.
#[derive(Debug)]
pub(super) struct Road {
    schema: Value,
    /// Compiled when first needed; that it compiles was seen when it was checked.
    checker: OnceLock<Result<Checker, SchemaError>>,
    pub(super) plan: Plan,
}

impl Road {
    /// Refuses a faulty schema; else what it says, node by node.
    pub(super) fn check(schema: &Value) -> Result<Plan, SchemaError> {
        let plan = Plan::of(schema);
        // Compiling recurses along references, so this comes first.
        plan.followable()?;
        refuse_unsound(schema)?;
        Ok(plan)
    }

    /// Of a schema that has been checked; with `defaults`, absent fields get the defaults that are valid themselves.
    pub(super) fn of(schema: &Value, defaults: bool) -> Self {
        let mut plan = Plan::of(schema);
        let mut stated: Vec<(String, Value)> = Vec::new();
        if defaults {
            stated = plan.defaults();
        }
        let pairs: Vec<(String, &Value)> =
            stated.iter().map(|(pointer, value)| (pointer.clone(), value)).collect();
        let accepted = if pairs.is_empty() { Vec::new() } else { accepted_at(schema, &pairs) };
        let valid: std::collections::BTreeSet<&str> = pairs
            .iter()
            .zip(accepted)
            .filter(|(_, accepted)| *accepted)
            .map(|((pointer, _), _)| pointer.as_str())
            .collect();
        plan.retain_defaults(|pointer| valid.contains(pointer));
        Self { schema: schema.clone(), checker: OnceLock::new(), plan }
    }

    /// What JSON Schema has against `value`.
    pub(super) fn findings(&self, value: &Value) -> Vec<Finding> {
        self.findings_with(self.plan.effort(value), value)
    }

    /// The same, where the effort is known already.
    pub(super) fn findings_with(&self, effort: Effort, value: &Value) -> Vec<Finding> {
        let checker = match self.checker.get_or_init(|| Checker::compile(&self.schema)) {
            Ok(checker) => checker,
            // A defect of ours: it was looked at before.
            Err(error) => return vec![overall(value, "a value of a valid schema", &error.to_string())],
        };
        match effort {
            Effort::Fair => checker.findings(&self.schema, &self.plan, value),
            Effort::Tangled if checker.accepts(value) => Vec::new(),
            Effort::Tangled => vec![overall(value, "a value that the schema accepts", "")],
            Effort::Hopeless => {
                vec![overall(
                    value,
                    "a value that can be checked in reasonable time",
                    "Send less, or nest it less",
                )]
            }
        }
    }
}

/// An issue with the whole value.
fn overall(value: &Value, expected: &str, advice: &str) -> Finding {
    Finding::new(Rank::Other, Issue::stated("", expected, shown(value), advice))
}
