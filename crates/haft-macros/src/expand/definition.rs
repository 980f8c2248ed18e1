//! The body of `tool()`: the definition, made once.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::Ident;

use super::{arguments, handler};
use crate::{
    description::Description,
    model::Model,
    options::{Flag, Strategy},
    parameter::Role,
};

pub(super) fn body(model: &Model) -> TokenStream {
    let krate = &model.krate;
    let arguments = arguments::item(model);
    let checks = arguments::checks(model);
    let settings = settings(model);
    let end = handler::end(model);
    let name = &model.name;
    quote! {
        #arguments

        fn __haft_define() -> ::core::result::Result<#krate::Tool, #krate::DefinitionError> {
            #[allow(unused_imports)]
            use #krate::__private::probes::*;

            #checks
            #krate::Tool::builder(#name) #settings #end
        }

        static __HAFT_TOOL: ::std::sync::OnceLock<::core::result::Result<#krate::Tool, #krate::DefinitionError>> =
            ::std::sync::OnceLock::new();
        ::core::clone::Clone::clone(__HAFT_TOOL.get_or_init(__haft_define))
    }
}

/// The calls of the builder that the options stand for.
fn settings(model: &Model) -> TokenStream {
    let krate = &model.krate;
    let options = &model.options;
    let mut calls = TokenStream::new();
    let mut call = |method: &str, value: &dyn ToTokens| {
        let method = Ident::new(method, proc_macro2::Span::call_site());
        calls.extend(quote!(.#method(#value)));
    };
    match &model.description {
        Description::Text(text) => call("description", text),
        Description::Expression(expression) => call("description", expression),
    }
    let texts = [
        ("display_name", &options.display_name),
        ("category", &options.category),
        ("toolkit", &options.toolkit),
    ];
    for (method, text) in texts {
        if let Some(text) = text {
            call(method, text);
        }
    }
    for tag in &options.tags {
        call("tag", tag);
    }
    let flags = [&options.read_only, &options.destructive, &options.idempotent, &options.open_world];
    for Flag { key, value } in flags.into_iter().flatten() {
        call(&key.to_string(), value);
    }
    if let Some(milliseconds) = options.timeout {
        call("timeout", &quote!(::core::time::Duration::from_millis(#milliseconds)));
    }
    if let Some(calls) = options.max_concurrency {
        call("max_concurrency", &calls);
    }
    match options.strategy {
        Some(Strategy::Serial) => call("batching", &quote!(#krate::BatchingStrategy::Serial)),
        Some(Strategy::Parallel) => call("batching", &quote!(#krate::BatchingStrategy::Parallel)),
        None => {}
    }
    for parameter in &model.parameters {
        if let Role::Argument(argument) = &parameter.role
            && let Some((field, message)) = &argument.required
        {
            call("required_field", &quote!(#field, #message));
        }
    }
    calls
}
