//! A line of a kernel's log as people copy it: what stands before the message, and the message.
//!
//! `dmesg` in all its ways (`[secs]`, `-T`, `--time-format iso`, `-x`, `-r`), syslog, and the
//! journal (short, short-full, short-iso, short-precise, short-monotonic, short-unix). Pure; knows no message.

use jiff::civil::Date;

use crate::text::civil::{DateOrder, date, time_of_day, zone_offset_s};

/// When a message was written, as far as its line says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum At {
    /// It does not say.
    Nothing,
    /// Seconds since the machine was started.
    Boot(f64),
    /// Seconds since 1970-01-01 UTC.
    Unix(f64),
    /// A local date and time, and its zone.
    Wall(Date, f64, Option<i64>),
    /// A month, a day and a time: syslog tells no year.
    OfYear(i8, i8, f64),
    /// Seconds after the line before (`dmesg -H`).
    After(f64),
}

/// One line.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelLine<'a> {
    /// When.
    pub at: At,
    /// On which machine.
    pub host: Option<&'a str>,
    /// Level from 0 (emerg) to 7 (debug).
    pub level: Option<usize>,
    /// Who printed it, where the kernel says so: `T1234`, `C1`.
    pub caller: Option<&'a str>,
    /// Whether what stands before the message says that the kernel wrote it.
    pub is_kernel: bool,
    /// Whether one of [`DAEMONS`] wrote it, with which the message begins then.
    pub is_daemon: bool,
    /// The message.
    pub text: &'a str,
}

/// Decimals from which on a number in brackets is a time and no version.
const STAMP_DECIMALS: usize = 3;
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
/// By number, as `dmesg -x` and `/dev/kmsg` name them.
pub const LEVELS: [&str; 8] = ["emerg", "alert", "crit", "err", "warning", "notice", "info", "debug"];

/// Programs whose messages are about what the kernel's are about: paths to disks, and processes killed for memory.
pub const DAEMONS: [&str; 5] = ["multipathd", "earlyoom", "systemd-oomd", "lowmemorykiller", "lmkd"];

/// Who quotes a log may indent it: a stamp behind blanks is one.
fn unindented(text: &str) -> &str {
    let behind = text.trim_start();
    let is_stamp = behind.strip_prefix('[').is_some_and(|inside| {
        inside.starts_with(|c: char| c == ' ' || c.is_ascii_digit()) && inside.contains(']')
    });
    if is_stamp { behind } else { text }
}

