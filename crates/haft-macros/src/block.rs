//! The `impl` that `#[toolkit]` stands on: methods that are tools, and all else as it is.

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::{
    AttrStyle, Attribute, Generics, ImplItem, Token, Type, Visibility, braced,
    parse::{Parse, ParseStream, Parser},
    spanned::Spanned,
};

use crate::function::Function;

pub(crate) struct Block {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) generics: Generics,
    pub(crate) owner: Type,
    pub(crate) items: Vec<Item>,
}

pub(crate) enum Item {
    /// A method that carries `#[tool]`, with what stands in that.
    Tool(Box<Function>, TokenStream),
    Other(TokenStream),
}

impl Block {
    pub(crate) fn parse(item: TokenStream) -> syn::Result<Self> {
        <Self as Parse>::parse.parse2(item)
    }
}

impl Parse for Block {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut attributes = input.call(Attribute::parse_outer)?;
        if !input.peek(Token![impl]) {
            return Err(input.error("`#[toolkit]` stands on an `impl` of the type whose methods are tools"));
        }
        input.parse::<Token![impl]>()?;
        let mut generics: Generics = if input.peek(Token![<]) { input.parse()? } else { Generics::default() };
        let owner: Type = input.parse()?;
        if input.peek(Token![for]) {
            return Err(input.error(
                "`#[toolkit]` stands on an `impl` of the type itself, and this is one of a trait: call the trait's methods \
                 from methods of the type's own",
            ));
        }
        generics.where_clause = input.parse()?;
        let content;
        braced!(content in input);
        let inner = content.call(Attribute::parse_inner)?;
        attributes
            .extend(inner.into_iter().map(|attribute| Attribute { style: AttrStyle::Outer, ..attribute }));
        let mut items = Vec::new();
        while !content.is_empty() {
            items.push(item(&content)?);
        }
        Ok(Self { attributes, generics, owner, items })
    }
}

fn item(input: ParseStream<'_>) -> syn::Result<Item> {
    let ahead = input.fork();
    let mut attributes = ahead.call(Attribute::parse_outer)?;
    let Some(at) = attributes.iter().position(is_tool) else {
        return other(input);
    };
    ahead.parse::<Visibility>()?;
    let attribute = attributes.remove(at);
    let options = match &attribute.meta {
        syn::Meta::Path(_) => TokenStream::new(),
        syn::Meta::List(list) => list.tokens.clone(),
        syn::Meta::NameValue(pair) => {
            return Err(syn::Error::new(pair.span(), "options of a tool are written `#[tool(…)]`"));
        }
    };
    let mut function: Function = input.parse()?;
    function.attributes.remove(at);
    Ok(Item::Tool(Box::new(function), options))
}

/// Anything else. The body of a function is left alone, whatever is in it.
fn other(input: ParseStream<'_>) -> syn::Result<Item> {
    let ahead = input.fork();
    let function: syn::Result<Function> = ahead.parse();
    if function.is_ok() {
        let function: Function = input.parse()?;
        return Ok(Item::Other(function.into_token_stream()));
    }
    Ok(Item::Other(input.parse::<ImplItem>()?.into_token_stream()))
}

/// Whether it is `#[tool]`, under whatever path.
fn is_tool(attribute: &Attribute) -> bool {
    let last: Option<&Ident> = attribute.path().segments.last().map(|segment| &segment.ident);
    last.is_some_and(|name| name == "tool")
}
