//! The function that the attribute stands on. Its body is taken as it is, whatever is in it.

use proc_macro2::{Group, TokenStream};
use quote::ToTokens;
use syn::{
    Attribute, Signature, Token, Visibility,
    parse::{Parse, ParseStream, Parser},
};

pub(crate) struct Function {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    pub(crate) signature: Signature,
    pub(crate) body: Group,
}

impl Function {
    pub(crate) fn parse(item: TokenStream) -> syn::Result<Self> {
        <Self as Parse>::parse.parse2(item)
    }
}

impl ToTokens for Function {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Self { attributes, visibility, signature, body } = self;
        tokens.extend(quote::quote!(#(#attributes)* #visibility #signature #body));
    }
}

impl Parse for Function {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        let visibility = input.parse()?;
        if let Some(word) = other_item(input) {
            return Err(input.error(format!(
                "`#[tool]` stands on a function, and this is a `{word}`: put it on the function that does the work"
            )));
        }
        let signature = input.parse()?;
        if input.peek(Token![;]) {
            return Err(input.error("a tool needs a body: the function is only declared here"));
        }
        Ok(Self { attributes, visibility, signature, body: input.parse()? })
    }
}

/// The word that begins an item which is no function.
fn other_item(input: ParseStream<'_>) -> Option<&'static str> {
    if input.peek(Token![const]) && !input.peek2(syn::Ident) {
        return None; // `const fn`
    }
    let words = [
        (input.peek(Token![struct]), "struct"),
        (input.peek(Token![enum]), "enum"),
        (input.peek(Token![impl]), "impl"),
        (input.peek(Token![trait]), "trait"),
        (input.peek(Token![mod]), "mod"),
        (input.peek(Token![type]), "type"),
        (input.peek(Token![const]), "const"),
        (input.peek(Token![static]), "static"),
        (input.peek(Token![use]), "use"),
    ];
    words.into_iter().find_map(|(present, word)| present.then_some(word))
}
