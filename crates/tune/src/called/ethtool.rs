//! Rings, queues, coalescing and offloads of network interfaces.
//!
//! A number is one word of the structure with which the driver answers, and is recognised by giving it that
//! structure back with another word in it.

use heldup_hostfs::{EthtoolQuestion, Host, HostError};

use super::unfit;

/// What stands for the interfaces in a list of files.
const INTERFACES: &str = "/proc/net/dev";

/// Where a setting is in the driver's answer (linux/ethtool.h): the question and the word.
const WORDS: [(&str, EthtoolQuestion, usize); 5] = [
    ("channels.combined", EthtoolQuestion::Channels, 8),
    ("coalesce.adaptive-rx", EthtoolQuestion::Coalescing, 10),
    ("coalesce.rx-usecs", EthtoolQuestion::Coalescing, 1),
    ("ring.rx", EthtoolQuestion::Rings, 5),
    ("ring.tx", EthtoolQuestion::Rings, 8),
];

/// The kernel's names of the features that ethtool(8) switches with a word.
const FEATURES: [(&str, &[&str]); 4] = [
    ("offload.gro", &["rx-gro"]),
    ("offload.gso", &["tx-generic-segmentation"]),
    ("offload.lro", &["rx-lro"]),
    (
        "offload.tso",
        &[
            "tx-tcp-segmentation",
            "tx-tcp-accecn-segmentation",
            "tx-tcp-ecn-segmentation",
            "tx-tcp-mangleid-segmentation",
            "tx-tcp6-segmentation",
        ],
    ),
];

/// The interfaces of this network namespace.
pub(super) fn owners(host: &Host) -> Vec<String> {
    let text = host.read_text(INTERFACES).unwrap_or_default();
    let mut names: Vec<String> =
        text.lines().filter_map(|line| Some(line.split_once(':')?.0.trim().to_owned())).collect();
    names.sort_unstable();
    names
}

pub(super) fn read(host: &Host, interface: &str, setting: &str) -> Result<String, HostError> {
    if let Some((question, at)) = word_of(setting) {
        let mut ethtool = host.ethtool(None)?;
        let value = word(ethtool.ask(interface, question)?, at);
        let value = value.ok_or_else(|| unfit(interface, format!("short answer: no {setting}")))?;
        return Ok(if is_switch(setting) { on_off(value != 0) } else { value.to_string() });
    }
    let features = features(host, interface, setting)?;
    let mut all = features.iter().map(|feature| feature.is_on);
    let first = all.next().ok_or_else(|| HostError::NotFound { path: setting.into() })?;
    let differs = features.iter().filter(|feature| feature.is_on != first);
    Ok(differs
        .fold(on_off(first), |text, feature| format!("{text} {}={}", feature.name, on_off(feature.is_on))))
}

pub(super) fn write(host: &Host, interface: &str, setting: &str, value: &str) -> Result<(), HostError> {
    let mut ethtool = host.ethtool(None)?;
    if let Some((question, at)) = word_of(setting) {
        let mut structure = ethtool.ask(interface, question)?.to_vec();
        let number = match value {
            "on" => 1,
            "off" => 0,
            number => number.parse::<u32>().map_err(|error| unfit(interface, error.to_string()))?,
        };
        let place = structure.get_mut(4 * at..4 * at + 4);
        place
            .ok_or_else(|| unfit(interface, "short answer".to_owned()))?
            .copy_from_slice(&number.to_ne_bytes());
        return ethtool.tell(interface, question, &structure);
    }
    let features = features(host, interface, setting)?;
    let (first, others) = value.split_once(' ').unwrap_or((value, ""));
    // The kernel takes as many blocks as it has itself.
    let blocks = word(ethtool.ask(interface, EthtoolQuestion::Features)?, 1).unwrap_or(0) as usize;
    if features.iter().any(|feature| feature.at / 32 >= blocks) {
        return Err(unfit(interface, "short answer".to_owned()));
    }
    // struct ethtool_sfeatures: how many blocks, and of each which bits are meant and which of them set.
    let mut words = vec![0u32; 2 + 2 * blocks];
    words[1] = blocks as u32;
    // The first bit is the value's own; one that cannot be switched keeps nobody from the rest.
    for (nth, feature) in features.iter().enumerate().filter(|(nth, feature)| *nth == 0 || feature.may_change)
    {
        let own = others.split(' ').find_map(|part| part.strip_prefix(&feature.name)?.strip_prefix('='));
        let (block, bit) = (feature.at / 32, 1u32 << (feature.at % 32));
        words[2 + 2 * block] |= bit;
        if own.filter(|_| nth > 0).unwrap_or(first) == "on" {
            words[3 + 2 * block] |= bit;
        }
    }
    let structure: Vec<u8> = words.into_iter().flat_map(u32::to_ne_bytes).collect();
    ethtool.tell(interface, EthtoolQuestion::Features, &structure)
}

fn word_of(setting: &str) -> Option<(EthtoolQuestion, usize)> {
    WORDS.iter().find(|(name, ..)| *name == setting).map(|(_, question, at)| (*question, *at))
}

fn is_switch(setting: &str) -> bool {
    setting.starts_with("coalesce.adaptive")
}

fn on_off(is_on: bool) -> String {
    if is_on { "on" } else { "off" }.to_owned()
}

fn word(answer: &[u8], at: usize) -> Option<u32> {
    let bytes = answer.get(4 * at..4 * at + 4)?;
    Some(u32::from_ne_bytes(bytes.try_into().ok()?))
}

/// A feature that a setting stands for and that the interface has.
struct Feature {
    name: String,
    /// Its number.
    at: usize,
    is_on: bool,
    may_change: bool,
}

fn features(host: &Host, interface: &str, setting: &str) -> Result<Vec<Feature>, HostError> {
    let names = FEATURES.iter().find(|(name, _)| *name == setting).map(|(_, names)| *names);
    let names = names.ok_or_else(|| HostError::NotFound { path: setting.into() })?;
    let mut ethtool = host.ethtool(None)?;
    let known = ethtool.ask(interface, EthtoolQuestion::FeatureNames)?.to_vec();
    let answer = ethtool.ask(interface, EthtoolQuestion::Features)?;
    // struct ethtool_gstrings: 32 bytes a name from the twelfth byte on.
    let (known, _) = known.get(12..).unwrap_or_default().as_chunks::<32>();
    let mut found = Vec::new();
    for name in names {
        let is_named = |bytes: &[u8; 32]| bytes.split(|byte| *byte == 0).next() == Some(name.as_bytes());
        let Some(at) = known.iter().position(is_named) else { continue };
        // struct ethtool_get_features_block: available, requested, active, never_changed.
        let of_block =
            |nth: usize| word(answer, 2 + 4 * (at / 32) + nth).unwrap_or(0) & (1 << (at % 32)) != 0;
        let (is_on, may_change) = (of_block(2), of_block(0) && !of_block(3));
        if is_on || may_change {
            found.push(Feature { name: (*name).to_owned(), at, is_on, may_change });
        }
    }
    // A setting that nothing of can be switched is not one of this interface.
    if found.iter().any(|feature| feature.may_change) {
        found.sort_by_key(|feature| !feature.may_change);
        return Ok(found);
    }
    Err(HostError::NotFound { path: format!("{interface}: {setting}").into() })
}
