//! What one file says of the machine that it is of.

use std::collections::BTreeMap;

use heldup_model::tables::{HostRow, SettingRow};
use heldup_model::{Method, Span};

use super::banner::{Banner, System, banner, unix_banner};
use super::{Document, Line};
use crate::host_name::{UNKNOWN, is_placeholder, is_same_host};
use crate::text::prompt;

/// What is known of the machine.
#[derive(Debug, Default)]
pub struct Facts {
    /// The last banner of sysstat.
    pub banner: Option<Banner>,
    /// Line of that banner.
    pub banner_line: u64,
    /// Memory of the machine, where a format tells it.
    pub memory_bytes: Option<i64>,
    /// What formats tell beside a banner: its system, its CPUs.
    pub row: HostRow,
    /// Settings of a partition, by their names in `lparstat -i`.
    partition: BTreeMap<&'static str, String>,
    told_host: Option<String>,
    /// Host of the prompts of a shell; none inside where two differ.
    prompt_host: Option<Option<String>>,
}

impl Document {
    /// Takes a banner of sysstat, or of `sar` or `uname` elsewhere; false where the line is none.
    pub fn take_banner(&mut self, line: &Line<'_>) -> bool {
        let told = match line.words.first() {
            Some(&"Linux") => banner(line.words, self.times.dates.order),
            Some(&("SunOS" | "AIX" | "HP-UX")) => unix_banner(line.words),
            Some(&"System") => return self.take_configuration(line.words),
            _ => None,
        };
        let Some(mut told) = told else { return false };
        if let Some(system) = told.system {
            let name = match system {
                System::Aix => "AIX",
                System::HpUx => "HP-UX",
                System::Solaris => "SunOS",
            };
            self.facts.row.os = Some(format!("{name} {}", told.kernel).into());
            self.facts.row.page_bytes = told.page_bytes().map(|bytes| bytes as i64);
        }
        self.took_date(line.words);
        let of_before = self.facts.banner.take().filter(|before| before.host == told.host);
        if let Some(before) = of_before {
            told.cpus = told.cpus.or(before.cpus);
        }
        self.facts.banner_line = line.number;
        self.facts.banner = Some(told);
        true
    }

    /// `System configuration: lcpu=4 mem=4096MB ent=0.50`, as tools of AIX begin, and say again where it changes.
    fn take_configuration(&mut self, words: &[&str]) -> bool {
        let ["System", "configuration:", told @ ..] = words else { return false };
        for (name, value) in told.iter().filter_map(|word| word.split_once('=')) {
            match name {
                "lcpu" => self.facts.row.cpus = value.parse().ok().filter(|cpus| *cpus > 0),
                "mem" => {
                    let megabytes = value.trim_end_matches("MB").parse::<i64>().ok();
                    self.facts.row.memory_bytes = megabytes.and_then(|size| size.checked_mul(1 << 20));
                }
                // Entitlement is told of shared partitions alone.
                "ent" => {
                    self.facts.partition.entry("Type").or_insert_with(|| "Shared".to_owned());
                    self.facts.partition.insert("Entitled Capacity", value.to_owned());
                }
                "type" => {
                    self.facts.partition.insert("Type", value.to_owned());
                }
                "mode" => {
                    self.facts.partition.insert("Mode", value.to_owned());
                }
                _ => {}
            }
        }
        true
    }

    /// What tools said of the partition that they ran in.
    pub fn partition_settings(&mut self) -> Vec<SettingRow> {
        let told = std::mem::take(&mut self.facts.partition);
        let row = |(key, value): (&str, String)| SettingRow {
            setting_key: Some(key.into()),
            setting_value: Some(value.into()),
            ..SettingRow::default()
        };
        told.into_iter().map(row).collect()
    }

    /// Takes the name of the host from a tool that prints it without a banner.
    pub fn name_host(&mut self, host: &str) {
        if self.facts.banner.as_ref().is_none_or(|banner| banner.host != host) {
            self.facts.banner = Some(Banner { host: host.to_owned(), ..Banner::default() });
        }
    }

    /// The system that a banner told of; none of Linux, or where none told.
    pub fn system(&self) -> Option<System> {
        self.facts.banner.as_ref().and_then(|banner| banner.system)
    }

    /// CPUs, as a banner told, or a tool that has none.
    pub fn cpus(&self) -> Option<i64> {
        let told = self.facts.banner.as_ref().and_then(|banner| banner.cpus).filter(|cpus| *cpus > 0);
        told.or(self.facts.row.cpus)
    }

    /// Name of the host: that of the report that the file is part of, else what the file says.
    pub fn host(&self) -> String {
        let told = self.told_host();
        self.hints.host.as_ref().or(told).cloned().unwrap_or_else(|| UNKNOWN.to_owned())
    }

    fn told_host(&self) -> Option<&String> {
        let banner = self.facts.banner.as_ref().map(|banner| &banner.host).filter(|host| !host.is_empty());
        let prompt = self.facts.prompt_host.as_ref().and_then(Option::as_ref);
        banner.or(self.facts.told_host.as_ref()).or(prompt)
    }

    /// A report is of one machine. What names another is of before it was renamed, or came from elsewhere.
    pub fn note_other_host(&mut self) {
        let other = self.told_host().zip(self.hints.host.as_ref());
        if let Some((told, _)) =
            other.filter(|(told, hint)| !is_same_host(told, hint) && !is_placeholder(told))
        {
            self.note_text(format!(
                "the host is named {told} in it: a former name, or a file of another host"
            ));
        }
    }

    /// A line says on which machine it was written.
    pub fn host_told(&mut self, host: &str) {
        // Before a machine knows its name, it has one that all have.
        if self.facts.told_host.as_ref().is_none_or(|told| is_placeholder(told)) {
            self.facts.told_host = Some(host.to_owned());
        }
    }

    /// A prompt of a shell names the host where nothing else does, unless prompts of two are in the file.
    pub fn take_prompt(&mut self, line: &Line<'_>) {
        let Some(host) = prompt::host(line.words).filter(|host| !is_placeholder(host)) else { return };
        let told = match &self.facts.prompt_host {
            None => Some(host.to_owned()),
            Some(before) => before.clone().filter(|before| is_same_host(before, host)),
        };
        self.facts.prompt_host = Some(told);
    }

    /// What is known of the machine, and how many flaws were left unsaid.
    pub fn close(&mut self, span: Span) -> HostRow {
        self.close_notes();
        let machine = std::mem::take(&mut self.facts.row);
        let told = self.facts.banner.as_ref();
        let kernel = told.map(|told| told.kernel.as_str()).filter(|kernel| !kernel.is_empty());
        let architecture = told.and_then(|told| told.architecture.as_deref());
        HostRow {
            name: Some(self.host()).filter(|host| host != UNKNOWN).map(Into::into),
            kernel: kernel.map(Into::into).or(machine.kernel),
            architecture: architecture.map(Into::into).or(machine.architecture),
            cpus: told.and_then(|told| told.cpus).filter(|cpus| *cpus > 0).or(machine.cpus),
            memory_bytes: self.facts.memory_bytes.or(machine.memory_bytes),
            window_s: Some(span.secs()),
            method: Some(Method::Imported.name().into()),
            ..machine
        }
    }
}
