//! `/proc/lock_stat` and `/proc/latency_stats`: what tasks waited for in the kernel, by lock and by
//! path, since somebody began to count. How long ago that was nobody tells, so the rows have no interval.

use heldup_model::tables::StackRow;
use heldup_model::{Class, Record};

use crate::document::put::{Put, put};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::profilers::stack_meaning::meaning;
use crate::table::sheets::When;

const LOCKS: &str = "lock_stat";
const LATENCIES: &str = "latency_stats";

/// Reads both.
#[derive(Default)]
pub struct KernelStats {
    listing: Option<Listing>,
}

enum Listing {
    Locks {
        when: When,
        /// Places of contentions and of the sum of waits among the numbers.
        contentions: usize,
        total: usize,
        lock: Option<Lock>,
    },
    Latencies {
        when: When,
    },
}

/// A class of locks, and who asked for it most often.
struct Lock {
    name: String,
    waits: f64,
    wait_s: f64,
    asker: Option<(String, f64)>,
    /// Lines of dashes below it: behind the first stand those who asked, behind the second who held.
    rules: u32,
}

impl Importer for KernelStats {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        match line.words {
            ["lock_stat", "version", ..] => Ok(true),
            ["class", "name", headings @ ..] => {
                let place = |name| headings.iter().position(|heading| *heading == name);
                let (Some(contentions), Some(total)) = (place("contentions"), place("waittime-total")) else {
                    return Ok(false);
                };
                self.ends(document)?;
                document.begin(LOCKS);
                let when = document.moment(LOCKS);
                self.listing = Some(Listing::Locks { when, contentions, total, lock: None });
                Ok(true)
            }
            ["Latency", "Top", "version", ..] => {
                self.ends(document)?;
                document.begin(LATENCIES);
                self.listing = Some(Listing::Latencies { when: document.moment(LATENCIES) });
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        match self.listing.as_mut() {
            Some(Listing::Locks { .. }) => self.lock_line(line, document),
            Some(Listing::Latencies { when }) => Ok(latency(line, *when, document)),
            None => Ok(false),
        }
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        match self.listing.take() {
            Some(Listing::Locks { when, lock, .. }) => {
                write(lock, when, document);
                document.end_sample(LOCKS)
            }
            Some(Listing::Latencies { .. }) => document.end_sample(LATENCIES),
            None => Ok(()),
        }
    }
}

impl KernelStats {
    fn lock_line(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let Some(Listing::Locks { when, contentions, total, lock }) = self.listing.as_mut() else {
            return Ok(false);
        };
        if is_ruled_off(line.words) {
            if let Some(lock) = lock.as_mut() {
                lock.rules += 1;
            }
            return Ok(true);
        }
        // `name 12 [<address>] function+0x1/0x2`.
        if let [.., count, address, function] = line.words
            && address.starts_with("[<")
        {
            let function = function.split("+0x").next().unwrap_or(function);
            if let (Some(lock), Ok(count)) = (lock.as_mut(), count.parse::<f64>())
                && lock.rules == 1
                && lock.asker.as_ref().is_none_or(|(_, most)| count > *most)
            {
                lock.asker = Some((function.to_owned(), count));
            }
            return Ok(true);
        }
        // A name may have blanks in it, as `&q->lock {spin}`; it ends with a colon.
        let Some(end) = line.words.iter().position(|word| word.ends_with(':')) else { return Ok(false) };
        let name = line.words[..=end].join(" ");
        let numbers: Vec<Option<f64>> = line.words[end + 1..].iter().map(|word| word.parse().ok()).collect();
        let value = |at: usize| numbers.get(at).copied().flatten();
        let (Some(waits), Some(wait_us)) = (value(*contentions), value(*total)) else {
            let what = format!(
                "lock_stat: {} numbers of a lock; expected contentions and waittime-total",
                numbers.len()
            );
            document.flaw(line.number, what);
            return Ok(true);
        };
        let next = Lock {
            name: name.trim_end_matches(':').to_owned(),
            waits,
            wait_s: wait_us / 1e6,
            asker: None,
            rules: 0,
        };
        write(lock.replace(next), *when, document);
        Ok(true)
    }
}

/// Lines of dashes or dots between classes.
fn is_ruled_off(words: &[&str]) -> bool {
    words.iter().all(|word| word.bytes().all(|byte| matches!(byte, b'-' | b'.')))
}

fn write(lock: Option<Lock>, when: When, document: &mut Document) {
    let Some(lock) = lock.filter(|lock| lock.waits > 0.0) else { return };
    let asker = lock.asker.map(|(function, _)| function).unwrap_or_default();
    let mut cells = vec![
        ("kind", Put::Text("wait")),
        ("class_name", Put::Text("lock_kernel")),
        ("object_kind", Put::Text("lock")),
        ("object_name", Put::Text(&lock.name)),
        ("samples", Put::Number(Some(lock.waits))),
        ("seconds", Put::Number(Some(lock.wait_s))),
    ];
    if !asker.is_empty() {
        cells.push(("kernel_stack", Put::Text(&asker)));
    }
    put(document, StackRow::DEF, when, &lock.name, &cells);
}

/// `12 3456 789 innermost … outermost`: how often, microseconds together and at most, and the path.
fn latency(line: &Line<'_>, when: When, document: &mut Document) -> bool {
    let [count, total_us, _, path @ ..] = line.words else { return false };
    let (Ok(count), Ok(total_us)) = (count.parse::<f64>(), total_us.parse::<f64>()) else { return false };
    if path.is_empty() || path[0].parse::<f64>().is_ok() {
        return false;
    }
    let outermost_first: Vec<&str> = path.iter().rev().copied().collect();
    let stack = outermost_first.join(";");
    let told = meaning(path);
    let mut cells = vec![
        ("kind", Put::Text("wait")),
        ("kernel_stack", Put::Text(&stack)),
        ("samples", Put::Number(Some(count))),
        ("seconds", Put::Number(Some(total_us / 1e6))),
    ];
    let asker = told.asker.map(|asker| [("object_kind", "lock"), ("object_name", asker)]);
    let texts = [("class_name", told.class.map(Class::name)), ("syscall", told.syscall)];
    let texts = texts.into_iter().filter_map(|(column, text)| Some((column, text?)));
    cells.extend(texts.chain(asker.into_iter().flatten()).map(|(column, text)| (column, Put::Text(text))));
    if let Some(is_kernel) = told.is_kernel {
        cells.push(("kernel_thread", Put::Is(is_kernel)));
    }
    put(document, StackRow::DEF, when, &stack, &cells);
    true
}
