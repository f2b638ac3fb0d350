//! Who may ask what: the guard that every request passes before anything else looks at it.
//!
//! A page of another site that runs in the same browser, another user of the machine, and a name that resolves to
//! loopback (DNS rebinding) all reach the port. What they are missing is the token; that they cannot even learn
//! whether it is asked for is the rest.

use hyper::header::{ALLOW, AUTHORIZATION, HOST, HeaderMap, HeaderValue, ORIGIN};
use hyper::{Method, StatusCode, Uri};

use crate::problem::Problem;
use crate::token::Token;

/// Names by which the server may be called, with any port: that of a tunnel is another one.
const NAMES: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];
/// Everything below it is data.
const DATA: &str = "/api/";

/// What is wrong with a request, if anything is.
pub fn refused(method: &Method, uri: &Uri, headers: &HeaderMap, token: &Token) -> Option<Problem> {
    if ![Method::GET, Method::HEAD, Method::POST].contains(method) {
        return Some(Problem::new(StatusCode::METHOD_NOT_ALLOWED, "only GET, HEAD and POST are answered"));
    }
    if uri.authority().is_some() || uri.scheme().is_some() {
        return Some(Problem::usage("this is no proxy: the request must name a path"));
    }
    let Some(host) = only(headers, HOST).and_then(|host| host.to_str().ok()).filter(|host| is_ours(host))
    else {
        return Some(
            Problem::new(StatusCode::FORBIDDEN, "the server is called by another name than its own")
                .with("use http://127.0.0.1 or http://localhost with the port, or that of the tunnel"),
        );
    };
    if headers.contains_key(ORIGIN) {
        let origin = only(headers, ORIGIN).and_then(|origin| origin.to_str().ok());
        if origin.and_then(|origin| origin.strip_prefix("http://")) != Some(host) {
            return Some(Problem::new(
                StatusCode::FORBIDDEN,
                "the request comes from the page of another site",
            ));
        }
    }
    let site = headers.get_all("sec-fetch-site");
    // An address that was typed or clicked elsewhere opens the page, and brings no data.
    let is_data = uri.path().starts_with(DATA);
    let is_fine = |site: &HeaderValue| match site.as_bytes() {
        b"same-origin" | b"none" => true,
        b"cross-site" | b"same-site" => !is_data && is_navigation(headers),
        _ => false,
    };
    if !site.iter().all(is_fine) {
        return Some(Problem::new(StatusCode::FORBIDDEN, "the request comes from the page of another site"));
    }
    if is_data && !has_token(headers, token) {
        return Some(
            Problem::new(StatusCode::UNAUTHORIZED, "the token is missing or wrong")
                .with("open the address that `heldup serve` printed: the token is its last part"),
        );
    }
    None
}

/// Whether a person follows a link.
fn is_navigation(headers: &HeaderMap) -> bool {
    headers.get("sec-fetch-mode").is_some_and(|mode| mode == "navigate")
        && headers.get("sec-fetch-dest").is_some_and(|dest| dest == "document")
}

/// The value of a header that is there once.
fn only(headers: &HeaderMap, name: hyper::header::HeaderName) -> Option<&HeaderValue> {
    let mut all = headers.get_all(name).iter();
    all.next().filter(|_| all.next().is_none())
}

/// Whether it is one of the names, alone or with a port.
fn is_ours(host: &str) -> bool {
    NAMES.iter().any(|name| match host.strip_prefix(name) {
        Some("") => true,
        Some(rest) => rest.strip_prefix(':').is_some_and(|port| {
            port.bytes().all(|letter| letter.is_ascii_digit())
                && port.parse::<u16>().is_ok_and(|port| port > 0)
        }),
        None => false,
    })
}

fn has_token(headers: &HeaderMap, token: &Token) -> bool {
    let said = only(headers, AUTHORIZATION).and_then(|said| said.as_bytes().strip_prefix(b"Bearer "));
    said.is_some_and(|said| token.is(said))
}

/// Headers of every answer.
pub const OF_ALL: [(&str, &str); 5] = [
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
         trusted-types 'none'",
    ),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
];

/// Puts the headers of every answer to one.
pub fn harden(headers: &mut HeaderMap, status: StatusCode, is_data: bool) {
    for (name, value) in OF_ALL {
        headers.insert(name, HeaderValue::from_static(value));
    }
    // Assets change with the program: a browser asks again.
    let store = if is_data { "no-store" } else { "no-cache" };
    headers.insert("cache-control", HeaderValue::from_static(store));
    if status == StatusCode::METHOD_NOT_ALLOWED {
        headers.entry(ALLOW).or_insert(HeaderValue::from_static("GET, HEAD, POST"));
    }
    if status == StatusCode::UNAUTHORIZED {
        headers.insert("www-authenticate", HeaderValue::from_static("Bearer"));
    }
}

