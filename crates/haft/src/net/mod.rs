//! Requests that leave this process.

use std::{net::IpAddr, sync::Arc, time::Duration};

use reqwest::{
    Client, Url,
    redirect::{Attempt, Policy},
};
use rustls::ClientConfig;
use rustls_platform_verifier::BuilderVerifierExt;

/// How long a server may take to accept a connection.
const CONNECT: Duration = Duration::from_secs(10);
/// No server redirects more often.
const REDIRECTS: usize = 5;

/// A client for addresses that the host has configured.
///
/// Certificates are those that the system trusts. A redirect is followed only where it leads to the same server and keeps
/// the request as it is: headers may hold secrets. What is on this machine is asked without the proxy that others are
/// asked through.
pub(crate) fn configured(address: &Url) -> Result<Client, String> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let tls = tls.and_then(BuilderVerifierExt::with_platform_verifier).map_err(|error| error.to_string())?;
    let client = Client::builder()
        .tls_backend_preconfigured(tls.with_no_client_auth())
        .connect_timeout(CONNECT)
        .redirect(Policy::custom(
            |attempt| {
                if is_harmless(&attempt) { attempt.follow() } else { attempt.stop() }
            },
        ))
        .user_agent(concat!("haft/", env!("CARGO_PKG_VERSION")));
    let client = if is_here(address) { client.no_proxy() } else { client };
    client.build().map_err(|error| error.without_url().to_string())
}

/// Whether an address is on this machine, by its name alone.
fn is_here(address: &Url) -> bool {
    let Some(host) = address.host_str() else { return false };
    let name = host.trim_start_matches('[').trim_end_matches(']');
    let is_loopback = name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    is_loopback || name == "localhost" || name.ends_with(".localhost")
}

fn is_harmless(attempt: &Attempt<'_>) -> bool {
    let same_server = attempt.previous().iter().all(|before| before.origin() == attempt.url().origin());
    same_server && matches!(attempt.status().as_u16(), 307 | 308) && attempt.previous().len() <= REDIRECTS
}

#[cfg(test)]
mod tests {
    use super::{Url, is_here};

    #[test]
    fn what_is_on_this_machine_is_asked_without_a_proxy() {
        for (address, here) in [
            ("http://127.0.0.1:8848/mcp", true),
            ("http://127.8.0.1/", true),
            ("http://[::1]:1/", true),
            ("https://localhost/", true),
            ("http://app.localhost/", true),
            ("http://localhost.example.com/", false),
            ("http://10.0.0.1/", false),
            ("https://example.com/127.0.0.1", false),
        ] {
            assert_eq!(is_here(&Url::parse(address).unwrap()), here, "{address}");
        }
    }
}
