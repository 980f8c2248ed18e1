//! The guide and the README as documentation tests: what they show compiles and holds.

macro_rules! pages {
    ($($(#[$condition:meta])* $page:ident = $path:literal;)*) => {
        $(
            $(#[$condition])*
            #[doc = include_str!($path)]
            pub struct $page;
        )*
    };
}

pages! {
    Readme = "../../../README.md";
    #[cfg(feature = "serve")]
    ConnectAClient = "../../../docs/guide/connect-a-client.md";
    #[cfg(feature = "mcp")]
    AddAServer = "../../../docs/guide/add-a-server.md";
    RunAsAService = "../../../docs/guide/run-as-a-service.md";
    DefineATool = "../../../docs/guide/define-a-tool.md";
    Repairs = "../../../docs/guide/repairs.md";
    RunATurn = "../../../docs/guide/run-a-turn.md";
    Errors = "../../../docs/guide/errors.md";
    ErrorCodes = "../../../docs/guide/error-codes.md";
    YourOwnClient = "../../../docs/guide/your-own-client.md";
    TestYourTools = "../../../docs/guide/test-your-tools.md";
    AskAPerson = "../../../docs/guide/ask-a-person.md";
    ResumeAfterARestart = "../../../docs/guide/resume-after-a-restart.md";
    HooksAndLayers = "../../../docs/guide/hooks-and-layers.md";
    Configuration = "../../../docs/guide/configuration.md";
    ComposeToolsets = "../../../docs/guide/compose-toolsets.md";
}
