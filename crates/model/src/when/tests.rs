//! A table of phrases: what was written, and the moments that are meant.

use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

use super::*;

/// Central Europe: forward on 29 March 2026 at 02:00, back on 25 October 2026 at 03:00.
const BERLIN: &str = "CET-1CEST,M3.5.0,M10.5.0/3";

fn berlin() -> TimeZone {
    TimeZone::posix(BERLIN).expect("a rule of POSIX")
}

fn zones(name: &str) -> Option<TimeZone> {
    match name {
        "Europe/Berlin" => Some(berlin()),
        "Asia/Kolkata" => Some(TimeZone::fixed(jiff::tz::Offset::from_seconds(19_800).expect("in range"))),
        _ => None,
    }
}

/// What is meant, seen from a wall clock in Berlin, as RFC 3339 in UTC without the seconds.
fn asked(now: &str, since: &str, until: Option<&str>) -> Result<(String, String, Vec<String>), WhenError> {
    let now: Zoned = now.parse::<DateTime>().expect("a time").to_zoned(berlin()).expect("in range");
    let asked = Clock { now, zone: &zones }.span(since, until)?;
    let show = |ms| Timestamp::from_millisecond(ms).expect("in range").strftime("%F %T").to_string();
    Ok((show(asked.span.since_ms), show(asked.span.until_ms), asked.notes))
}

/// Saturday, one hour before UTC.
const NOW: &str = "2026-11-21T14:00:00";

#[test]
fn a_start_is_what_people_mean() {
    for (since, utc) in [
        ("now -2h", "error"),
        ("-2h", "2026-11-21 11:00:00"),
        ("-1h30m", "2026-11-21 11:30:00"),
        ("2 hours ago", "2026-11-21 11:00:00"),
        ("2h ago", "2026-11-21 11:00:00"),
        ("1 hour 30 min ago", "2026-11-21 11:30:00"),
        ("an hour ago", "2026-11-21 12:00:00"),
        ("last 2 hours", "2026-11-21 11:00:00"),
        ("last hour", "2026-11-21 12:00:00"),
        ("90 s ago", "2026-11-21 12:58:30"),
        ("a week ago", "2026-11-14 13:00:00"),
        ("2 days ago 03:00", "2026-11-19 02:00:00"),
        ("today", "2026-11-20 23:00:00"),
        ("yesterday", "2026-11-19 23:00:00"),
        ("yesterday 03:00", "2026-11-20 02:00:00"),
        ("Yesterday at 3 AM", "2026-11-20 02:00:00"),
        ("03:00 yesterday", "2026-11-20 02:00:00"),
        ("yesterday 3:10pm", "2026-11-20 14:10:00"),
        ("yesterday noon", "2026-11-20 11:00:00"),
        ("03:10", "2026-11-21 02:10:00"),
        ("3:10:05", "2026-11-21 02:10:05"),
        ("13:59:59.5", "2026-11-21 12:59:59"),
        // Not yet today, so it was yesterday.
        ("23:00", "2026-11-20 22:00:00"),
        ("last night", "2026-11-20 21:00:00"),
        ("yesterday evening", "2026-11-20 17:00:00"),
        ("this morning", "2026-11-21 05:00:00"),
        ("saturday 13:00", "2026-11-21 12:00:00"),
        // Today is a Saturday, and 15:00 is still to come.
        ("saturday 15:00", "2026-11-14 14:00:00"),
        ("last saturday", "2026-11-13 23:00:00"),
        ("monday 14:00", "2026-11-16 13:00:00"),
        ("mon 2pm", "2026-11-16 13:00:00"),
        ("2026-11-20", "2026-11-19 23:00:00"),
        ("2026-11-20 03:00", "2026-11-20 02:00:00"),
        ("2026-11-20T03:00:00", "2026-11-20 02:00:00"),
        ("2026-11-20T03:00Z", "2026-11-20 03:00:00"),
        ("2026-11-20T03:00:00.250+05:30", "2026-11-19 21:30:00"),
        ("2026-11-20 03:00 UTC", "2026-11-20 03:00:00"),
        ("2026-11-20 03:00 -0330", "2026-11-20 06:30:00"),
        ("2026-11-20T03:00[Asia/Kolkata]", "2026-11-19 21:30:00"),
        ("2026-11-20T03:00+05:30[Asia/Kolkata]", "2026-11-19 21:30:00"),
        ("yesterday 03:00 Asia/Kolkata", "2026-11-19 21:30:00"),
        // As the lines of syslog begin.
        ("Nov 20 03:00:07", "2026-11-20 02:00:07"),
        ("20 nov 03:00", "2026-11-20 02:00:00"),
        ("Nov 20 2025, 03:00", "2025-11-20 02:00:00"),
        // Not yet this year.
        ("24 december", "2025-12-23 23:00:00"),
        ("29 feb", "2024-02-28 23:00:00"),
        ("@1763700000", "2025-11-21 04:40:00"),
        ("@1763700000.5", "2025-11-21 04:40:00"),
    ] {
        let read = asked(NOW, since, None).map_or_else(|error| format!("error {error}"), |asked| asked.0);
        assert!(read.starts_with(utc), "{since}: {read}, not {utc}");
    }
}

