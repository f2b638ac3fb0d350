//! How pages look: on light and on dark paper as the reader's system has it, and in print.

use crate::figure::palette::{self, Paper, Theme};
use crate::figure::svg::{self, flame};

/// Everything but colours.
const LAYOUT: &str = "
*{box-sizing:border-box}
body{margin:0 auto;max-width:808px;padding:24px;background:var(--paper);color:var(--ink);font:13px/20px system-ui,-apple-system,'Segoe UI','Noto Sans','DejaVu Sans',sans-serif;font-variant-numeric:tabular-nums}
h1{font-size:19px;line-height:25px;font-weight:600;margin:0 0 4px;overflow-wrap:anywhere}
h2{font-size:15px;line-height:20px;font-weight:600;margin:44px 0 12px}
h3,h4{font-size:13px;line-height:20px;font-weight:600;margin:0;overflow-wrap:anywhere}
h4{margin:16px 0 4px}
section>h3{font-size:15px;margin:0 0 4px}
article.first h3{font-size:19px;line-height:25px}
p{margin:0 0 8px;max-width:76ch;overflow-wrap:anywhere}
a{color:var(--link)}
nav ul,.vitals{display:flex;flex-wrap:wrap;gap:4px 24px;margin:12px 0 0}
.vitals span{color:var(--ink2)}
.brand{display:flex;flex-wrap:wrap;justify-content:space-between;gap:4px 24px;color:var(--ink2);margin:0 0 16px;max-width:none}
.brand strong{color:var(--ink)}
.second{color:var(--ink2)}.third{color:var(--ink3)}
.row{display:flex;flex-wrap:wrap;align-items:baseline;gap:4px 12px;max-width:none;margin:0}.row .end{margin-left:auto}
figure{margin:0 0 28px;break-inside:avoid;min-width:0}
.figures{margin-top:16px}
figure h3 span,figure h4 span{font-weight:400;color:var(--ink3);margin-left:6px}
figure h4{margin:0}
figcaption{color:var(--ink2);margin-top:4px}
.chart{overflow-x:auto}
svg{display:block;height:auto;max-width:100%}
svg text{font-size:12px}
details{color:var(--ink2);margin:4px 0}summary{cursor:pointer;color:var(--link);overflow-wrap:anywhere}
summary:focus-visible,a:focus-visible,.chart:focus-visible{outline:2px solid var(--link);outline-offset:2px}
table{border-collapse:collapse;width:100%;margin:4px 0 12px}
caption{text-align:left;color:var(--ink2);padding:0 0 4px}
th{font-weight:400;text-align:left}
thead th{color:var(--ink2);padding:0 12px 4px 0;border-bottom:1px solid var(--rule);vertical-align:bottom}
td,tbody th{padding:3px 12px 3px 0;vertical-align:top;overflow-wrap:anywhere}
td:last-child,th:last-child{padding-right:0}
th.n,td.n{text-align:right;white-space:nowrap}
td.k,th.k{white-space:nowrap}
tr{break-inside:avoid}thead{display:table-header-group}
.scroll{overflow-x:auto}
code,pre{font:12px/18px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace}
code{overflow-wrap:anywhere}
pre{background:var(--sunk);border:1px solid var(--rule);border-radius:4px;padding:5px 10px;margin:6px 0;white-space:pre-wrap;overflow-wrap:anywhere}
pre.command code::before{content:'$ ';color:var(--ink3)}
dl{display:grid;grid-template-columns:56px minmax(0,1fr);row-gap:8px;margin:8px 0}dt{color:var(--ink2)}dd{margin:0;min-width:0;overflow-wrap:anywhere}
dl.long{grid-template-columns:104px minmax(0,1fr)}dd p{margin:0}
ul{margin:0;padding:0;list-style:none}
article,section.finding{border-top:1px solid var(--rule);padding:16px 0}article.first,section.finding:first-of-type{border-top:0;padding-top:0}
.share{font-size:32px;line-height:36px;font-weight:650;letter-spacing:-.025em}
.sev{color:var(--severity);font-weight:600}.sev.info{color:var(--ink2)}
svg.sw{display:inline-block;width:9px;height:9px;margin-right:7px;vertical-align:baseline}
svg.bar{display:block;margin-top:5px;min-width:60px}svg.both{min-width:110px;margin-top:4px}svg.level{width:100%;margin:6px 0 12px}
.trackbar{fill:var(--hair)}.thick{stroke-width:3}.ring{fill:var(--paper);stroke:var(--ink);stroke-width:1.5}
.more{fill:var(--more)}.less{fill:var(--less)}.moreline{stroke:var(--more)}.lessline{stroke:var(--less)}
.range{fill:var(--less);fill-opacity:.22}.nothing{fill:var(--ink3);fill-opacity:.16}.mark{fill:var(--ink)}
.tree ul{margin-left:18px;border-left:1px solid var(--rule);padding-left:12px}
.tree li{padding:2px 0;overflow-wrap:anywhere}.tree .this{background:var(--chosen);padding:2px 6px;border-radius:4px}
.tree span.label{color:var(--ink2);display:inline-block;min-width:60px}
footer{border-top:1px solid var(--rule);margin-top:44px;padding-top:12px;color:var(--ink2)}
.hide{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
@media (min-width:1640px){.figures{display:grid;grid-template-columns:760px 760px;column-gap:48px;width:1568px;margin-left:calc(380px - 784px);align-items:start}.figures>h3{grid-column:1/-1}}
@media (max-width:560px){td.v{min-width:72px}body{padding:16px}.w{display:none}.chart svg{width:620px;max-width:none}svg.both{width:110px}}
@media (prefers-contrast:more){:root{--ink2:var(--ink);--ink3:var(--ink)}}
@media print{:root{--paper:#fff;--sunk:#fff}body{padding:0;max-width:none;font-size:12px;background:none}table.whole{break-inside:avoid}caption,.row{break-after:avoid}details:not(.printed):not([open]){display:none}details.printed>summary{list-style:none;color:var(--ink)}details.printed::details-content{content-visibility:visible;height:auto}a{color:inherit;text-decoration:none}a[href^='http']::after{content:' (' attr(href) ')';overflow-wrap:anywhere}h2,h3,h4{break-after:avoid}pre,figure,dl{break-inside:avoid}nav{display:none}.figures{display:block;width:auto;margin-left:0}}
";

/// The style of a page, and of its flame graphs where it has some.
pub(super) fn css(has_flames: bool) -> String {
    let flames = |theme: Theme| if has_flames { flame::css(theme) } else { String::new() };
    let of = |theme: Theme| format!("{}{}{}", variables(theme), palette::css(theme), flames(theme));
    format!(
        "{}{}{}{LAYOUT}@media (prefers-color-scheme:dark){{@media not print{{{}}}}}",
        of(Theme::Light),
        svg::SHAPES,
        if has_flames { flame::SHAPES } else { "" },
        of(Theme::Dark)
    )
}

fn variables(theme: Theme) -> String {
    let Paper { paper: ground, ink: [ink, ink2, ink3], rule, hair, severity, link, sunk, .. } = theme.paper();
    let (more, less, chosen, scheme) = match theme {
        Theme::Light => ("b05010", "225fb0", "e4edf9", "light dark"),
        Theme::Dark => ("ec9a63", "7fb0ef", "1f2f47", "dark"),
    };
    format!(
        ":root{{color-scheme:{scheme};--paper:#{ground:06x};--ink:#{ink:06x};--ink2:#{ink2:06x};--ink3:#{ink3:06x};\
         --rule:#{rule:06x};--hair:#{hair:06x};--severity:#{severity:06x};--link:#{link:06x};--sunk:#{sunk:06x};\
         --more:#{more};--less:#{less};--chosen:#{chosen}}}"
    )
}
