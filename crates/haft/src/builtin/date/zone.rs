//! Time zones by name, from the database that is compiled in: the same answer on every machine.

use jiff::tz::{TimeZone, TimeZoneDatabase};

use super::DateError;
use super::error::excerpt;

/// Names that an error offers.
const OFFERED: usize = 5;
/// Similarity (0 to 1) from which a name is worth offering.
const SIMILAR: f64 = 0.75;

/// Finds a zone by its IANA name, whatever its case.
pub(super) fn find(name: &str) -> Result<TimeZone, DateError> {
    let database = TimeZoneDatabase::bundled();
    database
        .get(name.trim())
        .ok()
        .filter(|zone| !zone.is_unknown())
        .ok_or_else(|| DateError::UnknownZone { zone: excerpt(name), nearest: nearest(&database, name) })
}

/// The names most like `name`, comparing whole names and, since people write `Berlin`, what stands after the last `/`.
fn nearest(database: &TimeZoneDatabase, name: &str) -> Vec<String> {
    let wanted = Spelling::of(name);
    let mut scored: Vec<(f64, String)> = database
        .available()
        .map(|known| (wanted.similarity(&Spelling::of(known.as_str())), known.as_str().to_owned()))
        .filter(|(score, _)| *score >= SIMILAR)
        .collect();
    scored.sort_by(|(left, left_name), (right, right_name)| {
        right.total_cmp(left).then_with(|| left_name.cmp(right_name))
    });
    scored.into_iter().take(OFFERED).map(|(_, name)| name).collect()
}

/// A name without what is often written differently.
struct Spelling {
    whole: String,
    city: String,
}

impl Spelling {
    fn of(name: &str) -> Self {
        let plain = |text: &str| -> String {
            text.chars().filter(|next| next.is_alphanumeric()).take(40).flat_map(char::to_lowercase).collect()
        };
        let city = name.rsplit('/').next().unwrap_or(name);
        Self { whole: plain(name), city: plain(city) }
    }

    fn similarity(&self, other: &Self) -> f64 {
        let whole = strsim::jaro_winkler(&self.whole, &other.whole);
        whole.max(strsim::jaro_winkler(&self.city, &other.city))
    }
}
