//! `ethtool` without an option and with `-i`, `-g`, `-c`, `-l`, `-k`: how interfaces are set; and `-S`: what their
//! drivers count since boot, of which several listings tell what came between.
//!
//! `-i` and `-S` do not say of which interface they are: that is in the command line, or nowhere, and then
//! the name is NULL. Left out: what the table of settings has no column for (mini and jumbo rings,
//! coalescing by rate of packets, modes that a link could have).

use heldup_model::Record;
use heldup_model::tables::{NetDriverRow, NetSettingRow};

use crate::document::put::{Put, put, put_since_boot};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::net::ethtool_features::{self, Feature};
use crate::table::sheets::When;
use crate::table::totals::Totals;
use crate::text::command_line;

const NAME: &str = "ethtool";
/// Lines between two of one listing.
const MOST_GAP: u64 = 3;

/// What is being listed.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Part {
    Settings,
    Driver,
    Rings,
    Coalescing,
    Channels,
    Features,
    Statistics,
}

/// Headings, up to the name of the interface.
const HEADINGS: [(&[&str], Part); 6] = [
    (&["Settings", "for"], Part::Settings),
    (&["Ring", "parameters", "for"], Part::Rings),
    (&["Coalesce", "parameters", "for"], Part::Coalescing),
    (&["Channel", "parameters", "for"], Part::Channels),
    (&["Features", "for"], Part::Features),
    (&["Offload", "parameters", "for"], Part::Features),
];

/// Reads `ethtool`.
#[derive(Default)]
pub struct Ethtool {
    /// The interface that the last command line named.
    told_interface: Option<String>,
    listing: Option<Listing>,
    /// A driver and the line that names it: by itself it says nothing, with a version below it is `-i`.
    driver: Option<(String, u64)>,
    totals: Totals,
    last_line: u64,
}

struct Listing {
    part: Part,
    interface: Option<String>,
    when: When,
    /// Below `Pre-set maximums`.
    is_maximum: bool,
    features: Vec<(String, Feature)>,
    /// Names of statistics so far: a driver may have one twice.
    statistics: Vec<String>,
}

impl Importer for Ethtool {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if let ["driver:", driver] = line.words {
            self.driver = Some(((*driver).to_owned(), line.number));
            return Ok(false);
        }
        let driver =
            self.driver.take().filter(|(_, at)| at + 1 == line.number && line.words[0] == "version:");
        let begun = driver.as_ref().map(|_| (Part::Driver, None)).or_else(|| heading(line.words));
        let Some((part, interface)) = begun else { return Ok(false) };
        self.ends(document)?;
        document.begin(NAME);
        let interface = interface.or_else(|| self.told_interface.clone());
        if interface.is_none() {
            document.note("ethtool -i and -S: unknown interface");
        }
        let thing = format!("{part:?} {}", interface.as_deref().unwrap_or_default());
        let mut when = document.moment_of(NAME, &thing);
        if part == Part::Statistics {
            document.note("ethtool -S counts since boot: the first listing has no increases");
            when = self.totals.sample(when);
        }
        let mut listing = Listing {
            part,
            interface,
            when,
            is_maximum: false,
            features: Vec::new(),
            statistics: Vec::new(),
        };
        if let Some((driver, _)) = driver {
            listing.put(&[("driver", Put::Text(&driver))], document);
            listing.setting(line.words, document);
        }
        self.listing = Some(listing);
        self.last_line = line.number;
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if self.begins(line, document)? {
            return Ok(true);
        }
        let Some(listing) = self.listing.as_mut().filter(|_| line.number <= self.last_line + MOST_GAP) else {
            return Ok(false);
        };
        let is_taken = match listing.part {
            Part::Statistics => listing.statistic(line, &mut self.totals, document),
            Part::Features => match ethtool_features::line(line.words) {
                Some(feature) => {
                    listing.features.push(feature);
                    true
                }
                None => false,
            },
            _ => listing.setting(line.words, document),
        };
        if is_taken {
            self.last_line = line.number;
        }
        Ok(is_taken)
    }

    fn command(&mut self, words: &[&str]) {
        if let Some(arguments) = command_line::arguments(words, "ethtool") {
            self.told_interface = arguments.iter().find(|word| !word.starts_with('-')).map(|w| (*w).into());
        }
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        let Some(listing) = self.listing.take() else { return Ok(()) };
        if !listing.features.is_empty() {
            let truths = ethtool_features::truths(&listing.features);
            let (on, off) = ethtool_features::names(&listing.features);
            let mut cells: Vec<(&str, Put<'_>)> =
                truths.into_iter().map(|(column, truth)| (column, Put::Is(truth))).collect();
            cells.push(("features_on", Put::Text(&on)));
            cells.push(("features_off", Put::Text(&off)));
            listing.put(&cells, document);
        }
        document.end_sample(NAME)
    }
}

