//! The code for an `impl`: the plain methods, and `toolkit()` beside them.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};

use super::{conditions, definition, handler, located, plain_function};
use crate::{
    errors::Errors,
    model::Model,
    toolkit::{Part, Toolkit},
};

/// Where something is wrong, `toolkit()` is there all the same, so that nothing else fails.
pub(crate) fn toolkit(toolkit: &Toolkit, errors: Errors) -> TokenStream {
    let Toolkit { krate, name, attributes, generics, owner, items, .. } = toolkit;
    let items = items.iter().map(|part| match part {
        Part::Tool(model) => plain_function(model),
        Part::Other(tokens) => tokens.clone(),
    });
    let errors = errors.into_compile_errors();
    let body = if errors.is_some() { quote!(loop {}) } else { body(toolkit) };
    let (parameters, _, bounds) = generics.split_for_impl();
    let conditions = conditions(attributes);
    let value = Ident::new("value", Span::mixed_site());
    let (parameter, works) = if toolkit.has_receiver() {
        let shared = quote!(::std::sync::Arc<Self>);
        (quote!(#value: impl ::core::convert::Into<#shared>), ", which work on this value")
    } else {
        (TokenStream::new(), "")
    };
    let documentation = format!("The toolkit `{}`: the tools of this type{works}.", name.value());
    quote! {
        #errors
        #(#attributes)*
        impl #parameters #owner #bounds {
            #(#items)*
        }

        #(#conditions)*
        #[allow(clippy::all, clippy::pedantic, clippy::absolute_paths)]
        impl #parameters #owner #bounds {
            #[doc = #documentation]
            #[allow(unreachable_pub, unused_variables)]
            pub fn toolkit(#parameter) -> #krate::Toolkit {
                #body
            }
        }
    }
}

fn body(toolkit: &Toolkit) -> TokenStream {
    let Toolkit { krate, name, owner, .. } = toolkit;
    let (kit, value) = (Ident::new("kit", Span::mixed_site()), Ident::new("value", Span::mixed_site()));
    let receiver = handler::receiver();
    let shared = toolkit.has_receiver().then(|| {
        let check = located(owner, |span| {
            let check = Ident::new("receiver", span);
            quote_spanned!(span=> #krate::__private::#check::<Self>();)
        });
        quote! {
            #check
            let #receiver: ::std::sync::Arc<Self> = ::core::convert::Into::into(#value);
        }
    });
    let snake_case = toolkit.snake_case.then(|| quote!(.snake_case()));
    let tools = toolkit.tools().map(|tool| add(&kit, tool));
    quote! {
        #shared
        let #kit = #krate::Toolkit::new(#name) #snake_case;
        #(#tools)*
        #kit
    }
}

/// One tool more.
fn add(kit: &Ident, tool: &Model) -> TokenStream {
    let conditions = conditions(&tool.attributes);
    let own = tool.receiver().map(|_| handler::clone_of(&handler::receiver()));
    let definition = definition::of_method(tool);
    quote! {
        #(#conditions)*
        let #kit = #kit.tool({
            #own
            #definition
        });
    }
}