impl<'a> KernelLine<'a> {
    /// Takes a line apart.
    pub fn of(line: &'a str) -> KernelLine<'a> {
        let text = unquoted(line);
        // The log of a hypervisor, with what its guest wrote to the console.
        let is_dated = text.as_bytes().first().is_some_and(u8::is_ascii_digit);
        let guest = is_dated.then(|| text.split_once(" - Guest: <")).flatten();
        let text = guest.map_or(text, |(before, _)| &text[before.len() + 10..]);
        let text = unindented(text);
        let mut read = KernelLine {
            at: At::Nothing,
            host: None,
            level: None,
            caller: None,
            is_kernel: false,
            is_daemon: false,
            text,
        };
        if read.take_record() {
            return read;
        }
        read.take_priority();
        read.take_names();
        if read.take_logcat() {
            return read;
        }
        read.take_wall();
        read.take_tag();
        read.take_brackets();
        read
    }

    /// `4,1234,56789012,-;`: a record of `/dev/kmsg`, also sent by the extended netconsole, which may put the kernel's
    /// release before it.
    fn take_record(&mut self) -> bool {
        let digits = self.text.bytes().take_while(u8::is_ascii_digit).count();
        // Of all lines few have the first comma so near.
        if digits == 0 || !matches!(self.text.as_bytes().get(digits), Some(b',' | b'.')) {
            return false;
        }
        let Some((before, text)) = self.text.split_once(';') else { return false };
        let mut fields: Vec<&str> = before.split(',').collect();
        if fields.first().is_some_and(|release| release.contains('.')) {
            fields.remove(0);
        }
        let [priority, number, us, flags, rest @ ..] = fields.as_slice() else { return false };
        let numbers = [*priority, *number, *us].map(|field| field.parse::<u64>().ok());
        let [Some(priority), Some(_), Some(us)] = numbers else { return false };
        if priority >= 192 || !matches!(*flags, "-" | "c" | "+") {
            return false;
        }
        self.level = Some((priority & 7) as usize);
        self.is_kernel = priority < 8;
        self.at = Some(us as f64 / 1e6).filter(is_time).map_or(At::Nothing, At::Boot);
        self.caller = rest.iter().find_map(|field| field.strip_prefix("caller="));
        self.text = text;
        true
    }

    /// `<4>`: level and facility in one number; that of the kernel is below 8.
    fn take_priority(&mut self) {
        let Some((number, rest)) = self.text.strip_prefix('<').and_then(|text| text.split_once('>')) else {
            return;
        };
        if let Some(priority) = number.parse::<usize>().ok().filter(|priority| *priority < 192) {
            self.level = Some(priority & 7);
            self.is_kernel = priority < 8;
            // RFC 5424 has its version behind: `<4>1 2026-11-22T11:34:46Z host kernel - - - text`.
            self.text = rest.strip_prefix("1 ").unwrap_or(rest);
        }
    }

    /// `10-24 14:24:26.342   710   710 I lowmemorykiller: text` of Android's logcat; what has the process 0 the kernel wrote.
    fn take_logcat(&mut self) -> bool {
        if self.text.as_bytes().get(2) != Some(&b'-') {
            return false;
        }
        let (day, rest) = word(self.text);
        let is_day = day.len() == 5;
        let Some((month, day)) = day.split_once('-').filter(|_| is_day) else { return false };
        let (time, rest) = word(rest);
        let (pid, rest) = word(rest);
        let (tid, rest) = word(rest);
        let (level, text) = word(rest);
        let numbers = (month.parse::<i8>(), day.parse::<i8>(), pid.parse::<u32>(), tid.parse::<u32>());
        let (Ok(month @ 1..=12), Ok(day @ 1..=31), Ok(pid), Ok(tid)) = numbers else { return false };
        let Some(seconds) = clock(time) else { return false };
        self.level = match level {
            "F" => Some(2),
            "E" => Some(3),
            "W" => Some(4),
            "I" => Some(6),
            "D" | "V" => Some(7),
            _ => return false,
        };
        self.at = At::OfYear(month, day, seconds);
        self.text = text;
        self.is_kernel = pid == 0 && tid == 0;
        self.is_daemon = is_daemon(text);
        true
    }

    /// `kern  :warn  : ` (`dmesg -x`).
    fn take_names(&mut self) {
        let mut parts = self.text.splitn(3, ':');
        let (Some(facility), Some(level), Some(rest)) = (parts.next(), parts.next(), parts.next()) else {
            return;
        };
        let named = LEVELS.iter().position(|name| name.starts_with(level.trim()) && level.trim().len() >= 3);
        if facility.trim() == "kern" && named.is_some() {
            self.level = named;
            self.is_kernel = true;
            self.text = rest.trim_start();
        }
    }

    /// A date and a time in front, of syslog, the journal or `dmesg --time-format iso`.
    fn take_wall(&mut self) {
        let (first, rest) = word(self.text);
        if let Some((at, is_dmesg)) = iso(first) {
            (self.at, self.text) = (at, rest);
            self.is_kernel |= is_dmesg;
        } else if let Some(month) = MONTHS.iter().position(|month| *month == first) {
            let (day, rest) = word(rest);
            let (time, rest) = word(rest);
            let day = day.parse::<i8>().ok().filter(|day| (1..=31).contains(day));
            if let Some((day, seconds)) = day.zip(clock(time)) {
                self.at = At::OfYear(month as i8 + 1, day, seconds);
                self.text = rest;
            }
        } else if is_weekday(first) && self.take_full(rest) {
            // Taken.
        } else if first.len() >= 12 && first.contains('.') && word(word(rest).1).0.starts_with("kernel") {
            // short-unix: nothing else begins with a number and has a kernel behind its host.
            if let Some(seconds) = first.parse().ok().filter(is_time) {
                self.at = At::Unix(seconds);
                self.text = rest;
            }
        }
    }

    /// Behind the weekday: `2026-11-22 11:34:46 UTC ` (short-full of the journal) or
    /// `Nov 22 11:34:46 2026 ` (logread of OpenWrt).
    fn take_full(&mut self, rest: &'a str) -> bool {
        let (first, rest) = word(rest);
        let (second, rest) = word(rest);
        let (third, rest) = word(rest);
        let (fourth, behind) = word(rest);
        if let (Some(day), Some(seconds)) = (date(first, DateOrder::MonthFirst), clock(second)) {
            (self.at, self.text) = (At::Wall(day, seconds, zone_offset_s(third)), rest);
            return true;
        }
        let Some(at) = ctime_words(first, second, third, fourth) else { return false };
        (self.at, self.text) = (at, behind);
        true
    }

    /// `host kernel: `, or `kernel: ` alone; BusyBox has facility and level in front of it.
    fn take_tag(&mut self) {
        let facility = |word: &str| word.strip_prefix("kern.").and_then(level_named);
        for _ in 0..2 {
            let (first, rest) = word(self.text);
            let (second, behind) = word(rest);
            if let (Some(level), true) = (facility(first), is_tag(second)) {
                (self.level, self.text) = (Some(level), rest);
            } else if let (Some(_), true) = (facility(second), is_tag(word(behind).0)) {
                (self.host, self.text) = (Some(first), rest);
            }
        }
        if let Some(rest) =
            self.text.trim_start().strip_prefix("kernel:").filter(|rest| rest.starts_with('['))
        {
            // Messages that syslog writes to all terminals have no blank between.
            self.text = rest;
            return;
        }
        if self.at != At::Nothing {
            let (first, rest) = word(self.text);
            if is_daemon(self.text) {
                self.is_daemon = true;
                return;
            }
            if is_daemon(rest) {
                (self.host, self.text, self.is_daemon) = (Some(first), rest, true);
                return;
            }
            let (second, behind) = word(rest);
            let (third, behind_third) = word(behind);
            // `host INFO kernel: text`, and `host kernel - - - text` of RFC 5424.
            let is_level = second.len() >= 3 && second.bytes().all(|byte| byte.is_ascii_uppercase());
            if is_level && is_tag(third) {
                let level = level_named(&second.to_ascii_lowercase());
                (self.host, self.text, self.is_kernel) = (Some(first), behind_third, true);
                self.level = self.level.or(level);
                return;
            }
            if second == "kernel" && behind.starts_with("- ") {
                let text = behind.trim_start_matches(['-', ' ']);
                (self.host, self.text, self.is_kernel) = (Some(first), text, true);
                return;
            }
        }
        let (first, rest) = word(self.text);
        // Of one word it may be anybody's: `kernel: unversioned` is a fact in a report of sos.
        if is_tag(first) && (self.at != At::Nothing || rest.trim().contains(' ')) {
            self.text = rest;
            self.is_kernel = true;
        } else if self.at != At::Nothing && is_tag(word(rest).0) {
            self.host = Some(first);
            self.text = word(rest).1;
            self.is_kernel = true;
        }
    }

    /// `[  123.456789] `, with what may stand beside it: who printed (`[ T1234]`), a host and a tag
    /// (short-monotonic), or a date in it (`dmesg -T`).
    fn take_brackets(&mut self) {
        if let (At::Nothing, false, Some(behind)) = (self.at, self.is_kernel, behind_prefix(self.text)) {
            self.text = behind;
        }
        let Some((inside, rest)) = self.text.strip_prefix('[').and_then(|text| text.split_once(']')) else {
            return;
        };
        // The kernel pads the number and prints six decimals; versions in lists of changes are neither.
        let is_padded = inside.starts_with(' ') || self.is_kernel;
        let inside = inside.trim();
        // `6218.194622@2`: the CPU that wrote it.
        let (inside, cpu) = inside.split_once('@').unwrap_or((inside, ""));
        if !cpu.bytes().all(|byte| byte.is_ascii_digit()) {
            return;
        }
        // Behind the kernel's name FreeBSD has whole seconds.
        if self.is_kernel
            && self.at != At::Nothing
            && inside.len() > 2
            && inside.bytes().all(|b| b.is_ascii_digit())
        {
            self.text = rest.strip_prefix(' ').unwrap_or(rest);
            return;
        }
        if let Some((seconds, decimals)) =
            seconds(inside).filter(|_| rest.is_empty() || rest.starts_with([' ', '[']))
        {
            if let (At::Nothing, true) = (self.at, is_time(&seconds)) {
                self.at = At::Boot(seconds);
            }
            // Who shortens what he copies may have cut them: that it is the kernel's, its message has to tell.
            self.is_kernel |= is_padded || decimals >= STAMP_DECIMALS;
        } else if let (At::Nothing, Some(at)) = (self.at, ctime(inside).or_else(|| relative(inside))) {
            self.at = at;
            self.is_kernel = true;
        } else {
            return;
        }
        self.text = rest.strip_prefix(' ').unwrap_or(rest);
        // Beside the time since the line before stands the time itself, where both were asked for.
        if let (At::After(_) | At::OfYear(..), Some((inside, rest))) =
            (self.at, self.text.strip_prefix('[').and_then(|text| text.split_once(']')))
            && let Some(at) = ctime(inside.trim())
        {
            self.at = at;
            self.text = rest.strip_prefix(' ').unwrap_or(rest);
        }
        if let Some((caller, rest)) = self.text.strip_prefix('[').and_then(|text| text.split_once(']')) {
            let caller = caller.trim();
            let number = caller.strip_prefix(['T', 'C']).unwrap_or("");
            if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) {
                self.caller = Some(caller);
                self.is_kernel = true;
                self.text = rest.strip_prefix(' ').unwrap_or(rest);
            }
        }
        let (host, behind) = word(self.text);
        let (tag, rest) = word(behind);
        if is_tag(host) {
            self.text = behind;
            self.is_kernel = true;
        } else if is_tag(tag) {
            self.host = Some(host);
            self.text = rest;
            self.is_kernel = true;
        }
    }
}

