//! The page itself: a small document, its script and its style. No data is in them.

use std::path::Path;

use axum::body::Bytes;
use axum::response::{IntoResponse, Response};
use heldup_hostfs::Host;
use heldup_report::bundle;
use hyper::StatusCode;
use hyper::header::CONTENT_TYPE;

/// What is handed out: path, file, type, and the text that came with the program.
const ASSETS: [(&str, &str, &str, &[u8]); 4] = [
    ("/", "index.html", "text/html; charset=utf-8", bundle::PAGE.as_bytes()),
    ("/app.js", "app.js", "text/javascript; charset=utf-8", bundle::SCRIPT.as_bytes()),
    ("/app.css", "app.css", "text/css; charset=utf-8", bundle::STYLE.as_bytes()),
    ("/icon.svg", "icon.svg", "image/svg+xml", bundle::ICON.as_bytes()),
];

/// Views: all are the same document, which reads its own address. What ends in a slash has more behind it.
const VIEWS: [&str; 10] =
    ["/finding/", "/who", "/who/", "/on/", "/stacks", "/compare", "/try", "/try/", "/sql", "/record"];

/// What a path of no data is answered; `folder` has newer files than the program.
pub fn answer(path: &str, folder: Option<&Path>) -> Response {
    let is_view = VIEWS.iter().any(|view| match view.ends_with('/') {
        true => path.len() > view.len() && path.starts_with(view),
        false => path == *view,
    });
    let name = if is_view { "/" } else { path };
    let Some((_, file, kind, embedded)) = ASSETS.iter().find(|(path, ..)| *path == name) else {
        return (StatusCode::NOT_FOUND, "nothing here; the page is at /\n").into_response();
    };
    let newer = folder.and_then(|folder| Host::live().read(folder.join(file)).ok());
    let bytes = newer.map_or(Bytes::from_static(embedded), Bytes::from);
    ([(CONTENT_TYPE, *kind)], bytes).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_are_the_page_and_nothing_else_is() {
        for view in ["/", "/finding/disk.slow%2Fdevice:sda", "/who", "/who/1@2", "/on/disk", "/try/3"] {
            assert_eq!(answer(view, None).status(), StatusCode::OK, "{view}");
        }
        for other in ["/finding", "/finding/", "/x", "/../etc/passwd", "/app.js/", "/index.html", "//", ""] {
            assert_eq!(answer(other, None).status(), StatusCode::NOT_FOUND, "{other}");
        }
    }
}
