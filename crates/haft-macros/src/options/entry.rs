//! Options as they are written, before their meaning: `key`, `key = value`, `key(values)`.

use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::{
    Expr, Token,
    ext::IdentExt,
    parenthesized,
    parse::{Parse, ParseStream, Parser},
    punctuated::Punctuated,
    token::Paren,
};

use crate::errors::Errors;

pub(super) struct Entry {
    pub(super) key: Ident,
    pub(super) value: Value,
}

pub(super) enum Value {
    None,
    One(Expr),
    List(Punctuated<Expr, Token![,]>),
}

/// The options that can be read; after a mistake it goes on behind the next comma.
fn entries(tokens: TokenStream, errors: &mut Errors) -> Vec<Entry> {
    let read = |input: ParseStream<'_>| {
        let mut entries = Vec::new();
        while !input.is_empty() {
            match entry(input) {
                Ok(entry) => {
                    entries.push(entry);
                    if !input.is_empty() && !input.peek(Token![,]) {
                        errors.push(input.error("expected a comma before the next option"));
                    }
                }
                Err(error) => errors.push(error),
            }
            skip(input)?;
        }
        Ok(entries)
    };
    // Reading ends at the end of the tokens alone, so nothing is left that could fail.
    read.parse2(tokens).unwrap_or_default()
}

/// The options that can be read, each once.
pub(super) fn entries_once(tokens: TokenStream, errors: &mut Errors) -> Vec<Entry> {
    let mut once: Vec<Entry> = Vec::new();
    for entry in entries(tokens, errors) {
        if once.iter().any(|seen| seen.key == entry.key) {
            errors.add(&entry.key, format!("`{}` is given twice", entry.key));
        } else {
            once.push(entry);
        }
    }
    once
}

fn entry(input: ParseStream<'_>) -> syn::Result<Entry> {
    if !input.peek(syn::Ident::peek_any) {
        return Err(input.error("expected an option, such as `read_only` or `name = \"…\"`"));
    }
    let key = input.call(Ident::parse_any)?;
    let value = if input.peek(Token![=]) {
        input.parse::<Token![=]>()?;
        Value::One(input.parse()?)
    } else if input.peek(Paren) {
        let list;
        parenthesized!(list in input);
        Value::List(list.parse_terminated(Expr::parse, Token![,])?)
    } else {
        Value::None
    };
    Ok(Entry { key, value })
}

/// Goes on behind the next comma.
fn skip(input: ParseStream<'_>) -> syn::Result<()> {
    while !input.is_empty() {
        if input.peek(Token![,]) {
            input.parse::<Token![,]>()?;
            break;
        }
        input.parse::<TokenTree>()?;
    }
    Ok(())
}
