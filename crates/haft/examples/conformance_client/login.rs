//! Gets tokens from the suite's authorization servers, where no person has to click.

use haft::source::mcp::{Authorizer, TokenFuture};
use reqwest::{Client, redirect::Policy};
use rmcp::transport::auth::{
    AuthorizationCallback, AuthorizationManager, AuthorizationRequest, ClientCredentialsConfig,
    InMemoryCredentialStore, JwtSigningAlgorithm, OAuthState,
};
use serde_json::Value;
use tokio::{runtime::Handle, sync::Mutex};

use crate::Failure;

const METADATA: &str = "https://conformance-test.local/client-metadata.json";
const REDIRECT: &str = "http://localhost:3000/callback";

/// Who logs in, and how.
#[derive(Debug)]
pub(crate) struct Login {
    url: String,
    flow: Flow,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    token: Option<String>,
    /// All scopes that were ever asked for: a step up keeps those of before.
    scopes: Vec<String>,
}

#[derive(Debug)]
enum Flow {
    /// A person's, whose click is made here.
    Code {
        client: Option<(String, String)>,
    },
    /// The same, with credentials that are remembered by the server that gave them.
    Migration(InMemoryStore),
    Secret {
        id: String,
        secret: String,
    },
    Key {
        id: String,
        key: String,
        algorithm: String,
    },
}

/// A store that can be shown.
struct InMemoryStore(InMemoryCredentialStore);

impl std::fmt::Debug for InMemoryStore {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("InMemoryStore")
    }
}

impl Login {
    pub(crate) fn new(scenario: &str, url: &str, context: &Value) -> Self {
        let text = |name: &str| context.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (id, secret) = (text("client_id"), text("client_secret"));
        let flow = match scenario {
            "auth/client-credentials-basic" => Flow::Secret { id, secret },
            "auth/client-credentials-jwt" => {
                Flow::Key { id, key: text("private_key_pem"), algorithm: text("signing_algorithm") }
            }
            "auth/pre-registration" => Flow::Code { client: Some((id, secret)) },
            "auth/authorization-server-migration" => {
                Flow::Migration(InMemoryStore(InMemoryCredentialStore::new()))
            }
            _ => Flow::Code { client: None },
        };
        Self { url: url.to_owned(), flow, known: Mutex::default() }
    }

    async fn login(&self, known: &mut Known, challenge: &str) -> Result<String, Failure> {
        match &self.flow {
            Flow::Code { client } => self.code(client.as_ref(), known, challenge).await,
            Flow::Migration(InMemoryStore(store)) => self.migration(store, challenge).await,
            Flow::Secret { id, secret } => self.secret(id, secret, challenge).await,
            Flow::Key { id, key, algorithm } => self.key(id, key, algorithm).await,
        }
    }

    async fn code(
        &self,
        client: Option<&(String, String)>,
        known: &mut Known,
        challenge: &str,
    ) -> Result<String, Failure> {
        let mut request = AuthorizationRequest::new(REDIRECT).with_challenge(challenge);
        request = match client {
            Some((id, secret)) => request.with_preregistered_client(id).with_client_secret(secret),
            None => request.with_client_name("haft").with_client_metadata_url(METADATA),
        };
        for scope in scopes(challenge) {
            if !known.scopes.contains(&scope) {
                known.scopes.push(scope);
            }
        }
        if challenge.contains("insufficient_scope") {
            request = request.with_scopes(known.scopes.iter().cloned());
        }
        let mut login = OAuthState::new(&self.url, None).await?;
        login.start_authorization(request).await?;
        let callback = click(&login.get_authorization_url().await?).await?;
        let issuer = callback.issuer.as_deref();
        login.handle_callback_with_issuer(&callback.code, &callback.csrf_token, issuer).await?;
        let manager = login.into_authorization_manager().ok_or("nobody is logged in")?;
        Ok(manager.get_access_token().await?)
    }

    async fn migration(&self, store: &InMemoryCredentialStore, challenge: &str) -> Result<String, Failure> {
        let mut manager = AuthorizationManager::new(&self.url).await?;
        manager.set_credential_store(store.clone());
        // What another server gave is discarded here.
        if manager.initialize_from_store().await? {
            return Ok(manager.get_access_token().await?);
        }
        let found = manager.resolve_metadata_from_challenge(Some(challenge)).await?;
        manager.set_metadata(found.metadata);
        manager.register_client("haft", REDIRECT, &[]).await?;
        let scopes = manager.select_scopes(None, &[]);
        let scopes: Vec<&str> = scopes.iter().map(String::as_str).collect();
        let callback = click(&manager.get_authorization_url(&scopes).await?).await?;
        let issuer = callback.issuer.as_deref();
        manager.exchange_code_for_token_with_issuer(&callback.code, &callback.csrf_token, issuer).await?;
        Ok(manager.get_access_token().await?)
    }

    async fn secret(&self, id: &str, secret: &str, challenge: &str) -> Result<String, Failure> {
        let manager = AuthorizationManager::new(&self.url).await?;
        let found = manager.resolve_metadata_from_challenge(Some(challenge)).await?;
        let request = Client::new().post(&found.metadata.token_endpoint).basic_auth(id, Some(secret));
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        let response = request.body("grant_type=client_credentials").send().await?;
        let answer: Value = serde_json::from_slice(&response.bytes().await?)?;
        Ok(answer.get("access_token").and_then(Value::as_str).ok_or("no token")?.to_owned())
    }

    async fn key(&self, id: &str, key: &str, algorithm: &str) -> Result<String, Failure> {
        let signing_algorithm = match algorithm {
            "RS256" => JwtSigningAlgorithm::RS256,
            "ES256" => JwtSigningAlgorithm::ES256,
            other => return Err(format!("the algorithm {other:?} is not known").into()),
        };
        let config = ClientCredentialsConfig::PrivateKeyJwt {
            client_id: id.to_owned(),
            signing_key: key.as_bytes().to_vec(),
            signing_algorithm,
            token_endpoint_audience: None,
            scopes: Vec::new(),
            resource: Some(self.url.clone()),
        };
        let mut login = OAuthState::new(&self.url, None).await?;
        login.authenticate_client_credentials(config).await?;
        let manager = login.into_authorization_manager().ok_or("nobody is logged in")?;
        Ok(manager.get_access_token().await?)
    }
}

impl Authorizer for Login {
    fn token<'a>(&'a self, challenge: Option<&'a str>) -> TokenFuture<'a> {
        Box::pin(async move {
            let mut known = self.known.lock().await;
            if let Some(challenge) = challenge {
                // Not all of the login's futures can move between threads.
                let login = || Handle::current().block_on(self.login(&mut known, challenge));
                let token = tokio::task::block_in_place(login).map_err(|error| error.to_string())?;
                known.token = Some(token);
            }
            Ok(known.token.clone())
        })
    }
}

/// The scopes that a challenge names.
fn scopes(challenge: &str) -> Vec<String> {
    let scopes = challenge.split_once("scope=\"").and_then(|(_, rest)| rest.split_once('"'));
    scopes.map(|(scopes, _)| scopes.split(' ').map(str::to_owned).collect()).unwrap_or_default()
}

/// What a person does who is shown the page: the suite sends the browser back at once.
async fn click(page: &str) -> Result<AuthorizationCallback, Failure> {
    let browser = Client::builder().redirect(Policy::none()).build()?;
    let response = browser.get(page).send().await?;
    let location = response.headers().get("location").and_then(|location| location.to_str().ok());
    Ok(AuthorizationCallback::from_redirect_url(location.ok_or("the page leads nowhere")?)?)
}
