//! Folders, archives and pressed files: what is in them is read as if it had been handed over by itself.

use std::fs;
use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use heldup_import::{Bundle, Limits, Merged, merge};
use heldup_model::Capture;

use crate::handed_over::{Folder, read_with};
use crate::table_text::{number, told, value};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name)
}

fn whole(mut bundle: Bundle) -> Capture {
    match merge(&mut bundle.imports).expect("tables") {
        Merged::One(capture) => *capture,
        Merged::Nothing => panic!("nothing: {:?} {:?}", bundle.unknown, bundle.flaws),
        Merged::Hosts(hosts) => panic!("{hosts:?}"),
    }
}

/// A value of the only row of a table that has one.
fn only(capture: &Capture, table: &str, column: &str) -> Option<String> {
    let batches = capture.tables.get(table).into_iter().flatten();
    let mut values =
        batches.flat_map(|batch| (0..batch.num_rows()).filter_map(|row| value(batch, column, row)));
    let first = values.next();
    assert_eq!(values.next(), None, "{table}.{column}");
    first
}

/// A column of a table, row by row.
fn values(capture: &Capture, table: &str, column: &str) -> Vec<Option<String>> {
    let rows = |batch: &RecordBatch| -> Vec<Option<String>> {
        (0..batch.num_rows()).map(|row| value(batch, column, row)).collect()
    };
    capture.tables[table].iter().flat_map(rows).collect()
}

const VMSTAT: &str = "debian-12-vmstat";

#[test]
fn a_listing_is_the_same_however_it_is_packed() {
    let plain = fs::read(fixture("vmstat/debian-12-6.18.44-procps-4.0.2-t.txt")).expect("a recording");
    let expected = told(&crate::table_text::import(&plain));
    for ending in ["gz", "xz", "zst", "bz2", "zip", "in-xz-in-tar-xz-in-zip"] {
        let name = match ending {
            "in-xz-in-tar-xz-in-zip" => format!("packed/{VMSTAT}-in-xz-in-tar-xz-in-zip.zip"),
            ending => format!("packed/{VMSTAT}.{ending}"),
        };
        let bundle = read_with(&fixture(&name), Limits::default());
        assert!(bundle.flaws.is_empty() && bundle.unknown.is_empty(), "{name}: {:?}", bundle.flaws);
        assert!(!bundle.imports.is_empty(), "{name}");
        for import in &bundle.imports {
            assert_eq!(told(import), expected, "{name}");
        }
    }
    let nested =
        read_with(&fixture(&format!("packed/{VMSTAT}-in-xz-in-tar-xz-in-zip.zip")), Limits::default());
    let names: Vec<&str> =
        nested.imports.iter().map(|import| import.file.file.rsplit(".zip/").next().unwrap()).collect();
    assert_eq!(names, ["nested.tar.xz/vmstat-t.gz", "nested.tar.xz/deep/vmstat-t.xz"]);
    // The same samples in two files count once.
    let rows = whole(nested).tables["cpu"].iter().map(|batch| batch.num_rows()).sum::<usize>();
    assert_eq!(rows, 4);
}

#[test]
fn two_snapshots_in_an_archive_give_the_increases_of_their_counters() {
    let bundle = read_with(&fixture("bundles/debian-12-6.18.44-proc-twice.tar.xz"), Limits::default());
    assert_eq!(bundle.flaws, []);
    let [import] = &bundle.imports[..] else { panic!("{:?}", bundle.unknown) };
    assert!(import.file.what.ends_with("2 snapshots within 6.4 s"), "{}", import.file.what);
    let cpu0 = Some(("cpu_idx", "0"));
    // The numbers of the two files: user 81542 and 82106 ticks, idle 201391 and 201413, of 1/100 s.
    assert_eq!(number(import, "cpu", "user_s", cpu0, 0), Some(5.64));
    assert_eq!(number(import, "cpu", "idle_s", cpu0, 0), Some(0.22));
    assert_eq!(number(import, "cpu", "secs", cpu0, 0), Some(6.37));
    assert_eq!(
        number(import, "system", "context_switches", None, 1),
        Some(f64::from(19_166_609 - 19_096_844))
    );
    // Bytes since boot of one look are no increase; those between two are: 84816 KiB.
    assert_eq!(number(import, "vmstat", "page_out_bytes", None, 0), None);
    let written: Vec<_> =
        (0..2).filter_map(|row| number(import, "vmstat", "page_out_bytes", None, row)).collect();
    assert_eq!(written, [84_816.0 * 1024.0]);
    let capture = whole(bundle);
    assert_eq!(capture.host, "vm");
    // btime and uptime: 1795362058 + 3091.61 s, and 3097.98.
    assert_eq!((capture.span.since_ms, capture.span.until_ms), (1_795_365_149_610, 1_795_365_155_980));
    assert_eq!(only(&capture, "host", "kernel").as_deref(), Some("6.18.44-fc-v657"));
    assert_eq!(only(&capture, "host", "nodes"), None, "the folder of nodes was not handed over");
}

