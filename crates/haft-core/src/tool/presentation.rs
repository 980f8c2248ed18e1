//! How programs show a tool to people.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// How programs show a tool to people, beside its label: what MCP clients are told in lists, and no model is.
///
/// ```
/// use haft_core::{Tool, ToolIcon, ToolPresentation};
/// use serde_json::json;
///
/// # fn main() -> Result<(), haft_core::DefinitionError> {
/// let mut presentation = ToolPresentation::new().icon(ToolIcon::new("https://example.com/map.svg").size("any"));
/// presentation.meta.insert("com.example/team".to_owned(), json!("maps"));
/// let tool = Tool::builder("locate")
///     .description("Finds a place by its name.")
///     .presentation(presentation)
///     .run_sync(|| "here")?;
/// assert_eq!(tool.definition().presentation().unwrap().icons.len(), 1);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct ToolPresentation {
    /// Icons, the same one in several sizes and forms.
    pub icons: Vec<ToolIcon>,
    /// What programs agreed on among themselves: `_meta`, by names such as `com.example/team`.
    pub meta: Map<String, Value>,
    /// The label as it stands among the annotations, where clients of MCP before 2025-06-18 look for it.
    pub annotated_title: Option<String>,
}

impl ToolPresentation {
    /// Nothing is shown.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an icon.
    #[must_use]
    pub fn icon(mut self, icon: ToolIcon) -> Self {
        self.icons.push(icon);
        self
    }

    /// Whether nothing is shown.
    pub fn is_empty(&self) -> bool {
        self.icons.is_empty() && self.meta.is_empty() && self.annotated_title.is_none()
    }
}

/// An icon: where it is, and what it is good for.
///
/// ```
/// use haft_core::ToolIcon;
///
/// let icon = ToolIcon::new("https://example.com/map.png").mime_type("image/png").size("48x48");
/// assert_eq!(icon.sizes, ["48x48"]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolIcon {
    /// The address: `https:`, or `data:` for one that comes along.
    pub src: String,
    /// The kind of image, where the address does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// The sizes that it is made for, such as `48x48`, or `any`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sizes: Vec<String>,
    /// The background that it is made for; any unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub theme: Option<IconTheme>,
}

impl ToolIcon {
    /// An icon at an address.
    pub fn new(src: impl Into<String>) -> Self {
        Self { src: src.into(), mime_type: None, sizes: Vec::new(), theme: None }
    }

    /// Says what kind of image it is.
    #[must_use]
    pub fn mime_type(mut self, kind: impl Into<String>) -> Self {
        self.mime_type = Some(kind.into());
        self
    }

    /// Adds a size that it is made for.
    #[must_use]
    pub fn size(mut self, size: impl Into<String>) -> Self {
        self.sizes.push(size.into());
        self
    }

    /// Says which background it is made for.
    #[must_use]
    pub fn theme(mut self, theme: IconTheme) -> Self {
        self.theme = Some(theme);
        self
    }
}

/// The background that an icon is made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum IconTheme {
    /// A light one.
    Light,
    /// A dark one.
    Dark,
}
