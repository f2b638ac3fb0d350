//! Files that are made to hurt whoever reads them: each costs itself only, and little memory.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use heldup_hostfs::thread_cpu_ns;
use heldup_import::{Bundle, Limits, merge};

use crate::allocator::taken_by;
use crate::handed_over::{Folder, read_with};

const MB: i64 = 1 << 20;
const HEAD: &str = " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n";
const ROW: &str = " 1  0      0   1000     10    100    0    0     4     6    3    5  3  1 96  0  0\n";

/// Reads a path, in at most so many bytes of memory and so many seconds of one CPU.
fn read_within(path: &Path, limits: Limits, most_bytes: i64, most_s: u64) -> Bundle {
    let begun = thread_cpu_ns();
    let (bundle, taken) = taken_by(|| {
        let mut bundle = read_with(path, limits);
        drop(merge(&mut bundle.imports).expect("tables"));
        bundle
    });
    let took_s = (thread_cpu_ns() - begun) as f64 / 1e9;
    assert!(taken.most <= most_bytes, "{} bytes of memory; expected at most {most_bytes}", taken.most);
    assert!(took_s <= most_s as f64, "{took_s:.1} s; expected at most {most_s}");
    bundle
}

fn says(bundle: &Bundle, words: &str) {
    let flaws = bundle.flaws.iter().map(|flaw| format!("{}: {}", flaw.place, flaw.what));
    let said: Vec<String> = flaws.chain(bundle.notes.iter().cloned()).collect();
    assert!(said.iter().any(|said| said.contains(words)), "{words}: {said:?}");
}

