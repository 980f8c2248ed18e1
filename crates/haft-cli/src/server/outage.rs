//! A time in which no connection can be taken, of which is told once.

use std::time::Duration;

use tokio::time::Instant;

/// How long all has to be well until the next failure is another outage: in one, now and then a connection ends and makes room.
const WELL: Duration = Duration::from_secs(60);

/// Knows when a connection was refused last.
#[derive(Debug, Default)]
pub(super) struct Outage(Option<Instant>);

impl Outage {
    /// A connection can not be taken: whether this is the first of them.
    pub(super) fn begins(&mut self, now: Instant) -> bool {
        let last = self.0.replace(now);
        last.is_none_or(|last| now.duration_since(last) > WELL)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outage_begins_once() {
        let (mut outage, began) = (Outage::default(), Instant::now());
        let begins: Vec<bool> =
            [0, 1, 59, 118, 179, 180].map(|second| outage.begins(began + Duration::from_secs(second))).into();
        assert_eq!(begins, [true, false, false, false, true, false]);
    }
}
