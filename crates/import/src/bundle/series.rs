//! Files of `/proc` in one text: one after the other below lines that name them, or again and again below lines that
//! say when, as loops of `date; cat /proc/vmstat` and collectors write them.
//!
//! What stands between two times is one look at the machine. What is no file of the kernel is left for the
//! importers of listings, with the times.

use std::io::{BufRead, BufReader, Read};

use heldup_hostfs::MemoryTree;
use jiff::tz::TimeZone;

use super::held::Held;
use super::kernel_file;
use super::marks::{Mark, mark};

/// Lines that are looked at for the beginning of a series.
const LOOKED_AT_LINES: usize = 64;
/// Longer lines are no content of such files but of lists of interrupts.
const LONGEST_LINE: u64 = 1 << 20;
/// Files whose first line no other of their lines is like.
const HEADED: [&str; 10] = [
    "/proc/diskstats",
    "/proc/interrupts",
    "/proc/loadavg",
    "/proc/meminfo",
    "/proc/net/dev",
    "/proc/net/netstat",
    "/proc/net/snmp",
    "/proc/softirqs",
    "/proc/stat",
    "/proc/vmstat",
];
/// Text beside the files that is held.
const MOST_REST_BYTES: usize = 16 << 20;

/// One look at a machine.
#[derive(Debug)]
pub struct Look {
    /// When it was, where a line says so: milliseconds since 1970-01-01 UTC.
    pub ms: Option<i64>,
    /// Its files.
    pub tree: MemoryTree,
}

impl Look {
    fn of(ms: Option<i64>) -> Look {
        Look { ms, tree: MemoryTree::default() }
    }
}

/// Whether a text has files of the kernel below such lines, or one behind the other.
pub fn is_one(beginning: &[u8], name: &str, zone: Option<&TimeZone>) -> bool {
    let text = String::from_utf8_lossy(beginning);
    let all: Vec<&str> = text.lines().collect();
    // In a block of Markdown whatever stands above it.
    let fenced = all.iter().position(|line| is_fence(line)).map(|at| &all[at + 1..]);
    if let Some([first, second, ..]) = fenced
        && begun(first, second, name).is_some()
    {
        return true;
    }
    let lines: Vec<&str> = all.into_iter().filter(|line| !is_fence(line)).collect();
    let line = |at: usize| lines.get(at).copied().unwrap_or_default();
    // Of a file alone every line is looked at, since the next file may be far below.
    if let Some(path) = begun(line(0), line(1), name) {
        let first = key(path.trim_start_matches('/'), line(0));
        return HEADED.contains(&path)
            && (1..lines.len()).any(|at| match begun(line(at), line(at + 1), name) {
                Some(other) if other == path => key(path.trim_start_matches('/'), line(at)) == first,
                other => other.is_some(),
            });
    }
    (1..lines.len().min(LOOKED_AT_LINES)).any(|at| match mark(line(at - 1), zone) {
        Some(Mark::Path(_)) => {
            let is_listed = line(at).starts_with("total ");
            !line(at).trim().is_empty() && !is_listed && mark(line(at), zone).is_none()
        }
        Some(Mark::Time(_)) => begun(line(at), line(at + 1), name).is_some(),
        None => false,
    })
}

/// Whether a line is the beginning or the end of a block of Markdown.
fn is_fence(line: &str) -> bool {
    line.trim().starts_with("```")
}

/// The file that two lines begin, in the form that a tree has.
fn begun(line: &str, next: &str, name: &str) -> Option<&'static str> {
    let mut text = String::with_capacity(line.len() + next.len() + 1);
    text.push_str(line);
    text.push('\n');
    text.push_str(next);
    kernel_file::recognise(text.as_bytes(), name)
}

/// Reads a text, as far as its files may be held; `take` gets each look as it is complete. What is left is the text beside
/// the files.
pub fn read(
    input: impl Read,
    name: &str,
    zone: Option<&TimeZone>,
    held: &mut Held,
    take: &mut dyn FnMut(Look),
) -> std::io::Result<String> {
    let mut reader =
        Reader { name, zone, held, take, look: None, file: None, rest: String::new(), path: None };
    let mut input = BufReader::new(input);
    let mut line = next_line(&mut input)?;
    while let Some(this) = line {
        line = next_line(&mut input)?;
        // A last line without its end was cut off, with what it belongs to.
        let is_cut = line.is_none() && !this.ends_with('\n');
        reader.line(
            this.trim_end_matches(['\n', '\r']),
            line.as_deref().unwrap_or_default().trim_end(),
            is_cut,
        );
    }
    reader.end_look();
    Ok(reader.rest)
}

