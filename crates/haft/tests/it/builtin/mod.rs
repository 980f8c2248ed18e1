//! The tools that come with haft.

mod calculate;
mod calculate_fuzz;
mod calculate_properties;
mod date;
mod tools;
