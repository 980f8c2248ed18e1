//! Whole definitions of tools as JSON.

use haft::ToolDefinition;
use serde::{Serialize, Serializer, ser::SerializeMap};

/// Everything that is known about a tool; what is not known is left out.
pub(crate) struct Definition<'a>(pub(crate) &'a ToolDefinition);

impl Serialize for Definition<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(tool) = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", &tool.name)?;
        optional(&mut map, "originalName", tool.original_name.as_ref())?;
        optional(&mut map, "title", tool.display_name.as_ref())?;
        map.serialize_entry("description", &tool.description)?;
        map.serialize_entry("source", &tool.source)?;
        optional(&mut map, "toolkit", tool.toolkit.as_ref())?;
        optional(&mut map, "category", tool.category.as_ref())?;
        optional(&mut map, "tags", Some(&tool.tags).filter(|tags| !tags.is_empty()))?;
        optional(&mut map, "annotations", Some(&tool.annotations).filter(|known| !known.is_empty()))?;
        map.serialize_entry("inputSchema", tool.input.published())?;
        optional(&mut map, "outputSchema", tool.output.as_ref().map(haft::OutputSchema::published))?;
        if let Some(presentation) = tool.presentation() {
            let (icons, meta) = (&presentation.icons, &presentation.meta);
            optional(&mut map, "icons", Some(icons).filter(|icons| !icons.is_empty()))?;
            optional(&mut map, "_meta", Some(meta).filter(|meta| !meta.is_empty()))?;
        }
        map.end()
    }
}

fn optional<M: SerializeMap, T: Serialize>(
    map: &mut M,
    name: &str,
    value: Option<&T>,
) -> Result<(), M::Error> {
    value.map_or(Ok(()), |value| map.serialize_entry(name, value))
}
