//! Small conventions that tools share: notes, sizes, the dry run and the revision.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::ToolError;

/// The argument that asks for a dry run: a call that makes every check of the real one and changes nothing.
pub const DRY_RUN_FIELD: &str = "dry_run";

/// The argument that names the revision which a change was made for, and the row of the refusal that names the present
/// one.
pub const REVISION_FIELD: &str = "revision";

/// What a model is told wherever it can ask for a dry run: models otherwise spend a call on one before every change.
pub const DRY_RUN_ADVICE: &str =
    "A dry run is never needed for safety: the real call makes the same checks before it changes anything.";

const DRY_RUN: &str = "Make every check of the real call and change nothing.";

const REVISION: &str = "The revision that the change was made for; it is refused as stale-revision when another one has been written since.";

/// The argument [`dry_run`](DRY_RUN_FIELD), off unless it is sent.
///
/// For policy a dry run is a call like any other: what has to be approved, has to be approved for a dry run too.
///
/// ```
/// use haft_core::{Args, DryRun, Revision, Tool, ToolError};
/// use std::sync::Mutex;
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct WriteNote {
///     text: String,
///     #[serde(default)]
///     revision: Revision,
///     #[serde(default)]
///     dry_run: DryRun,
/// }
///
/// let note = Mutex::new((String::new(), 0));
/// let write_note = Tool::builder("write_note").description("Replaces the note.").run_sync(
///     move |Args(new): Args<WriteNote>| {
///         let mut note = note.lock().map_err(|_| ToolError::new("the note is lost"))?;
///         new.revision.check(note.1)?; // under the lock: nothing comes between this and the write
///         if new.dry_run.is_on() {
///             return Ok("preview\tvalidated".to_owned());
///         }
///         *note = (new.text, note.1 + 1);
///         Ok::<_, ToolError>(format!("revision\t{}", note.1))
///     },
/// )?;
/// # Ok::<(), haft_core::DefinitionError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
#[expect(clippy::exhaustive_structs, reason = "a wrapper that users construct and match")]
pub struct DryRun(pub bool);

impl DryRun {
    /// Whether nothing is to be changed.
    pub const fn is_on(self) -> bool {
        self.0
    }
}

impl JsonSchema for DryRun {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "DryRun".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "boolean", "description": format!("{DRY_RUN} {DRY_RUN_ADVICE}")})
    }
}

/// The argument [`revision`](REVISION_FIELD): the one that a change was made for, where the model names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Deserialize)]
#[serde(transparent)]
#[expect(clippy::exhaustive_structs, reason = "a wrapper that users construct and match")]
pub struct Revision(pub Option<u64>);

impl Revision {
    /// Whether the change may be written over the `current` revision; it may where none was named.
    ///
    /// Compare in the same step as the write (under one lock, in one transaction, in the write's own condition): between
    /// a check and a later write another change can come.
    ///
    /// ```
    /// use haft_core::Revision;
    ///
    /// assert!(Revision(None).check(8).is_ok() && Revision(Some(8)).check(8).is_ok());
    /// let stale = Revision(Some(7)).check(8).unwrap_err();
    /// assert_eq!(stale.refused().unwrap().code(), "stale-revision");
    /// assert_eq!(stale.refused().unwrap().rows(), [["revision", "8"]]);
    /// ```
    ///
    /// # Errors
    /// The refusal `stale-revision`, whose row `revision` holds the present one.
    pub fn check(self, current: u64) -> Result<(), ToolError> {
        match self.0 {
            Some(named) if named != current => Err(ToolError::refusal(
                "stale-revision",
                format!(
                    "The change was made for revision {named}, and the present one is {current}; nothing was changed. \
                     Read it again, then send the change for what it is now."
                ),
            )
            .row([REVISION_FIELD, &current.to_string()])),
            _ => Ok(()),
        }
    }
}

impl JsonSchema for Revision {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Revision".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "integer", "minimum": 0, "description": REVISION})
    }
}

/// A convention's field, for a schema that is data.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ConventionField {
    DryRun,
    Revision,
}

impl ConventionField {
    const fn name(self) -> &'static str {
        match self {
            Self::DryRun => DRY_RUN_FIELD,
            Self::Revision => REVISION_FIELD,
        }
    }

    fn schema(self) -> Value {
        let mut generator = SchemaGenerator::default();
        let mut schema = match self {
            Self::DryRun => DryRun::json_schema(&mut generator),
            Self::Revision => Revision::json_schema(&mut generator),
        };
        if matches!(self, Self::DryRun) {
            schema.insert("default".to_owned(), Value::Bool(false));
        }
        schema.to_value()
    }

    /// Writes the field into the schema of an object, unless it is there.
    pub(crate) fn add(self, schema: &mut Value) {
        let Some(object) = schema.as_object_mut() else { return };
        let properties = object.entry("properties").or_insert_with(|| Value::Object(serde_json::Map::new()));
        if let Some(properties) = properties.as_object_mut() {
            properties.entry(self.name()).or_insert_with(|| self.schema());
        }
    }
}

/// The lines, or a note that says why there are none: a model takes an empty list for a failure.
///
/// ```
/// assert_eq!(haft_core::or_note(Vec::new(), "No open orders."), ["No open orders."]);
/// ```
pub fn or_note(lines: Vec<String>, note: impl Into<String>) -> Vec<String> {
    if lines.is_empty() { vec![note.into()] } else { lines }
}

/// How large a text is, for a message: characters below 1,000, then kilobytes and megabytes of its bytes.
///
/// ```
/// assert_eq!(haft_core::size_of("four"), "4 characters");
/// assert_eq!(haft_core::size_of(&"x".repeat(2_500)), "2.5 kB");
/// ```
#[expect(clippy::cast_precision_loss, reason = "one decimal is shown")]
pub fn size_of(text: &str) -> String {
    match text.len() {
        0..1_000 => match text.chars().count() {
            1 => "1 character".to_owned(),
            count => format!("{count} characters"),
        },
        // More would be rounded to 1000.0 kB.
        bytes @ 1_000..999_950 => format!("{:.1} kB", bytes as f64 / 1e3),
        bytes => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}
