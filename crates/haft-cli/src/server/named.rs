//! Hosts and origins as they are typed: one that no client ever names would be of no use, and nobody would be told.

use axum::http::{Uri, uri::Authority};

/// A name that the server is reached by, with or without a port.
pub(crate) fn host(text: &str) -> Result<String, String> {
    let authority = text.parse::<Authority>().ok().filter(|authority| authority.as_str() == text);
    match authority {
        Some(_) if text.contains(['*', '@']) => Err("each name has to be given by itself".to_owned()),
        Some(authority) if has_sound_port(&authority) => Ok(authority.to_string()),
        _ => Err("a host is a name with or without a port, such as tools.example.com".to_owned()),
    }
}

/// The origin of pages, as browsers write it: without a path, and without the port that its scheme has anyway.
pub(crate) fn origin(text: &str) -> Result<String, String> {
    // What browsers say of a page that has none.
    if text == "null" {
        return Ok(text.to_owned());
    }
    let form =
        || "an origin is SCHEME://HOST or SCHEME://HOST:PORT, such as https://app.example.com".to_owned();
    let uri: Uri = text.strip_suffix('/').unwrap_or(text).parse().map_err(|_| form())?;
    let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else { return Err(form()) };
    if !has_sound_port(authority) || text.contains(['*', '@', '?', '#']) || !matches!(uri.path(), "" | "/") {
        return Err(form());
    }
    let usual = match scheme {
        "http" => Some(80),
        "https" => Some(443),
        _ => None,
    };
    match authority.port_u16().filter(|port| Some(*port) != usual) {
        Some(port) => Ok(format!("{scheme}://{}:{port}", authority.host())),
        None => Ok(format!("{scheme}://{}", authority.host())),
    }
}

/// Whether what stands behind the name is a port, if anything does: another text there would be passed over, and the usual
/// port be meant, which nobody has named.
fn has_sound_port(authority: &Authority) -> bool {
    authority.port_u16().is_some() || authority.as_str().len() == authority.host().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_what_browsers_say() {
        for (typed, said) in [
            ("https://app.example", "https://app.example"),
            ("https://app.example/", "https://app.example"),
            ("https://app.example:443", "https://app.example"),
            ("http://app.example:80/", "http://app.example"),
            ("http://app.example:443", "http://app.example:443"),
            ("http://[::1]:3000", "http://[::1]:3000"),
            ("vscode-webview://abc", "vscode-webview://abc"),
            ("null", "null"),
        ] {
            assert_eq!(origin(typed).as_deref(), Ok(said), "{typed}");
        }
        for none in [
            "",
            "*",
            "app.example",
            "https://",
            "https://*.example",
            "https://app.example/page",
            "https://a@b",
            "a b",
            // A port that is none must not stand for the usual one.
            "https://app.example:99999",
            "https://app.example:65536",
            "https://app.example:3OOO",
            "https://app.example:",
            "https://app.example:/",
            "https://[::1]:x",
            "https://app.example#part",
        ] {
            assert!(origin(none).is_err(), "{none}");
        }
    }

    #[test]
    fn a_host_is_a_name() {
        for typed in ["tools.example", "tools.example:8443", "10.0.0.1", "[2001:db8::1]:80", "localhost"] {
            assert_eq!(host(typed).as_deref(), Ok(typed));
        }
        for none in [
            "",
            "*",
            "*.example",
            "https://tools.example",
            "tools.example/",
            "a b",
            "a@b",
            "2001:db8::1",
            "tools.example:",
            "tools.example:99999",
            "[::1]:x",
        ] {
            assert!(host(none).is_err(), "{none}");
        }
    }
}
