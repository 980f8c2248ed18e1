//! Options and attributes that there are not, those that stand twice, and those of the wrong form: all at once.

/// Moves money.
#[haft::tool(destructiv, time_out = "30s", colour = "red", name = "a", name = "b", tags = "money", blocking("yes"), "x")]
fn options() {}

/// Moves money.
#[haft::tool]
fn attributes(
    #[serd(default)] from: String,
    #[requird = "say it"] to: String,
    #[clippy::thing] amount: u64,
    #[cfg(unix)] speed: u8,
    #[required] note: String,
    #[extract = "it"] bank: haft::State<u8>,
    #[serde(default)] context: haft::ToolContext,
) {
}

fn main() {}