/// The stamp of the kernel behind a name that whoever gathers logs puts before every line: `vm-1 | [  740.316315] text`.
fn behind_prefix(text: &str) -> Option<&str> {
    let at = text.find('[').filter(|at| (1..60).contains(at))?;
    let (before, stamp) = text.split_at(at);
    let inside = stamp.get(1..)?.split_once(']')?.0;
    let is_stamp =
        inside.len() >= 12 && seconds(inside.trim_start()).is_some_and(|(_, decimals)| decimals == 6);
    let is_name =
        before.ends_with(' ') && before.split_whitespace().count() <= 3 && !before.contains(['(', '"', '\'']);
    (is_stamp && is_name).then_some(stamp)
}

/// `123.456789`, and how many decimals it has.
fn seconds(text: &str) -> Option<(f64, usize)> {
    let (whole, part) = text.split_once('.')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let seconds = text.parse().ok().filter(|_| is_number(whole) && is_number(part))?;
    Some((seconds, part.len()))
}

/// `Nov22 11:34` and `+0.003` of `dmesg -H`, `123.456789 <    0.000008>` of `dmesg -d`.
fn relative(inside: &str) -> Option<At> {
    if let Some(seconds) = inside.strip_prefix('+') {
        return seconds.parse().ok().filter(is_time).map(At::After);
    }
    if let Some((seconds, delta)) = inside.split_once('<') {
        let is_delta = delta.strip_suffix('>').is_some_and(|delta| delta.trim().parse::<f64>().is_ok());
        return seconds.trim().parse().ok().filter(|seconds| is_delta && is_time(seconds)).map(At::Boot);
    }
    let (day, time) = inside.split_once(' ')?;
    let month = MONTHS.iter().position(|month| day.starts_with(month))?;
    let day = day.get(3..)?.parse::<i8>().ok().filter(|day| (1..=31).contains(day))?;
    let (hours, minutes) = time.split_once(':')?;
    let (hours, minutes) = (hours.parse::<u8>().ok()?, minutes.parse::<u8>().ok()?);
    (hours < 24 && minutes < 60)
        .then(|| At::OfYear(month as i8 + 1, day, f64::from(hours) * 3600.0 + f64::from(minutes) * 60.0))
}

