//! Lines of `/proc/cpuinfo`.

use crate::kernel_text::lines;

/// Value of the first line of `/proc/cpuinfo` with one of the names.
pub(crate) fn cpuinfo_value<'t>(cpuinfo: &'t [u8], names: &[&str]) -> Option<&'t [u8]> {
    lines(cpuinfo).find_map(|(_, line)| {
        let colon = line.iter().position(|b| *b == b':')?;
        let (name, value) = line.split_at(colon);
        names.iter().any(|n| n.as_bytes() == name.trim_ascii()).then(|| value[1..].trim_ascii())
    })
}
