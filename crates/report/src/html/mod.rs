//! Answers as one file of HTML: complete without scripts, in mail, in print and for a screen reader. No request leaves
//! it, and nothing that comes from a machine is anything but text in it.

mod answer;
mod breakdown;
mod checked;
mod comparison;
mod difference;
mod evidence;
mod examination;
mod experiment;
mod figures;
mod ledger;
mod marks;
mod strip;
mod style;
mod timeline;
mod who;
mod writer;

pub use breakdown::page as breakdown;
pub use comparison::page as comparison;
pub use difference::page as difference;
pub use examination::page as examination;
pub use experiment::page as experiment;
pub use figures::page as figures;
pub use timeline::page as timeline;

use heldup_model::Severity;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use writer::{Html, escaped};

/// What every page forbids: everything but its own style.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// A whole document: its title, as text, and its body.
fn document(title: &str, body: Html) -> String {
    let Html { markup: body, has_flames, .. } = body;
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n<meta http-equiv=\"Content-Security-Policy\" \
         content=\"{POLICY}\">\n<meta name=\"referrer\" content=\"no-referrer\">\n<meta name=\"generator\" content=\"heldup \
         {}\">\n<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n{body}</body>\n</html>\n",
        env!("CARGO_PKG_VERSION"),
        escaped(&writer::name(title)),
        style::css(has_flames),
    )
}

/// The first line: whose page it is, and of when.
fn brand(html: &mut Html, window: &str) {
    html.open("p", &[("class", "brand")]);
    html.put("strong", "", "heldup");
    html.put("span", "", window);
    html.close("p");
}

/// Severity as a shape and a word.
fn severity(html: &mut Html, of: Severity) {
    let (shape, class) = match of {
        Severity::Critical => ("▲", "sev"),
        Severity::Warning => ("△", "sev"),
        Severity::Info => ("○", "sev info"),
    };
    html.open("span", &[("class", class)]);
    html.open("span", &[("aria-hidden", "true")]);
    html.text(&format!("{shape} "));
    html.close("span");
    html.text(of.name());
    html.close("span");
}

/// A word and what it says, as an entry of a list of such.
fn entry(html: &mut Html, word: &str, text: &str) {
    if text.is_empty() {
        return;
    }
    html.put("dt", "", word);
    html.put("dd", "", text);
}

/// A time in a zone; what is none stays as it is.
fn time(rfc3339: &str, zone: &TimeZone, form: &str) -> String {
    match rfc3339.parse::<Timestamp>() {
        Ok(time) => time.to_zoned(zone.clone()).strftime(form).to_string(),
        Err(_) => rfc3339.to_owned(),
    }
}

/// `3 warnings`.
fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{} {}", crate::quantity::count(count as i64), if count == 1 { one } else { many })
}
