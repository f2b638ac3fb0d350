//! Lists of CPUs as the kernel writes them (`0-3,8`), and which CPUs are online.

use heldup_hostfs::Host;

use crate::kernel_text::count;

/// More CPUs than a kernel can be built for (8,192); a garbled range must not fill the memory.
const MAX_CPUS: usize = 65_536;

/// Numbers of the online CPUs, ascending; none where the machine does not say.
pub fn online(host: &Host) -> Option<Vec<i64>> {
    expand(host.read("/sys/devices/system/cpu/online").ok()?.trim_ascii())
}

/// The numbers of a list.
pub fn expand(list: &[u8]) -> Option<Vec<i64>> {
    let mut numbers = Vec::new();
    for range in list.split(|b| *b == b',') {
        let mut ends = range.splitn(2, |b| *b == b'-');
        let first = count(ends.next()?)?;
        let last = ends.next().map_or(Some(first), count)?;
        let size = usize::try_from(last.checked_sub(first)?).ok()?;
        if size >= MAX_CPUS || numbers.len() >= MAX_CPUS {
            return None;
        }
        numbers.extend(first..=last);
    }
    Some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_and_single_numbers() {
        assert_eq!(expand(b"0-2,5,7-8"), Some(vec![0, 1, 2, 5, 7, 8]));
        assert_eq!(expand(b"3"), Some(vec![3]));
        for wrong in [&b""[..], b"3-1", b"0-x", b"0-99999999999"] {
            assert_eq!(expand(wrong), None, "{}", String::from_utf8_lossy(wrong));
        }
    }
}
