//! `smartctl` (`-H`, `-A`, `-a`, `-x`; of ATA, SCSI and NVMe) and `nvme smart-log`: what disks report of their health.
//!
//! People cut lines out of it, so that a row of attributes, or the verdict alone, is a listing. What stands before the head of
//! the first disk is of that disk. The raw values of some attributes have several numbers in one: above 32 bits they are not used.

use heldup_model::Record;
use heldup_model::tables::DiskHealthRow;

use crate::document::put::{Put, grouped, put};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::stamped;
use crate::text::command_line::arguments;

const SMARTCTL: &str = "smartctl";
const NVME: &str = "nvme smart-log";
/// Lines between two of one disk that are read; the logs of errors between them have hundreds.
const MOST_GAP: u64 = 400;
/// A raw value above this has several numbers in it.
const MOST_RAW: f64 = u32::MAX as f64;
/// Hours of a century.
const MOST_HOURS: f64 = 876_600.0;
/// Degrees that a disk may have; an emulated one reports 0 K.
const TEMPERATURES: std::ops::RangeInclusive<f64> = -60.0..=150.0;

/// Attributes whose raw value is a count.
const COUNTS: [(&str, &str); 9] = [
    ("Reallocated_Sector_Ct", "reallocated"),
    ("Current_Pending_Sector", "pending"),
    ("Total_Pending_Sectors", "pending"),
    ("Offline_Uncorrectable", "uncorrectable"),
    ("Total_Offl_Uncorrectabl", "uncorrectable"),
    ("Reported_Uncorrect", "reported_errors"),
    ("UDMA_CRC_Error_Count", "crc_errors"),
    ("SATA_CRC_Error_Count", "crc_errors"),
    ("CRC_Error_Count", "crc_errors"),
];
/// Attributes whose normalised value falls from 100 to 0 with what was written.
const LIFE: [&str; 4] =
    ["Media_Wearout_Indicator", "Percent_Lifetime_Remain", "SSD_Life_Left", "Wear_Leveling_Count"];
/// Results of a self-test that found an error.
const FAILED_TESTS: [&str; 6] = [
    "read failure",
    "electrical failure",
    "servo/seek failure",
    "unknown failure",
    "failed segment",
    "Failed in segment",
];

/// Reads `smartctl` and `nvme smart-log`.
#[derive(Default)]
pub struct Smart {
    disk: Option<Disk>,
    /// The disk that a command line named.
    named: Option<String>,
    last_line: u64,
}

#[derive(Default)]
struct Disk {
    format: &'static str,
    device: Option<String>,
    model: Option<String>,
    vendor: Option<String>,
    has_banner: bool,
    has_information: bool,
    is_passed: Option<bool>,
    verdict: Option<String>,
    failing: Option<String>,
    last_test: Option<String>,
    numbers: Vec<(&'static str, f64)>,
    /// When it was read, as the listing says.
    ms: Option<i64>,
}

impl Importer for Smart {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if let Some(format) = head(line.words) {
            let is_banner = format == NVME || is_banner(line.words);
            let is_information = line.words.contains(&"INFORMATION");
            let is_next = self.disk.as_ref().is_some_and(|disk| {
                disk.format != format
                    || disk.has_information && (is_banner || is_information)
                    || disk.has_banner && is_banner
            });
            if is_next {
                self.write(document)?;
            }
            let disk = self.disk_of(format, document);
            disk.has_banner |= is_banner;
            disk.has_information |= is_information;
            if let Some(device) = line.words.get(4).and_then(|word| word.strip_prefix("device:")) {
                self.named = Some(device.to_owned());
            }
            self.name();
            self.last_line = line.number;
            return Ok(true);
        }
        let is_of_it = attribute(line.words).is_some() || verdict(line.text).is_some();
        match is_of_it {
            true => self.take(line, document),
            false => Ok(false),
        }
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if self.disk.is_none() || line.number > self.last_line + MOST_GAP {
            return Ok(false);
        }
        if head(line.words).is_some() {
            return self.begins(line, document);
        }
        self.take(line, document)
    }

