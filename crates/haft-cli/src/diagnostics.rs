//! What the library warns of and tells in no other way, on standard error.

use std::fmt;

use tracing::{Event, Level, Subscriber};
use tracing_subscriber::{
    filter::Targets,
    fmt::{FmtContext, FormatEvent, FormatFields, format::Writer},
    layer::SubscriberExt as _,
    registry::LookupSpan,
    util::SubscriberInitExt as _,
};

use crate::{server, stderr};

/// Lines of servers and of clients that are no messages, and clients that are not let in; whatever else is warned of has a
/// note of its own.
const SHOWN: [&str; 3] = ["haft::source::mcp::wire", "haft::serve::mcp::lines", server::CONNECTIONS];

/// Shows warnings from now on.
pub(crate) fn show() {
    let notes =
        tracing_subscriber::fmt::layer().with_writer(stderr::stream).with_ansi(false).event_format(Note);
    // It would be told where it could not be written.
    let notes = notes.log_internal_errors(false);
    let shown = Targets::new().with_targets(SHOWN.map(|target| (target, Level::WARN)));
    // There is no other subscriber in this process, and without one nothing is lost but the warning.
    drop(tracing_subscriber::registry().with(notes).with(shown).try_init());
}

/// A warning as one line, like the notes of commands. Fields with text of others are escaped where they are made.
struct Note;

impl<S, N> FormatEvent<S, N> for Note
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        writer.write_str("haft: note: ")?;
        context.format_fields(writer.by_ref(), event)?;
        writer.write_str("\n")
    }
}