#[test]
fn a_report_of_sos_is_read_with_what_it_says_of_itself() {
    let report = fixture("bundles/debian-12-6.18.44-sosreport-4.0-trimmed.tar.xz");
    let bundle = read_with(&report, Limits::default());
    assert_eq!(bundle.flaws, []);
    let is_snapshot = |import: &&heldup_import::Import| import.file.what.contains("files of /proc and /sys");
    let snapshots: Vec<_> = bundle.imports.iter().filter(is_snapshot).collect();
    let [snapshot] = &snapshots[..] else { panic!("{} snapshots", snapshots.len()) };
    assert!(snapshot.file.file.ends_with("trimmed.tar.xz/sosreport-vm-2026-11-22"), "{}", snapshot.file.file);
    // It has no /proc/uptime: `date` says when it was made, 17:14:18 UTC.
    assert!(
        snapshot.file.notes.iter().any(|note| note.contains("what `date` printed")),
        "{:?}",
        snapshot.file.notes
    );
    assert_eq!(snapshot.file.span.map(|span| span.until_ms), Some(1_795_367_658_000));
    assert_eq!(number(snapshot, "memory", "total_bytes", None, 0), Some(24_684_092.0 * 1024.0));
    assert_eq!(number(snapshot, "memory", "free_bytes", None, 0), Some(6_171_004.0 * 1024.0));
    assert!(bundle.unknown.iter().any(|file| file.file.ends_with("/proc/swaps")));
    let capture = whole(bundle);
    assert_eq!(capture.host, "vm");
    // It has no /proc/sys/kernel/osrelease; `uname -a` says it.
    assert_eq!(only(&capture, "host", "kernel").as_deref(), Some("6.18.44-fc-v657"));
}

#[test]
fn single_files_of_proc_are_told_by_their_content() {
    let folder = Folder::empty();
    let packed = fs::read(fixture("bundles/debian-12-6.18.44-proc-twice.tar.xz")).expect("a recording");
    let mut archive = tar::Archive::new(lzma_rust2::XzReader::new(&packed[..], true));
    let mut names = Vec::new();
    for entry in archive.entries().expect("entries") {
        let mut entry = entry.expect("an entry");
        let path = entry.path().expect("a path").into_owned();
        if path.starts_with("after/proc") && entry.header().entry_type().is_file() {
            let mut content = Vec::new();
            std::io::Read::read_to_end(&mut entry, &mut content).expect("content");
            let name = path.to_string_lossy().replace("after/proc/", "").replace('/', "_");
            folder.write(&name, &content);
            names.push(name);
        }
    }
    let bundle = folder.read();
    assert_eq!(bundle.flaws, []);
    // Of what only its place tells (settings) nothing is made up.
    let unknown: Vec<&str> = bundle.unknown.iter().filter_map(|file| file.file.rsplit('/').next()).collect();
    assert_eq!(
        unknown,
        ["sys_kernel_hostname", "sys_kernel_osrelease", "sys_vm_dirty_ratio", "sys_vm_swappiness"]
    );
    let [import] = &bundle.imports[..] else { panic!("{}", bundle.imports.len()) };
    assert!(import.file.what.starts_with("19 files of /proc and /sys, 1 snapshot"), "{}", import.file.what);
    assert!(number(import, "memory", "total_bytes", None, 0).is_some());
    assert!(number(import, "pressure", "some_avg10", Some(("resource", "io")), 0).is_some());
    assert_eq!(names.len(), 23);
}

