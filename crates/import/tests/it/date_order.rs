//! Dates whose first two numbers could change places, as whole recordings have them.

use heldup_import::{Hints, Import, read};

const HEAD: &str = " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n";
const ROW: &str = " 1  0      0   1000     10    100    0    0     4     6    3    5  3  1 96  0  0";
/// 2024-04-03 and 2024-03-04, midnight UTC.
const THIRD_OF_APRIL_MS: i64 = 1_712_102_400_000;
const FOURTH_OF_MARCH_MS: i64 = 1_709_510_400_000;
const MINUTE_MS: i64 = 60_000;

fn import(text: &str, modified_ms: i64) -> Import {
    read("recording", text.as_bytes(), Hints { modified_ms, ..Hints::default() })
        .expect("reading from memory does not fail")
}

fn check(import: &Import, until_ms: i64, note: Option<&str>) {
    assert_eq!(import.file.span.map(|span| span.until_ms), Some(until_ms), "{:?}", import.file);
    let said: Vec<&String> = import.file.notes.iter().filter(|note| note.contains("dates such as")).collect();
    match note {
        Some(part) => assert!(said.len() == 1 && said[0].contains(part), "{said:?}"),
        None => assert!(said.is_empty(), "{said:?}"),
    }
}

#[test]
fn days_that_follow_each_other_tell_the_order() {
    let text = format!("{HEAD}{ROW} 03/04/24 23:58:00\n{ROW} 03/04/24 23:59:00\n{ROW} 04/04/24 00:00:00\n");
    check(&import(&text, 0), THIRD_OF_APRIL_MS + 24 * 60 * MINUTE_MS, None);
    let text = format!("{HEAD}{ROW} 03/04/24 23:58:00\n{ROW} 03/04/24 23:59:00\n{ROW} 03/05/24 00:00:00\n");
    check(&import(&text, 0), FOURTH_OF_MARCH_MS + 24 * 60 * MINUTE_MS, None);
}

#[test]
fn what_tells_the_order_may_stand_megabytes_behind_what_it_decides() {
    let first = format!("{ROW} 03/04/24 12:00:00\n").repeat(20_000);
    let text = format!("{HEAD}{first}{ROW} 13/04/24 12:00:00\n");
    let import = import(&text, 0);
    assert_eq!(import.file.span.map(|span| span.since_ms), Some(THIRD_OF_APRIL_MS + 720 * MINUTE_MS));
}

#[test]
fn a_banner_is_read_in_the_order_of_the_file() {
    let banner = "Linux 5.4.0 (host) \t03/04/24 \t_x86_64_\t(2 CPU)\n\n";
    let sar = "12:00:00 CPU %user %nice %system %iowait %steal %idle\n12:01:00 all 1.00 0.00 1.00 0.00 0.00 98.00\n";
    let noon = 721 * MINUTE_MS;
    let text = format!("{banner}{sar}");
    check(&import(&text, 0), FOURTH_OF_MARCH_MS + noon, Some("month/day, since the file has no evidence"));
    check(
        &import(&text, THIRD_OF_APRIL_MS + noon),
        THIRD_OF_APRIL_MS + noon,
        Some("day/month, as the file's own date shows"),
    );
    let next_day = banner.replace("03/04", "13/04");
    check(
        &import(&format!("{text}\n{next_day}{sar}"), 0),
        THIRD_OF_APRIL_MS + 10 * 1440 * MINUTE_MS + noon,
        None,
    );
}

#[test]
fn json_is_read_in_the_order_that_the_file_tells() {
    let report = |stamp: &str| {
        format!(
            "{{\"timestamp\": \"{stamp}\", \"disk\": [{{\"disk_device\": \"vda\", \"tps\": 2.00, \
             \"kB_read/s\": 0.00, \"kB_wrtn/s\": 2752.00, \"kB_read\": 0, \"kB_wrtn\": 2752}}]}}"
        )
    };
    let text = |day: &str, last: &str| {
        format!(
            "{{\"sysstat\": {{\"hosts\": [{{\"nodename\": \"vm\", \"date\": \"{day}\", \"statistics\": [{}, {}]}}]}}}}",
            report(&format!("{day} 23:59:00")),
            report(&format!("{last} 00:00:00"))
        )
    };
    check(&import(&text("03/04/24", "04/04/24"), 0), THIRD_OF_APRIL_MS + 1440 * MINUTE_MS, None);
    check(&import(&text("03/04/24", "03/05/24"), 0), FOURTH_OF_MARCH_MS + 1440 * MINUTE_MS, None);
}

#[test]
fn lines_of_sadf_are_read_in_the_order_that_the_file_tells() {
    let row = |day: &str, time: &str| {
        let cell = |(heading, percent): (&str, &str)| {
            format!("vm\t60\t{day} {time} UTC\tall\t{heading}\t{percent}\n")
        };
        let cells = [("%user", "1.50"), ("%nice", "0.00"), ("%system", "0.50"), ("%iowait", "0.00")];
        cells.into_iter().chain([("%steal", "0.00"), ("%idle", "98.00")]).map(cell).collect::<String>()
    };
    let text = row("03/04/2024", "23:59:00") + &row("04/04/2024", "00:00:00");
    check(&import(&text, 0), THIRD_OF_APRIL_MS + 1440 * MINUTE_MS, None);
}
