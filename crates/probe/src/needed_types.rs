//! The types of the running kernel that our objects need.
//!
//! They are parsed once for all objects, because that is the larger part of what it costs to
//! start a probe.

use std::sync::OnceLock;

use aya::{Btf, Endianness};
use heldup_hostfs::Host;

use crate::error::ProbeError;
use crate::kernel_types::KernelTypes;
use crate::objects;

/// The kernel's own description of what our objects ask for.
struct Types {
    structures: Btf,
    attach_points: Btf,
    drop_reasons: Option<Vec<(String, u32)>>,
}

fn types() -> Result<&'static Types, ProbeError> {
    static TYPES: OnceLock<Result<Types, String>> = OnceLock::new();
    let read = || {
        let whole = Host::live().kernel_btf().map_err(|error| error.to_string())?;
        let known = KernelTypes::of(&whole);
        let parse = |cut: Option<Vec<u8>>| {
            Btf::parse(cut.as_deref().unwrap_or(&whole), Endianness::default()).map_err(|e| e.to_string())
        };
        Ok(Types {
            structures: parse(known.as_ref().map(|types| types.structures(&objects::ALL)))?,
            attach_points: parse(known.as_ref().map(KernelTypes::attach_points))?,
            drop_reasons: known.and_then(|types| types.constants("skb_drop_reason")),
        })
    };
    TYPES.get_or_init(read).as_ref().map_err(|why| ProbeError::NoTypes { why: why.clone() })
}

/// The kernel's structures that our objects name, read once in the life of the program.
pub(crate) fn kernel_types() -> Result<&'static Btf, ProbeError> {
    Ok(&types()?.structures)
}

/// The places of this kernel that programs attach to.
pub(crate) fn attach_points() -> Result<&'static Btf, ProbeError> {
    Ok(&types()?.attach_points)
}

/// The constants of `enum skb_drop_reason`; none before 5.17.
pub(crate) fn drop_reasons() -> Option<&'static [(String, u32)]> {
    types().ok()?.drop_reasons.as_deref()
}
