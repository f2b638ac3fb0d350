//! Bytes that nobody can guess.

use std::io;

use crate::error::HostError;

/// As many bytes of the kernel's random source, once it has been seeded.
pub fn random_bytes<const COUNT: usize>() -> Result<[u8; COUNT], HostError> {
    let mut bytes = [0; COUNT];
    let mut have = 0;
    while have < COUNT {
        let rest = &mut bytes[have..];
        // SAFETY: `rest` is a valid place of its own length to write to.
        let got = unsafe { libc::getrandom(rest.as_mut_ptr().cast(), rest.len(), 0) };
        match usize::try_from(got) {
            Ok(got) => have += got,
            Err(_) if io::Error::last_os_error().kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return Err(HostError::from_io("getrandom", io::Error::last_os_error())),
        }
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_are_alike() {
        let two = [(); 2].map(|()| random_bytes::<24>().expect("the kernel has some"));
        assert_ne!(two[0], two[1]);
    }
}
