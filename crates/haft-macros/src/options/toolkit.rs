//! The options in `#[toolkit(…)]`.

use proc_macro2::TokenStream;
use syn::{Error, LitStr, Path, Result};

use super::{
    Flag,
    entry::{self, Entry},
    read::{flag, path, text},
};
use crate::{errors::Errors, nearest};

/// All there are.
const KEYS: [&str; 3] = ["name", "snake_case", "crate"];

#[derive(Default)]
pub(crate) struct ToolkitOptions {
    pub(crate) krate: Option<Path>,
    pub(crate) name: Option<LitStr>,
    pub(crate) snake_case: Option<Flag>,
}

impl ToolkitOptions {
    pub(crate) fn parse(tokens: TokenStream, errors: &mut Errors) -> Self {
        let mut options = Self::default();
        for entry in entry::entries_once(tokens, errors) {
            if let Err(error) = options.read(&entry) {
                errors.push(error);
            }
        }
        options
    }

    fn read(&mut self, Entry { key, value }: &Entry) -> Result<()> {
        match key.to_string().as_str() {
            "name" => {
                let name = text(key, value)?;
                if name.value().trim().is_empty() {
                    return Err(Error::new(name.span(), "a toolkit's name may not be empty"));
                }
                self.name = Some(name);
            }
            "snake_case" => self.snake_case = Some(flag(key, value)?),
            "crate" => self.krate = Some(path(key, value)?),
            other => {
                let advice = nearest::advice(other, &KEYS, |key| format!("`{key}`"));
                return Err(Error::new(key.span(), format!("unknown option `{other}`: {advice}")));
            }
        }
        Ok(())
    }
}
