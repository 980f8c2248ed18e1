//! The attributes of a parameter.

use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::{Attribute, Expr, ExprLit, Lit, LitStr, Meta, Token, ext::IdentExt, meta::ParseNestedMeta};

use super::Argument;
use crate::{errors::Errors, nearest};

/// The attributes that are read here.
const OURS: [&str; 4] = ["serde", "schemars", "required", "extract"];
/// The attributes that any parameter can have.
const LINTS: [&str; 5] = ["allow", "expect", "warn", "deny", "forbid"];

/// What makes serde or schemars read the argument in another way than by its type's own implementation.
const PROXIES: [&str; 6] =
    ["with", "deserialize_with", "schema_with", "skip", "skip_deserializing", "flatten"];

#[derive(Default)]
pub(super) struct Attributes {
    documentation: Vec<Attribute>,
    derives: Vec<Attribute>,
    required: Option<LitStr>,
    required_at: Option<Attribute>,
    pub(super) extract: Option<Attribute>,
}

impl Attributes {
    /// Takes away all but what a plain parameter can have.
    pub(super) fn take(all: &mut Vec<Attribute>, errors: &mut Errors) -> Self {
        let mut taken = Self::default();
        for attribute in std::mem::take(all) {
            let name = attribute.path().get_ident().map(ToString::to_string).unwrap_or_default();
            match name.as_str() {
                "doc" => taken.documentation.push(attribute),
                "serde" | "schemars" => taken.derives.push(attribute),
                "required" if taken.required_at.is_some() => {
                    errors.add(&attribute.meta, "`#[required]` is given twice");
                }
                "required" => taken.read_required(attribute, errors),
                "extract" => taken.read_extract(attribute, errors),
                lint if LINTS.contains(&lint) => all.push(attribute),
                "cfg" | "cfg_attr" => errors.add(
                    attribute.path(),
                    "a parameter of a tool is always there: put `#[cfg(…)]` on the function, and write it once for each case",
                ),
                _ => errors.add(attribute.path(), unknown(&attribute)),
            }
        }
        taken
    }

    fn read_required(&mut self, attribute: Attribute, errors: &mut Errors) {
        let text = match &attribute.meta {
            Meta::NameValue(pair) => match &pair.value {
                Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.clone()),
                _ => None,
            },
            _ => None,
        };
        if text.is_none() {
            errors.add(
                &attribute.meta,
                "`required` is written `#[required = \"what to say when it is missing\"]`",
            );
        }
        self.required = text;
        self.required_at = Some(attribute);
    }

    fn read_extract(&mut self, attribute: Attribute, errors: &mut Errors) {
        if !matches!(attribute.meta, Meta::Path(_)) {
            errors.add(&attribute.meta, "`extract` is written `#[extract]`");
        } else if self.extract.is_some() {
            errors.add(&attribute.meta, "`#[extract]` is given twice");
        }
        self.extract = Some(attribute);
    }

    /// Says that what is for arguments has no meaning here.
    pub(super) fn refuse(&self, what: &str, errors: &mut Errors) {
        for attribute in self.derives.iter().chain(&self.required_at) {
            errors.add(&attribute.meta, format!("this has no effect on {what}: remove it"));
        }
    }

    pub(super) fn into_argument(self, ident: Ident) -> Argument {
        let (mut renamed, mut by_proxy, mut is_flattened) = (None, false, false);
        for attribute in &self.derives {
            if let Meta::List(list) = &attribute.meta {
                by_proxy |= has(&list.tokens, &PROXIES);
                is_flattened |= has(&list.tokens, &["flatten"]);
            }
            // What cannot be read here is told by the derive that it is for.
            let _ = attribute.parse_nested_meta(|meta| rename(&meta, &mut renamed));
        }
        let name = renamed.unwrap_or_else(|| ident.unraw().to_string());
        let attributes = self.documentation.into_iter().chain(self.derives).collect();
        Argument { ident, name, attributes, required: self.required, by_proxy, is_flattened }
    }
}

fn unknown(attribute: &Attribute) -> String {
    let path = attribute.path();
    let name: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    let name = name.join("::");
    let advice = nearest::advice(&name, &OURS, |known| format!("`#[{known}]`"));
    format!("unknown attribute `#[{name}]` on a parameter: {advice}")
}

/// Whether one of the words stands there.
fn has(tokens: &TokenStream, words: &[&str]) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Ident(word) => words.iter().any(|known| word == known),
        _ => false,
    })
}

/// Finds `rename = "…"` and `rename(deserialize = "…")`.
fn rename(meta: &ParseNestedMeta<'_>, renamed: &mut Option<String>) -> syn::Result<()> {
    if meta.path.is_ident("rename") && meta.input.peek(syn::token::Paren) {
        return meta.parse_nested_meta(|side| {
            let text: LitStr = side.value()?.parse()?;
            if side.path.is_ident("deserialize") {
                *renamed = Some(text.value());
            }
            Ok(())
        });
    }
    if meta.path.is_ident("rename") {
        *renamed = Some(meta.value()?.parse::<LitStr>()?.value());
        return Ok(());
    }
    while !meta.input.is_empty() && !meta.input.peek(Token![,]) {
        meta.input.parse::<TokenTree>()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use syn::{Attribute, parse_quote};

    use super::Attributes;
    use crate::errors::Errors;

    fn take(mut all: Vec<Attribute>) -> (Attributes, Vec<String>, usize) {
        let mut errors = Errors::default();
        let taken = Attributes::take(&mut all, &mut errors);
        (taken, errors.messages(), all.len())
    }

    #[test]
    fn a_required_text_goes_by_the_name_that_the_model_sees() {
        for (attribute, name) in [
            (parse_quote!(#[serde(default)]), "from"),
            (parse_quote!(#[serde(alias = "x", rename = "source")]), "source"),
            (parse_quote!(#[serde(rename(serialize = "a", deserialize = "b"), default)]), "b"),
            (parse_quote!(#[schemars(range(min = 1), rename = "c")]), "c"),
        ] {
            let (taken, errors, _) = take(vec![attribute, parse_quote!(#[required = "Say it."])]);
            assert_eq!(errors, [""; 0]);
            let argument = taken.into_argument(parse_quote!(r#from));
            assert_eq!((argument.name.as_str(), argument.required.is_some()), (name, true));
        }
    }

    #[test]
    fn types_that_others_stand_for_are_not_probed() {
        for (attribute, wanted) in [
            (parse_quote!(#[serde(with = "module")]), true),
            (parse_quote!(#[schemars(schema_with = "function")]), true),
            (parse_quote!(#[serde(default = "with")]), false),
            (parse_quote!(#[schemars(range(min = 1))]), false),
        ] {
            let (taken, _, _) = take(vec![attribute]);
            assert_eq!(taken.into_argument(parse_quote!(a)).by_proxy, wanted);
        }
    }

    #[test]
    fn a_plain_parameter_keeps_its_lints_alone() {
        let (_, errors, left) = take(vec![
            parse_quote!(#[doc = "a"]),
            parse_quote!(#[allow(unused)]),
            parse_quote!(#[serde(default)]),
        ]);
        assert!(errors.is_empty());
        assert_eq!(left, 1);
        let (_, errors, _) = take(vec![parse_quote!(#[requird = "a"]), parse_quote!(#[cfg(test)])]);
        assert_eq!(errors.len(), 2);
        assert_eq!(
            errors.first().map(String::as_str),
            Some("unknown attribute `#[requird]` on a parameter: did you mean `#[required]`?")
        );
    }
}
