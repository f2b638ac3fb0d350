//! Driver settings of network interfaces: changes of ethtool(8), as `ioctl(SIOCETHTOOL)`.
//!
//! Only bytes pass this door: a structure as [`Ethtool::ask`] answered it, with other numbers in it.
//! Which settings, and what is noted before, is not known here.

use std::io::Error;

use crate::error::HostError;
use crate::ethtool::{Ethtool, EthtoolQuestion};

/// What can be set, each with the query of its current value.
impl EthtoolQuestion {
    /// The first word of the change: `ETHTOOL_S…` of linux/ethtool.h; none of what can only be asked.
    fn change(self) -> Option<u32> {
        match self {
            EthtoolQuestion::Channels => Some(0x3d),
            EthtoolQuestion::Coalescing => Some(0x0f),
            EthtoolQuestion::Features => Some(0x3b),
            EthtoolQuestion::Rings => Some(0x11),
            _ => None,
        }
    }
}

impl Ethtool {
    /// Tells an interface: the structure that answers the question, of features `struct
    /// ethtool_sfeatures`; its first word is put in here. The driver may take it in part.
    pub fn tell(
        &mut self,
        interface: &str,
        question: EthtoolQuestion,
        structure: &[u8],
    ) -> Result<(), HostError> {
        let fail = |error| HostError::from_io(format!("ethtool {interface}"), error);
        let unfit = || fail(Error::from_raw_os_error(libc::EINVAL));
        let change = question.change().ok_or_else(unfit)?;
        let rest = structure.get(4..).ok_or_else(unfit)?;
        let mut bytes = change.to_ne_bytes().to_vec();
        bytes.extend(rest);
        self.call_with(interface, &bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Host;

    #[test]
    fn what_can_only_be_asked_is_not_told() {
        let mut ethtool = Host::live().ethtool(None).expect("a socket");
        let error = ethtool.tell("lo", EthtoolQuestion::Driver, &[0; 196]).expect_err("a question alone");
        assert!(error.to_string().contains("ethtool lo"), "{error}");
        // No such interface, before anything is changed.
        assert!(ethtool.tell("no-such-if", EthtoolQuestion::Rings, &[0; 36]).is_err());
    }
}
