//! The toolkit that the `impl` becomes, put together and checked.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Attribute, Generics, LitStr, Path, Type, ext::IdentExt, parse_quote};

use crate::{
    block::{Block, Item},
    errors::Errors,
    model::{Model, Owner},
    name,
    options::{Options, ToolkitOptions},
    types,
};

pub(crate) struct Toolkit {
    pub(crate) krate: Path,
    pub(crate) name: LitStr,
    pub(crate) snake_case: bool,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) generics: Generics,
    pub(crate) owner: Type,
    pub(crate) items: Vec<Part>,
}

pub(crate) enum Part {
    Tool(Box<Model>),
    Other(TokenStream),
}

impl Toolkit {
    pub(crate) fn new(mut options: ToolkitOptions, block: Block, errors: &mut Errors) -> Self {
        let Block { attributes, generics, owner, items } = block;
        let krate: Path = options.krate.take().unwrap_or_else(|| parse_quote!(::haft));
        let mut part = |item| match item {
            Item::Other(tokens) => Part::Other(tokens),
            Item::Tool(function, tokens) => {
                let mut own = Options::parse(tokens, errors);
                check_options(&own, errors);
                own.krate = Some(krate.clone());
                let owner = Owner::new(owner.clone());
                Part::Tool(Box::new(Model::of_method(own, *function, owner, errors)))
            }
        };
        let items: Vec<Part> = items.into_iter().map(&mut part).collect();
        let own_name = || {
            let name = types::last_segment(&owner).unwrap_or_else(|| "toolkit".to_owned());
            LitStr::new(&name::snake(&name), types::first_span(&owner))
        };
        let snake_case = options.snake_case.as_ref().is_some_and(|flag| flag.value);
        let name = options.name.take().unwrap_or_else(own_name);
        let made = Self { krate, name, snake_case, attributes, generics, owner, items };
        made.check(errors);
        made
    }

    /// The methods that are tools.
    pub(crate) fn tools(&self) -> impl Iterator<Item = &Model> {
        self.items.iter().filter_map(|part| match part {
            Part::Tool(model) => Some(model.as_ref()),
            Part::Other(_) => None,
        })
    }

    /// Whether any tool works on a value.
    pub(crate) fn has_receiver(&self) -> bool {
        self.tools().any(|tool| tool.receiver().is_some())
    }

    fn check(&self, errors: &mut Errors) {
        if self.tools().next().is_none() {
            errors.add(
                &self.owner,
                "no method of this `impl` is a tool: put `#[tool]` on each that a model may call",
            );
        }
        let mut taken: Vec<(String, String)> = Vec::new();
        for tool in self.tools() {
            let (name, method) = (tool.name.value(), tool.signature.ident.unraw().to_string());
            let suggestion = name::snake(&name);
            if self.snake_case && suggestion != name && name::fault(&name).is_none() {
                errors.at(
                    tool.name.span(),
                    format!(
                        "the toolkit wants names in lower snake case, and this is {name:?}: `name = {suggestion:?}` would do"
                    ),
                );
            }
            if let Some((_, other)) = taken.iter().find(|(taken, _)| *taken == name) {
                errors.at(
                    tool.name.span(),
                    format!(
                        "two tools are named {name:?}, of the methods `{other}` and `{method}`: rename one"
                    ),
                );
            }
            taken.push((name, method));
        }
    }
}

/// What is said once for the whole `impl`.
fn check_options(options: &Options, errors: &mut Errors) {
    if let Some(toolkit) = &options.toolkit {
        errors.add(toolkit, "the toolkit of a method is named once, in `#[toolkit(name = \"…\")]`");
    }
    if let Some(krate) = &options.krate {
        errors.add(krate.to_token_stream(), "where haft is, is said once, in `#[toolkit(crate = \"…\")]`");
    }
}