/// Whether seconds since 1970 or since boot can be any: what is beyond the year 5138 was damaged.
pub fn is_time(seconds: &f64) -> bool {
    (0.0..1e11).contains(seconds)
}

/// `multipathd[4554]: …`, `lowmemorykiller: …`.
fn is_daemon(text: &str) -> bool {
    DAEMONS.iter().any(|name| {
        text.strip_prefix(name).is_some_and(|rest| {
            let rest = rest.strip_prefix('[').map_or(rest, |rest| {
                rest.trim_start_matches(|digit: char| digit.is_ascii_digit()).strip_prefix(']').unwrap_or("")
            });
            rest.starts_with(": ")
        })
    })
}

fn is_tag(word: &str) -> bool {
    word == "kernel:" || (word.starts_with("kernel[") && word.ends_with("]:"))
}

/// The first word and what follows the blank behind it; further blanks stay with the message.
fn word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    text.split_once(' ').unwrap_or((text, ""))
}

/// `11:34:46`, `11:34:46.123456`.
fn clock(text: &str) -> Option<f64> {
    let (whole, part) = text.split_once(['.', ',']).unwrap_or((text, ""));
    let time = time_of_day(&[whole])?;
    let part: f64 = if part.is_empty() { 0.0 } else { format!("0.{part}").parse().ok()? };
    (time.words == 1).then_some(time.seconds as f64 + part)
}

