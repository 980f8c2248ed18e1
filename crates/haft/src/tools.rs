//! The tools of several functions in one list.

/// The tools of functions that carry [`tool`](crate::tool), as an array for
/// [`RegistryBuilder::tools`](crate::RegistryBuilder::tools): `haft::tools![transfer, accounts::balance]`.
///
/// Each is the outcome of its definition; the registry's builder reports those that failed, all at once.
///
/// ```
/// # #[cfg(feature = "macros")] {
/// /// Adds two whole numbers.
/// #[haft::tool(read_only)]
/// fn add(a: i32, b: i32) -> i64 {
///     i64::from(a) + i64::from(b)
/// }
///
/// let registry = haft::ToolRegistry::builder().tools(haft::tools![add]).build();
/// assert!(registry.is_ok());
/// # }
/// ```
#[macro_export]
macro_rules! tools {
    ($($function:path),* $(,)?) => {{
        let tools: [::core::result::Result<$crate::Tool, $crate::DefinitionError>; _] =
            [$(<$function>::tool()),*];
        tools
    }};
}