    fn command(&mut self, words: &[&str]) {
        let told = arguments(words, "smartctl").or_else(|| arguments(words, "nvme"));
        let Some(told) = told else { return };
        let bare = |word: &str| word.trim_matches(['`', '\'', '"']).to_owned();
        let is_name = |name: &&str| name.starts_with(|sign: char| sign.is_ascii_alphanumeric());
        let device = told.iter().find_map(|word| {
            word.strip_prefix("/dev/").or_else(|| word.strip_prefix(".dev.")).filter(is_name)
        });
        let behind =
            told.windows(2).find(|pair| pair[0] == "-d" && pair[1].contains(',')).map(|pair| bare(pair[1]));
        self.named = device.map(|name| match behind {
            Some(behind) => format!("{} {behind}", bare(name)),
            None => bare(name),
        });
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.write(document)
    }
}

impl Smart {
    fn disk_of(&mut self, format: &'static str, document: &mut Document) -> &mut Disk {
        if self.disk.is_none() {
            document.begin(format);
        }
        self.disk.get_or_insert_with(|| Disk { format, ..Disk::default() })
    }

    /// Gives the disk the name that a command line above it told.
    fn name(&mut self) {
        if let Some(disk) = self.disk.as_mut().filter(|disk| disk.device.is_none()) {
            disk.device = self.named.take();
        }
    }

    /// A line of a disk; whether it is one.
    fn take(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let is_taken = match attribute(line.words) {
            Some(attribute) => {
                // The same again is of another disk, or of the same one later.
                let number = attribute.number();
                if number.is_some_and(|(column, _)| self.has(column)) && !attribute.is_of_several() {
                    self.write(document)?;
                }
                let disk = self.disk_of(SMARTCTL, document);
                disk.numbers.extend(number.filter(|(column, _)| !disk.has(column)));
                if attribute.is_failing {
                    disk.failing.get_or_insert_with(|| attribute.name.to_owned());
                }
                true
            }
            None => match verdict(line.text) {
                Some(text) => {
                    if self.disk.as_ref().is_some_and(|disk| disk.is_passed.is_some()) {
                        self.write(document)?;
                    }
                    let disk = self.disk_of(SMARTCTL, document);
                    let is_good = matches!(text, "PASSED" | "OK");
                    let is_known = text.starts_with("FAIL") || text.contains("THRESHOLD EXCEEDED") || is_good;
                    disk.is_passed = is_known.then_some(is_good);
                    disk.verdict = (!is_good).then(|| text.trim_end_matches('!').to_owned());
                    true
                }
                None => self.disk.as_mut().is_some_and(|disk| disk.take_label(line, document)),
            },
        };
        if is_taken {
            self.name();
            self.last_line = line.number;
        }
        Ok(is_taken)
    }

    fn has(&self, column: &str) -> bool {
        self.disk.as_ref().is_some_and(|disk| disk.has(column))
    }

    fn write(&mut self, document: &mut Document) -> Result<(), ImportError> {
        let Some(disk) = self.disk.take() else { return Ok(()) };
        let is_empty = disk.numbers.is_empty()
            && disk.is_passed.is_none()
            && disk.verdict.is_none()
            && disk.last_test.is_none();
        if is_empty {
            return document.end_sample(disk.format);
        }
        let model = match (&disk.vendor, &disk.model) {
            (Some(vendor), Some(model)) => Some(format!("{vendor} {model}")),
            (one, other) => one.clone().or_else(|| other.clone()),
        };
        let identity = disk.device.clone().or_else(|| model.clone()).unwrap_or_default();
        let mut when = document.moment_of(disk.format, &identity);
        if let Some(ms) = disk.ms {
            (when.ms, when.floats) = (ms, false);
        }
        let mut cells: Vec<(&str, Put<'_>)> =
            disk.numbers.iter().map(|(column, number)| (*column, Put::Number(Some(*number)))).collect();
        cells.push(("tool", Put::Text(disk.format)));
        let texts = [
            ("device", &disk.device),
            ("model", &model),
            ("verdict", &disk.verdict),
            ("failing_attribute", &disk.failing),
            ("last_self_test", &disk.last_test),
        ];
        cells.extend(texts.iter().filter_map(|(column, text)| Some((*column, Put::Text(text.as_deref()?)))));
        cells.extend(disk.is_passed.map(|is_passed| ("passed", Put::Is(is_passed))));
        put(document, DiskHealthRow::DEF, when, &identity, &cells);
        document.end_sample(disk.format)
    }
}

impl Disk {
    fn has(&self, column: &str) -> bool {
        self.numbers.iter().any(|(name, _)| *name == column)
    }