/// `2026-11-22T11:34:46,123456+01:00`; whether it is dmesg's, which has a comma.
fn iso(word: &str) -> Option<(At, bool)> {
    let (day, time) = word.split_once('T')?;
    let day = date(day, DateOrder::MonthFirst)?;
    let zone_at = time.find(['+', '-', 'Z']).unwrap_or(time.len());
    let (time, zone) = time.split_at(zone_at);
    Some((At::Wall(day, clock(time)?, zone_offset_s(zone)), time.contains(',')))
}

/// A level as syslog spells it.
fn level_named(word: &str) -> Option<usize> {
    LEVELS.iter().position(|name| word.len() >= 3 && (name.starts_with(word) || word.starts_with(name)))
}

fn is_weekday(word: &str) -> bool {
    matches!(word, "Mon" | "Tue" | "Wed" | "Thu" | "Fri" | "Sat" | "Sun")
}

/// Without what a mail puts in front of what it quotes.
pub fn unquoted(line: &str) -> &str {
    let mut text = line.trim_end();
    while let Some(rest) = text.strip_prefix('>') {
        text = rest.strip_prefix(' ').unwrap_or(rest);
    }
    text
}

/// `Sun Nov 22 11:34:46 2026`.
fn ctime(text: &str) -> Option<At> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let [_, month, day, time, year] = words.as_slice() else { return None };
    ctime_words(month, day, time, year)
}

