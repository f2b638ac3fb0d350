//! Names of block devices by their numbers, as far as those are fixed for every machine.
//!
//! A binary file has numbers only; `sar` looks the names up on the machine that it runs on, which may be
//! another one. Source: `Documentation/admin-guide/devices.txt` of Linux.

/// Minor numbers of one disk, partitions included.
const SCSI_MINORS: u64 = 16;
const IDE_MINORS: u64 = 64;
/// Majors of SCSI disks, sixteen disks each.
const SCSI: [(u64, u64, u64); 3] = [(8, 8, 0), (65, 71, 16), (128, 135, 128)];
/// Majors of IDE channels, two disks each.
const IDE: [u64; 6] = [3, 22, 33, 34, 56, 57];
/// Devices with a number behind the name.
const NUMBERED: [(u64, &str); 4] = [(1, "ram"), (7, "loop"), (9, "md"), (11, "sr")];

/// `sda1`; where the number may be anybody's, `dev254-0`, as `sar` itself names what it does not find.
pub fn device_name(major: u64, minor: u64) -> String {
    if let Some((first, _, disk)) = SCSI.iter().find(|(first, last, _)| (*first..=*last).contains(&major)) {
        let disk = disk + (major - first) * 16 + minor / SCSI_MINORS;
        return with_partition(&format!("sd{}", letters(disk)), minor % SCSI_MINORS);
    }
    if let Some(channel) = IDE.iter().position(|ide| *ide == major) {
        let disk = channel as u64 * 2 + minor / IDE_MINORS;
        return with_partition(&format!("hd{}", letters(disk)), minor % IDE_MINORS);
    }
    match NUMBERED.iter().find(|(known, _)| *known == major) {
        Some((_, name)) => format!("{name}{minor}"),
        None => format!("dev{major}-{minor}"),
    }
}

fn with_partition(disk: &str, partition: u64) -> String {
    if partition == 0 { disk.to_owned() } else { format!("{disk}{partition}") }
}

/// a to z, aa to zz, aaa …
fn letters(mut number: u64) -> String {
    let mut letters = Vec::new();
    loop {
        letters.push(b'a' + (number % 26) as u8);
        if number < 26 {
            break;
        }
        number = number / 26 - 1;
    }
    letters.iter().rev().map(|letter| char::from(*letter)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_are_the_same_everywhere() {
        for (major, minor, expect) in [
            (8, 0, "sda"),
            (8, 17, "sdb1"),
            (65, 160, "sdaa"),
            (128, 0, "sddy"),
            (3, 65, "hdb1"),
            (7, 3, "loop3"),
            (254, 0, "dev254-0"),
        ] {
            assert_eq!(device_name(major, minor), expect);
        }
    }
}
