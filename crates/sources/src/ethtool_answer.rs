//! Answers to the questions of ethtool(8) (structures of linux/ethtool.h): only the parsers.
//!
//! An answer that is cut off gives what is whole of it; what a driver leaves at zero because
//! it has no such thing is `None` where zero can mean nothing else.

use crate::kernel_text::text;

const NAME_BYTES: usize = 32;
/// `SPEED_UNKNOWN` and `DUPLEX_UNKNOWN`.
const SPEED_UNKNOWN: u32 = u32::MAX;

/// `struct ethtool_drvinfo`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Driver {
    /// Name of the driver.
    pub name: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// Version of the firmware.
    pub firmware: Option<String>,
    /// Where the device is.
    pub bus_address: Option<String>,
}

/// A number in use, and its maximum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sized {
    /// In use.
    pub now: Option<i64>,
    /// At most.
    pub max: Option<i64>,
}

/// `struct ethtool_coalesce`, as far as most drivers have it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Coalescing {
    /// Seconds and packets on the receive side.
    pub rx: (Option<f64>, Option<i64>),
    /// Seconds and packets on the transmit side.
    pub tx: (Option<f64>, Option<i64>),
    /// The driver sets the receive side by itself.
    pub adaptive_rx: Option<bool>,
    /// The driver sets the transmit side by itself.
    pub adaptive_tx: Option<bool>,
}

/// `struct ethtool_link_settings`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Link {
    /// Bits per second.
    pub speed_bits_per_s: Option<i64>,
    /// half or full.
    pub duplex: Option<&'static str>,
    /// Negotiated.
    pub autonegotiation: Option<bool>,
}

/// One feature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feature {
    /// The kernel's name.
    pub name: String,
    /// It is on.
    pub active: bool,
    /// It can be switched.
    pub changeable: bool,
}

/// Names of statistics or features, without blanks around; empty ones keep their place.
pub fn names(answer: &[u8]) -> Vec<String> {
    let count = word(answer, 2).unwrap_or(0) as usize;
    let names = answer.get(12..).unwrap_or_default().chunks_exact(NAME_BYTES);
    names.take(count).map(|name| text(until_nul(name)).into_owned()).collect()
}

/// Values of statistics; those that no signed integer holds are `None`.
pub fn statistics(answer: &[u8]) -> Vec<Option<i64>> {
    let count = word(answer, 1).unwrap_or(0) as usize;
    let (values, _) = answer.get(8..).unwrap_or_default().as_chunks::<8>();
    values.iter().take(count).map(|value| i64::try_from(u64::from_ne_bytes(*value)).ok()).collect()
}

/// The features that the device's kernel has a name for.
pub fn features(answer: &[u8], names: &[String]) -> Vec<Feature> {
    let bit = |at: usize, mask: usize| {
        // Blocks of 32 features: available, requested, active, never changed.
        let block = word(answer, 2 + at / 32 * 4 + mask)?;
        Some(block >> (at % 32) & 1 == 1)
    };
    let named = names.iter().enumerate().filter(|(_, name)| !name.is_empty());
    let feature = |(at, name): (usize, &String)| {
        let changeable = bit(at, 0)? && !bit(at, 3)?;
        Some(Feature { name: name.clone(), active: bit(at, 2)?, changeable })
    };
    named.filter_map(feature).collect()
}

/// Driver, versions and place; what is empty or `N/A` is not told.
pub fn driver(answer: &[u8]) -> Driver {
    let field = |at: usize| {
        let field = text(until_nul(answer.get(at..at + NAME_BYTES)?)).into_owned();
        (!field.is_empty() && !field.eq_ignore_ascii_case("n/a")).then_some(field)
    };
    Driver { name: field(4), version: field(36), firmware: field(68), bus_address: field(100) }
}

/// Receive and transmit rings.
pub fn rings(answer: &[u8]) -> [Sized; 2] {
    [sized(answer, 1, 5), sized(answer, 4, 8)]
}

/// Channels that receive, that send, and that do both.
pub fn channels(answer: &[u8]) -> [Sized; 3] {
    [sized(answer, 1, 5), sized(answer, 2, 6), sized(answer, 4, 8)]
}

