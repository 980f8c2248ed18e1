//! How far a check departs from JSON Schema's own verdict, and what it did to the arguments.

use serde::{Deserialize, Deserializer, Serialize, de::Error as _};

use super::repair::{RepairRule, RepairRules};

/// What happens to a property that the schema neither lists nor speaks about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnknownFields {
    /// It is refused: a misspelt or invented argument never vanishes silently.
    #[default]
    Refuse,
    /// The schema alone decides, so where it is silent the property is allowed.
    AsSchema,
}

/// The departures from JSON Schema's own verdict; all are on by default.
///
/// ```
/// use haft_core::{InputSchema, Leniency, RepairRule};
/// use serde_json::json;
///
/// let schema = InputSchema::local(json!({"properties": {
///     "limit": {"type": "integer"}, "unit": {"enum": ["day", "week"]}, "tags": {"type": "array", "items": {"type": "string"}},
/// }}))?;
/// let sent = r#"{"limit": "5", "unit": "Day", "tags": "new"}"#;
///
/// let judgement = schema.judge(sent, &Leniency::default());
/// assert_eq!(judgement.verdict.unwrap(), json!({"limit": 5, "unit": "day", "tags": ["new"]}));
/// let mut repaired: Vec<_> = judgement.repaired.iter().map(|repair| (repair.rule, &*repair.path)).collect();
/// repaired.sort();
/// assert_eq!(repaired, [("enum-case", "/unit"), ("scalar-text", "/limit"), ("single-value", "/tags")]);
///
/// // Each can be off; what is left must still make the arguments fit, or nothing is changed.
/// let leniency = Leniency::default().with_repair(RepairRule::EnumCase, false);
/// assert_eq!(schema.judge(sent, &leniency).verdict.unwrap_err().issues.len(), 3);
/// assert!(schema.judge(sent, &Leniency::strict()).verdict.is_err());
/// # Ok::<(), haft_core::SchemaError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Leniency {
    /// `null` for a declared property whose schema refuses null counts as left out, at any depth.
    pub null_as_absent: bool,
    /// What happens to properties that the schema does not list.
    pub unknown_fields: UnknownFields,
    repairs: RepairRules,
}

impl Default for Leniency {
    fn default() -> Self {
        Self { null_as_absent: true, unknown_fields: UnknownFields::Refuse, repairs: RepairRules::ALL }
    }
}

impl Leniency {
    /// JSON Schema's own verdict: nothing is dropped, added, repaired or refused beyond it.
    pub fn none() -> Self {
        Self { null_as_absent: false, unknown_fields: UnknownFields::AsSchema, repairs: RepairRules::NONE }
    }

    /// The default without any repair: what a model wrote otherwise than the schema has it is refused.
    pub fn strict() -> Self {
        Self { repairs: RepairRules::NONE, ..Self::default() }
    }

    /// The same with `unknown_fields` set.
    #[must_use]
    pub fn with_unknown_fields(mut self, unknown_fields: UnknownFields) -> Self {
        self.unknown_fields = unknown_fields;
        self
    }

    /// The same with `null_as_absent` set.
    #[must_use]
    pub fn with_null_as_absent(mut self, null_as_absent: bool) -> Self {
        self.null_as_absent = null_as_absent;
        self
    }

    /// The same with one repair on or off.
    #[must_use]
    pub fn with_repair(mut self, rule: RepairRule, on: bool) -> Self {
        self.repairs = self.repairs.with(rule, on);
        self
    }

    /// Whether a repair is on.
    pub fn repairs(&self, rule: RepairRule) -> bool {
        self.repairs.has(rule)
    }

    /// The same with no repair on.
    pub(super) fn without_repairs(&self) -> Self {
        Self { repairs: RepairRules::NONE, ..self.clone() }
    }

    /// Whether any repair of arguments is on.
    pub(super) fn repairs_arguments(&self) -> bool {
        self.repairs.with(RepairRule::Name, false) != RepairRules::NONE
    }
}

/// A change that was made to a call so that it could be accepted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Repair {
    /// The rule that made it: `null`, or the id of a [`RepairRule`].
    pub rule: &'static str,
    /// JSON pointer of the value that was changed, `""` for the arguments as a whole and for the name.
    pub path: String,
}

impl<'de> Deserialize<'de> for Repair {
    /// Reads what was recorded; a rule that is not known here is an error.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Recorded {
            rule: String,
            path: String,
        }
        let Recorded { rule, path } = Recorded::deserialize(deserializer)?;
        let known = if rule == NULL { Some(NULL) } else { RepairRule::of_id(&rule).map(RepairRule::as_str) };
        let rule = known.ok_or_else(|| D::Error::custom(format_args!("there is no repair {rule:?}")))?;
        Ok(Self { rule, path })
    }
}

/// The rule by which `null` counts as left out.
const NULL: &str = "null";

impl Repair {
    /// `null` counts as left out.
    pub(crate) fn null(path: String) -> Self {
        Self { rule: NULL, path }
    }

    pub(crate) fn new(rule: RepairRule, path: impl Into<String>) -> Self {
        Self { rule: rule.as_str(), path: path.into() }
    }
}
