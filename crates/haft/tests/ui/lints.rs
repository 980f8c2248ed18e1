//! What the attribute writes sets off no lint in the crate of its user.
//~ nothing
#![warn(
    missing_copy_implementations,
    missing_debug_implementations,
    missing_docs,
    non_ascii_idents,
    trivial_casts,
    unreachable_pub,
    unused,
    unused_qualifications,
    variant_size_differences
)]
#![forbid(unsafe_code)]

/// Tools.
pub mod tools {
    /// Adds two numbers.
    #[haft::tool(read_only)]
    pub fn add(
        /// The first.
        #[allow(unused_variables)]
        a: u8,
        #[serde(default)] _b: Option<u8>,
        context: haft::ToolContext,
    ) -> String {
        context.tool_name().to_owned()
    }

    /// Waits.
    #[cfg(all())]
    #[haft::tool]
    pub async fn wait() -> Result<u8, std::io::Error> {
        Ok(1)
    }

    /// Is not there.
    #[haft::tool]
    #[cfg(any())]
    pub async fn absent(nothing: Nowhere) {}
}

/// A toolkit.
pub mod kit {
    /// A text.
    #[derive(Debug)]
    pub struct Adder(String);

    #[haft::toolkit(name = "adding")]
    impl Adder {
        /// One that adds this.
        pub fn new(by: String) -> Self {
            Self(by)
        }

        /// Adds a number.
        #[tool(read_only)]
        pub async fn add(&self, number: u8, context: haft::ToolContext) -> String {
            format!("{}: {}{number}", context.tool_name(), self.0)
        }

        /// Adds nothing.
        #[tool]
        fn keep(#[allow(unused_variables)] number: u8) {}
    }

    struct Private;

    #[haft::toolkit]
    impl Private {
        /// Is used by its tool alone.
        #[tool]
        fn only(&self) {}
    }

    /// One of a private type.
    pub fn private() -> haft::Toolkit {
        Private::toolkit(Private)
    }
}

fn main() {
    let _ = (kit::Adder::toolkit(kit::Adder::new(String::new())), kit::private());
    let _ = haft::tools![tools::add, tools::wait];
}
