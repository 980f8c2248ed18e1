//! `tools/list`: the registry as clients see it.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use haft_core::{Projection, ToolRegistry};
use rmcp::model::{CacheScope, ErrorData, ListToolsResult, Tool};

use super::text::{self, Object};

/// What a cursor of ours begins with; behind it is the last tool of the page before.
const AFTER: &str = "after:";

/// The list of the tools, made once for each generation of the registry.
#[derive(Debug)]
pub(super) struct Listing {
    page: usize,
    fresh: Duration,
    made: Mutex<Option<Made>>,
}

/// The list as it was made.
#[derive(Debug)]
struct Made {
    generation: u64,
    tools: Arc<[Tool]>,
    /// The names of those that want arguments as headers too.
    with_headers: HashSet<String>,
}

impl Listing {
    pub(super) fn new(page: usize, fresh: Duration) -> Self {
        Self { page, fresh, made: Mutex::new(None) }
    }

    /// The page that a cursor stands for, of the registry's tools and those beside them.
    pub(super) fn page(
        &self,
        registry: &ToolRegistry,
        beside: &[Tool],
        cursor: Option<&str>,
    ) -> Result<ListToolsResult, ErrorData> {
        let own = self.tools(registry);
        let mut tools: Vec<&Tool> = own.iter().collect();
        if !beside.is_empty() {
            tools.extend(beside.iter().filter(|tool| !registry.contains(&tool.name)));
            tools.sort_by(|one, other| one.name.cmp(&other.name));
        }
        let begin = match cursor {
            None => 0,
            Some(cursor) => {
                let last = cursor.strip_prefix(AFTER).ok_or_else(|| unknown(cursor))?;
                tools.partition_point(|tool| *tool.name <= *last)
            }
        };
        let rest = tools.get(begin..).unwrap_or_default();
        let page: Vec<Tool> = rest.iter().take(self.page).map(|tool| (*tool).clone()).collect();
        let more = rest.len() > page.len();
        let next = page.last().filter(|_| more).map(|tool| format!("{AFTER}{}", tool.name));
        Ok(ListToolsResult { tools: page, next_cursor: next, ..ListToolsResult::default() })
    }

    /// The result that has all tools, behind what it has besides; none where there are more than go on a page, or where anything
    /// about a tool is in doubt.
    pub(super) fn plain(&self, registry: &ToolRegistry, result: Object) -> Option<String> {
        let projected = Projection::Mcp.list(registry);
        if !projected.refused().is_empty() || projected.tools().len() > self.page {
            return None;
        }
        let mut tools: Vec<(&str, String)> = Vec::with_capacity(projected.tools().len());
        for tool in projected.tools() {
            tools.push((tool.name(), text::tool(tool.json())?));
        }
        tools.sort_unstable();
        let tools: Vec<String> = tools.into_iter().map(|(_, tool)| tool).collect();
        Some(result.json("tools", &format!("[{}]", tools.join(","))).end())
    }

    /// How long a page may be used, in milliseconds.
    pub(super) fn fresh_ms(&self) -> u64 {
        u64::try_from(self.fresh.as_millis()).unwrap_or(u64::MAX)
    }

    /// Says how long the page may be used, to clients that know what that means.
    pub(super) fn fresh(&self, page: ListToolsResult) -> ListToolsResult {
        page.with_ttl_ms(self.fresh_ms()).with_cache_scope(CacheScope::Private)
    }

    /// One tool, as the list has it.
    pub(super) fn tool(&self, registry: &ToolRegistry, name: &str) -> Option<Tool> {
        let tools = self.tools(registry);
        let at = tools.binary_search_by(|tool| (*tool.name).cmp(name)).ok()?;
        tools.get(at).cloned()
    }

    /// Whether a tool wants some of its arguments as headers too, over HTTP.
    pub(super) fn has_headers(&self, registry: &ToolRegistry, name: &str) -> bool {
        self.made(registry, |made| made.with_headers.contains(name))
    }

    /// The registry's tools, by name: the order that they were registered in can differ from start to start.
    fn tools(&self, registry: &ToolRegistry) -> Arc<[Tool]> {
        self.made(registry, |made| Arc::clone(&made.tools))
    }

    /// The list, made anew where the registry has changed.
    fn made<T>(&self, registry: &ToolRegistry, look: impl FnOnce(&Made) -> T) -> T {
        let generation = registry.generation();
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *made {
            Some(made) if made.generation == generation => look(made),
            made => look(made.insert(Made::of(registry, generation))),
        }
    }
}

impl Made {
    fn of(registry: &ToolRegistry, generation: u64) -> Self {
        let projected = Projection::Mcp.list(registry);
        for refused in projected.refused() {
            tracing::warn!(tool = refused.name, "a tool has no form for MCP clients, and is left out");
        }
        let with_headers = projected.tools().iter().filter(|tool| tool.json().contains("x-mcp-header"));
        let with_headers = with_headers.map(|tool| tool.name().to_owned()).collect();
        let mut tools: Vec<Tool> = projected
            .tools()
            .iter()
            .filter_map(|tool| {
                serde_json::from_str(tool.json())
                    .inspect_err(
                        |error| tracing::warn!(tool = tool.name(), %error, "a tool can not be listed"),
                    )
                    .ok()
            })
            .collect();
        tools.sort_by(|one, other| one.name.cmp(&other.name));
        Self { generation, tools: tools.into(), with_headers }
    }
}

fn unknown(cursor: &str) -> ErrorData {
    ErrorData::invalid_params(format!("there is no page {cursor:?}; ask for the list without a cursor"), None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn registry(names: &[&str]) -> ToolRegistry {
        let tools =
            names.iter().map(|name| haft_core::Tool::simple(*name, |input: String| async move { input }));
        ToolRegistry::builder().tools(tools).build().expect("a registry")
    }

    fn names(page: &ListToolsResult) -> Vec<String> {
        page.tools.iter().map(|tool| tool.name.to_string()).collect()
    }

    #[test]
    fn pages_come_in_one_order_and_the_last_has_no_cursor() {
        let registry = registry(&["d", "a", "c", "b", "e"]);
        let listing = Listing::new(2, Duration::from_secs(1));
        let (mut seen, mut cursor) = (Vec::new(), None);
        for _ in 0..3 {
            let page = listing.page(&registry, &[], cursor.as_deref()).expect("a page");
            seen.extend(names(&page));
            cursor = page.next_cursor;
        }
        assert_eq!((seen.join(""), cursor), ("abcde".to_owned(), None));
        assert!(listing.page(&registry, &[], Some("2")).is_err());
    }

    #[test]
    fn a_cursor_outlives_a_change_of_the_tools() {
        let registry = registry(&["a", "b", "c"]);
        let listing = Listing::new(2, Duration::from_secs(1));
        let first = listing.page(&registry, &[], None).expect("a page");
        registry.update(|builder| builder.without("b")).expect("an update");
        let second = listing.page(&registry, &[], first.next_cursor.as_deref()).expect("a page");
        assert_eq!(names(&second), ["c"]);
        assert!(listing.tool(&registry, "b").is_none() && listing.tool(&registry, "c").is_some());
    }
}
