//! Lists and masks of CPUs as tuned's functions take and give them, and whose make they are.

use heldup_hostfs::Host;

/// CPUs of more than this are a misspelt list.
const MOST: u32 = 65_536;

/// The CPUs of a list: `1-3,8`, masks such as `0xff`, and `^2` or `!2-4` which take away. Sorted; empty
/// where something is no number, as tuned has it.
pub fn unpacked(list: &str) -> Vec<u32> {
    let list = list.trim().trim_matches(['\'', '"']);
    let (mut cpus, mut without): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
    for part in parts(list) {
        let (range, target) = match part.strip_prefix(['^', '!']) {
            Some(rest) => (rest, &mut without),
            None => (part.as_str(), &mut cpus),
        };
        let found = match range.to_ascii_lowercase().strip_prefix("0x") {
            Some(digits) => of_mask(digits),
            None => of_range(range),
        };
        match found {
            Some(found) => target.extend(found),
            None => return Vec::new(),
        }
    }
    cpus.sort_unstable();
    cpus.dedup();
    cpus.retain(|cpu| !without.contains(cpu));
    cpus
}

/// Parts between commas; a mask goes on over commas until an empty part.
fn parts(list: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut in_mask = false;
    for part in list.split(',').map(str::trim) {
        match (in_mask, part.is_empty(), parts.last_mut()) {
            (true, false, Some(mask)) => mask.push_str(part),
            (true, true, _) => in_mask = false,
            (_, false, _) => {
                in_mask = part.to_ascii_lowercase().starts_with("0x");
                parts.push(part.to_owned());
            }
            _ => {}
        }
    }
    parts
}

fn of_range(text: &str) -> Option<Vec<u32>> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let (first, last) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
    (last < MOST).then(|| (first..=last).collect())
}

fn of_mask(digits: &str) -> Option<Vec<u32>> {
    let mut cpus = Vec::new();
    for (at, digit) in digits.chars().rev().enumerate() {
        let bits = digit.to_digit(16)?;
        let first = u32::try_from(at * 4).ok()?;
        cpus.extend((0..4).filter(|bit| bits & (1 << bit) != 0).map(|bit| first + bit));
    }
    Some(cpus)
}

/// `1,2,3`.
pub fn listed(cpus: &[u32]) -> String {
    cpus.iter().map(u32::to_string).collect::<Vec<_>>().join(",")
}

/// `1-3,8`.
pub fn packed(cpus: &[u32]) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for cpu in cpus {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == *cpu => *last = *cpu,
            _ => ranges.push((*cpu, *cpu)),
        }
    }
    let one = |(first, last): &(u32, u32)| {
        if first == last { first.to_string() } else { format!("{first}-{last}") }
    };
    ranges.iter().map(one).collect::<Vec<_>>().join(",")
}

/// A mask in words of eight digits: `00000000,0000000f`.
pub fn mask(cpus: &[u32]) -> String {
    let words = cpus.iter().max().map_or(1, |last| last / 32 + 1);
    let word =
        |at: u32| cpus.iter().filter(|cpu| **cpu / 32 == at).fold(0u32, |word, cpu| word | 1 << (cpu % 32));
    (0..words).rev().map(|at| format!("{:08x}", word(at))).collect::<Vec<_>>().join(",")
}

/// CPUs of a list of the kernel's: `online` or `present`.
pub fn of_kernel(host: &Host, name: &str) -> Vec<u32> {
    host.read_text(format!("/sys/devices/system/cpu/{name}")).map(|text| unpacked(&text)).unwrap_or_default()
}

/// The CPUs of each package but the first `reserved` ones.
pub fn isolated(host: &Host, reserved: usize) -> Vec<u32> {
    const FOLDER: &str = "/sys/devices/system/cpu";
    let mut packages: std::collections::BTreeMap<u32, Vec<u32>> = std::collections::BTreeMap::new();
    for name in host.list(FOLDER).unwrap_or_default() {
        let Some(cpu) = name.strip_prefix("cpu").and_then(|number| number.parse::<u32>().ok()) else {
            continue;
        };
        let package = host.read_text(format!("{FOLDER}/{name}/topology/physical_package_id"));
        if let Some(package) = package.ok().and_then(|text| text.trim().parse().ok()) {
            packages.entry(package).or_default().push(cpu);
        }
    }
    let mut isolated = Vec::new();
    for cpus in packages.values_mut() {
        cpus.sort_unstable();
        isolated.extend(cpus.iter().skip(reserved));
    }
    isolated.sort_unstable();
    isolated
}

/// The vendor of the processors where it is one that tuned knows not to be Intel: all others count as
/// Intel's (`_check_arch` of its plugin cpu).
pub fn not_of_intel(host: &Host) -> Option<String> {
    let vendor = of_processor(host, "vendor_id")?;
    ["AuthenticAMD", "HygonGenuine"].contains(&vendor.as_str()).then_some(vendor)
}

/// Whether an option of a CPU is for Intel's processors alone: those of its P-state driver, and the bias where
/// the processor takes it from its own tool, not from a file (`hwp_epp` among its flags).
pub fn is_of_intel(host: &Host, option: &str) -> bool {
    match option {
        "min_perf_pct" | "max_perf_pct" | "no_turbo" => true,
        "energy_perf_bias" => {
            let flags = of_processor(host, "flags").unwrap_or_default();
            !flags.split_whitespace().any(|flag| flag == "hwp_epp")
        }
        _ => false,
    }
}

/// What `/proc/cpuinfo` says of the first processor.
fn of_processor(host: &Host, name: &str) -> Option<String> {
    let text = host.read_text("/proc/cpuinfo").ok()?;
    let mut fields = text.lines().filter_map(|line| line.split_once(':'));
    fields.find(|(field, _)| field.trim() == name).map(|(_, value)| value.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_masks() {
        assert_eq!(unpacked("1-3,8"), [1, 2, 3, 8]);
        assert_eq!(unpacked("0-3,^2"), [0, 1, 3]);
        assert_eq!(unpacked("0x3,,5"), [0, 1, 5]);
        assert_eq!(unpacked("0x1,00000000"), [32]);
        assert!(unpacked("a-b").is_empty() && unpacked("").is_empty());
        assert_eq!(packed(&[0, 1, 2, 5, 7, 8]), "0-2,5,7-8");
        assert_eq!(
            (mask(&[0, 1]), mask(&[33]), mask(&[])),
            ("00000003".into(), "00000002,00000000".into(), "00000000".into())
        );
    }
}
