//! Codecs between providers' messages and calls and results.

mod errors;
mod reading;
