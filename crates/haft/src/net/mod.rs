//! Requests that leave this process.

use std::{sync::Arc, time::Duration};

use reqwest::{
    Client,
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
/// the request as it is: headers may hold secrets.
pub(crate) fn configured() -> Result<Client, String> {
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
    client.build().map_err(|error| error.without_url().to_string())
}

fn is_harmless(attempt: &Attempt<'_>) -> bool {
    let same_server = attempt.previous().iter().all(|before| before.origin() == attempt.url().origin());
    same_server && matches!(attempt.status().as_u16(), 307 | 308) && attempt.previous().len() <= REDIRECTS
}
