//! Figures of `golden/figures.json`, a real run, as pictures, as cells and as a page, compared with `golden/figures/`.
//!
//! `UPDATE_GOLDEN=1 cargo test -p heldup-report` writes them anew; look at them before committing.

#![expect(
    clippy::expect_used,
    reason = "clippy's allowance for tests does not reach functions beside #[test]"
)]

use std::path::{Path, PathBuf};

use heldup_model::{Frame, Plotted};
use heldup_report::figure::cells::{CellLook, cells, legend};
use heldup_report::figure::palette::Theme;
use heldup_report::figure::svg::{self, Look};
use heldup_report::figure::{csv, file_name};
use heldup_report::{TextOptions, html};
use jiff::tz::TimeZone;
use quick_xml::Reader;
use quick_xml::events::Event;
use unicode_width::UnicodeWidthStr;

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("golden")
}

fn plotted() -> Plotted {
    serde_json::from_str(&std::fs::read_to_string(golden().join("figures.json")).expect("input"))
        .expect("figures")
}

fn same(name: &str, got: &str) {
    let path = golden().join("figures").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::create_dir_all(golden().join("figures")).expect("a folder");
        std::fs::write(&path, got).expect("written");
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(got == expected, "{} differs; UPDATE_GOLDEN=1 writes it anew", path.display());
}

/// Every element is closed and every character allowed; its texts.
fn texts(xml: &str) -> Vec<String> {
    let mut reader = Reader::from_str(xml);
    reader.config_mut().check_end_names = true;
    let mut texts = Vec::new();
    loop {
        match reader.read_event().expect("well-formed") {
            Event::Eof => return texts,
            Event::Text(text) => texts.push(text.decode().expect("UTF-8").into_owned()),
            _ => {}
        }
    }
}

#[test]
fn as_before() {
    let plotted = plotted();
    let look = Look { width: 960.0, height: 300.0, zone: &TimeZone::UTC };
    for frame in &plotted.figures {
        let picture = svg::file(frame, &plotted.host, &look, Theme::Light);
        assert!(!texts(&picture).is_empty());
        same(&format!("{}.svg", file_name(frame)), &picture);
        // On dark paper only the colours differ.
        let dark = svg::file(frame, &plotted.host, &look, Theme::Dark);
        let elements = |svg: &str| svg.split("</style>").nth(1).map(str::to_owned);
        assert_eq!(elements(&dark), elements(&picture), "{}", frame.id);
        if frame.id == "time.classes" {
            same("time.classes-dark.svg", &dark);
        }
    }
    for (name, width, ascii) in [("80", 80, false), ("120", 120, false), ("ascii", 80, true)] {
        let look = CellLook { width, color: false, ascii, zone: &TimeZone::UTC };
        let text: String =
            plotted.figures.iter().map(|frame| cells(frame, &look)).chain([legend(&look)]).collect();
        for line in text.lines() {
            assert!(line.width() <= width, "{name}: longer than {width}: {line}");
            assert!(!ascii || line.is_ascii(), "{line}");
        }
        same(&format!("{name}.txt"), &text);
    }
    same("page.html", &html::figures(&plotted, &TextOptions::default()));
    same("numbers.csv", &csv(&plotted));
}

fn hostile(frame: &Frame) -> Frame {
    let name = "</svg><script>alert(1)</script>&\"'\u{1b}[2J\u{202e}\u{0}\u{ffff}";
    let mut frame = frame.clone();
    frame.subject = Some(format!("../../{name}"));
    for (at, series) in frame.series.iter_mut().enumerate() {
        series.name = if at == 0 { "x".repeat(1_000_000) } else { format!("{name}{at}") };
        series.mean.iter_mut().for_each(|value| *value = value.map(|_| f64::NAN));
    }
    frame
}

#[test]
fn a_hostile_name_is_nothing_but_text() {
    let plotted = plotted();
    let hostile = Plotted {
        host: "<b>&\u{1b}]0;x\u{7}".to_owned(),
        figures: plotted.figures.iter().map(hostile).collect(),
        ..plotted
    };
    let look = Look { width: 960.0, height: 300.0, zone: &TimeZone::UTC };
    for frame in &hostile.figures {
        let picture = svg::file(frame, &hostile.host, &look, Theme::Dark);
        assert!(!picture.contains("<script") && picture.len() < 200_000, "{}", frame.id);
        texts(&picture);
        let name = file_name(frame);
        assert!(!name.contains('/') && !name.starts_with('.') && name.len() < 200, "{name}");
        let cells = cells(frame, &CellLook { width: 80, color: false, ascii: false, zone: &TimeZone::UTC });
        assert!(!cells.contains('\u{1b}') && !cells.contains('\u{202e}'), "{cells:?}");
    }
    let page = html::figures(&hostile, &TextOptions::default());
    assert!(!page.contains("<script") && !page.contains("<b>") && page.len() < 2_000_000);
    assert!(
        !page.contains("http:")
            || page.matches("http:").count() == page.matches("http://www.w3.org/2000/svg").count()
    );
}