const SAR: &str = "Linux 5.14.0-70.el9.x86_64 (db1) \t03/03/2022 \t_x86_64_\t(4 CPU)\n\n\
    12:00:01        CPU     %user     %nice   %system   %iowait    %steal     %idle\n\
    12:10:01        all     10.00      0.00      5.00     25.00      0.00     60.00\n";
const HEAD: &str = " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n";
const ROW: &str = " 1  0      0   1000     10    100    0    0     4     6    3    5  3  1 96  0  0\n";

#[test]
fn a_mixed_folder_is_one_capture_in_the_zone_of_its_machine() {
    let folder = Folder::empty();
    folder.write("sos/date", b"Thu Mar  3 12:33:44 CET 2022\n");
    folder.write("sos/hostname", b"db1.example.com\n");
    folder.write("sos/sos_commands/sar/sar03", SAR.as_bytes());
    folder.write("sos/sos_commands/process/vmstat", format!("{HEAD}{ROW}{ROW}").as_bytes());
    folder.write("sos/proc/meminfo", b"MemTotal:       4000 kB\nMemFree:        1000 kB\n");
    folder.write("sos/README", b"Hello.\n");
    let bundle = folder.read();
    let notes: Vec<&String> = bundle.imports.iter().flat_map(|import| &import.file.notes).collect();
    assert!(notes.iter().any(|note| note.contains("CET, from other files")), "{notes:?}");
    let capture = whole(bundle);
    assert_eq!(capture.host, "db1.example.com");
    let times = values(&capture, "cpu", "time");
    // 12:10:01 in Paris is 11:10:01 UTC.
    assert!(times.contains(&Some("1646305801000".to_owned())), "{times:?}");
    // Of /proc, the time that `date` printed: 11:33:44 UTC.
    let totals = values(&capture, "memory", "total_bytes");
    let snapshot = totals.iter().position(|total| total.as_deref() == Some("4096000"));
    let times = values(&capture, "memory", "time");
    assert_eq!(times[snapshot.expect("the snapshot")].as_deref(), Some("1646307224000"));
    assert!(
        capture
            .tables
            .values()
            .flatten()
            .all(|batch| value(batch, "host", 0).as_deref() == Some("db1.example.com"))
    );
}

#[test]
fn sections_of_a_text_are_files_and_listings() {
    let folder = Folder::empty();
    let heading = "#==[ Command ]======================================#";
    folder.write(
        "scc_sles1_220303/basic-health-check.txt",
        format!(
            "=====\n  Supportutils\n=====\n\n{heading}\n# /bin/date\nThu Mar  3 12:33:44 CET 2022\n\n\
             {heading}\n# /bin/uname -a\nLinux sles1 5.3.18-57-default #1 SMP x86_64 GNU/Linux\n\n\
             {heading}\n# /usr/bin/vmstat 5 2\n{HEAD}{ROW}{ROW}\n\
             #==[ Configuration File ]===========================#\n# /proc/meminfo\n\
             MemTotal:       4000 kB\nMemFree:        1000 kB\n\n\
             #==[ Log File ]====================================#\n# /var/log/nothing - File not found\n"
        )
        .as_bytes(),
    );
    let bundle = folder.read();
    assert_eq!(bundle.flaws, []);
    let what: Vec<&str> = bundle.imports.iter().map(|import| import.file.what.as_str()).collect();
    assert_eq!(what, ["vmstat, 2 samples", "1 file of /proc and /sys, 1 snapshot"]);
    // Every five seconds, as the title says.
    assert_eq!(number(&bundle.imports[0], "system", "secs", None, 1), Some(5.0));
    assert!(bundle.imports[0].file.file.ends_with("basic-health-check.txt: /usr/bin/vmstat 5 2"));
    let capture = whole(bundle);
    assert_eq!(capture.host, "sles1");
    assert!(values(&capture, "memory", "total_bytes").contains(&Some("4096000".to_owned())));
}

/// A tar archive of files with these names as they are.
fn tar_of(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    for (name, content) in files {
        let mut header = tar::Header::new_gnu();
        header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        archive.append(&header, *content).expect("memory");
    }
    archive.into_inner().expect("memory")
}

fn gzip(bytes: impl std::io::Read) -> Vec<u8> {
    let mut packed = Vec::new();
    let mut encoder = flate2::read::GzEncoder::new(bytes, flate2::Compression::best());
    std::io::copy(&mut encoder, &mut packed).expect("memory");
    packed
}

