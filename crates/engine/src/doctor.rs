//! What can be seen on this machine, what cannot, and what would let it.

use heldup_hostfs::Host;
use heldup_model::{Capabilities, DOCTOR_SCHEMA};

/// Everything that heldup can use here.
pub fn doctor(host: &Host) -> Capabilities {
    Capabilities { schema: DOCTOR_SCHEMA.to_owned(), capabilities: heldup_probe::capabilities(host) }
}
