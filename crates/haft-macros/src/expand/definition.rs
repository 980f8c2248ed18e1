//! The body of `tool()`: the definition, made once.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Expr, Ident};

use super::{arguments, handler};
use crate::{
    description::Description,
    model::Model,
    options::{Approve, Chosen, Flag, Recovery, Strategy},
    parameter::{Parameter, Role},
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

/// The definition of a method, as an expression; `receiver` is the value that it works on.
pub(super) fn of_method(model: &Model) -> TokenStream {
    let krate = &model.krate;
    let arguments = arguments::item(model);
    let checks = arguments::checks(model);
    let settings = settings(model);
    let end = handler::end(model);
    let name = &model.name;
    quote! {{
        #arguments
        #[allow(unused_imports)]
        use #krate::__private::probes::*;

        #checks
        #krate::Tool::builder(#name) #settings #end
    }}
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
    if let Some(Chosen { value, .. }) = &options.strategy {
        let strategy = match value {
            Strategy::Serial => quote!(Serial),
            Strategy::Parallel => quote!(Parallel),
            Strategy::Chunked => quote!(Chunked),
        };
        call("batching", &quote!(#krate::BatchingStrategy::#strategy));
    }
    if let Some(key) = &options.chunk_by {
        call("chunk_by", &key.value);
    }
    match &options.approve {
        Some(Approve::Flag(flag)) => call("needs_approval", &flag.value),
        Some(Approve::When(predicate)) => call("approve_if", &approval(model, predicate)),
        None => {}
    }
    if let Some(Chosen { value, .. }) = &options.recovery {
        let contract = match value {
            Recovery::Repeat => Some(quote!(Repeat)),
            Recovery::Keyed => Some(quote!(Keyed)),
            Recovery::Ask => Some(quote!(Ask)),
            Recovery::Never => Some(quote!(Never)),
            Recovery::Probe => None, // said by the probe itself
        };
        if let Some(contract) = contract {
            call("recovery", &quote!(#krate::Recovery::#contract));
        }
    }
    if let Some(probe) = &options.probe {
        call("probe", probe);
    }
    for parameter in &model.parameters {
        if let Role::Argument(argument) = &parameter.role
            && let Some(message) = &argument.required
        {
            let field = &argument.name;
            call("required_field", &quote!(#field, #message));
        }
    }
    calls
}

/// The predicate over JSON, which reads the arguments as the function does.
fn approval(model: &Model, predicate: &Expr) -> TokenStream {
    let krate = &model.krate;
    let whole = model.parameters.iter().find(|parameter| matches!(parameter.role, Role::Arguments));
    let arguments = match whole {
        Some(Parameter { ty, .. }) => quote!(#ty),
        None => quote!(#krate::Args<__HaftArguments>),
    };
    quote!(#krate::__private::approval::<#arguments, _>(#predicate))
}
