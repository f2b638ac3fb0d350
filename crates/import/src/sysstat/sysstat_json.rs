//! `iostat -o JSON` and `mpstat -o JSON`: the same numbers as in their text, under nearly the same names.
//!
//! Each sample is handed on as the lines that the tool would have printed: what a heading means is said
//! once, in [`crate::iostat`] and [`crate::sar`]. `mpstat` tells when a sample ended and not when it
//! began: the first is taken to be as long as the second. Left out, as in the text: nodes.

use crate::document::banner::Banner;
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::sysstat::iostat::Iostat;
use crate::sysstat::sar::Sar;
use crate::text::civil::{DAY_S, date, time_of_day};
use crate::tree::{Member, TakesGroups};

/// Whose file it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tool {
    /// `iostat`.
    Iostat,
    /// `mpstat`.
    Mpstat,
}

/// Takes the samples of a file.
pub struct Reports {
    tool: Tool,
    importer: Box<dyn Importer>,
    banner: Banner,
    sample: Sample,
    /// The first sample of `mpstat`, until the second tells how long it was.
    held: Option<Sample>,
    last: Option<String>,
    /// Interrupts of the CPU that is being told of.
    interrupts: Vec<Member>,
}

/// One sample as lines without times.
#[derive(Default)]
struct Sample {
    stamp: String,
    lines: Vec<Row>,
}

struct Row {
    number: u64,
    is_heading: bool,
    words: Vec<String>,
}

/// Names that are not those of the text's headings.
const NAMES: [(&str, &str); 4] =
    [("cpu", "CPU"), ("disk_device", "Device"), ("intr", "intr/s"), ("util", "%util")];

impl Reports {
    /// The file begins.
    pub fn of(tool: Tool, document: &mut Document) -> Reports {
        document.facts.banner_line = 1;
        let importer: Box<dyn Importer> = match tool {
            Tool::Iostat => Box::<Iostat>::default(),
            Tool::Mpstat => Box::<Sar>::default(),
        };
        let (banner, sample) = (Banner::default(), Sample::default());
        Reports { tool, importer, banner, sample, held: None, last: None, interrupts: Vec::new() }
    }

    /// The file is over, perhaps within a sample.
    pub fn finish(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.hand_on(document)?;
        if let Some(first) = self.held.take() {
            let stamp = first.stamp.clone();
            self.write(first, &stamp, document)?;
        }
        self.importer.ends(document)
    }

    /// A line of numbers, below headings where these are others than before.
    fn push(&mut self, headings: Vec<String>, values: Vec<String>, number: u64) {
        let is_known = self.sample.lines.iter().rev().find(|row| row.is_heading);
        if is_known.is_none_or(|row| row.words != headings) {
            self.sample.lines.push(Row { number, is_heading: true, words: headings });
        }
        self.sample.lines.push(Row { number, is_heading: false, words: values });
    }

    /// A sample is complete.
    fn hand_on(&mut self, document: &mut Document) -> Result<(), ImportError> {
        let sample = std::mem::take(&mut self.sample);
        if sample.lines.is_empty() {
            return Ok(());
        }
        if self.tool == Tool::Iostat {
            return self.write(sample, "", document);
        }
        let Some(since) = self.last.replace(sample.stamp.clone()) else {
            self.held = Some(sample);
            return Ok(());
        };
        if let Some(first) = self.held.take() {
            document.note("mpstat: unknown length of the first sample: the length of the next is used");
            let before = as_long_before(&first.stamp, &sample.stamp);
            self.write(first, &before.unwrap_or_default(), document)?;
        }
        self.write(sample, &since, document)
    }

    /// Gives the lines of a sample to the importer of the text.
    fn write(&mut self, sample: Sample, since: &str, document: &mut Document) -> Result<(), ImportError> {
        if self.tool == Tool::Iostat && !sample.stamp.is_empty() {
            let number = sample.lines.first().map_or(0, |row| row.number);
            self.offer(std::slice::from_ref(&sample.stamp), number, document)?;
        }
        for row in sample.lines {
            let mut words = row.words;
            if self.tool == Tool::Mpstat {
                let time = if row.is_heading { since } else { &sample.stamp };
                words.insert(0, time.to_owned());
            }
            self.offer(&words, row.number, document)?;
        }
        Ok(())
    }