fn next_line(input: &mut impl BufRead) -> std::io::Result<Option<String>> {
    let mut bytes = Vec::new();
    let count = input.take(LONGEST_LINE).read_until(b'\n', &mut bytes)?;
    Ok((count > 0).then(|| String::from_utf8_lossy(&bytes).into_owned()))
}

struct Reader<'t> {
    name: &'t str,
    zone: Option<&'t TimeZone>,
    held: &'t mut Held,
    take: &'t mut dyn FnMut(Look),
    look: Option<Look>,
    file: Option<Open>,
    /// The file that the line before named.
    path: Option<String>,
    rest: String,
}

/// A file that is being read.
struct Open {
    path: String,
    /// What its first line begins with.
    key: String,
    /// Nothing where it is too large to be held.
    text: Option<String>,
    is_named: bool,
}

impl Reader<'_> {
    fn line(&mut self, line: &str, next: &str, is_cut: bool) {
        if is_fence(line) {
            self.end_file();
            return self.beside(line);
        }
        match mark(line, self.zone) {
            Some(Mark::Time(ms)) => {
                self.end_look();
                self.look = Some(Look::of(Some(ms)));
                self.path = None;
                return self.beside(line);
            }
            Some(Mark::Path(path)) => {
                self.end_file();
                self.path = Some(path.to_owned());
                return;
            }
            None => {}
        }
        if let Some(path) = self.path.take() {
            if line.trim().is_empty() {
                self.path = Some(path);
                return;
            }
            return self.begin(path, line, true, is_cut);
        }
        if let Some(path) = begun(line, next, self.name).filter(|_| !line.is_empty()) {
            let path = path.trim_start_matches('/');
            let goes_on =
                self.file.as_ref().is_some_and(|file| file.path == path && !file.begins_again(line));
            if !goes_on {
                return self.begin(path.to_owned(), line, false, is_cut);
            }
        }
        match self.file.as_mut() {
            Some(_) if is_cut => self.file = None,
            Some(file) if file.fits(line) => file.push(line, self.held.largest()),
            _ => {
                self.end_file();
                self.beside(line);
            }
        }
    }

    fn begin(&mut self, path: String, line: &str, is_named: bool, is_cut: bool) {
        self.end_file();
        // The same file again without a time between is of another moment.
        let is_again = self.look.as_ref().is_some_and(|look| look.tree.file(&format!("/{path}")).is_some());
        if is_again {
            let ms = self.look.as_ref().and_then(|look| look.ms);
            self.end_look();
            self.look = Some(Look::of(ms));
        }
        if !is_cut {
            let key = key(&path, line);
            let mut file = Open { path, key, text: Some(String::new()), is_named };
            file.push(line, self.held.largest());
            self.file = Some(file);
        }
    }

    fn end_file(&mut self) {
        let Some(file) = self.file.take() else { return };
        let look = self.look.get_or_insert_with(|| Look::of(None));
        let text = file.text.filter(|text| self.held.take_one_of_many(text.len() as u64));
        let Some(text) = text else {
            self.held.left_out += 1;
            return;
        };
        let before = look.tree.paths_bytes();
        look.tree.add_file(&file.path, text.into_bytes());
        self.held.take(look.tree.paths_bytes() - before);
    }

    fn end_look(&mut self) {
        self.end_file();
        if let Some(look) = self.look.take().filter(|look| look.tree.files() > 0) {
            (self.take)(look);
        }
    }

    fn beside(&mut self, line: &str) {
        if self.rest.len() + line.len() < MOST_REST_BYTES {
            self.rest.push_str(line);
            self.rest.push('\n');
        }
    }
}

impl Open {
    fn push(&mut self, line: &str, most_bytes: u64) {
        let Some(text) = self.text.as_mut() else { return };
        if (text.len() + line.len()) as u64 >= most_bytes {
            self.text = None;
            return;
        }
        text.push_str(line);
        text.push('\n');
    }

