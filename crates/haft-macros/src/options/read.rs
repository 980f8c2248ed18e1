//! What each option means.

use proc_macro2::{Ident, Span};
use syn::{Error, Expr, ExprLit, Lit, LitStr, Path, Result, ext::IdentExt, spanned::Spanned};

use super::{
    Chosen, Flag, Options, Strategy, decision, duration,
    entry::{Entry, Value},
};
use crate::{description::literal, nearest};

/// All there are, in the order in which they are named.
const KEYS: [&str; 19] = [
    "name",
    "description",
    "display_name",
    "category",
    "tags",
    "toolkit",
    "read_only",
    "destructive",
    "idempotent",
    "open_world",
    "blocking",
    "timeout",
    "strategy",
    "chunk_by",
    "max_concurrency",
    "approve",
    "recovery",
    "probe",
    "crate",
];

impl Options {
    /// Takes one option in.
    pub(super) fn read(&mut self, entry: &Entry) -> Result<()> {
        let Entry { key, value } = entry;
        match key.to_string().as_str() {
            "name" => self.name = Some(text(key, value)?),
            "description" => self.description = Some(description(key, value)?),
            "display_name" => self.display_name = Some(text(key, value)?),
            "category" => self.category = Some(text(key, value)?),
            "toolkit" => self.toolkit = Some(text(key, value)?),
            "tags" => self.tags = texts(key, value)?,
            "read_only" => self.read_only = Some(flag(key, value)?),
            "destructive" => self.destructive = Some(flag(key, value)?),
            "idempotent" => self.idempotent = Some(flag(key, value)?),
            "open_world" => self.open_world = Some(flag(key, value)?),
            "blocking" => self.blocking = Some(flag(key, value)?),
            "timeout" => self.timeout = Some(timeout(key, value)?),
            "strategy" => self.strategy = Some(strategy(key, value)?),
            "max_concurrency" => self.max_concurrency = Some(limit(key, value)?),
            "chunk_by" => self.chunk_by = Some(decision::chunk_by(key, value)?),
            "approve" => self.approve = Some(decision::approve(key, value)?),
            "recovery" => self.recovery = Some(decision::recovery(key, value)?),
            "probe" => self.probe = Some(decision::probe(key, value)?),
            "crate" => self.krate = Some(path(key, value)?),
            other => {
                let advice = nearest::advice(other, &KEYS, |key| format!("`{key}`"));
                return Err(Error::new(key.span(), format!("unknown option `{other}`: {advice}")));
            }
        }
        Ok(())
    }
}

/// The error for a value of the wrong form.
pub(super) fn form(key: &Ident, value: &Value, example: &str) -> Error {
    let message = format!("`{key}` is written `{example}`");
    match value {
        Value::One(value) => Error::new_spanned(value, message),
        Value::List(list) if !list.is_empty() => Error::new_spanned(list, message),
        _ => Error::new(key.span(), message),
    }
}

pub(super) fn text(key: &Ident, value: &Value) -> Result<LitStr> {
    match value {
        Value::One(Expr::Lit(ExprLit { lit: Lit::Str(text), .. })) => Ok(text.clone()),
        _ => Err(form(key, value, &format!("{key} = \"…\""))),
    }
}

fn texts(key: &Ident, value: &Value) -> Result<Vec<LitStr>> {
    let wrong = || form(key, value, &format!("{key}(\"…\", \"…\")"));
    let Value::List(list) = value else { return Err(wrong()) };
    list.iter()
        .map(|one| match one {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Ok(text.clone()),
            _ => Err(wrong()),
        })
        .collect()
}

fn description(key: &Ident, value: &Value) -> Result<Expr> {
    let Value::One(expression) = value else { return Err(form(key, value, "description = \"…\"")) };
    if literal(expression).is_some_and(|text| text.trim().is_empty()) {
        return Err(Error::new_spanned(
            expression,
            "the description is empty: say what the tool does and when to call it",
        ));
    }
    Ok(expression.clone())
}

pub(super) fn flag(key: &Ident, value: &Value) -> Result<Flag> {
    match value {
        Value::None => Ok(Flag { key: key.clone(), value: true }),
        Value::One(Expr::Lit(ExprLit { lit: Lit::Bool(given), .. })) => {
            Ok(Flag { key: key.clone(), value: given.value })
        }
        _ => Err(form(key, value, &format!("{key}` or `{key} = false"))),
    }
}

fn timeout(key: &Ident, value: &Value) -> Result<u64> {
    let Value::One(Expr::Lit(ExprLit { lit: Lit::Str(text), .. })) = value else {
        return Err(form(key, value, "timeout = \"30s\""));
    };
    duration::milliseconds(&text.value()).map_err(|message| Error::new(text.span(), message))
}

fn strategy(key: &Ident, value: &Value) -> Result<Chosen<Strategy>> {
    const WORDS: [&str; 3] = ["serial", "parallel", "chunked"];
    let example = "strategy = serial`, `strategy = parallel` or `strategy = chunked";
    let Chosen { value: word, at } = word(key, value, example)?;
    let value = match word.as_str() {
        "serial" => Strategy::Serial,
        "parallel" => Strategy::Parallel,
        "chunked" => Strategy::Chunked,
        other => {
            let advice = nearest::advice(other, &WORDS, |word| format!("`{word}`"));
            return Err(Error::new(at, format!("unknown strategy `{other}`: {advice}")));
        }
    };
    Ok(Chosen { value, at })
}

/// A word, bare or quoted.
pub(super) fn word(key: &Ident, value: &Value, example: &str) -> Result<Chosen<String>> {
    let wrong = || form(key, value, example);
    let Value::One(expression) = value else { return Err(wrong()) };
    let word = match expression {
        Expr::Path(path) => path.path.get_ident().map(|ident| ident.unraw().to_string()),
        expression => literal(expression),
    };
    Ok(Chosen { value: word.ok_or_else(wrong)?, at: expression.span() })
}

fn limit(key: &Ident, value: &Value) -> Result<usize> {
    let (number, span): (Option<usize>, Span) = match value {
        Value::One(Expr::Lit(ExprLit { lit: Lit::Int(number), .. })) => {
            (number.base10_parse().ok(), number.span())
        }
        Value::One(other) => (None, other.span()),
        _ => (None, key.span()),
    };
    match number {
        Some(0) => Err(Error::new(span, "`max_concurrency` is zero: no call could run")),
        Some(number) => Ok(number),
        None => Err(form(key, value, "max_concurrency = 4")),
    }
}

pub(super) fn path(key: &Ident, value: &Value) -> Result<Path> {
    match value {
        Value::One(Expr::Path(path)) if path.qself.is_none() => Ok(path.path.clone()),
        Value::One(Expr::Lit(ExprLit { lit: Lit::Str(text), .. })) => {
            text.parse().map_err(|_| form(key, value, "crate = \"my::haft\""))
        }
        _ => Err(form(key, value, "crate = \"my::haft\"")),
    }
}
