//! The struct of the arguments, and what the compiler is asked about each parameter.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};

use super::{located, support};
use crate::{
    model::Model,
    parameter::{Argument, Parameter, Role},
    types,
};

/// The parameters that are arguments.
pub(super) fn fields(model: &Model) -> impl Iterator<Item = (&Parameter, &Argument)> {
    model.parameters.iter().filter_map(|parameter| match &parameter.role {
        Role::Argument(argument) => Some((parameter, argument.as_ref())),
        _ => None,
    })
}

/// The struct that the arguments are read into, where they are parameters.
pub(super) fn item(model: &Model) -> Option<TokenStream> {
    fields(model).next()?;
    let krate = &model.krate;
    let path = |name: &str| format!("{}::__private::{name}", krate.to_token_stream()).replace(' ', "");
    let (serde, schemars) = (path("serde"), path("schemars"));
    let fields = fields(model).map(|(Parameter { ty, .. }, Argument { ident, attributes, .. })| {
        // A struct has another `Self` than the `impl` around it.
        let ty = match &model.owner {
            Some(owner) => types::without_self(ty.to_token_stream(), &owner.ty),
            None => ty.to_token_stream(),
        };
        quote!(#(#attributes)* #ident: #ty)
    });
    Some(quote! {
        #[derive(#krate::__private::serde::Deserialize, #krate::__private::schemars::JsonSchema)]
        #[serde(crate = #serde)]
        #[schemars(crate = #schemars)]
        struct __HaftArguments {
            #(#fields,)*
        }
    })
}

/// One check for each parameter, whose failure shows at the parameter's type.
pub(super) fn checks(model: &Model) -> TokenStream {
    model.parameters.iter().map(|parameter| check(model, parameter)).collect()
}

fn check(model: &Model, Parameter { ty, role }: &Parameter) -> TokenStream {
    located(ty, |span| match role {
        Role::Argument(argument) => {
            let probe = support(model, span, "argument");
            let of_type =
                (!argument.by_proxy).then(|| quote_spanned!(span=> (&&&&&#probe::<#ty>()).check();));
            let text = support(model, span, "required_text");
            let required = argument.required.as_ref().map(|_| quote_spanned!(span=> #text::<#ty>();));
            quote!(#of_type #required)
        }
        Role::Arguments | Role::Extractor => {
            let extractor = support(model, span, "extractor");
            quote_spanned!(span=> #extractor::<#ty>();)
        }
    })
}