/// A maximum of zero says that there is no such thing.
fn sized(answer: &[u8], max_at: usize, now_at: usize) -> Sized {
    let max = word(answer, max_at).filter(|max| *max > 0).map(i64::from);
    Sized { now: word(answer, now_at).filter(|_| max.is_some()).map(i64::from), max }
}

/// How interrupts are put off.
pub fn coalescing(answer: &[u8]) -> Coalescing {
    let seconds = |at: usize| word(answer, at).map(|us| f64::from(us) / 1e6);
    let packets = |at: usize| word(answer, at).map(i64::from);
    let flag = |at: usize| word(answer, at).map(|word| word != 0);
    Coalescing {
        rx: (seconds(1), packets(2)),
        tx: (seconds(5), packets(6)),
        adaptive_rx: flag(10),
        adaptive_tx: flag(11),
    }
}

/// Speed and duplex, where the link is up and the driver knows.
pub fn link(answer: &[u8]) -> Link {
    let speed = word(answer, 1).filter(|speed| *speed != SPEED_UNKNOWN && *speed != 0);
    let duplex = match answer.get(8) {
        Some(0) if speed.is_some() => Some("half"),
        Some(1) => Some("full"),
        _ => None,
    };
    Link {
        speed_bits_per_s: speed.map(|megabits| i64::from(megabits) * 1_000_000),
        duplex,
        autonegotiation: answer.get(11).map(|flag| *flag == 1),
    }
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(bytes.get(at * 4..at * 4 + 4)?.try_into().ok()?))
}

fn until_nul(bytes: &[u8]) -> &[u8] {
    bytes.split(|byte| *byte == 0).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_ne_bytes()).collect()
    }

    #[test]
    fn what_a_driver_has_not_is_not_told() {
        let answer = words(&[0x10, 4096, 0, 0, 8192, 512, 0, 0, 1024]);
        let [rx, tx] = rings(&answer);
        assert_eq!((rx.now, rx.max, tx.now, tx.max), (Some(512), Some(4096), Some(1024), Some(8192)));
        let [rx, _, combined] = channels(&words(&[0x3c, 0, 0, 1, 16, 0, 0, 1, 8]));
        assert_eq!((rx, combined), (Sized::default(), Sized { now: Some(8), max: Some(16) }));
        assert_eq!(rings(&answer[..30])[1].now, None, "the answer was cut off");
    }

    #[test]
    fn features_are_bits_of_blocks() {
        let names: Vec<String> =
            (0..34).map(|at| if at == 2 { String::new() } else { format!("f{at}") }).collect();
        // available, requested, active, never changed: twice.
        let answer = words(&[0x3a, 2, 0b1011, 0, 0b0001, 0b1000, 0b10, 0, 0b10, 0]);
        let on: Vec<_> = features(&answer, &names).into_iter().filter(|f| f.active).map(|f| f.name).collect();
        assert_eq!(on, ["f0", "f33"]);
        let can: Vec<_> =
            features(&answer, &names).into_iter().filter(|f| f.changeable).map(|f| f.name).collect();
        assert_eq!(can, ["f0", "f1", "f33"]);
        assert_eq!(features(&answer[..24], &names).len(), 31, "the second block was cut off");
    }

    #[test]
    fn a_link_that_is_down_has_no_speed() {
        let mut answer = words(&[0x4c, u32::MAX, 0xff]);
        answer.resize(48, 0);
        assert_eq!(link(&answer), Link { autonegotiation: Some(false), ..Link::default() });
        answer[4..8].copy_from_slice(&25_000u32.to_ne_bytes());
        answer[8] = 1;
        assert_eq!(
            (link(&answer).speed_bits_per_s, link(&answer).duplex),
            (Some(25_000_000_000), Some("full"))
        );
    }

    #[test]
    fn counts_that_are_not_true_are_harmless() {
        assert_eq!(names(&words(&[0x1b, 1, u32::MAX, 0x61])), [""; 0]);
        assert_eq!(statistics(&words(&[0x1d, 9, 7, 0, u32::MAX, u32::MAX])), [Some(7), None]);
        assert_eq!(statistics(&[]), []);
        assert_eq!(driver(&[0; 20]), Driver::default());
    }
}
