//! How pages look: on light and on dark paper as the reader's system has it, and in print.

use crate::figure::palette::{self, Paper, Theme};
use crate::figure::svg;

/// Everything but colours.
const LAYOUT: &str = "
*{box-sizing:border-box}
body{margin:0 auto;max-width:960px;padding:24px;background:var(--paper);color:var(--ink);font:13px/20px system-ui,-apple-system,'Segoe UI','Noto Sans','DejaVu Sans',sans-serif;font-variant-numeric:tabular-nums}
h1{font-size:19px;line-height:25px;font-weight:600;margin:0 0 4px}
h2{font-size:15px;line-height:20px;font-weight:600;margin:36px 0 12px}
h3{font-size:13px;line-height:20px;font-weight:600;margin:0}
p{margin:0 0 8px}
a{color:var(--link)}
.second{color:var(--ink2)}.third{color:var(--ink3)}
figure{margin:0 0 28px;break-inside:avoid}
figure h3 span{font-weight:400;color:var(--ink3);margin-left:6px}
figcaption{color:var(--ink2);margin-top:4px}
svg{display:block;max-width:100%;height:auto}
svg text{font-size:12px}
details{color:var(--ink2)}summary{cursor:pointer;color:var(--link)}
summary:focus-visible,a:focus-visible{outline:2px solid var(--link);outline-offset:2px}
table{border-collapse:collapse;width:100%;margin:4px 0 12px}
th{font-weight:400;color:var(--ink3);text-align:left;padding:0 12px 4px 0;border-bottom:1px solid var(--rule);vertical-align:bottom}
td{padding:2px 12px 2px 0;vertical-align:top;overflow-wrap:anywhere}
th.n,td.n{text-align:right;white-space:nowrap}
code,pre{font:12px/18px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace}
pre{background:var(--sunk);border:1px solid var(--rule);border-radius:4px;padding:5px 10px;margin:6px 0;white-space:pre-wrap;overflow-wrap:anywhere}
dl{display:grid;grid-template-columns:44px minmax(0,1fr);row-gap:8px;margin:8px 0}dt{color:var(--ink3)}dd{margin:0;min-width:0}
ul{margin:0;padding:0;list-style:none}
article{border-top:1px solid var(--rule);padding:16px 0}article:first-of-type{border-top:0;padding-top:0}
.share{font-size:32px;line-height:36px;font-weight:650;letter-spacing:-.025em}
.sev{color:var(--severity)}
.sw{display:inline-block;width:9px;height:9px;margin-right:7px}
@media print{details{display:none}body{padding:0;max-width:none}}
";

/// The style of a page.
pub(super) fn css() -> String {
    let of = |theme: Theme| format!("{}{}", variables(theme.paper()), palette::css(theme));
    format!(
        "{}{}{LAYOUT}@media (prefers-color-scheme:dark){{@media not print{{{}}}}}",
        of(Theme::Light),
        svg::SHAPES,
        of(Theme::Dark)
    )
}

fn variables(paper: Paper) -> String {
    let Paper { paper: ground, ink: [ink, ink2, ink3], rule, severity, link, sunk, .. } = paper;
    format!(
        ":root{{color-scheme:light dark;--paper:#{ground:06x};--ink:#{ink:06x};--ink2:#{ink2:06x};--ink3:#{ink3:06x};\
         --rule:#{rule:06x};--severity:#{severity:06x};--link:#{link:06x};--sunk:#{sunk:06x}}}"
    )
}
