//! The options in `#[tool(…)]`.

mod decision;
mod duration;
mod entry;
mod read;
mod toolkit;

use proc_macro2::{Ident, Span, TokenStream};
use syn::{Expr, LitStr, Path};

pub(crate) use decision::{Approve, Recovery};

use crate::errors::Errors;

pub(crate) use toolkit::ToolkitOptions;

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
    Chunked,
}

/// A word that was chosen, and where.
pub(crate) struct Chosen<T> {
    pub(crate) value: T,
    pub(crate) at: Span,
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
    pub(crate) strategy: Option<Chosen<Strategy>>,
    /// The argument whose value is the key.
    pub(crate) chunk_by: Option<Chosen<String>>,
    pub(crate) max_concurrency: Option<usize>,
    pub(crate) approve: Option<Approve>,
    pub(crate) recovery: Option<Chosen<Recovery>>,
    /// The function that finds out what has happened to an interrupted call.
    pub(crate) probe: Option<Expr>,
}

impl Options {
    pub(crate) fn parse(tokens: TokenStream, errors: &mut Errors) -> Self {
        let mut options = Self::default();
        for entry in entry::entries_once(tokens, errors) {
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
        match (&self.strategy, &self.chunk_by) {
            (Some(Chosen { value: Strategy::Chunked, at }), None) => {
                errors.at(*at, "chunked calls go by the value of an argument: add `chunk_by = argument`");
            }
            (Some(Chosen { value: Strategy::Serial | Strategy::Parallel, .. }), Some(key)) => {
                errors.at(key.at, "`chunk_by` is for `strategy = chunked`: remove one of the two");
            }
            _ => {}
        }
        match (&self.recovery, &self.probe) {
            (Some(Chosen { value: Recovery::Probe, at }), None) => errors.at(
                *at,
                "somebody has to find out what has happened: add `probe = function`, a function of the arguments as \
                 JSON and the context",
            ),
            (Some(Chosen { value, at }), Some(_)) if *value != Recovery::Probe => {
                errors.at(*at, "with `probe = …` the contract is `\"probe\"`: remove one of the two");
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::{Approve, Options, Recovery, Strategy};
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
            strategy = chunked, chunk_by = account, max_concurrency = 4, approve = |a| a.amount > 1, recovery = "probe",
            probe = bank::probe,
        });
        assert_eq!(errors, [""; 0]);
        assert_eq!(options.timeout, Some(90_000));
        assert_eq!(options.strategy.map(|chosen| chosen.value), Some(Strategy::Chunked));
        assert_eq!(options.chunk_by.map(|chosen| chosen.value).as_deref(), Some("account"));
        assert_eq!(options.recovery.map(|chosen| chosen.value), Some(Recovery::Probe));
        assert!(matches!(options.approve, Some(Approve::When(_))) && options.probe.is_some());
        assert_eq!(options.max_concurrency, Some(4));
        assert_eq!(options.tags.len(), 2);
        assert_eq!(options.idempotent.map(|flag| flag.value), Some(false));
        assert_eq!(options.read_only.map(|flag| flag.value), None);
    }

    #[test]
    fn all_mistakes_show_at_once() {
        let (_, errors) = parse(quote! {
            naem = "x", colour, name = 3, timeout = "soon", timeout = "1s", strategy = paralel, max_concurrency = 0,
            tags = "a", read_only(true), "text", description = "", blocking = "yes", approve = |a, b| a, chunk_by = 7,
            recovery = "repat", probe = "p"
        });
        assert_eq!(errors.len(), 16, "{errors:#?}");
        assert!(
            errors
                .iter()
                .any(|error| error == "unknown recovery contract \"repat\": did you mean \"repeat\"?")
        );
        assert!(errors.iter().any(|error| error == "unknown strategy `paralel`: did you mean `parallel`?"));
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

    #[test]
    fn options_that_need_or_forbid_each_other() {
        for (tokens, said) in [
            (quote!(strategy = chunked), "add `chunk_by = argument`"),
            (quote!(strategy = serial, chunk_by = a), "`chunk_by` is for `strategy = chunked`"),
            (quote!(recovery = "probe"), "add `probe = function`"),
            (quote!(recovery = never, probe = p), "the contract is `\"probe\"`"),
        ] {
            let (_, errors) = parse(tokens);
            assert!(errors.len() == 1 && errors[0].contains(said), "{errors:?}");
        }
        for tokens in [
            quote!(chunk_by = "a", approve),
            quote!(probe = p, approve = false),
            quote!(recovery = keyed, approve = may_pay),
        ] {
            assert_eq!(parse(tokens).1, [""; 0]);
        }
    }
}
