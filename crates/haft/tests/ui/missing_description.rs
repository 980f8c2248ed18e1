//! A model decides by the description when to call a tool.

#[haft::tool(read_only)]
fn undescribed() {}

///
#[haft::tool]
fn blank() {}

/// Described, and then not.
#[haft::tool(description = " ")]
fn emptied() {}

fn main() {
    // The tools are there all the same, so that nothing else fails.
    let _ = haft::tools![undescribed, blank, emptied];
}
