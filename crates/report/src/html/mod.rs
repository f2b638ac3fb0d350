//! Answers as one file of HTML: complete without scripts, in mail, in print and for a screen reader. No request leaves
//! it, and nothing that comes from a machine is anything but text in it.

pub mod figures;
mod style;

use crate::figure::svg;

/// What every page forbids: everything but its own style.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// A text in an element or in an attribute.
pub(crate) fn text(text: &str) -> String {
    svg::escaped(text)
}

/// A whole document: its title, as text, and its body, as HTML.
pub(crate) fn document(title: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n<meta http-equiv=\"Content-Security-Policy\" \
         content=\"{POLICY}\">\n<meta name=\"referrer\" content=\"no-referrer\">\n<meta name=\"generator\" content=\"heldup \
         {}\">\n<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n{body}</body>\n</html>\n",
        env!("CARGO_PKG_VERSION"),
        text(title),
        style::css(),
    )
}