fn ctime_words(month: &str, day: &str, time: &str, year: &str) -> Option<At> {
    let month = MONTHS.iter().position(|name| *name == month)? as i8 + 1;
    let day = Date::new(year.parse().ok()?, month, day.parse().ok()?).ok()?;
    Some(At::Wall(day, clock(time)?, None))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "Out of memory: Killed process 7 (a)";

    fn check(before: &str, at: At, host: Option<&str>, level: Option<usize>) {
        let line = format!("{before}{TEXT}");
        let read = KernelLine::of(&line);
        let caller = read.caller;
        assert_eq!(
            read,
            KernelLine { at, host, level, caller, is_kernel: true, is_daemon: false, text: TEXT },
            "{line}"
        );
    }

    #[test]
    fn what_stands_before_a_message() {
        let day = Date::constant(2026, 11, 22);
        check("[  123.456789] ", At::Boot(123.456_789), None, None);
        check("[    1.5][ T1234] ", At::Boot(1.5), None, None);
        check("<4>[  123.5] ", At::Boot(123.5), None, Some(4));
        check("<4>", At::Nothing, None, Some(4));
        check("kern  :warn  : [  123.5] ", At::Boot(123.5), None, Some(4));
        check("[Sun Nov 22 11:34:46 2026] ", At::Wall(day, 41_686.0, None), None, None);
        check("2026-11-22T11:34:46,500000+01:00 ", At::Wall(day, 41_686.5, Some(3600)), None, None);
        check("2026-11-22T11:34:46+0000 web kernel: ", At::Wall(day, 41_686.0, Some(0)), Some("web"), None);
        check("Nov 22 11:34:46 web kernel: ", At::OfYear(11, 22, 41_686.0), Some("web"), None);
        check("Nov  2 11:34:46 web kernel: [ 12.25] ", At::OfYear(11, 2, 41_686.0), Some("web"), None);
        check("Nov 22 11:34:46.250000 web kernel: ", At::OfYear(11, 22, 41_686.25), Some("web"), None);
        check("[  12.250000] web kernel: ", At::Boot(12.25), Some("web"), None);
        check("1795325999.250000 web kernel: ", At::Unix(1_795_325_999.25), Some("web"), None);
        check("kernel: ", At::Nothing, None, None);
        check("[  12.250000] kernel: ", At::Boot(12.25), None, None);
        check("[ 12.250000@2] ", At::Boot(12.25), None, None);
        check("2023-12-04T10:49:30.127Z In(05) vcpu-5 - Guest: <6>[12.25] ", At::Boot(12.25), None, Some(6));
        check(" kernel:[ 12.25] ", At::Boot(12.25), None, None);
        check("4,1234,12250000,-;", At::Boot(12.25), None, Some(4));
        check("4,1234,12250000,-,caller=T77;", At::Boot(12.25), None, Some(4));
        check("6.4.0-rc1,4,1234,12250000,-;", At::Boot(12.25), None, Some(4));
        check("[   12.250000 <    0.000008>] ", At::Boot(12.25), None, None);
        check("[  +0.003000] ", At::After(0.003), None, None);
        check("[Nov22 11:34] ", At::OfYear(11, 22, 41_640.0), None, None);
        check("> [  123.5] ", At::Boot(123.5), None, None);
        check("> > [  123.5] ", At::Boot(123.5), None, None);
        check(
            "Sun 2026-11-22 11:34:46 UTC web kernel: ",
            At::Wall(day, 41_686.0, Some(0)),
            Some("web"),
            None,
        );
        check(
            "Sun 2026-11-22 11:34:46 CET web kernel: ",
            At::Wall(day, 41_686.0, Some(3600)),
            Some("web"),
            None,
        );
        check(
            "Sun Nov 22 11:34:46 2026 kern.warn kernel: [  5.5] ",
            At::Wall(day, 41_686.0, None),
            None,
            Some(4),
        );
        check(
            "Nov 22 11:34:46 OpenWrt kern.err kernel: [  5.5] ",
            At::OfYear(11, 22, 41_686.0),
            Some("OpenWrt"),
            Some(3),
        );
    }

    #[test]
    fn times_that_stand_twice_and_words_between() {
        let day = Date::constant(2026, 11, 22);
        check(
            "kern  :warn  : [  +0.000042] [Sun Nov 22 11:34:46 2026] [   T77] ",
            At::Wall(day, 41_686.0, None),
            None,
            Some(4),
        );
        check(
            "Nov 22 11:34:46.250000 web INFO kernel: [ 12.25] ",
            At::OfYear(11, 22, 41_686.25),
            Some("web"),
            Some(6),
        );
        check(
            "<4>1 2026-11-22T11:34:46.500000+01:00 web kernel - - - [ 12.25] ",
            At::Wall(day, 41_686.5, Some(3600)),
            Some("web"),
            Some(4),
        );
        check("Nov 22 11:34:46 web kernel: [9615729] ", At::OfYear(11, 22, 41_686.0), Some("web"), None);
        check("cloud-hypervisor [  740.316315] ", At::Boot(740.316_315), None, None);
        check("11-22 11:34:46.250     0     0 W ", At::OfYear(11, 22, 41_686.25), None, Some(4));
    }

    #[test]
    fn daemons_are_told_from_others() {
        for (line, host, text) in [
            (
                "Nov 22 11:34:46 web multipathd[77]: a: sdb - path down",
                Some("web"),
                "multipathd[77]: a: sdb - path down",
            ),
            (
                "11-22 11:34:46.250   710   710 I lowmemorykiller: Kill 'a' (7)",
                None,
                "lowmemorykiller: Kill 'a' (7)",
            ),
        ] {
            let read = KernelLine::of(line);
            assert_eq!(
                (read.is_daemon, read.is_kernel, read.host, read.text),
                (true, false, host, text),
                "{line}"
            );
        }
        for line in [
            "multipathd[77]: a",
            "Nov 22 11:34:46 web multipath: a",
            "11-22 11:34:46.250   710   711 I Other: a",
            "11-22 of a year",
        ] {
            assert!(!KernelLine::of(line).is_daemon, "{line}");
        }
    }

    #[test]
    fn a_number_of_few_decimals_is_cut_but_does_not_tell_the_kernel() {
        for (before, is_kernel) in [
            ("[12.5] ", false),
            ("[   12.5] ", true),
            ("[12.500] ", true),
            ("[12.5] kernel: ", true),
            ("[12.5][T7] ", true),
        ] {
            let line = format!("{before}{TEXT}");
            let read = KernelLine::of(&line);
            assert_eq!((read.at, read.is_kernel, read.text), (At::Boot(12.5), is_kernel, TEXT), "{line}");
        }
    }

    #[test]
    fn lines_of_others_are_not_the_kernel_s() {
        for line in [
            "Nov 22 11:34:46 web sshd[7]: session opened",
            "2026-11-22T11:34:46 r b swpd free",
            "[1] 18804",
            "> quoted words",
            "kernel: unversioned",
            "Sun Nov 22 11:34:46 2026",
            "Sun 2026-11-22 11:34:46 UTC web sshd[7]: session opened",
            "4,5,6,7;8",
            "1.5,2,3,-",
            "[+1 day]",
            "[1.2] Fixed: reading of tables",
            "[1.10.2] Fixed: reading of tables",
            "[12.0]",
            "[root@perf5 ~]# numastat",
            "the kernel: a chapter",
            "<html>",
            "",
        ] {
            assert!(!KernelLine::of(line).is_kernel, "{line}");
        }
    }
}
