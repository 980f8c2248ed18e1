//! The attributes `#[haft::tool]`, by which a function becomes a tool and stays a function, and `#[haft::toolkit]`, which does
//! the same for the methods of an `impl`.
//!
//! It goes from tokens to tokens in four steps: `function`, `options` and `parameter` read what was written,
//! `model` puts it together and checks it, `expand` writes the code. Every mistake is collected on the way, so that
//! all of them show at once, each at its token. What only the compiler knows, such as whether a type has a schema, is
//! decided by the probes in `haft_core::__private`.

mod block;
mod description;
mod errors;
mod expand;
mod function;
mod model;
mod name;
mod nearest;
mod options;
mod parameter;
mod toolkit;
mod types;

use proc_macro::TokenStream;

use self::{
    block::Block,
    errors::Errors,
    function::Function,
    model::Model,
    options::{Options, ToolkitOptions},
    toolkit::Toolkit,
};

/// Makes a tool of a function, which stays callable; described in full at `haft::tool`.
#[proc_macro_attribute]
pub fn tool(options: TokenStream, item: TokenStream) -> TokenStream {
    expanded(options.into(), &item.into()).into()
}

fn expanded(options: proc_macro2::TokenStream, item: &proc_macro2::TokenStream) -> proc_macro2::TokenStream {
    let mut errors = Errors::default();
    let options = Options::parse(options, &mut errors);
    match Function::parse(item.clone()) {
        Ok(function) => expand::tool(&Model::new(options, function, &mut errors), errors),
        Err(error) => {
            errors.push(error);
            expand::unreadable(item, errors)
        }
    }
}

/// Makes tools of the methods of an `impl`; described in full at `haft::toolkit`.
#[proc_macro_attribute]
pub fn toolkit(options: TokenStream, item: TokenStream) -> TokenStream {
    let item = proc_macro2::TokenStream::from(item);
    let mut errors = Errors::default();
    let options = ToolkitOptions::parse(options.into(), &mut errors);
    let expanded = match Block::parse(item.clone()) {
        Ok(block) => expand::toolkit(&Toolkit::new(options, block, &mut errors), errors),
        Err(error) => {
            errors.push(error);
            expand::unreadable(&item, errors)
        }
    };
    expanded.into()
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::expanded;

    #[test]
    fn haft_is_where_the_options_say() {
        let function = quote! {
            /// Moves money.
            async fn transfer(from: String, whole: State<Bank>) -> Receipt {}
        };
        let usual = expanded(quote!(), &function).to_string();
        assert!(
            usual.contains(":: haft :: Tool") && usual.contains("\"::haft::__private::serde\""),
            "{usual}"
        );
        let moved = expanded(quote!(crate = "my::tools", strategy = serial), &function).to_string();
        assert!(moved.contains("my :: tools :: Tool") && moved.contains("\"my::tools::__private::serde\""));
        assert!(!moved.contains("haft ::"), "{moved}");
    }

    #[test]
    fn the_item_stays_where_it_can_not_be_read() {
        let code = expanded(
            quote!(),
            &quote!(
                struct Bank;
            ),
        )
        .to_string();
        assert!(code.contains("compile_error") && code.ends_with("struct Bank ;"), "{code}");
    }
}