    fn set(&mut self, column: &'static str, number: Option<f64>) -> bool {
        let Some(number) = number else { return false };
        if !self.has(column) {
            self.numbers.push((column, number));
        }
        true
    }

    /// A line with a label: `Power On Hours: 4,210`, `media_errors : 0`, `# 1  Short offline  Completed …`.
    fn take_label(&mut self, line: &Line<'_>, document: &mut Document) -> bool {
        if self.take_test(line) {
            return true;
        }
        if line.words == ["No", "Errors", "Logged"] {
            return self.set("error_log_entries", Some(0.0));
        }
        let Some((label, value)) = line.text.split_once(':') else {
            return line.words.starts_with(&["number", "of", "hours", "powered", "up", "="])
                && self.set("power_on_s", line.words.last().and_then(|hours| power_on_s(grouped(hours)?)));
        };
        let label = label.trim().to_ascii_lowercase().replace('_', " ");
        let value = value.trim();
        let first = value.split_whitespace().next().unwrap_or_default();
        let number = || grouped(first);
        let share = || Some(first.trim_end_matches('%').parse::<f64>().ok()? / 100.0);
        match label.as_str() {
            "device model" | "model number" | "product" => self.model = Some(value.to_owned()),
            "vendor" => self.vendor = Some(value.to_owned()),
            "local time is" => {
                let words: Vec<&str> = value.split_whitespace().collect();
                let order = document.times.dates.order;
                if let Some((told, _)) = stamped::before(&words, order, document.hints.latest_ms()) {
                    self.ms = Some(document.instant_ms(told.day, told.seconds, told.zone_s));
                }
            }
            "critical warning" => {
                let bits = match first.strip_prefix("0x") {
                    Some(hex) => i64::from_str_radix(hex, 16).ok(),
                    None => first.parse().ok(),
                };
                return self.set("critical_warning", bits.map(|bits| bits as f64));
            }
            "available spare" => return self.set("spare_ratio", share()),
            "available spare threshold" => return self.set("spare_limit_ratio", share()),
            "percentage used" | "percentage used endurance indicator" => {
                return self.set("wear_ratio", share());
            }
            "media and data integrity errors" | "media errors" => return self.set("media_errors", number()),
            "error information log entries"
            | "num err log entries"
            | "ata error count"
            | "device error count" => {
                return self.set("error_log_entries", number());
            }
            "elements in grown defect list" => return self.set("reallocated", number()),
            "power on hours" => return self.set("power_on_s", number().and_then(power_on_s)),
            "accumulated power on time, hours" => {
                let hours = value.split_whitespace().last().and_then(|time| time.split(':').next());
                return self.set("power_on_s", hours.and_then(grouped).and_then(power_on_s));
            }
            "temperature" | "current drive temperature" => {
                return self.set("temperature_c", temperature(value));
            }
            // Errors corrected by ECC fast and delayed, by rereads, all, invocations, gigabytes, uncorrected.
            "read" | "write" | "verify" if value.split_whitespace().count() == 7 => {
                let Some(errors) = value.split_whitespace().last().and_then(grouped) else { return false };
                match self.numbers.iter_mut().find(|(column, _)| *column == "reported_errors") {
                    Some((_, sum)) => *sum += errors,
                    None => self.numbers.push(("reported_errors", errors)),
                }
            }
            _ => return false,
        }
        true
    }