    fn begins_again(&self, line: &str) -> bool {
        key(&self.path, line) == self.key
    }

    /// Whether a line can be one of the file, as far as its kind tells.
    fn fits(&self, line: &str) -> bool {
        let mut words = line.split_whitespace();
        let (first, second) = (words.next().unwrap_or_default(), words.next());
        let is_number = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
        match self.path.as_str() {
            "proc/meminfo" | "proc/net/snmp" | "proc/net/netstat" | "proc/interrupts" | "proc/softirqs" => {
                first.ends_with(':')
            }
            "proc/net/dev" => line.contains([':', '|']),
            "proc/vmstat" | "proc/net/snmp6" => second.is_some_and(is_number) && words.next().is_none(),
            "proc/stat" => {
                let is_cpu =
                    first.strip_prefix("cpu").is_some_and(|number| number.is_empty() || is_number(number));
                is_cpu || STAT.contains(&first)
            }
            "proc/diskstats" => is_number(first) && second.is_some_and(is_number),
            "proc/loadavg" | "proc/uptime" => false,
            "proc/buddyinfo" => first == "Node",
            _ => self.is_named || !line.is_empty(),
        }
    }
}

/// Lines of `/proc/stat` beside those of the CPUs.
const STAT: [&str; 10] = [
    "intr",
    "ctxt",
    "btime",
    "processes",
    "procs_running",
    "procs_blocked",
    "softirq",
    "page",
    "swap",
    "disk_io:",
];