#[test]
fn a_bomb_is_stopped_and_the_rest_is_read() {
    let folder = Folder::empty();
    let listing = format!("{HEAD}{ROW}{ROW}");
    folder.write("a/bomb.gz", &gzip(std::io::Read::take(std::io::repeat(b'x'), 8 << 20)));
    folder.write("b/vmstat.gz", &gzip(listing.as_bytes()));
    let limits = Limits { harmless_bytes: 1 << 20, ..Limits::default() };
    let bundle = read_with(&folder.0, limits);
    let said: Vec<&str> = bundle.flaws.iter().map(|flaw| flaw.what.as_str()).collect();
    assert!(
        said.iter()
            .any(|what| what.contains("more than 250 times its size") && what.contains("expected less")),
        "{said:?}"
    );
    assert_eq!(bundle.imports.len(), 1);
    // By its place in the folder, not as the size of what was packed.
    assert!(bundle.flaws.iter().all(|flaw| flaw.place.contains("a/bomb.gz")), "{:?}", bundle.flaws);
}

#[test]
fn a_file_in_a_file_in_a_file_is_followed_so_far() {
    let folder = Folder::empty();
    let mut packed = format!("{HEAD}{ROW}").into_bytes();
    for _ in 0..5 {
        packed = gzip(&packed[..]);
    }
    folder.write("deep.gz", &packed);
    assert_eq!(folder.read().imports.len(), 1);
    let bundle = read_with(&folder.0, Limits { depth: 4, ..Limits::default() });
    assert!(bundle.imports.is_empty());
    assert!(bundle.flaws[0].what.contains("gzip in 4 others; expected at most 4 deep"), "{:?}", bundle.flaws);
    let many: Vec<(&str, &[u8])> = vec![("x", b"y"); 40];
    let folder = Folder::empty();
    folder.write("many.tar", &tar_of(&many));
    let bundle = read_with(&folder.0, Limits { entries: 30, ..Limits::default() });
    assert!(bundle.flaws[0].what.contains("more than 30 files"), "{:?}", bundle.flaws);
}

#[test]
fn names_that_lead_out_are_labels() {
    let folder = Folder::empty();
    let listing = format!("{HEAD}{ROW}");
    let name = format!("../../heldup-escaped-{}", std::process::id());
    folder.write("evil.tar", &tar_of(&[(&name, listing.as_bytes()), ("/etc/heldup-escaped", b"x")]));
    let bundle = folder.read();
    assert_eq!(bundle.imports.len(), 1);
    assert!(
        bundle.imports[0].file.file.ends_with(&format!("evil.tar/{name}")),
        "{}",
        bundle.imports[0].file.file
    );
    assert!(bundle.unknown[0].file.ends_with("evil.tar/etc/heldup-escaped"));
    let outside = folder.0.join(&name);
    assert!(!outside.exists() && !Path::new("/etc/heldup-escaped").exists());
    let left: Vec<_> = fs::read_dir(&folder.0).expect("the folder").collect();
    assert_eq!(left.len(), 1, "nothing is unpacked");
}

#[test]
fn what_is_cut_off_is_said_and_what_stands_before_is_read() {
    let listing = format!("{HEAD}{}", ROW.repeat(40_000));
    let (gz, folder) = (gzip(listing.as_bytes()), Folder::empty());
    folder.write("cut.gz", &gz[..gz.len() - 20]);
    let text = listing.as_bytes();
    let archive = tar_of(&[("one", text), ("two", text)]);
    folder.write("cut.tar", &archive[..archive.len() - 2_000_000]);
    folder.write("whole", format!("{HEAD}{ROW}").as_bytes());
    let bundle = folder.read();
    let samples: Vec<&str> = bundle.imports.iter().map(|import| import.file.what.as_str()).collect();
    assert_eq!(samples.len(), 4, "{samples:?} {:?}", bundle.flaws);
    assert_eq!((samples[1], samples[3]), ("vmstat, 40000 samples", "vmstat, 1 sample"));
    let flaws: Vec<String> = bundle
        .flaws
        .iter()
        .chain(bundle.imports.iter().flat_map(|import| &import.flaws))
        .map(|flaw| format!("{}: {}", flaw.place, flaw.what))
        .collect();
    assert!(flaws.iter().any(|flaw| flaw.contains("cut.gz:") && flaw.contains("expected more")), "{flaws:?}");
    assert!(flaws.iter().any(|flaw| flaw.contains("cut.tar")), "{flaws:?}");
}

