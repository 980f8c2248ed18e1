//! What each parameter of the function is: an argument, all arguments, or an extractor.

mod attributes;

use proc_macro2::Ident;
use syn::{Attribute, LitStr, Pat, PatType, Type};

use self::attributes::Attributes;
use crate::{errors::Errors, types};

pub(crate) struct Parameter {
    pub(crate) ty: Type,
    pub(crate) role: Role,
}

pub(crate) enum Role {
    /// A field of the arguments.
    Argument(Box<Argument>),
    /// `Args<T>`: all the arguments.
    Arguments,
    /// Anything else that a function can ask for.
    Extractor,
}

pub(crate) struct Argument {
    pub(crate) ident: Ident,
    /// What the model calls it.
    pub(crate) name: String,
    /// Documentation, and what serde and schemars are told.
    pub(crate) attributes: Vec<Attribute>,
    /// What the model is told when a text is missing or empty.
    pub(crate) required: Option<LitStr>,
    /// Whether another type stands for this one before serde or schemars.
    pub(crate) by_proxy: bool,
    /// Whether it stands for the fields of its type.
    pub(crate) is_flattened: bool,
}

impl Parameter {
    /// Reads a parameter and leaves it as a plain function has it.
    pub(crate) fn take(parameter: &mut PatType, errors: &mut Errors) -> Self {
        let attributes = Attributes::take(&mut parameter.attrs, errors);
        let ty = (*parameter.ty).clone();
        if let Some((token, advice)) = types::borrowed(&ty) {
            errors.add(token, advice);
        }
        let role = if types::is_arguments(&ty) {
            attributes.refuse("`Args<T>`, whose own fields carry such attributes", errors);
            Role::Arguments
        } else if attributes.extract.is_some() || types::is_extractor(&ty) {
            attributes.refuse("an extractor, which no model sees", errors);
            Role::Extractor
        } else if let Some(name) = argument_name(&parameter.pat) {
            Role::Argument(Box::new(attributes.into_argument(name)))
        } else {
            errors.add(
                &parameter.pat,
                "an argument is named by its parameter: write `name: Type`, and take it apart in the body",
            );
            Role::Extractor
        };
        Self { ty, role }
    }
}

impl Parameter {
    /// The argument that it is, if it is one.
    pub(crate) fn argument(&self) -> Option<&Argument> {
        match &self.role {
            Role::Argument(argument) => Some(argument),
            Role::Arguments | Role::Extractor => None,
        }
    }
}

/// The name in `name` or `mut name`.
fn argument_name(pattern: &Pat) -> Option<Ident> {
    match pattern {
        Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => Some(name.ident.clone()),
        _ => None,
    }
}
