//! Finds the definitions of tools in a document, whatever they are wrapped in, without reading them.

use serde::Deserialize;
use serde_json::value::RawValue;

/// Most wrappers inside each other: a response, its result, a list, declarations in it.
const MOST_WRAPPERS: usize = 8;

/// The definitions of tools in a text, in its order.
#[derive(Debug, Default)]
pub(super) struct Items<'text> {
    /// Each is JSON that should be a definition.
    pub(super) found: Vec<&'text RawValue>,
    /// Whether the list goes on elsewhere.
    pub(super) has_further_page: bool,
    documents: usize,
    wrapped: bool,
}

impl Items<'_> {
    /// Whether the whole text is one value that was taken for a definition.
    pub(super) fn is_one_document(&self) -> bool {
        self.documents == 1 && !self.wrapped
    }
}

/// Lists of tools are found under these keys.
#[derive(Debug, Deserialize)]
struct Wrapper<'text> {
    #[serde(borrow)]
    tools: Option<&'text RawValue>,
    #[serde(borrow, rename = "functionDeclarations", alias = "function_declarations", alias = "functions")]
    declarations: Option<&'text RawValue>,
    #[serde(borrow)]
    result: Option<&'text RawValue>,
    /// Amazon's requests hold the list one level deeper.
    #[serde(borrow, rename = "toolConfig")]
    config: Option<&'text RawValue>,
    #[serde(borrow, rename = "nextCursor")]
    next_cursor: Option<&'text RawValue>,
}

/// Finds the definitions in one JSON document, or in one a line.
pub(super) fn read(text: &str) -> serde_json::Result<Items<'_>> {
    let mut items = Items::default();
    for document in serde_json::Deserializer::from_str(text).into_iter::<&RawValue>() {
        items.documents += 1;
        items.unwrap(document?, 0);
    }
    Ok(items)
}

impl<'text> Items<'text> {
    fn unwrap(&mut self, value: &'text RawValue, depth: usize) {
        let inner = if depth < MOST_WRAPPERS { self.inner(value) } else { None };
        match inner {
            None => self.found.push(value),
            Some(inner) => {
                self.wrapped = true;
                for value in inner {
                    self.unwrap(value, depth + 1);
                }
            }
        }
    }

    /// What a list or wrapper holds; `None` for anything else, which the reader of definitions judges.
    fn inner(&mut self, value: &'text RawValue) -> Option<Vec<&'text RawValue>> {
        if let Some(list) = list(value) {
            return Some(list);
        }
        // A list would be read as the fields in their order.
        let wrapper: Wrapper<'_> =
            value.get().starts_with('{').then(|| serde_json::from_str(value.get()).ok())??;
        if let Some(tools) = wrapper.tools.or(wrapper.declarations).and_then(list) {
            self.has_further_page |= wrapper.next_cursor.is_some();
            return Some(tools);
        }
        wrapper
            .result
            .or(wrapper.config)
            .filter(|inner| inner.get().starts_with(['{', '[']))
            .map(|inner| vec![inner])
    }
}

fn list(value: &RawValue) -> Option<Vec<&RawValue>> {
    value.get().starts_with('[').then(|| serde_json::from_str(value.get()).ok())?
}