#[test]
fn damaged_archives_cost_themselves_only() {
    let folder = Folder::empty();
    let good = fs::read(fixture(&format!("packed/{VMSTAT}.zip"))).expect("a recording");
    folder.write("a-cut.zip", &good[..good.len() / 2]);
    for ending in ["xz", "zst", "bz2", "gz"] {
        let mut bytes = fs::read(fixture(&format!("packed/{VMSTAT}.{ending}"))).expect("a recording");
        let middle = bytes.len() / 2;
        bytes[middle..middle + 8].fill(0x55);
        folder.write(&format!("b-damaged.{ending}"), &bytes);
    }
    folder.write("c-empty.gz", b"");
    folder.write("d-binary", &(0..=255).cycle().take(9000).collect::<Vec<u8>>());
    folder.write("e-vmstat", format!("{HEAD}{ROW}").as_bytes());
    let bundle = folder.read();
    assert!(bundle.imports.iter().any(|import| import.file.file.ends_with("e-vmstat")));
    for name in ["a-cut.zip", "b-damaged.xz", "b-damaged.bz2", "b-damaged.gz", "b-damaged.zst"] {
        let flaws = bundle.flaws.iter().chain(bundle.imports.iter().flat_map(|import| &import.flaws));
        assert!(flaws.clone().any(|flaw| flaw.place.contains(name)), "{name}: {:?}", bundle.flaws);
    }
    let unknown: Vec<&str> = bundle.unknown.iter().map(|file| file.what.as_str()).collect();
    assert!(unknown.contains(&"an empty file") && unknown.contains(&"unknown binary format"), "{unknown:?}");
}

#[test]
fn every_beginning_of_an_archive_is_read_without_panic() {
    let folder = Folder::empty();
    for name in [format!("packed/{VMSTAT}-in-xz-in-tar-xz-in-zip.zip"), format!("packed/{VMSTAT}.bz2")] {
        let bytes = fs::read(fixture(&name)).expect("a recording");
        for end in (0..bytes.len()).step_by(13) {
            let file = folder.write("cut", &bytes[..end]);
            let _ = read_with(&file, Limits::default());
        }
    }
}

#[test]
fn links_are_not_followed_and_a_path_that_is_not_there_is_said() {
    let (folder, outside) = (Folder::empty(), Folder::empty());
    outside.write("vmstat", format!("{HEAD}{ROW}").as_bytes());
    std::os::unix::fs::symlink(&outside.0, folder.0.join("out")).expect("a link");
    std::os::unix::fs::symlink(".", folder.0.join("again")).expect("a link");
    folder.write("text", b"x\n");
    let bundle = folder.read();
    assert!(bundle.imports.is_empty());
    assert!(
        bundle.notes.iter().any(|note| note.starts_with("2 links were not followed")),
        "{:?}",
        bundle.notes
    );
    let bundle = read_with(&folder.0.join("nothing"), Limits::default());
    assert!(bundle.flaws[0].what.contains("not there"), "{:?}", bundle.flaws);
}

/// A folder of outputs of commands of Solaris, copied years later.
#[test]
fn a_copied_folder_of_another_system_is_of_its_host_and_its_day() {
    let folder = Folder::empty();
    folder.write("uname-a.out", b"SunOS sunbox 5.10 Generic_147440-01 sun4v sparc SUNW,T5240\n");
    folder.write("date.out", b"Mon Nov 22 10:00:00 UTC 2010\n");
    folder.write(
        "disks/free.out",
        b"             total       used       free     shared    buffers     cached\n\
          Mem:      16333100   15333100    1000000          0     336360    9459612\n",
    );
    let bundle = folder.read();
    let import = &bundle.imports[0];
    let capture = import.capture.as_ref().expect("a capture");
    assert_eq!((capture.host.as_str(), capture.span.until_ms), ("sunbox", 1_290_420_000_000));
    assert!(
        import.file.notes.iter().any(|note| note.contains("the time of its report")),
        "{:?}",
        import.file.notes
    );
}
