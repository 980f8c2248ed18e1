//! Which keywords hold subschemas, and which words JSON Schema knows.

use super::super::dialect::Dialect;

/// What the value of a keyword is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holds {
    /// One subschema.
    One,
    /// A list of subschemas.
    List,
    /// One subschema or, in older dialects, a list of them.
    OneOrList,
    /// Subschemas by name: the names are no keywords.
    Named,
    /// In `dependencies`: subschemas or lists of names, by name.
    NamedOrNames,
    /// Anything else.
    Data,
}

/// What `keyword` holds.
pub(super) fn holds(keyword: &str) -> Holds {
    match keyword {
        "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas" => Holds::Named,
        "dependencies" => Holds::NamedOrNames,
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => Holds::List,
        "items" => Holds::OneOrList,
        "additionalProperties"
        | "unevaluatedProperties"
        | "additionalItems"
        | "unevaluatedItems"
        | "contains"
        | "contentSchema"
        | "propertyNames"
        | "not"
        | "if"
        | "then"
        | "else" => Holds::One,
        _ => Holds::Data,
    }
}

/// Whether `keyword` is one of draft 2020-12.
pub(super) fn is_known(keyword: &str) -> bool {
    holds(keyword) != Holds::Data && !matches!(keyword, "additionalItems" | "dependencies")
        || matches!(
            keyword,
            "$id" | "$anchor" | "$dynamicAnchor" | "$ref" | "$dynamicRef" | "type" | "enum" | "const"
        )
        || matches!(keyword, "multipleOf" | "maximum" | "exclusiveMaximum" | "minimum" | "exclusiveMinimum")
        || matches!(keyword, "maxLength" | "minLength" | "pattern" | "maxItems" | "minItems" | "uniqueItems")
        || matches!(
            keyword,
            "maxContains"
                | "minContains"
                | "maxProperties"
                | "minProperties"
                | "required"
                | "dependentRequired"
        )
        || matches!(keyword, "format" | "title" | "description" | "default" | "examples" | "deprecated")
        || matches!(keyword, "readOnly" | "writeOnly" | "contentEncoding" | "contentMediaType")
}

/// Whether a schema of that dialect has the keyword: an older one ignores what came later.
pub(super) fn has(dialect: Dialect, keyword: &str) -> bool {
    let since = match keyword {
        "const" | "contains" | "propertyNames" => Dialect::Draft6,
        "if" | "then" | "else" => Dialect::Draft7,
        "dependentRequired"
        | "dependentSchemas"
        | "unevaluatedProperties"
        | "unevaluatedItems"
        | "minContains"
        | "maxContains" => Dialect::Draft201909,
        "prefixItems" => Dialect::Draft202012,
        _ => Dialect::Draft4,
    };
    dialect >= since
}

/// Whether `keyword` asserts nothing: it may stand beside a `$ref` in every dialect.
pub(super) fn is_annotation(keyword: &str) -> bool {
    matches!(
        keyword,
        "title"
            | "description"
            | "default"
            | "examples"
            | "deprecated"
            | "readOnly"
            | "writeOnly"
            | "$comment"
    )
}

/// Whether `keyword` is one that only dialects before 2020-12, or MCP, have.
pub(super) fn is_of_mcp(keyword: &str) -> bool {
    is_known(keyword)
        || matches!(keyword, "$schema" | "$comment" | "$vocabulary" | "$recursiveRef" | "$recursiveAnchor")
        || matches!(keyword, "id" | "additionalItems" | "dependencies")
        // Extensions that a client may read, `x-mcp-header` among them.
        || keyword.starts_with("x-")
}

/// Whether `format` is in JSON Schema's vocabulary.
pub(super) fn is_format(format: &str) -> bool {
    matches!(
        format,
        "date-time"
            | "date"
            | "time"
            | "duration"
            | "email"
            | "idn-email"
            | "hostname"
            | "idn-hostname"
            | "ipv4"
            | "ipv6"
            | "uri"
            | "uri-reference"
            | "iri"
            | "iri-reference"
            | "uuid"
            | "uri-template"
            | "json-pointer"
            | "relative-json-pointer"
            | "regex"
    )
}