#[test]
fn an_end_counts_from_the_start() {
    for (since, until, utc) in [
        ("yesterday 03:00", Some("03:10"), "2026-11-20 02:10:00"),
        ("yesterday 23:50", Some("00:10"), "2026-11-20 23:10:00"),
        ("yesterday 03:00", Some("+10m"), "2026-11-20 02:10:00"),
        ("yesterday 03:00", Some("-1h"), "2026-11-21 12:00:00"),
        ("yesterday", Some("today"), "2026-11-20 23:00:00"),
        ("monday 14:00", Some("tuesday 14:00"), "2026-11-17 13:00:00"),
        ("2026-11-20T03:00Z", Some("2026-11-20T03:10Z"), "2026-11-20 03:10:00"),
        ("2026-11-20T03:00Z", Some("03:10 UTC"), "2026-11-20 03:10:00"),
        ("@1763700000", Some("@1763700600"), "2025-11-21 04:50:00"),
        // What names a part of a day ends with it; everything else with now.
        ("last night", None, "2026-11-21 05:00:00"),
        ("yesterday evening", None, "2026-11-20 21:00:00"),
        ("yesterday 03:00", None, "2026-11-21 13:00:00"),
        ("this morning", None, "2026-11-21 11:00:00"),
    ] {
        let read = asked(NOW, since, until).map_or_else(|error| format!("error {error}"), |asked| asked.1);
        assert_eq!(read, utc, "{since} until {until:?}");
    }
}

#[test]
fn at_one_in_the_night_last_night_is_not_over() {
    let (since, until, _) = asked("2026-11-21T01:00:00", "last night", None).expect("a time");
    assert_eq!((since.as_str(), until.as_str()), ("2026-11-20 21:00:00", "2026-11-21 00:00:00"));
}

#[test]
fn an_end_that_is_not_yet_is_now_and_said() {
    let (_, until, notes) = asked(NOW, "13:00", Some("18:00")).expect("a time");
    assert_eq!(until, "2026-11-21 13:00:00");
    assert_eq!(notes, ["2026-11-21 18:00:00 +01:00 is not yet: until now"]);
}

#[test]
fn a_time_that_occurred_twice_is_the_widest_span() {
    let day = "2026-10-26T12:00:00";
    let (since, until, notes) = asked(day, "yesterday 02:30", Some("02:45")).expect("a time");
    // 02:30 in summer time, 02:45 in winter time would be the second; the first end after the
    // start is the one that is asked for, and of it the second.
    assert_eq!((since.as_str(), until.as_str()), ("2026-10-25 00:30:00", "2026-10-25 01:45:00"));
    assert_eq!(notes.len(), 2, "{notes:?}");
    assert!(notes[0].contains("the first is taken; write 02:30:00+02 or 02:30:00+01"), "{notes:?}");
    let (since, until, notes) =
        asked(day, "2026-10-25T02:30+01:00", Some("2026-10-25T02:45+01:00")).expect("a time");
    assert_eq!((since.as_str(), until.as_str()), ("2026-10-25 01:30:00", "2026-10-25 01:45:00"));
    assert!(notes.is_empty());
}

#[test]
fn a_time_that_never_was_is_when_the_clocks_went_forward() {
    let (since, until, notes) =
        asked("2026-03-30T12:00:00", "yesterday 02:30", Some("03:30")).expect("a time");
    assert_eq!((since.as_str(), until.as_str()), ("2026-03-29 01:00:00", "2026-03-29 01:30:00"));
    assert!(notes[0].contains("never was"), "{notes:?}");
    assert!(notes[0].contains("2026-03-29T03:00:00 is taken"), "{notes:?}");
}

#[test]
fn days_are_the_calendars_and_hours_are_elapsed() {
    // The day before was 25 hours long.
    let now = "2026-10-26T01:00:00";
    assert_eq!(asked(now, "1 day ago", None).expect("a time").0, "2026-10-24 23:00:00");
    assert_eq!(asked(now, "24 hours ago", None).expect("a time").0, "2026-10-25 00:00:00");
}

