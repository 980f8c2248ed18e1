//! A call whose caller has gone: it is told to observers like any other that ended.

use crate::dispatch::{execute::Known, place::Place, seal};

/// Seals a call that stands alone when its future is dropped.
pub(super) struct Abandoned<'a> {
    place: Option<&'a Place<'a>>,
    begun: bool,
}

impl<'a> Abandoned<'a> {
    pub(super) fn new(place: &'a Place<'a>) -> Self {
        Self { place: Some(place), begun: false }
    }

    /// Says that the function runs.
    pub(super) fn begun(&mut self) {
        self.begun = true;
    }

    /// Says that the call has ended by itself.
    pub(super) fn disarm(mut self) {
        self.place = None;
    }
}

impl Drop for Abandoned<'_> {
    fn drop(&mut self) {
        let Some(place) = self.place else { return };
        let tools = place.tools();
        let Some(registered) = place.settings.registry.called(&tools, place.name()) else { return };
        let known = Known::of_tool(registered);
        let result = seal::result(seal::Ended::abandoned(known, self.begun), place);
        seal::announce(&result, place);
    }
}
