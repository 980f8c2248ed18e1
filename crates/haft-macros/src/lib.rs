//! The attribute `#[haft::tool]`: a function becomes a tool and stays a function.
//!
//! It goes from tokens to tokens in four steps: `function`, `options` and `parameter` read what was written,
//! `model` puts it together and checks it, `expand` writes the code. Every mistake is collected on the way, so that
//! all of them show at once, each at its token. What only the compiler knows, such as whether a type has a schema, is
//! decided by the probes in `haft_core::__private`.

mod description;
mod errors;
mod expand;
mod function;
mod model;
mod name;
mod nearest;
mod options;
mod parameter;
mod types;

use proc_macro::TokenStream;

use self::{errors::Errors, function::Function, model::Model, options::Options};

/// Makes a tool of a function, which stays callable; described in full at `haft::tool`.
#[proc_macro_attribute]
pub fn tool(options: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let options = Options::parse(options.into(), &mut errors);
    match Function::parse(item.clone().into()) {
        Ok(function) => {
            let model = Model::new(options, function, &mut errors);
            expand::tool(&model, errors).into()
        }
        Err(error) => {
            errors.push(error);
            expand::unreadable(&item.into(), errors).into()
        }
    }
}
