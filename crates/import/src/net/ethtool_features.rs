//! What `ethtool -k` prints of an interface: features, some under names older than the kernel's. Pure.

/// One feature.
#[derive(Clone, Debug, PartialEq)]
pub struct Feature {
    /// The kernel's name.
    pub name: String,
    /// It is on.
    pub is_on: bool,
    /// It cannot be switched.
    pub is_fixed: bool,
}

/// Names of `ethtool`, and the kernel's. Empty: a group, whose members stand below it in newer versions.
const NAMES: [(&str, &str); 13] = [
    ("rx-checksumming", "rx-checksum"),
    ("tx-checksumming", ""),
    ("scatter-gather", ""),
    ("tcp-segmentation-offload", ""),
    ("udp-fragmentation-offload", "tx-udp-fragmentation"),
    ("generic-segmentation-offload", "tx-generic-segmentation"),
    ("generic-receive-offload", "rx-gro"),
    ("large-receive-offload", "rx-lro"),
    ("rx-vlan-offload", "rx-vlan-hw-parse"),
    ("tx-vlan-offload", "tx-vlan-hw-insert"),
    ("ntuple-filters", "rx-ntuple-filter"),
    ("receive-hashing", "rx-hashing"),
    ("tcp segmentation offload", ""),
];

/// A line `name: on [fixed]`: the name that it prints, and the feature.
pub fn line(words: &[&str]) -> Option<(String, Feature)> {
    let at = words.iter().position(|word| word.ends_with(':'))?;
    let printed = words.get(..=at)?.join(" ");
    let printed = printed.trim_end_matches(':').to_owned();
    let is_on = match *words.get(at + 1)? {
        "on" => true,
        "off" => false,
        _ => return None,
    };
    let is_fixed = words.get(at + 2) == Some(&"[fixed]");
    let dashed = printed.replace(' ', "-");
    let name =
        NAMES.iter().find(|(old, _)| *old == dashed).map_or(dashed.clone(), |(_, name)| (*name).to_owned());
    Some((dashed, Feature { name, is_on, is_fixed }))
}

/// Truths of table `net_setting`, of all that was printed.
pub fn truths(printed: &[(String, Feature)]) -> Vec<(&'static str, bool)> {
    let of = |name: &str| printed.iter().find(|(_, feature)| feature.name == name).map(|(_, it)| it.is_on);
    let group = |name: &str| printed.iter().find(|(printed, _)| printed == name).map(|(_, it)| it.is_on);
    let sums = ["tx-checksum-ipv4", "tx-checksum-ipv6", "tx-checksum-ip-generic"].map(of);
    let makes_sums = sums.into_iter().flatten().reduce(|one, other| one | other);
    let found = [
        ("rx_checksum", of("rx-checksum")),
        ("tx_checksum", makes_sums.or_else(|| group("tx-checksumming"))),
        ("scatter_gather", of("tx-scatter-gather").or_else(|| group("scatter-gather"))),
        ("tso", of("tx-tcp-segmentation").or_else(|| group("tcp-segmentation-offload"))),
        ("gso", of("tx-generic-segmentation")),
        ("gro", of("rx-gro")),
        ("gro_hw", of("rx-gro-hw")),
        ("lro", of("rx-lro")),
        ("rx_hash", of("rx-hashing")),
    ];
    found.into_iter().filter_map(|(column, truth)| Some((column, truth?))).collect()
}

/// The kernel's names of the features that are on, and of those that are off and could be switched on.
pub fn names(printed: &[(String, Feature)]) -> (String, String) {
    let list = |wanted: &dyn Fn(&Feature) -> bool| {
        let found = printed.iter().map(|(_, it)| it).filter(|it| !it.name.is_empty() && wanted(it));
        found.map(|it| it.name.as_str()).collect::<Vec<_>>().join(" ")
    };
    (list(&|it| it.is_on), list(&|it| !it.is_on && !it.is_fixed))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[&str]) -> Vec<(String, Feature)> {
        lines.iter().filter_map(|text| line(&text.split_whitespace().collect::<Vec<_>>())).collect()
    }

    #[test]
    fn features_have_the_kernel_s_names() {
        let printed = read(&[
            "rx-checksumming: on [fixed]",
            "tx-checksumming: on",
            "tx-checksum-ipv4: off [fixed]",
            "tx-checksum-ip-generic: on",
            "tcp-segmentation-offload: off",
            "tx-tcp-segmentation: off [requested on]",
            "generic-receive-offload: on",
        ]);
        let (on, off) = names(&printed);
        assert_eq!(on, "rx-checksum tx-checksum-ip-generic rx-gro");
        assert_eq!(off, "tx-tcp-segmentation");
        let truths = truths(&printed);
        for told in [("rx_checksum", true), ("tx_checksum", true), ("tso", false), ("gro", true)] {
            assert!(truths.contains(&told), "{truths:?}");
        }
    }

    #[test]
    fn groups_without_members_of_old_versions() {
        let printed = read(&["tx-checksumming: on", "scatter-gather: off", "tcp segmentation offload: on"]);
        let truths = truths(&printed);
        assert_eq!(truths, [("tx_checksum", true), ("scatter_gather", false), ("tso", true)]);
    }
}
