//! The options in `#[tool(…)]`.

mod duration;
mod entry;
mod read;

use proc_macro2::{Ident, TokenStream};
use syn::{Expr, LitStr, Path};

use crate::errors::Errors;

/// One option that can be true or false, as written.
pub(crate) struct Flag {
    pub(crate) key: Ident,
    pub(crate) value: bool,
}

/// How the tool's calls stand to the others of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Strategy {
    Serial,
    Parallel,
}

#[derive(Default)]
pub(crate) struct Options {
    /// Where haft is, if not at `::haft`.
    pub(crate) krate: Option<Path>,
    pub(crate) name: Option<LitStr>,
    pub(crate) description: Option<Expr>,
    pub(crate) display_name: Option<LitStr>,
    pub(crate) category: Option<LitStr>,
    pub(crate) toolkit: Option<LitStr>,
    pub(crate) tags: Vec<LitStr>,
    pub(crate) read_only: Option<Flag>,
    pub(crate) destructive: Option<Flag>,
    pub(crate) idempotent: Option<Flag>,
    pub(crate) open_world: Option<Flag>,
    pub(crate) blocking: Option<Flag>,
    /// In milliseconds.
    pub(crate) timeout: Option<u64>,
    pub(crate) strategy: Option<Strategy>,
    pub(crate) max_concurrency: Option<usize>,
}

impl Options {
    pub(crate) fn parse(tokens: TokenStream, errors: &mut Errors) -> Self {
        let mut options = Self::default();
        let mut seen: Vec<String> = Vec::new();
        for entry in entry::entries(tokens, errors) {
            let key = entry.key.to_string();
            if seen.contains(&key) {
                errors.add(&entry.key, format!("`{key}` is given twice"));
                continue;
            }
            seen.push(key);
            if let Err(error) = options.read(&entry) {
                errors.push(error);
            }
        }
        options.contradictions(errors);
        options
    }

    fn contradictions(&self, errors: &mut Errors) {
        let set = |flag: &Option<Flag>| flag.as_ref().is_some_and(|flag| flag.value);
        if let (true, Some(destructive)) = (set(&self.read_only), &self.destructive)
            && destructive.value
        {
            errors.add(
                &destructive.key,
                "`destructive` contradicts `read_only`: a tool that changes nothing removes nothing",
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::{Options, Strategy};
    use crate::errors::Errors;

    fn parse(tokens: proc_macro2::TokenStream) -> (Options, Vec<String>) {
        let mut errors = Errors::default();
        let options = Options::parse(tokens, &mut errors);
        (options, errors.messages())
    }

    #[test]
    fn every_option_is_read() {
        let (options, errors) = parse(quote! {
            crate = "my::haft", name = "n", description = "d", display_name = "N", category = "c", toolkit = "t",
            tags("a", "b"), destructive, idempotent = false, open_world, blocking, timeout = "1m 30s",
            strategy = parallel, max_concurrency = 4,
        });
        assert_eq!(errors, [""; 0]);
        assert_eq!(options.timeout, Some(90_000));
        assert_eq!(options.strategy, Some(Strategy::Parallel));
        assert_eq!(options.max_concurrency, Some(4));
        assert_eq!(options.tags.len(), 2);
        assert_eq!(options.idempotent.map(|flag| flag.value), Some(false));
        assert_eq!(options.read_only.map(|flag| flag.value), None);
    }

    #[test]
    fn all_mistakes_show_at_once() {
        let (_, errors) = parse(quote! {
            naem = "x", colour, name = 3, timeout = "soon", timeout = "1s", strategy = paralel, max_concurrency = 0,
            tags = "a", read_only(true), "text", description = "", blocking = "yes"
        });
        assert_eq!(errors.len(), 12, "{errors:#?}");
        assert!(errors.iter().any(|error| error == "unknown option `naem`: did you mean `name`?"));
        assert!(errors.iter().any(|error| error == "`timeout` is given twice"));
    }

    #[test]
    fn a_tool_that_changes_nothing_destroys_nothing() {
        let (_, errors) = parse(quote!(read_only, destructive));
        assert!(errors.iter().all(|error| error.contains("contradicts")));
        assert_eq!(errors.len(), 1);
        assert!(parse(quote!(read_only, destructive = false)).1.is_empty());
    }
}
