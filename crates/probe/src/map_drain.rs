//! Takes everything out of a BPF hash map, or reads all of it, in one system call.
//!
//! aya 0.14 reads maps entry by entry, two calls each; the ledger reads thousands of
//! entries a second.

use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd};

use aya::Pod;
use aya::maps::{Map, MapData};

use crate::error::ProbeError;

/// Commands of `bpf(2)` for batches, since 5.6 (include/uapi/linux/bpf.h).
const BPF_MAP_LOOKUP_BATCH: libc::c_int = 24;
const BPF_MAP_LOOKUP_AND_DELETE_BATCH: libc::c_int = 25;

/// The part of `union bpf_attr` that the batch commands use.
#[repr(C)]
struct BatchAttr {
    in_batch: u64,
    out_batch: u64,
    keys: u64,
    values: u64,
    count: u32,
    map_fd: u32,
    elem_flags: u64,
    flags: u64,
}

/// A hash map that is read, or emptied, all at once.
pub(crate) struct DrainedMap<K, V> {
    data: MapData,
    /// Values of an entry: one for each CPU that is possible, or one.
    copies: usize,
    /// Only the kernel writes here: what it does not fill takes no memory.
    keys: Box<[MaybeUninit<K>]>,
    values: Box<[MaybeUninit<V>]>,
}

impl<K: Pod, V: Pod> DrainedMap<K, V> {
    /// Takes the map; `entries` is its size in the object, or how many to take at a time (no
    /// fewer than share a bucket: a hundred).
    pub(crate) fn new(map: Map, entries: usize) -> Result<DrainedMap<K, V>, ProbeError> {
        let place = "a map to drain";
        let (data, copies) = match map {
            Map::HashMap(data) => (data, 1),
            Map::PerCpuHashMap(data) => {
                let cpus = aya::util::nr_cpus();
                let cpus = cpus.map_err(|(what, source)| ProbeError::Io { place: what, source })?;
                (data, cpus)
            }
            _ => return Err(ProbeError::Record { place, what: "not a hash map".to_owned() }),
        };
        // The kernel gives each CPU's value a multiple of eight bytes.
        debug_assert!(copies == 1 || size_of::<V>().is_multiple_of(8));
        let info = data.info().map_err(|e| ProbeError::Record { place, what: e.to_string() })?;
        let (key, value) = (info.key_size() as usize, info.value_size() as usize);
        if (key, value) != (size_of::<K>(), size_of::<V>()) {
            let (k, v) = (size_of::<K>(), size_of::<V>());
            let what = format!("keys and values of {key} and {value} bytes, expected {k} and {v}");
            return Err(ProbeError::Record { place, what });
        }
        let (keys, values) = (Box::new_uninit_slice(entries), Box::new_uninit_slice(entries * copies));
        Ok(DrainedMap { data, copies, keys, values })
    }

    /// Empties the map, calling `each` for what was in it.
    ///
    /// What is counted in between, for an entry that was just taken, is lost.
    pub(crate) fn drain(&mut self, mut each: impl FnMut(&K, &V)) -> Result<(), ProbeError> {
        self.each_entry(BPF_MAP_LOOKUP_AND_DELETE_BATCH, |key, values| each(key, &values[0]))
    }

    /// Empties the map as [`DrainedMap::drain`] does, with the values of all CPUs.
    pub(crate) fn drain_cpus(&mut self, each: impl FnMut(&K, &[V])) -> Result<(), ProbeError> {
        self.each_entry(BPF_MAP_LOOKUP_AND_DELETE_BATCH, each)
    }

    /// Calls `each` for what is in the map, with the values of all CPUs where they have their
    /// own, and leaves it there.
    pub(crate) fn read(&mut self, each: impl FnMut(&K, &[V])) -> Result<(), ProbeError> {
        self.each_entry(BPF_MAP_LOOKUP_BATCH, each)
    }

    fn each_entry(&mut self, command: libc::c_int, mut each: impl FnMut(&K, &[V])) -> Result<(), ProbeError> {
        // The kernel's place in the table between two calls; a bucket number for hash maps.
        let mut place = [0_u64; 2];
        let mut first = true;
        loop {
            let token = place.as_mut_ptr() as u64;
            let mut attr = BatchAttr {
                in_batch: if first { 0 } else { token },
                out_batch: token,
                keys: self.keys.as_mut_ptr() as u64,
                values: self.values.as_mut_ptr() as u64,
                count: self.keys.len() as u32,
                map_fd: self.data.fd().as_fd().as_raw_fd() as u32,
                elem_flags: 0,
                flags: 0,
            };
            // SAFETY: `attr` outlives the call; keys and values have room for `count` entries of the
            // sizes, and for as many CPUs, that `new` compared with the map's; the token has room for any key of a bucket.
            let answer =
                unsafe { libc::syscall(libc::SYS_bpf, command, &raw mut attr, size_of::<BatchAttr>()) };
            let error = std::io::Error::last_os_error();
            let at_end = answer != 0 && error.raw_os_error() == Some(libc::ENOENT);
            if answer != 0 && !at_end {
                return Err(ProbeError::Io { place: "a map to drain", source: error });
            }
            let filled = (attr.count as usize).min(self.keys.len());
            let (keys, values) = (&self.keys[..filled], &self.values[..filled * self.copies]);
            // SAFETY: the kernel has just written so many keys, and values of each CPU; any bytes
            // are a value of either type, and `MaybeUninit` has the layout of what it holds.
            let (keys, values) = unsafe {
                let keys = std::slice::from_raw_parts(keys.as_ptr().cast::<K>(), keys.len());
                (keys, std::slice::from_raw_parts(values.as_ptr().cast::<V>(), values.len()))
            };
            for (key, values) in keys.iter().zip(values.chunks_exact(self.copies)) {
                each(key, values);
            }
            if at_end {
                return Ok(());
            }
            first = false;
        }
    }
}
