//! Integration tests of haft-core, in one binary.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used
)]

mod approvals;
mod cases;
mod contexts;
mod conventions;
mod crash;
mod crowds;
mod definitions;
mod detached;
mod error_bodies;
mod events;
mod golden;
mod hooks;
mod host_faults;
mod instances;
mod interrupted;
mod journal_wire;
mod kit;
mod layers;
mod left_behind;
mod lints;
mod name_repair;
mod names;
mod nested;
mod outputs;
mod projection_cases;
mod projection_foreign;
mod projection_fuzz;
mod projection_providers;
mod projection_tools;
mod refusals;
mod registries;
mod repair_properties;
mod repairs;
mod repeated_calls;
mod resumed_anew;
mod schema_closing;
mod schema_define;
mod schema_judge;
mod schema_rules;
mod schema_toolcalls;
mod schema_typed;
mod script;
mod shareable;
mod support;
mod suspension;
mod taken_up;
mod turn_polls;
mod turn_properties;
mod views;