impl Listing {
    fn put(&self, cells: &[(&str, Put<'_>)], document: &mut Document) {
        let name = self.interface.as_deref();
        let mut all: Vec<(&str, Put<'_>)> = cells.to_vec();
        all.extend(name.map(|name| ("name", Put::Text(name))));
        put(document, NetSettingRow::DEF, self.when, name.unwrap_or(""), &all);
    }

    /// `name: value` of a setting.
    fn setting(&mut self, words: &[&str], document: &mut Document) -> bool {
        let Some(at) = words.iter().position(|word| word.ends_with(':')) else {
            // Modes of a link go on in lines of their own; `Cannot get …` is an answer too.
            return self.part == Part::Settings
                && words.iter().all(|word| word.contains("base") || *word == "Full");
        };
        let label = words.get(..=at).unwrap_or_default().join(" ");
        let label = label.trim_end_matches(':');
        let values = words.get(at + 1..).unwrap_or_default();
        if values.is_empty() {
            self.is_maximum = match label {
                "Pre-set maximums" => true,
                "Current hardware settings" => false,
                _ => self.is_maximum,
            };
            return true;
        }
        let first = values.first().copied().unwrap_or("");
        let number = Put::Number(first.parse::<f64>().ok());
        let micros = Put::Number(first.parse::<f64>().ok().map(|micros| micros / 1e6));
        let column = |now: &'static str, most: &'static str| if self.is_maximum { most } else { now };
        let text = values.join(" ");
        let cell = match (self.part, label) {
            (Part::Rings, "RX") => (column("rx_ring", "rx_ring_max"), number),
            (Part::Rings, "TX") => (column("tx_ring", "tx_ring_max"), number),
            (Part::Channels, "RX") => (column("rx_channels", "rx_channels_max"), number),
            (Part::Channels, "TX") => (column("tx_channels", "tx_channels_max"), number),
            (Part::Channels, "Combined") => (column("combined_channels", "combined_channels_max"), number),
            (Part::Coalescing, "rx-usecs") => ("rx_coalesce_s", micros),
            (Part::Coalescing, "rx-frames") => ("rx_coalesce_packets", number),
            (Part::Coalescing, "tx-usecs") => ("tx_coalesce_s", micros),
            (Part::Coalescing, "tx-frames") => ("tx_coalesce_packets", number),
            (Part::Coalescing, "Adaptive RX") => {
                let word = |at: usize| values.get(at).copied().and_then(on_or_off);
                let known = [("adaptive_rx", word(0)), ("adaptive_tx", word(2))];
                let cells: Vec<(&str, Put<'_>)> =
                    known.into_iter().filter_map(|(name, truth)| Some((name, Put::Is(truth?)))).collect();
                self.put(&cells, document);
                return true;
            }
            (Part::Settings, "Speed") => {
                let speed = first.strip_suffix("Mb/s").and_then(|number| number.parse::<f64>().ok());
                ("speed_bits_per_s", Put::Number(speed.map(|megabits| megabits * 1e6)))
            }
            (Part::Settings, "Duplex") => match first {
                "Full" => ("duplex", Put::Text("full")),
                "Half" => ("duplex", Put::Text("half")),
                _ => return true,
            },
            (Part::Settings, "Auto-negotiation") => match on_or_off(first) {
                Some(truth) => ("autonegotiation", Put::Is(truth)),
                None => return true,
            },
            (Part::Driver, "version") => ("driver_version", Put::Text(&text)),
            (Part::Driver, "firmware-version") if text != "N/A" => ("firmware", Put::Text(&text)),
            (Part::Driver, "bus-info") => ("bus_address", Put::Text(&text)),
            _ => return true,
        };
        self.put(&[cell], document);
        true
    }

    /// `     rx_queue_0_packets: 17`.
    fn statistic(&mut self, line: &Line<'_>, totals: &mut Totals, document: &mut Document) -> bool {
        let Some((name, value)) = line.text.trim().rsplit_once(':') else { return false };
        let name = name.trim();
        let Ok(total) = value.trim().parse::<i64>() else {
            if !line.text.starts_with(' ') || name.contains(' ') || !value.trim().is_empty() {
                return false;
            }
            document.flaw(line.number, format!("ethtool -S: expected a number behind {name}"));
            return true;
        };
        let times = self.statistics.iter().filter(|there| *there == name).count();
        self.statistics.push(name.to_owned());
        let name = if times > 0 { format!("{name} #{}", times + 1) } else { name.to_owned() };
        let interface = self.interface.as_deref();
        let identity = format!("{} {name}", interface.unwrap_or(""));
        let growth = totals.growth(&identity, total as f64);
        if totals.is_new(&identity) {
            put_since_boot(document, self.when, ("net_driver", &name), interface, total as f64);
        }
        let mut cells = vec![("statistic", Put::Text(name.as_str())), ("value", Put::Number(growth))];
        cells.extend(interface.map(|interface| ("name", Put::Text(interface))));
        put(document, NetDriverRow::DEF, self.when, &identity, &cells);
        true
    }
}

fn on_or_off(word: &str) -> Option<bool> {
    match word {
        "on" => Some(true),
        "off" => Some(false),
        _ => None,
    }
}

/// What a line announces, and of which interface.
fn heading(words: &[&str]) -> Option<(Part, Option<String>)> {
    if matches!(words, ["NIC", "statistics:"]) {
        return Some((Part::Statistics, None));
    }
    let (begin, part) = HEADINGS.iter().find(|(begin, _)| words.starts_with(begin))?;
    let [name] = words.get(begin.len()..)? else { return None };
    let name = name.strip_suffix(':')?;
    Some((*part, Some(name.to_owned())))
}