/// Whether a path is one of data.
pub fn is_data(path: &str) -> bool {
    path.starts_with(DATA)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token() -> Token {
        Token::new().expect("random bytes")
    }

    /// The status that a request is refused with.
    fn status(method: &str, uri: &str, headers: &[(&'static str, &str)], token: &Token) -> Option<u16> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, HeaderValue::from_str(value).expect("a value"));
        }
        let method = Method::from_bytes(method.as_bytes()).expect("a method");
        refused(&method, &uri.parse().expect("an address"), &map, token)
            .map(|problem| problem.status.as_u16())
    }

    #[test]
    fn the_names_of_loopback_are_ours_with_any_port_and_no_others() {
        for ours in ["localhost", "localhost:8017", "127.0.0.1", "127.0.0.1:1", "[::1]", "[::1]:65535"] {
            assert!(is_ours(ours), "{ours}");
        }
        for other in [
            "",
            "localhost:",
            "localhost:0",
            "localhost:+80",
            "localhost:65536",
            "localhost:80:80",
            "localhost.",
            "LOCALHOST",
            "localhost.evil.example",
            "evil.example",
            "127.0.0.1.evil.example:8017",
            "127.0.0.2",
            "127.1",
            "::1",
            "[::1]evil",
            "0.0.0.0:8017",
            "user@localhost",
            " localhost",
        ] {
            assert!(!is_ours(other), "{other}");
        }
    }

    #[test]
    fn data_needs_the_token_and_the_page_does_not() {
        let token = token();
        let host = ("host", "localhost:8017");
        let bearer = format!("Bearer {}", token.as_str());
        assert_eq!(status("GET", "/", &[host], &token), None);
        assert_eq!(status("GET", "/api/state", &[host], &token), Some(401));
        assert_eq!(status("GET", "/api/state", &[host, ("authorization", &bearer)], &token), None);
        let twice = [host, ("authorization", &bearer), ("authorization", "Bearer x")];
        assert_eq!(status("GET", "/api/state", &twice, &token), Some(401));
        for wrong in
            ["", "Bearer", "Bearer ", "bearer x", token.as_str(), &format!("Basic {}", token.as_str())]
        {
            let headers = [host, ("authorization", wrong)];
            assert_eq!(status("GET", "/api/state", &headers, &token), Some(401), "{wrong}");
        }
        let query = format!("/api/state?token={}", token.as_str());
        assert_eq!(status("GET", &query, &[host], &token), Some(401));
    }

    #[test]
    fn another_name_or_site_is_refused_also_with_the_token() {
        let token = token();
        let bearer = format!("Bearer {}", token.as_str());
        let with = |more: &[(&'static str, &str)]| {
            let headers = [&[("authorization", bearer.as_str())], more].concat();
            status("GET", "/api/state", &headers, &token)
        };
        let host = ("host", "127.0.0.1:9000");
        assert_eq!(with(&[]), Some(403));
        assert_eq!(with(&[("host", "evil.example:9000")]), Some(403));
        assert_eq!(with(&[host, host]), Some(403));
        assert_eq!(with(&[host, ("origin", "http://127.0.0.1:9000")]), None);
        for origin in ["http://127.0.0.1", "http://localhost:9000", "https://127.0.0.1:9000", "null", ""] {
            assert_eq!(with(&[host, ("origin", origin)]), Some(403), "{origin}");
        }
        for (site, expect) in [("same-origin", None), ("none", None), ("same-site", Some(403))] {
            assert_eq!(with(&[host, ("sec-fetch-site", site)]), expect, "{site}");
        }
        let crossed = [
            host,
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-mode", "navigate"),
            ("sec-fetch-dest", "document"),
        ];
        assert_eq!(with(&crossed), Some(403), "data is no page");
        assert_eq!(status("GET", "/who", &crossed, &token), None, "a link opens the page");
        assert_eq!(status("GET", "/app.js", &crossed[..2], &token), Some(403));
    }

    #[test]
    fn other_methods_and_whole_addresses_are_refused() {
        let token = token();
        for method in ["PUT", "DELETE", "OPTIONS", "CONNECT", "TRACE", "PATCH", "GETT"] {
            let uri = if method == "CONNECT" { "localhost:80" } else { "/" };
            assert_eq!(status(method, uri, &[("host", "localhost")], &token), Some(405), "{method}");
        }
        assert_eq!(status("GET", "http://evil.example/", &[("host", "localhost")], &token), Some(400));
    }

    #[test]
    fn no_header_allows_what_is_inline() {
        let policy = OF_ALL[0].1;
        assert!(!policy.contains("unsafe") && !policy.contains('*'), "{policy}");
    }
}