#[test]
fn errors_say_where_and_what_is_expected() {
    for (since, until, message) in [
        (
            "yesterday 25:00",
            None,
            "`yesterday 25:00`, character 11: `25:00` is no time of day; expected 00:00 to",
        ),
        ("yesterday 3:1", None, "character 11: `3:1` is no time of day"),
        ("yesterday foo", None, "character 11: `foo` is no word of a time; expected a time such as"),
        ("yesterday today", None, "character 11: a second day; expected one day"),
        ("03:00 04:00", None, "character 7: a second time of day"),
        ("11/20/2026", None, "`11/20/2026` can be read in two ways; expected year-month-day"),
        ("2026-02-30", None, "`2026-02-30` is no day"),
        ("feb 30", None, "a month without a day that it has"),
        ("5", None, "`5` has no unit"),
        ("2 hours", None, "a length of time; expected `ago` behind it"),
        ("ago", None, "`ago` follows no length of time"),
        ("last", None, "`last` of nothing"),
        ("this year", None, "`year` is no part of a day"),
        ("", None, "names no time"),
        ("@", None, "`@` is no number of seconds"),
        ("@1763700000000", None, "`@1763700000000` is no number of seconds"),
        ("99999999999999999999 h ago", None, "`99999999999999999999` is no word of a time"),
        ("9223372036854775807 h ago", None, "is too many"),
        ("2 h ago 03:00", None, "hours back and a time of day"),
        ("+2h", None, "counts from --since"),
        ("today 18:00", None, "2026-11-21 18:00:00 +01:00 is not yet"),
        (
            "yesterday",
            Some("2 days ago"),
            "is not after 2026-11-20 00:00:00 +01:00; expected an end after the start",
        ),
        ("last night äöü", None, "character 12: `äöü` is no word of a time"),
    ] {
        let message_read = asked(NOW, since, until).expect_err(since).to_string();
        assert!(message_read.contains(message), "{since}: {message_read}");
    }
}

#[test]
fn any_text_is_read_or_refused() {
    // Words that fit and words that do not, in every order of three.
    let words = [
        "last",
        "this",
        "2",
        "h",
        "ago",
        "-1d",
        "+1h",
        "@1",
        "nov",
        "30",
        "2025",
        "03:00",
        "pm",
        "z",
        "+99:99",
        "2026-11-20t",
        "t",
        "[",
        "monday",
        "night",
        "0",
        "-",
        "ä",
        "10000000000w",
        "2026-11-20T03:00+",
    ];
    for a in words {
        for b in words {
            for c in words {
                if let Ok((since, until, _)) = asked(NOW, &format!("{a} {b}{c}"), None) {
                    assert!(since < until, "{a} {b}{c}: {since} {until}");
                }
            }
        }
    }
}

/// Files of long ago: recorded on 8 May 2019, a day in UTC.
fn asked_of_files(since: &str, until: Option<&str>) -> Result<(String, String, Vec<String>), WhenError> {
    let now: Zoned = NOW.parse::<DateTime>().expect("a time").to_zoned(TimeZone::UTC).expect("in range");
    let day: Timestamp = "2019-05-08T00:00:00Z".parse().expect("a time");
    let recorded = Span { since_ms: day.as_millisecond(), until_ms: day.as_millisecond() + 86_400_000 };
    let asked = Clock { now, zone: &zones }.span_of_files(since, until, recorded)?;
    let show = |ms| Timestamp::from_millisecond(ms).expect("in range").strftime("%F %T").to_string();
    Ok((show(asked.span.since_ms), show(asked.span.until_ms), asked.notes))
}

#[test]
fn days_of_old_files_are_counted_from_their_end() {
    let (since, until, notes) = asked_of_files("today 03:00", Some("04:00")).expect("a span");
    assert_eq!((since.as_str(), until.as_str()), ("2019-05-08 03:00:00", "2019-05-08 04:00:00"));
    assert!(notes.iter().any(|note| note.contains("counted from the end of the recording")), "{notes:?}");
    let (since, until, _) = asked_of_files("2 hours ago", None).expect("a span");
    assert_eq!((&since[..16], &until[..16]), ("2019-05-08 21:59", "2019-05-08 23:59"));
    // A time of day needs no note, a date neither.
    let (since, _, notes) = asked_of_files("03:00", Some("04:00")).expect("a span");
    assert_eq!((since.as_str(), notes.len()), ("2019-05-08 03:00:00", 0));
    // The day before was not recorded: yesterday is that of now.
    let (since, _, _) = asked_of_files("yesterday 03:00", Some("04:00")).expect("a span");
    assert_eq!(since, "2026-11-20 03:00:00");
}
