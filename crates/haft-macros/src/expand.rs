//! The code that is written: the plain function, and a type of the same name that holds `tool()`.

mod arguments;
mod definition;
mod handler;
mod toolkit;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::Attribute;

use crate::{errors::Errors, model::Model, types::first_span};

pub(crate) use toolkit::toolkit;

/// The code for an item that is no function.
pub(crate) fn unreadable(item: &TokenStream, errors: Errors) -> TokenStream {
    let errors = errors.into_compile_errors();
    quote!(#errors #item)
}

/// The code for a function; where something is wrong, `tool()` is there all the same, so that nothing else fails.
pub(crate) fn tool(model: &Model, errors: Errors) -> TokenStream {
    let function = plain_function(model);
    let errors = errors.into_compile_errors();
    if model.signature.receiver().is_some() {
        return quote!(#errors #function); // a type can not stand in the `impl` that the method is in
    }
    let body = if errors.is_some() { quote!(loop {}) } else { definition::body(model) };
    let Model { krate, visibility, name, .. } = model;
    let ident = &model.signature.ident;
    let conditions = conditions(&model.attributes);
    let of_type = format!("The tool `{}`, made of the function of the same name.", name.value());
    quote! {
        #errors
        #function

        #(#conditions)*
        #[doc = #of_type]
        #[allow(non_camel_case_types, missing_debug_implementations, clippy::exhaustive_enums)]
        #visibility enum #ident {}

        #(#conditions)*
        #[allow(clippy::all, clippy::pedantic, clippy::absolute_paths)]
        impl #ident {
            /// The tool, which is the same one each time.
            ///
            /// # Errors
            /// What is wrong with the definition and shows only when it runs, such as a schema that can not be used.
            #visibility fn tool() -> ::core::result::Result<#krate::Tool, #krate::DefinitionError> {
                #body
            }
        }
    }
}

/// What says whether the item is there at all.
fn conditions(attributes: &[Attribute]) -> Vec<&Attribute> {
    attributes.iter().filter(|attribute| attribute.path().is_ident("cfg")).collect()
}

/// The function as it was, without what no other function could have.
fn plain_function(model: &Model) -> TokenStream {
    let Model { attributes, visibility, signature, body, .. } = model;
    quote! {
        #(#attributes)*
        // A tool's parameters come by value, and one each.
        #[allow(clippy::needless_pass_by_value, clippy::too_many_arguments, clippy::unused_async)]
        #visibility #signature #body
    }
}

/// Tokens whose mistakes the compiler shows at `at`, and that are no code of the user's to the lints.
fn located(at: impl ToTokens, write: impl FnOnce(proc_macro2::Span) -> TokenStream) -> TokenStream {
    write(proc_macro2::Span::mixed_site().located_at(first_span(at)))
}

/// `path::function` of the runtime support, shown at `span`.
fn support(model: &Model, span: proc_macro2::Span, function: &str) -> TokenStream {
    let krate = &model.krate;
    let function = syn::Ident::new(function, span);
    quote_spanned!(span=> #krate::__private::#function)
}
