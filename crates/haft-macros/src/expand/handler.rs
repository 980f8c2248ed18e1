//! The end of the definition: the closure that takes the arguments apart, calls the function and makes its value output.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ReturnType;

use super::{arguments, located, support};
use crate::{
    model::{Model, Receiver},
    parameter::{Parameter, Role},
};

/// `.run(…)`, `.run_sync(…)` or `.run_blocking(…)`.
pub(super) fn end(model: &Model) -> TokenStream {
    let (parameters, call) = call(model);
    let value = Ident::new("value", Span::mixed_site());
    let output = output(model);
    if model.is_async() {
        let pass = located(&model.signature.ident, |span| {
            let (probe, future) = (support(model, span, "future"), Ident::new("future", span));
            quote_spanned! {span=>
                let #future = #call;
                let #future = (&&#probe(&#future)).pass(#future);
            }
        });
        let future = Ident::new("future", Span::mixed_site());
        // A method's future borrows the value that it works on, so that is kept beside it.
        let (kept, before, inside) = match model.receiver() {
            Some(_) => (Some(clone_of(&receiver())), None, Some(pass)),
            None => (None, Some(pass), None),
        };
        let keyword = kept.is_some().then(|| quote!(move));
        return quote! {
            .run(#keyword |#parameters| {
                #kept
                #before
                async move {
                    #inside
                    let #value = #future.await;
                    #output
                }
            })
        };
    }
    let method = Ident::new(if model.is_blocking() { "run_blocking" } else { "run_sync" }, Span::call_site());
    let keyword = model.receiver().map(|_| quote!(move));
    quote! {
        .#method(#keyword |#parameters| {
            let #value = #call;
            #output
        })
    }
}

/// The value that methods work on.
pub(super) fn receiver() -> Ident {
    Ident::new("receiver", Span::mixed_site())
}

/// Another handle to the same value.
pub(super) fn clone_of(receiver: &Ident) -> TokenStream {
    quote!(let #receiver = ::std::sync::Arc::clone(&#receiver);)
}

/// The closure's parameters, and the call of the function with them.
fn call(model: &Model) -> (TokenStream, TokenStream) {
    let krate = &model.krate;
    let all = Ident::new("arguments", Span::mixed_site());
    let mut parameters = TokenStream::new();
    if arguments::fields(model).next().is_some() {
        parameters.extend(quote!(#krate::Args(#all): #krate::Args<__HaftArguments>,));
    }
    let own = receiver();
    let mut values = match model.receiver() {
        Some(Receiver::Borrowed) => vec![quote!(&#own)],
        Some(Receiver::Shared) => vec![quote!(::std::sync::Arc::clone(&#own))],
        None => Vec::new(),
    };
    for (index, Parameter { ty, role }) in model.parameters.iter().enumerate() {
        if let Role::Argument(argument) = role {
            let field = &argument.ident;
            values.push(quote!(#all.#field));
        } else {
            let name = format_ident!("extracted_{index}", span = Span::mixed_site());
            parameters.extend(quote!(#name: #ty,));
            values.push(quote!(#name));
        }
    }
    // A future that can not move between threads is blamed on the call: it shows at the function's name.
    let mut function = model.signature.ident.clone();
    let span = Span::call_site().located_at(function.span());
    function.set_span(span);
    let of_type = model.owner.as_ref().map(|_| quote_spanned!(span=> Self::));
    (parameters, quote_spanned!(span=> #of_type #function(#(#values),*)))
}

/// The value as output; what is wrong with its type is blamed on the value, and shows at the return type.
fn output(model: &Model) -> TokenStream {
    let at: &dyn quote::ToTokens = match &model.signature.output {
        ReturnType::Default => &model.signature.ident,
        ReturnType::Type(_, ty) => ty,
    };
    located(at, |span| {
        let (failure, returned) = (support(model, span, "failure"), support(model, span, "returned"));
        let value = Ident::new("value", span);
        quote_spanned! {span=>
            let #value = (&&&&#failure(&#value)).convert(#value);
            (&&&&&&&#returned(&#value)).output(#value)
        }
    })
}