/// What tells the first line of a file from the others of it.
fn key(path: &str, line: &str) -> String {
    let count = match path {
        "proc/diskstats" | "proc/cpuinfo" => 3,
        "proc/zoneinfo" | "proc/buddyinfo" => 4,
        _ => 1,
    };
    line.split_whitespace().take(count).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::Limits;

    /// The time of a look, and its files with their content.
    type Found = (Option<i64>, Vec<(&'static str, String)>);

    fn looks(text: &str) -> (Vec<Found>, String) {
        let mut looks = Vec::new();
        let known = ["/proc/meminfo", "/proc/stat", "/proc/loadavg", "/proc/vmstat", "/proc/diskstats"];
        let mut held = Held::of(&Limits::default());
        let rest = read(text.as_bytes(), "x", None, &mut held, &mut |look| {
            let file = |path: &'static str| {
                let file = look.tree.file(path)?;
                Some((path, String::from_utf8_lossy(file).into_owned()))
            };
            looks.push((look.ms, known.iter().filter_map(|path| file(path)).collect()));
        });
        (looks, rest.expect("memory"))
    }

    #[test]
    fn each_time_has_its_files_and_what_is_cut_off_is_left_out() {
        let text = "zzz ***Thu Mar  3 12:33:44 CET 2022\nMemTotal: 5 kB\nMemFree: 1 kB\n\
            zzz ***Thu Mar  3 12:34:14 CET 2022\nMemTotal: 5 kB\nMemFree: 2 kB\nzzz ***Thu Mar  3 12:34:44 CET 2022\nMemT";
        assert!(is_one(text.as_bytes(), "x", None));
        let (looks, _) = looks(text);
        let free = |at: usize| looks[at].1[0].1.clone();
        assert_eq!(
            looks.iter().map(|look| look.0).collect::<Vec<_>>(),
            [Some(1_646_307_224_000), Some(1_646_307_254_000)]
        );
        assert_eq!(
            (free(0), free(1)),
            ("MemTotal: 5 kB\nMemFree: 1 kB\n".into(), "MemTotal: 5 kB\nMemFree: 2 kB\n".into())
        );
    }

    #[test]
    fn several_files_below_one_time_are_one_look_and_listings_are_left() {
        let text = "1646307224\n0.25 0.10 0.05 1/123 4567\ncpu  8 0 6 200\ncpu0 8 0 6 200\nctxt 7\n\
            nr_free_pages 5\nnr_zone_inactive_anon 6\n 17:00:01 up 5 days, load\n\
            1646307229\n0.50 0.10 0.05 1/123 4567\ncpu  9 0 6 300\ncpu0 9 0 6 300\nctxt 9\n";
        assert!(is_one(text.as_bytes(), "x", None));
        let (looks, rest) = looks(text);
        assert_eq!(looks.len(), 2);
        let paths = |at: usize| looks[at].1.iter().map(|(path, _)| *path).collect::<Vec<_>>();
        assert_eq!(paths(0), ["/proc/stat", "/proc/loadavg", "/proc/vmstat"]);
        assert_eq!(paths(1), ["/proc/stat", "/proc/loadavg"]);
        assert_eq!(rest, "1646307224\n 17:00:01 up 5 days, load\n1646307229\n");
    }

    #[test]
    fn files_are_named_by_lines_and_come_again() {
        let text = "==> /proc/diskstats <==\n 8 0 sda 1 2 3 4 5 6 7 8 9 10 11\n 8 1 sda1 1 2 3 4 5 6 7 8 9 10 11\n\n\
            ==> /proc/loadavg <==\n0.25 0.10 0.05 1/123 4567\n\
            # cat /proc/diskstats\n 8 0 sda 2 2 3 4 5 6 7 8 9 10 11\n";
        assert!(is_one(text.as_bytes(), "x", None));
        let (looks, _) = looks(text);
        assert_eq!(looks.len(), 2, "{looks:?}");
        assert_eq!((looks[0].1.len(), looks[1].1.len()), (2, 1));
        assert!(looks[0].1[1].1.ends_with("sda1 1 2 3 4 5 6 7 8 9 10 11\n"), "{looks:?}");
    }

    #[test]
    fn files_follow_each_other_without_a_line_between() {
        let text = "MemTotal: 5 kB\nMemFree: 1 kB\ncpu  8 0 6 200\ncpu0 8 0 6 200\nctxt 7\n\
            MemTotal: 5 kB\nMemFree: 2 kB\ncpu  8 0 6 300\ncpu0 8 0 6 300\nctxt 9\n";
        assert!(is_one(text.as_bytes(), "x", None));
        let (looks, _) = looks(text);
        let paths = |at: usize| looks[at].1.iter().map(|(path, _)| *path).collect::<Vec<_>>();
        assert_eq!((looks.len(), paths(0), paths(1)), (2, paths(1), vec!["/proc/meminfo", "/proc/stat"]));
        assert_eq!(looks[1].0, None);
    }

    #[test]
    fn files_are_held_up_to_so_many_and_up_to_a_size() {
        let one = "Thu Mar  3 12:33:44 CET 2022\nMemTotal: 5 kB\nMemFree: 1 kB\n0.25 0.10 0.05 1/123 4567\n";
        let read = |limits: Limits, text: &str| {
            let (mut held, mut files) = (Held::of(&limits), 0);
            let rest = read(text.as_bytes(), "x", None, &mut held, &mut |look| files += look.tree.files());
            (files, held.left_out, rest.expect("memory").lines().count())
        };
        assert_eq!(read(Limits::default(), &one.repeat(4)), (8, 0, 4));
        assert_eq!(read(Limits { loose_files: 3, ..Limits::default() }, &one.repeat(4)), (3, 5, 4));
        // What does not fit costs itself only, and is no text beside the files.
        let long = format!("{one}MemTotal: 5 kB\n{}{one}", "MemFree: 1 kB\n".repeat(1_000));
        assert_eq!(read(Limits { held_bytes: 10_000, ..Limits::default() }, &long), (4, 1, 2));
    }

    #[test]
    fn other_texts_are_none() {
        for text in [
            "MemTotal: 5 kB\nMemFree: 1 kB\n",
            " 8 0 sda 1 2 3 4 5 6 7 8 9 10 11\n 8 16 sdb 1 2 3 4 5 6 7 8 9 10 11\n",
            "Filesystem 1K-blocks Used Available Use% Mounted on\nsystemd-1 0 0 0 0% /proc/sys/fs/binfmt_misc\nMemTotal: 5 kB\n",
            "zzz ***Thu Mar  3 12:33:44 CET 2022\nprocs -----------memory----------\n",
            "# cat /proc/stat\n",
            "",
        ] {
            assert!(!is_one(text.as_bytes(), "x", None), "{text}");
        }
    }
}