    /// `# 1  Short offline       Completed: read failure       10%     18145         181539`: the latest is first.
    fn take_test(&mut self, line: &Line<'_>) -> bool {
        let text = line.text.trim_start();
        let Some(rest) = text.strip_prefix('#') else { return false };
        let rest = rest.trim_start();
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let Some((number, rest)) = rest.split_at_checked(digits) else { return false };
        let Some(at) =
            ["Completed", "Failed in segment", "Fatal or unknown error", "Aborted", "Interrupted", "Self"]
                .iter()
                .find_map(|word| rest.find(word))
                .filter(|_| digits > 0)
        else {
            return false;
        };
        let told = rest.get(at..).unwrap_or_default();
        let failed = FAILED_TESTS.iter().find(|failed| told.contains(**failed));
        let before = self.numbers.iter_mut().find(|(column, _)| *column == "failed_self_tests");
        let add = f64::from(u8::from(failed.is_some()));
        match before {
            Some((_, count)) => *count += add,
            None => self.numbers.push(("failed_self_tests", add)),
        }
        if number == "1" || self.last_test.is_none() {
            let result = match failed {
                Some(failed) => failed,
                None if told.starts_with("Completed") => "completed without error",
                None => "not completed",
            };
            self.last_test = Some((*result).to_owned());
        }
        true
    }
}

fn power_on_s(hours: f64) -> Option<f64> {
    (0.0..=MOST_HOURS).contains(&hours).then_some(hours * 3600.0)
}

/// `41 Celsius`, `34 C`, `33°C (306 Kelvin)`, `315 K`, `-273 °C (0 K, -459 °F)`.
fn temperature(text: &str) -> Option<f64> {
    let end = text.find(|sign: char| !(sign.is_ascii_digit() || sign == '-')).unwrap_or(text.len());
    let degrees: f64 = text.get(..end)?.parse().ok()?;
    let unit = text.get(end..)?.trim_start_matches(['°', ' ']);
    let celsius = if unit.starts_with('K') { degrees - 273.0 } else { degrees };
    (!unit.starts_with('F') && TEMPERATURES.contains(&celsius)).then_some(celsius)
}

/// A line that a listing of a disk begins with.
fn head(words: &[&str]) -> Option<&'static str> {
    match words {
        ["Smart", "Log", "for", "NVME", device, ..] if device.starts_with("device:") => Some(NVME),
        ["===", "START", "OF", .., "SECTION", "==="] | ["SMART/Health", "Information", "(NVMe", ..] => {
            Some(SMARTCTL)
        }
        words if is_banner(words) => Some(SMARTCTL),
        _ => None,
    }
}

/// `smartctl 7.3 2022-02-28 r5338 [x86_64-linux-6.1.0] (local build)`
fn is_banner(words: &[&str]) -> bool {
    let is_number = |word: &str| word.starts_with(|sign: char| sign.is_ascii_digit());
    matches!(words, ["smartctl", version, day, ..] if is_number(version) && is_number(day))
        || matches!(words, ["smartctl", "version", ..])
}

/// The verdict of the disk.
fn verdict(text: &str) -> Option<&str> {
    let (label, value) = text.split_once(':')?;
    let is_verdict =
        matches!(label.trim(), "SMART overall-health self-assessment test result" | "SMART Health Status");
    Some(value.trim()).filter(|value| is_verdict && !value.is_empty())
}

/// One row of the attributes.
#[derive(Debug)]
struct Attribute<'w> {
    name: &'w str,
    value: f64,
    is_failing: bool,
    raw: &'w str,
}

