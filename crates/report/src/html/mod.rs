//! Answers as one file of HTML: complete without scripts, in mail, in print and for a screen reader; that of an examination
//! has the page in it. No request leaves it, and nothing that comes from a machine is anything but text in it.

mod answer;
mod breakdown;
mod checked;
mod comparison;
mod difference;
mod evidence;
mod examination;
mod experiment;
mod figures;
mod inside;
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
use inside::Inside;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use writer::{Html, escaped};

/// What every page forbids: everything but its own style.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// A whole document: its title, as text, and its body.
fn document(title: &str, body: Html) -> String {
    let (style, markup) = (format!("<style>{}</style>\n", style::css(body.has_flames)), body.markup);
    whole(title, POLICY, &style, &markup)
}

/// A whole document with the page in it, which takes the place of the body where scripts run; on paper it does not.
fn document_with_page(title: &str, body: Html, page: &Inside) -> String {
    let css = style::css(body.has_flames);
    let style =
        format!("<style id=\"heldup-report-style\">#app{{display:none}}{css}</style>\n{}", page.style());
    let markup =
        format!("<div id=\"app\"></div>\n<div id=\"report\">\n{}</div>\n{}", body.markup, page.end());
    whole(title, &page.policy(), &style, &markup)
}

fn whole(title: &str, policy: &str, style: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n<meta http-equiv=\"Content-Security-Policy\" \
         content=\"{policy}\">\n<meta name=\"referrer\" content=\"no-referrer\">\n<meta name=\"generator\" content=\"heldup \
         {}\">\n<title>{}</title>\n{style}</head>\n<body>\n{body}</body>\n</html>\n",
        env!("CARGO_PKG_VERSION"),
        escaped(&writer::name(title)),
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
