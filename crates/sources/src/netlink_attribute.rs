//! Attributes of netlink messages (`struct rtattr`, `struct nlattr`) and the numbers in them.

/// Flags in the type of an attribute: nested, and in network order.
pub(crate) const TYPE_MASK: u16 = 0x3fff;

/// The content of an attribute: `struct rtattr` is length and type.
pub(crate) fn attribute(attributes: &[u8], wanted: u16) -> Option<&[u8]> {
    let mut rest = attributes;
    loop {
        let length = usize::from(u16::from_ne_bytes(rest.get(0..2)?.try_into().ok()?));
        let kind = u16::from_ne_bytes(rest.get(2..4)?.try_into().ok()?);
        let content = rest.get(4..length)?;
        if kind & TYPE_MASK == wanted {
            return Some(content);
        }
        rest = rest.get(length.next_multiple_of(4)..)?;
    }
}

/// The 32-bit number at a place.
pub(crate) fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// The 64-bit number at a place; none where it is no `i64`.
pub(crate) fn long(bytes: &[u8], at: usize) -> Option<i64> {
    i64::try_from(u64::from_ne_bytes(bytes.get(at..at + 8)?.try_into().ok()?)).ok()
}
