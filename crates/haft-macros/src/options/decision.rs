//! The options that decide on calls: their key, who approves them, and what becomes of those that were interrupted.

use proc_macro2::Ident;
use syn::{Error, Expr, ExprClosure, Result};

use super::{
    Chosen, Flag,
    entry::Value,
    read::{flag, form, word},
};
use crate::nearest;

/// When a person has to approve a call.
pub(crate) enum Approve {
    /// Always, or never.
    Flag(Flag),
    /// Where the closure of the arguments says so.
    When(Expr),
}

/// What a resumed run does with a call that had started and has no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Recovery {
    Repeat,
    Keyed,
    Probe,
    Ask,
    Never,
}

pub(super) fn chunk_by(key: &Ident, value: &Value) -> Result<Chosen<String>> {
    word(key, value, "chunk_by = argument")
}

pub(super) fn approve(key: &Ident, value: &Value) -> Result<Approve> {
    match value {
        Value::One(Expr::Closure(closure)) if is_predicate(closure) => {
            Ok(Approve::When(Expr::Closure(closure.clone())))
        }
        Value::One(path @ Expr::Path(_)) => Ok(Approve::When(path.clone())),
        Value::One(Expr::Closure(closure)) => Err(Error::new_spanned(
            closure,
            "`approve` takes a closure of one thing, the arguments by reference: `approve = |a| a.amount > 100`",
        )),
        Value::None | Value::One(Expr::Lit(_)) => {
            flag(key, value).map(Approve::Flag).map_err(|_| wrong(key, value))
        }
        _ => Err(wrong(key, value)),
    }
}

fn wrong(key: &Ident, value: &Value) -> Error {
    form(key, value, "approve`, `approve = false` or `approve = |a| a.amount > 100")
}

fn is_predicate(closure: &ExprClosure) -> bool {
    closure.inputs.len() == 1 && closure.asyncness.is_none()
}

pub(super) fn recovery(key: &Ident, value: &Value) -> Result<Chosen<Recovery>> {
    const WORDS: [&str; 5] = ["repeat", "keyed", "probe", "ask", "never"];
    let Chosen { value: word, at } = word(key, value, "recovery = \"keyed\"")?;
    let value = match word.as_str() {
        "repeat" => Recovery::Repeat,
        "keyed" => Recovery::Keyed,
        "probe" => Recovery::Probe,
        "ask" => Recovery::Ask,
        "never" => Recovery::Never,
        other => {
            let advice = nearest::advice(other, &WORDS, |word| format!("{word:?}"));
            return Err(Error::new(at, format!("unknown recovery contract {other:?}: {advice}")));
        }
    };
    Ok(Chosen { value, at })
}

pub(super) fn probe(key: &Ident, value: &Value) -> Result<Expr> {
    match value {
        Value::One(function @ (Expr::Path(_) | Expr::Closure(_))) => Ok(function.clone()),
        _ => Err(form(key, value, "probe = function")),
    }
}