/// A zip file whose list has so many files, all of them the same few bytes at its beginning.
fn zip_of(count: u64, name: &str, content: &[u8]) -> Vec<u8> {
    let (crc, size) = (flate2::Crc::new(), content.len() as u32);
    let crc = {
        let mut crc = crc;
        crc.update(content);
        crc.sum()
    };
    let mut facts = Vec::new();
    // Stored, of no time: version 4.5, no flags.
    for half in [45_u16, 0, 0, 0, 0] {
        facts.extend(half.to_le_bytes());
    }
    for word in [crc, size, size] {
        facts.extend(word.to_le_bytes());
    }
    facts.extend((name.len() as u16).to_le_bytes());
    let mut file = [&b"PK\x03\x04"[..], &facts, &[0; 2], name.as_bytes(), content].concat();
    let entry = [&b"PK\x01\x02\x2d\x00"[..], &facts, &[0; 16], name.as_bytes()].concat();
    let begin = file.len() as u64;
    (0..count).for_each(|_| file.extend(&entry));
    let (end, length) = (file.len() as u64, count * entry.len() as u64);
    // More than 65,535 files are recognised by the record of the larger form.
    file.extend(b"PK\x06\x06");
    file.extend(44_u64.to_le_bytes());
    file.extend([45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    for number in [count, count, length, begin] {
        file.extend(number.to_le_bytes());
    }
    file.extend(b"PK\x06\x07\0\0\0\0");
    file.extend(end.to_le_bytes());
    file.extend(1_u32.to_le_bytes());
    file.extend(b"PK\x05\x06\0\0\0\0");
    file.extend([0xff; 12]);
    file.extend([0; 2]);
    file
}

#[test]
fn a_zip_file_of_a_million_files_is_gone_through_without_its_list() {
    let folder = Folder::empty();
    let path = folder.write("many.zip", &zip_of(1_000_000, "folder/", b""));
    let bundle = read_within(&path, Limits::default(), MB, 60);
    says(&bundle, "more than 300000 files; expected at most that many");
}

#[test]
fn files_that_overlap_in_a_zip_file_are_a_bomb_too() {
    let folder = Folder::empty();
    let rows = format!("{HEAD}{}", ROW.repeat(20));
    let path = folder.write("overlap.zip", &zip_of(500, "vmstat", rows.as_bytes()));
    let limits = Limits { harmless_bytes: 1 << 16, ratio: 10, ..Limits::default() };
    let bundle = read_within(&path, limits, 64 * MB, 60);
    says(&bundle, "more than 10 times its size");
    assert!((100..300).contains(&bundle.imports.len()), "{}", bundle.imports.len());
}

/// A header of a file of tar of a kind (`L` is a name that is too long for one, `x` what POSIX says besides).
fn header(name: &str, kind: u8, size: u64) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
    header.set_entry_type(tar::EntryType::new(kind));
    header.set_size(size);
    header.set_mode(0o644);
    header.set_cksum();
    header
}

#[test]
fn what_describes_a_file_of_tar_is_not_held_whatever_it_claims() {
    for kind in *b"LKx" {
        let folder = Folder::empty();
        let path = folder.0.join("names.tar");
        let mut file = File::create(&path).expect("a file");
        // Holes, which take nothing on the disk.
        file.write_all(header("long", kind, 4 << 30).as_bytes()).expect("a disk");
        file.seek(SeekFrom::Start((4 << 30) + 512)).expect("a disk");
        file.write_all(header("vmstat", b'0', 5).as_bytes()).expect("a disk");
        drop(file);
        folder.write("vmstat", format!("{HEAD}{ROW}").as_bytes());
        let bundle = read_within(&folder.0, Limits::default(), 16 * MB, 60);
        says(&bundle, "more than 1048576 bytes that describe the next file");
        assert_eq!(bundle.imports.len(), 1, "the rest is read");
    }
}

#[test]
fn deep_paths_and_many_of_them_take_what_they_may() {
    let folder = Folder::empty();
    let file = File::create(folder.0.join("deep.tar.gz")).expect("a file");
    let mut archive = tar::Builder::new(flate2::write::GzEncoder::new(file, flate2::Compression::fast()));
    for at in 0..3000 {
        let name = format!("{at}/proc/sys/{}x", "a/".repeat(if at % 2 == 0 { 25 } else { 400 }));
        archive.append_data(&mut header("", b'0', 2), name, &b"1\n"[..]).expect("a disk");
        let name = format!("{at}/proc/sys/{}", "b/".repeat(20));
        archive.append_link(&mut header("", b'2', 0), name + "y", "../b/b").expect("a disk");
    }
    archive.into_inner().and_then(flate2::write::GzEncoder::finish).expect("a disk");
    let limits = Limits { held_bytes: 4 << 20, ..Limits::default() };
    let bundle = read_within(&folder.0, limits, 24 * MB, 60);
    says(&bundle, "files of /proc and /sys were left out");
}

/// `date; cat /proc/meminfo` in a loop that never slept.
#[test]
fn a_file_of_snapshots_without_end_is_read_so_far() {
    let folder = Folder::empty();
    let one = "Thu Mar  3 12:33:44 CET 2022\nMemTotal: 5 kB\nMemFree: 1 kB\n";
    folder.write("meminfo", one.repeat(12_000).as_bytes());
    let limits = Limits { loose_files: 10_000, ..Limits::default() };
    let bundle = read_within(&folder.0, limits, 40 * MB, 60);
    says(&bundle, "files of /proc and /sys were left out");
    assert_eq!(bundle.imports.len(), 1);
}

#[test]
fn many_small_listings_are_read_up_to_so_many() {
    let folder = Folder::empty();
    let mut archive = tar::Builder::new(File::create(folder.0.join("many.tar")).expect("a file"));
    let text = format!("{HEAD}{ROW}{ROW}");
    for at in 0..1200 {
        let name = format!("vmstat-{at}");
        archive.append_data(&mut header("", b'0', text.len() as u64), name, text.as_bytes()).expect("a disk");
    }
    archive.into_inner().expect("a disk");
    let limits = Limits { listings: 1000, ..Limits::default() };
    let bundle = read_within(&folder.0, limits, 100 * MB, 60);
    says(&bundle, "200 files were left out: only the first 1000 listings and logs are read");
    assert_eq!(bundle.imports.len(), 1000);
}

/// A text without an end, behind what tells each of the formats that are read as a whole.
#[test]
fn one_text_of_64_megabytes_is_not_held() {
    for beginning in [
        "{\"sysstat\": {\"hosts\": [{\"nodename\": \"",
        "{\"sysstat\": {\"hosts\": [{\"date\": \"1\", \"x\": ",
        "<sysstat><host nodename=\"",
        "<sysstat><",
        "<html><title>AWR Report for DB</title><td>",
        "<html><title>AWR Report for DB</title><",
        "#==[ Command ]===#\n# /usr/bin/vmstat 1 2\n",
        "cpu  1 2 3 4\ncpu0 1 2 3 4\n",
    ] {
        let folder = Folder::empty();
        let mut file = File::create(folder.0.join("long")).expect("a file");
        let mut text = beginning.as_bytes().chain(std::io::repeat(b'x').take(64 << 20));
        std::io::copy(&mut text, &mut file).expect("a disk");
        read_within(&folder.0, Limits::default(), 40 * MB, 60);
    }
}