/// `197 Current_Pending_Sector  0x0012   100   100   000    Old_age   Always       -       8`, and with `-x`
/// `197 Current_Pending_Sector  -O--C-   100   100   000    -    8`.
fn attribute<'w>(words: &[&'w str]) -> Option<Attribute<'w>> {
    let (id, name, flag, value, worst, threshold, rest) = match words {
        [id, name, flag, value, worst, threshold, rest @ ..] => {
            (id, name, flag, value, worst, threshold, rest)
        }
        _ => return None,
    };
    let is_id = id.parse::<u8>().is_ok_and(|id| id > 0);
    let is_long = flag.starts_with("0x") && flag.len() == 6;
    let is_brief = flag.len() == 6 && flag.bytes().all(|sign| b"POSRCK-".contains(&sign));
    let is_normalised = |word: &str| word.len() == 3 && word.parse::<u8>().is_ok() || word == "---";
    if !is_id || !(is_long || is_brief) || ![value, worst, threshold].iter().all(|word| is_normalised(word)) {
        return None;
    }
    let (when_failed, raw) = match rest {
        ["Pre-fail" | "Old_age", "Always" | "Offline", when_failed, raw, ..] if is_long => (when_failed, raw),
        [when_failed, raw, ..] if is_brief => (when_failed, raw),
        _ => return None,
    };
    let is_failing = matches!(*when_failed, "FAILING_NOW" | "NOW");
    Some(Attribute { name, value: value.parse().unwrap_or(f64::NAN), is_failing, raw })
}

impl Attribute<'_> {
    /// The column that it fills.
    fn number(&self) -> Option<(&'static str, f64)> {
        let raw = || {
            let digits = self.raw.bytes().take_while(u8::is_ascii_digit).count();
            let raw = self.raw.get(..digits)?.parse::<f64>().ok()?;
            (raw <= MOST_RAW).then_some(raw)
        };
        if let Some((_, column)) = COUNTS.iter().find(|(name, _)| *name == self.name) {
            return Some((column, raw()?));
        }
        match self.name {
            "Power_On_Hours" => Some(("power_on_s", power_on_s(raw()?)?)),
            "Temperature_Celsius" | "Airflow_Temperature_Cel" => {
                Some(("temperature_c", raw().filter(|degrees| TEMPERATURES.contains(degrees))?))
            }
            name if LIFE.contains(&name) && self.value <= 100.0 => {
                Some(("wear_ratio", 1.0 - self.value / 100.0))
            }
            _ => None,
        }
    }

    /// Whether other attributes fill the same column.
    fn is_of_several(&self) -> bool {
        self.name.contains("Temperature") || LIFE.contains(&self.name) || self.name.contains("CRC")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<&str> {
        line.split_whitespace().collect()
    }

    #[test]
    fn rows_of_attributes() {
        let number = |line: &str| attribute(&words(line)).and_then(|attribute| attribute.number());
        let pending =
            "197 Current_Pending_Sector  0x0012   100   100   000    Old_age   Always       -       160";
        assert_eq!(number(pending), Some(("pending", 160.0)));
        assert_eq!(
            number("197 Current_Pending_Sector  -O--C-   100   100   000    -    8"),
            Some(("pending", 8.0))
        );
        let hours = "  9 Power_On_Hours 0x0032 095 095 000 Old_age Always - 4862h+13m+02.110s";
        assert_eq!(number(hours), Some(("power_on_s", 4862.0 * 3600.0)));
        let wear = "233 Media_Wearout_Indicator 0x0032   093   093   000    Old_age   Always       -       0";
        assert!(
            number(wear).is_some_and(|(column, ratio)| column == "wear_ratio" && (ratio - 0.07).abs() < 1e-9)
        );
        // Three numbers of 16 bits.
        let packed = "198 Offline_Uncorrectable   0x0010   100   100   000    Old_age   Offline      -       60130469058";
        assert_eq!(number(packed), None);
        assert!(
            attribute(&words("5 Reallocated_Sector_Ct 0x0033 005 005 036 Pre-fail Always FAILING_NOW 3980"))
                .is_some_and(|attribute| attribute.is_failing)
        );
        assert!(attribute(&words("1 sda 0x0012 1 2 3 4 5 6 7")).is_none());
        assert!(attribute(&words("100 name 8:0 100 100 000 - 7")).is_none());
    }

    #[test]
    fn temperatures_of_every_form() {
        let forms = [
            "41 Celsius",
            "34 C",
            "33°C (306 Kelvin)",
            "315 K",
            "-273 °C (0 K, -459 °F)",
            "104°F (313 Kelvin)",
        ];
        assert_eq!(forms.map(temperature), [Some(41.0), Some(34.0), Some(33.0), Some(42.0), None, None]);
    }
}