    fn offer(&mut self, words: &[String], number: u64, document: &mut Document) -> Result<(), ImportError> {
        let words: Vec<&str> = words.iter().flat_map(|word| word.split_whitespace()).collect();
        let line = Line { number, words: &words, text: "", is_cut: false };
        if !self.importer.goes_on(&line, document)? {
            self.importer.begins(&line, document)?;
        }
        Ok(())
    }
}

impl TakesGroups for Reports {
    fn fact(&mut self, within: &str, name: &str, value: &str, document: &mut Document) {
        match (within, name) {
            ("hosts", "nodename") => value.clone_into(&mut self.banner.host),
            ("hosts", "release") => value.clone_into(&mut self.banner.kernel),
            ("hosts", "machine") => self.banner.architecture = Some(value.to_owned()),
            ("hosts", "number-of-cpus") => self.banner.cpus = value.parse().ok(),
            ("hosts", "date") => self.banner.date = date(value, document.times.dates.order),
            ("statistics", "timestamp") => value.clone_into(&mut self.sample.stamp),
            _ => return,
        }
        if within == "hosts" {
            document.facts.banner = Some(self.banner.clone());
        }
    }

    fn group(&mut self, name: &str, _within: &str, members: &[Member], line: u64, document: &mut Document) {
        let values: Vec<String> = members.iter().map(|member| member.value.replace(' ', "_")).collect();
        match name {
            "avg-cpu" => {
                let headings = members.iter().map(|member| format!("%{}", member.name));
                self.push(std::iter::once("avg-cpu:".to_owned()).chain(headings).collect(), values, line);
            }
            "disk"
                if members
                    .iter()
                    .any(|member| member.name == "disk_device" && member.value.starts_with(' ')) =>
            {
                document.note("iostat: rows of groups (-g) are sums of devices, and left out");
            }
            "disk" | "sum-interrupts" => {
                self.push(members.iter().map(|member| heading(&member.name)).collect(), values, line);
            }
            "cpu-load" => {
                let share = |member: &Member| match member.name.as_str() {
                    "cpu" => "CPU".to_owned(),
                    name => format!("%{name}"),
                };
                self.push(members.iter().map(share).collect(), values, line);
            }
            "intr" => {
                let value = |name: &str| members.iter().find(|member| member.name == name);
                if let (Some(name), Some(value)) = (value("name"), value("value")) {
                    let name = name.value.clone();
                    self.interrupts.push(Member { name, value: value.value.clone() });
                }
            }
            "individual-interrupts" | "soft-interrupts" => {
                let interrupts = std::mem::take(&mut self.interrupts);
                let names = interrupts.iter().map(|member| format!("{}/s", member.name));
                let headings = std::iter::once("CPU".to_owned()).chain(names).collect();
                let values = values.into_iter().take(1).chain(interrupts.into_iter().map(|one| one.value));
                self.push(headings, values.collect(), line);
            }
            _ => {}
        }
    }

    fn ends(&mut self, name: &str, document: &mut Document) -> Result<(), ImportError> {
        if name == "statistics" { self.hand_on(document) } else { Ok(()) }
    }
}

fn heading(name: &str) -> String {
    let known = NAMES.iter().find(|(known, _)| *known == name).map(|(_, heading)| (*heading).to_owned());
    known.unwrap_or_else(|| match name {
        "rrqm" | "wrqm" | "drqm" => format!("%{name}"),
        _ => name.to_owned(),
    })
}

/// As long before the first time as the second is behind it.
fn as_long_before(first: &str, second: &str) -> Option<String> {
    let seconds =
        |stamp: &str| time_of_day(&stamp.split_whitespace().collect::<Vec<_>>()).map(|time| time.seconds);
    let (first, second) = (seconds(first)?, seconds(second)?);
    let before = (2 * first - second).rem_euclid(DAY_S);
    Some(format!("{:02}:{:02}:{:02}", before / 3600, before / 60 % 60, before % 60))
}

#[cfg(test)]
mod tests {
    use super::as_long_before;

    #[test]
    fn the_first_sample_is_as_long_as_the_second() {
        assert_eq!(as_long_before("10:00:05", "10:00:10").as_deref(), Some("10:00:00"));
        assert_eq!(as_long_before("00:00:03", "00:00:13").as_deref(), Some("23:59:53"));
        // The second stands behind midnight: so does nobody know.
        assert_eq!(as_long_before("", "10:00:10"), None);
    }
}
