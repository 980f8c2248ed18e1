//! Advice on tools: what a provider would refuse or weaken, and what makes a tool hard to use for a model.

mod id;
mod practice;
mod provider;
mod row;

pub use id::{Lint, LintLevel, UnknownLint};
pub use row::{LintReport, LintRow};

use crate::{
    registry::ToolRegistry,
    schema::{Projection, Target, projection::Reports},
    tool::Tool,
};

/// Looks at tools and says what to mend.
///
/// ```
/// use haft_core::{Lint, Linter, Projection, Tool, ToolRegistry};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let search = Tool::simple("search", |input: String| async move { input });
/// let registry = ToolRegistry::builder().tool(search).build()?;
/// let report = Linter::new().provider(Projection::Gemini).allow(Lint::ShortDescription).registry(&registry);
/// let found: Vec<&str> = report.rows.iter().map(|row| row.lint.id()).collect();
/// assert_eq!(found, ["vague-name", "description-is-name"]);
/// assert!(!report.is_refused());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
#[must_use = "a linter says nothing until it is given tools"]
pub struct Linter {
    providers: Vec<Target>,
    allowed: Vec<(Lint, Option<String>)>,
}

impl Linter {
    /// A linter for every provider.
    pub fn new() -> Self {
        Self::default()
    }

    /// Looks at this provider; without any, at those of all projections.
    pub fn provider(mut self, provider: impl Into<Target>) -> Self {
        let provider = provider.into();
        if !self.providers.contains(&provider) {
            self.providers.push(provider);
        }
        self
    }

    /// Says nothing of this kind.
    pub fn allow(mut self, lint: Lint) -> Self {
        self.allowed.push((lint, None));
        self
    }

    /// Says nothing of this kind about the tool of that name.
    pub fn allow_for(mut self, tool: impl Into<String>, lint: Lint) -> Self {
        self.allowed.push((lint, Some(tool.into())));
        self
    }

    /// What is to be said about one tool: one row a provider and lint, advice for every provider first.
    pub fn tool(&self, tool: &Tool) -> Vec<LintRow> {
        let mut rows = practice::rows(tool);
        let schema = Reports::schema(tool);
        let reports = Reports::of(tool, &schema);
        for provider in self.providers() {
            provider::rows(provider, tool, &reports, &mut rows);
        }
        rows.retain(|row| !self.is_allowed(row));
        rows
    }

    /// What is to be said about all tools of a registry, in the order of their registration.
    pub fn registry(&self, registry: &ToolRegistry) -> LintReport {
        let rows = registry.iter().flat_map(|tool| self.tool(&tool)).collect();
        LintReport { tools: registry.len(), rows }
    }

    /// What is to be said about a definition that is none that a tool can have: every provider would refuse it.
    pub fn unusable(&self, tool: &str, fault: &str) -> Vec<LintRow> {
        let row = |provider: Target| LintRow::new(tool, Lint::Refused, fault).of(provider);
        self.providers().into_iter().map(row).filter(|row| !self.is_allowed(row)).collect()
    }

    fn providers(&self) -> Vec<Target> {
        match self.providers.as_slice() {
            [] => Projection::ALL.map(Target::from).to_vec(),
            chosen => chosen.to_vec(),
        }
    }

    /// Whether nothing is to be said of it.
    fn is_allowed(&self, row: &LintRow) -> bool {
        let covers = |tool: &Option<String>| tool.as_ref().is_none_or(|tool| *tool == row.tool);
        self.allowed.iter().any(|(lint, tool)| *lint == row.lint && covers(tool))
    }
}
