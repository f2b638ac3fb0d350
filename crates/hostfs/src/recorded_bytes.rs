//! Answers of system calls in recorded trees: what no file of the kernel holds, kept as
//! hexadecimal digits in a file that only recorded trees have.

use std::io::{Error, ErrorKind};

use crate::error::HostError;
use crate::files::Host;

/// Where an answer lies: `/DOOR/self/WHAT`, or with the process whose namespace was asked.
pub(crate) fn path(door: &str, namespace_of: Option<i64>, what: &str) -> String {
    match namespace_of {
        None => format!("/{door}/self/{what}"),
        Some(pid) => format!("/{door}/{pid}/{what}"),
    }
}

/// The bytes of an answer; blanks and line ends between the digits are for the reader.
pub(crate) fn read(host: &Host, path: &str) -> Result<Vec<u8>, HostError> {
    let text = host.read(path)?;
    let digits: Vec<u8> = text.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let (pairs, rest) = digits.as_chunks::<2>();
    let byte = |[high, low]: &[u8; 2]| {
        let digit = |byte: u8| char::from(byte).to_digit(16);
        Some((digit(*high)? << 4 | digit(*low)?) as u8)
    };
    let bytes: Option<Vec<u8>> = pairs.iter().map(byte).collect();
    bytes.filter(|_| rest.is_empty()).ok_or_else(|| {
        HostError::from_io(path, Error::new(ErrorKind::InvalidData, "expected pairs of hexadecimal digits"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_become_bytes_and_anything_else_is_refused() {
        let root = std::env::temp_dir().join(format!("heldup-recorded-{}", std::process::id()));
        std::fs::create_dir_all(root.join("ethtool/self")).expect("folders");
        let host = Host::recorded(&root);
        let answer = |content: &str| {
            std::fs::write(root.join("ethtool/self/x"), content).expect("a file");
            read(&host, &path("ethtool", None, "x"))
        };
        assert_eq!(answer("00 ff\n1A\n").expect("bytes"), [0, 255, 26]);
        assert!(answer("0").is_err());
        assert!(answer("0g").is_err());
        std::fs::remove_dir_all(&root).expect("removed");
    }
}
