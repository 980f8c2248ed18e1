//! What the model reads about a tool: its documentation comment.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// A description, as the expression that makes it.
pub(crate) enum Description {
    Text(String),
    Expression(TokenStream),
}

/// What the documentation says, if anything.
pub(crate) fn of_documentation(attributes: &[Attribute]) -> Option<Description> {
    let values: Vec<&Expr> = attributes.iter().filter_map(documentation).collect();
    let texts: Option<Vec<String>> = values.iter().map(|value| literal(value)).collect();
    match texts {
        Some(texts) => {
            let lines: Vec<String> = texts.iter().flat_map(|text| lines(text)).collect();
            let text = lines.join("\n").trim().to_owned();
            (!text.is_empty()).then_some(Description::Text(text))
        }
        // Such as `#[doc = include_str!("…")]`.
        None => Some(Description::Expression(quote!(::core::concat!(#(#values, "\n"),*).trim()))),
    }
}

/// The value of `#[doc = …]`; `#[doc(…)]` says something else.
fn documentation(attribute: &Attribute) -> Option<&Expr> {
    match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => Some(&pair.value),
        _ => None,
    }
}

/// The text of a literal.
pub(crate) fn literal(value: &Expr) -> Option<String> {
    match value {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
        Expr::Group(group) => literal(&group.expr),
        _ => None,
    }
}

/// The lines of one comment, without what only lays it out.
fn lines(comment: &str) -> Vec<String> {
    let block = comment.contains('\n');
    let plain = |line: &str| {
        let line = if block { line.trim_start().trim_start_matches('*') } else { line };
        line.strip_prefix(' ').unwrap_or(line).trim_end().to_owned()
    };
    comment.split('\n').map(plain).collect()
}

#[cfg(test)]
mod tests {
    use syn::{Attribute, parse_quote};

    use super::{Description, of_documentation};

    fn text(attributes: &[Attribute]) -> Option<String> {
        match of_documentation(attributes) {
            Some(Description::Text(text)) => Some(text),
            Some(Description::Expression(tokens)) => Some(tokens.to_string()),
            None => None,
        }
    }

    #[test]
    fn comments_become_text_without_their_layout() {
        assert_eq!(text(&[]), None);
        assert_eq!(text(&[parse_quote!(#[doc = "  "]), parse_quote!(#[doc(hidden)])]), None);
        let lines = [
            parse_quote!(#[doc = " Moves money."]),
            parse_quote!(#[doc = ""]),
            parse_quote!(#[doc = "   - at once "]),
        ];
        assert_eq!(text(&lines).as_deref(), Some("Moves money.\n\n  - at once"));
        let block = [parse_quote!(#[doc = "\n * Moves money.\n * At once.\n "])];
        assert_eq!(text(&block).as_deref(), Some("Moves money.\nAt once."));
        let file = [parse_quote!(#[doc = include_str!("a.md")])];
        assert!(text(&file).unwrap_or_default().contains("include_str"));
    }
}
