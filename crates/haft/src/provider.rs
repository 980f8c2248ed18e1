//! Codecs between providers' messages and haft's calls and results; no transport.
