//! What can be read off the tokens of a parameter's type.

use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Path, Type};

/// Extractors that are known by their last path segment; any other one carries `#[extract]`.
const EXTRACTORS: [&str; 5] = ["State", "Extension", "ToolContext", "Progress", "CancellationToken"];

/// The last segment of a type's path.
pub(crate) fn last_segment(ty: &Type) -> Option<String> {
    match ty {
        Type::Path(path) if path.qself.is_none() => last(&path.path),
        Type::Group(group) => last_segment(&group.elem),
        Type::Paren(inner) => last_segment(&inner.elem),
        _ => None,
    }
}

fn last(path: &Path) -> Option<String> {
    path.segments.last().map(|segment| segment.ident.to_string())
}

/// Whether the type is one of haft's extractors, to all appearance.
pub(crate) fn is_extractor(ty: &Type) -> bool {
    last_segment(ty).is_some_and(|name| EXTRACTORS.contains(&name.as_str()))
}

/// Whether the type holds all the arguments, to all appearance.
pub(crate) fn is_arguments(ty: &Type) -> bool {
    last_segment(ty).is_some_and(|name| name == "Args")
}

/// What no parameter of a tool can have in its type, and what to do instead. Host state may hold a `&'static`.
pub(crate) fn borrowed(ty: &Type) -> Option<(TokenTree, &'static str)> {
    find(ty.to_token_stream(), is_extractor(ty))
}

fn find(tokens: TokenStream, static_references: bool) -> Option<(TokenTree, &'static str)> {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match &token {
            TokenTree::Punct(punct) if punct.as_char() == '&' => {
                if static_references
                    && matches!(tokens.peek(), Some(TokenTree::Punct(next)) if next.as_char() == '\'')
                {
                    continue;
                }
                return Some((
                    token,
                    "a parameter of a tool owns its value: take an owned type, such as `String` for `&str`",
                ));
            }
            TokenTree::Punct(punct) if punct.as_char() == '\'' => {
                let is_static = matches!(tokens.peek(), Some(TokenTree::Ident(name)) if name == "static");
                if !is_static {
                    let name = tokens.next().unwrap_or(token);
                    return Some((
                        name,
                        "a parameter of a tool owns its value: take an owned type without a lifetime",
                    ));
                }
            }
            TokenTree::Ident(word) if word == "impl" => {
                return Some((token, "the schema is made from the type: name one instead of `impl …`"));
            }
            TokenTree::Group(group) => {
                if let Some(found) = find(group.stream(), static_references) {
                    return Some(found);
                }
            }
            _ => {}
        }
    }
    None
}

/// The tokens with the type that `Self` stands for in its place.
pub(crate) fn without_self(tokens: TokenStream, owner: &Type) -> TokenStream {
    let replaced = |token: TokenTree| match token {
        TokenTree::Ident(word) if word == "Self" => owner.to_token_stream(),
        TokenTree::Group(group) => {
            let mut inside = Group::new(group.delimiter(), without_self(group.stream(), owner));
            inside.set_span(group.span());
            TokenTree::Group(inside).into()
        }
        other => other.into(),
    };
    tokens.into_iter().map(replaced).collect()
}

/// Where the tokens begin: stable compilers can not join the places of several.
pub(crate) fn first_span(tokens: impl ToTokens) -> Span {
    tokens.to_token_stream().into_iter().next().map_or_else(Span::call_site, |token| token.span())
}

#[cfg(test)]
mod tests {
    use syn::parse_quote;

    use super::{borrowed, is_arguments, is_extractor};

    #[test]
    fn extractors_are_known_by_their_last_segment() {
        assert!(is_extractor(&parse_quote!(State<Bank>)));
        assert!(is_extractor(&parse_quote!(haft::ToolContext)));
        assert!(is_arguments(&parse_quote!(haft::Args<Transfer>)));
        assert!(!is_extractor(&parse_quote!(Vec<State<Bank>>)));
        assert!(!is_extractor(&parse_quote!(<Bank as Owner>::State)));
    }

    #[test]
    fn borrowed_types_are_found_at_any_depth() {
        for owned in [
            parse_quote!(Vec<String>),
            parse_quote!(Cow<'static, str>),
            parse_quote!([u8; 4]),
            parse_quote!(State<&'static str>),
        ] {
            assert!(borrowed(&owned).is_none());
        }
        for (ty, token) in [
            (parse_quote!(&str), "&"),
            (parse_quote!(Option<&'static str>), "&"),
            (parse_quote!((u8, Cow<'a, str>)), "a"),
            (parse_quote!(Vec<impl Fn()>), "impl"),
        ] {
            assert_eq!(borrowed(&ty).map(|(token, _)| token.to_string()).as_deref(), Some(token));
        }
    }
}
