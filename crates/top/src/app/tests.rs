//! What keys and answers do, without a machine.

#![cfg(test)]

use heldup_model::Examination;

use super::*;

fn app() -> App {
    let mut app = App::new(Some("day".to_owned()), false, TimeZone::UTC, 10_000_000);
    app.tell(Told::Strip(Span { since_ms: 0, until_ms: 3_600_000 }, None));
    let span = Span { since_ms: 1_000_000, until_ms: 1_060_000 };
    let view = View { span, examination: Examination::default(), tasks: Vec::new(), processes: Vec::new() };
    app.span = Some(span);
    app.tell(Told::View(Box::new(view), false));
    app
}

fn look(asks: &[Ask]) -> Option<Span> {
    asks.iter().find_map(|ask| match ask {
        Ask::Look(span) => Some(*span),
        _ => None,
    })
}

#[test]
fn a_step_moves_the_window_and_keeps_its_length() {
    let mut app = app();
    let (_, asks) = app.act(Action::Minute(1));
    assert_eq!(look(&asks), Some(Span { since_ms: 1_060_000, until_ms: 1_120_000 }));
    let (_, asks) = app.act(Action::Step(-1));
    assert_eq!(look(&asks), Some(Span { since_ms: 1_059_000, until_ms: 1_119_000 }));
    for _ in 0..100 {
        app.act(Action::Minute(1));
    }
    assert_eq!(app.span.map(|span| span.until_ms), Some(3_600_000), "not beyond the end");
}

#[test]
fn findings_are_jumped_to_in_both_directions() {
    let mut app = app();
    assert_eq!(app.act(Action::Finding(1)).1, []);
    assert!(app.said.is_some(), "it is said that they are not known");
    let mark = |since_ms| Mark { span: Span { since_ms, until_ms: since_ms + 60_000 }, findings: Vec::new() };
    app.tell(Told::Marks(vec![mark(500_000), mark(2_000_000)]));
    assert_eq!(look(&app.act(Action::Finding(1)).1).map(|span| span.since_ms), Some(2_000_000));
    assert_eq!(look(&app.act(Action::Finding(-1)).1).map(|span| span.since_ms), Some(500_000));
    app.act(Action::Finding(-1));
    assert_eq!(app.said.as_deref(), Some("no earlier finding"));
}

/// What is found while somebody looks stands above the strip at once; of one trouble the worst window.
#[test]
fn findings_of_now_become_marks() {
    let mut app = App::new(None, true, TimeZone::UTC, 10_000_000);
    app.tell(Told::Marks(Vec::new()));
    let view = |since_ms, cost| {
        let group = FindingGroup {
            id: "disk.slow".to_owned(),
            severity: heldup_model::Severity::Warning,
            cost: Some(cost),
            members: vec!["a".to_owned()],
            ..Default::default()
        };
        let finding = heldup_model::Finding { key: "a".to_owned(), ..Default::default() };
        let examination =
            Examination { groups: vec![group], findings: vec![finding], ..Examination::default() };
        let span = Span { since_ms, until_ms: since_ms + 60_000 };
        Box::new(View { span, examination, tasks: Vec::new(), processes: Vec::new() })
    };
    let marks = |app: &App| -> Vec<(i64, Option<f64>)> {
        let marks = app.marks.iter().flatten();
        marks.map(|mark| (mark.span.since_ms, mark.findings[0].cost)).collect()
    };
    app.tell(Told::View(view(1_000_000, 0.2), true));
    app.tell(Told::View(view(1_010_000, 0.3), true));
    app.tell(Told::View(view(1_020_000, 0.1), true));
    assert_eq!(marks(&app), [(1_010_000, Some(0.3))]);
    app.tell(Told::View(view(2_000_000, 0.1), true));
    assert_eq!(marks(&app).len(), 2, "another one");
    // Who is elsewhere looks at what was found already.
    app.tell(Told::View(view(500_000, 0.1), false));
    assert_eq!(marks(&app).len(), 2);
}

/// One window is compared with the one before, or with the one that was marked.
#[test]
fn a_window_is_compared_with_the_one_before_or_the_marked_one() {
    let mut app = app();
    let compared = |asks: &[Ask]| {
        asks.iter().find_map(|ask| match ask {
            Ask::Compare(before, after) => Some((before.since_ms, after.since_ms)),
            _ => None,
        })
    };
    assert_eq!(compared(&app.act(Action::Compare).1), Some((940_000, 1_000_000)));
    app.act(Action::Mark);
    let span = Span { since_ms: 2_000_000, until_ms: 2_060_000 };
    app.span = Some(span);
    let view = View { span, examination: Examination::default(), tasks: Vec::new(), processes: Vec::new() };
    let asks = app.tell(Told::View(Box::new(view), false));
    assert_eq!(compared(&asks), Some((1_000_000, 2_000_000)));
}

#[test]
fn a_time_is_typed_and_a_wrong_one_is_said() {
    let mut app = app();
    app.act(Action::GoTo);
    for c in "00:40".chars() {
        app.typed.as_mut().expect("a line").1.put(c);
    }
    assert_eq!(look(&app.entered()).map(|span| span.since_ms), Some(40 * MINUTE_MS));
    app.act(Action::GoTo);
    app.typed = Some((Purpose::GoTo, LineEdit::of("23:00")));
    assert_eq!(app.entered(), []);
    assert!(app.said.as_deref().is_some_and(|said| said.starts_with("no data for")), "{:?}", app.said);
}

#[test]
fn escape_goes_back_to_where_one_was() {
    let mut app = app();
    app.act(Action::Who);
    app.act(Action::Keys);
    app.act(Action::Back);
    assert_eq!(*app.screen(), Screen::Who);
    app.act(Action::Overview);
    assert_eq!(app.screens, [Screen::Overview]);
    assert_eq!(app.act(Action::Quit).0, Then::Quit);
}

#[test]
fn who_went_back_is_not_overtaken_by_now() {
    let mut app = App::new(None, true, TimeZone::UTC, 10_000_000);
    let view = |since_ms| {
        let span = Span { since_ms, until_ms: since_ms + 60_000 };
        Box::new(View { span, examination: Examination::default(), tasks: Vec::new(), processes: Vec::new() })
    };
    app.tell(Told::View(view(1_000_000), true));
    let (_, asks) = app.act(Action::Minute(-1));
    assert!(asks.contains(&Ask::Follow(false)));
    app.tell(Told::View(view(1_010_000), true));
    assert_eq!(app.view.as_ref().map(|view| view.span.since_ms), Some(1_000_000));
    assert_eq!(app.act(Action::Now).1, [Ask::Follow(true), Ask::Marks]);
}
