//! What happens to servers while clients are served, as a person is told of it.

use std::collections::{HashMap, HashSet};

use haft::source::mcp::{McpServerChange, McpServerEvent, McpServerStatus};

/// Knows what has been told.
pub(super) struct Watch {
    /// Why servers can not be used.
    errors: HashMap<String, String>,
    /// What is wrong with tools of servers.
    problems: HashSet<(String, String)>,
}

impl Watch {
    /// All that these say has been told.
    pub(super) fn after(statuses: &[McpServerStatus]) -> Self {
        let errors = statuses.iter().filter_map(|status| {
            Some((status.name.clone(), status.error.as_deref()?.lines().next()?.to_owned()))
        });
        let problems = statuses.iter().flat_map(|status| {
            status.problems.iter().map(|problem| (status.name.clone(), problem.to_string()))
        });
        Self { errors: errors.collect(), problems: problems.collect() }
    }

    /// What to say; none where it has been said, or nobody has to know. An attempt that fails as the one before does is
    /// no news.
    pub(super) fn tells(&mut self, event: &McpServerEvent) -> Option<String> {
        let server = &*event.server;
        match &event.what {
            McpServerChange::Failed { error, .. } => {
                let error = first_line(&error.to_string());
                let said = self.errors.insert(server.to_owned(), error.clone());
                (said.as_ref() != Some(&error))
                    .then(|| format!("the server {server} can not be used: {error}; `haft doctor` says more"))
            }
            McpServerChange::Ready { .. } => {
                self.errors.remove(server).map(|_| format!("the server {server} can be used again"))
            }
            McpServerChange::Problem(problem) => {
                let problem = problem.to_string();
                let is_new = self.problems.insert((server.to_owned(), problem.clone()));
                is_new.then(|| format!("of the server {server}: {problem}"))
            }
            McpServerChange::RefreshFailed { error } => {
                let error = first_line(&error.to_string());
                Some(format!("the tools of the server {server} stay as they were: {error}"))
            }
            _ => None,
        }
    }
}

/// What an error says; what a program wrote stands below.
fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}
