//! Codecs between providers' messages and calls and results.

mod errors;
mod fuzz;
mod properties;
mod reading;
mod recorded;
mod transcript;
