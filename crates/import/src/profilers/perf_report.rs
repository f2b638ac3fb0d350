//! The columns of `perf report`: which there are depends on its options and on how it was recorded.

use crate::document::put::percent;
use crate::profilers::profile_row::Row;

/// What stands before the symbol.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PerfColumns {
    has_children: bool,
    /// Shares behind those of the samples: by mode (`sys`, `usr` …).
    other_shares: usize,
    /// `Samples`, `Period`: how many numbers, and which of them are samples.
    numbers: usize,
    samples_at: Option<usize>,
    has_process: bool,
    has_image: bool,
    /// Columns behind the symbol (`IPC`).
    has_more: bool,
}

impl PerfColumns {
    /// The columns of a line of headings.
    pub fn of(words: &[&str]) -> Option<PerfColumns> {
        let mut columns = PerfColumns::default();
        let mut rest = match words {
            ["Children", "Self", rest @ ..] => {
                columns.has_children = true;
                rest
            }
            ["Overhead", rest @ ..] => rest,
            _ => return None,
        };
        loop {
            rest = match rest {
                ["sys" | "usr" | "guest", "sys" | "usr", more @ ..] if rest[0] == "guest" => {
                    columns.other_shares += 1;
                    more
                }
                ["sys" | "usr", more @ ..] => {
                    columns.other_shares += 1;
                    more
                }
                ["Samples", more @ ..] => {
                    columns.samples_at = Some(columns.numbers);
                    columns.numbers += 1;
                    more
                }
                ["Period", more @ ..] => {
                    columns.numbers += 1;
                    more
                }
                ["Command", more @ ..] => {
                    columns.has_process = true;
                    more
                }
                ["Shared", "Object", more @ ..] => {
                    columns.has_image = true;
                    more
                }
                ["Symbol", more @ ..] => {
                    columns.has_more = !more.is_empty();
                    return Some(columns);
                }
                _ => return None,
            };
        }
    }

    /// The columns of a row whose headings were not copied: `+   14.36%  swapper  [kernel]  [k] native_safe_halt` of a
    /// report's screen, `2.73%  [kernel]  [k] __schedule` of `perf top`. Whether they are those of `perf top`.
    pub fn of_row(words: &[&str]) -> Option<(PerfColumns, bool)> {
        let words = match words {
            ["+" | "-", rest @ ..] => rest,
            words => words,
        };
        let is_share = |word: &&&str| word.strip_suffix('%').is_some_and(|share| percent(share).is_some());
        let shares = words.iter().take_while(is_share).count();
        let mark = words.iter().position(|word| matches!(*word, "[k]" | "[.]" | "[g]" | "[u]" | "[H]"))?;
        let names = mark.checked_sub(shares)?;
        if !(1..=2).contains(&shares) || !(1..=5).contains(&names) || mark + 1 >= words.len() {
            return None;
        }
        let has_process = names > 1;
        let columns =
            PerfColumns { has_children: shares == 2, has_process, has_image: true, ..PerfColumns::default() };
        Some((columns, !has_process))
    }

    /// A function.
    pub fn row(&self, words: &[&str]) -> Option<Row> {
        // The mark of a row that can be opened, on a screen that was copied.
        let words = match words {
            ["+" | "-", rest @ ..] => rest,
            words => words,
        };
        let (shares, rest) =
            words.split_at_checked(1 + usize::from(self.has_children) + self.other_shares)?;
        let shares: Option<Vec<f64>> = shares.iter().map(|word| percent(word.strip_suffix('%')?)).collect();
        let shares = shares?;
        let (numbers, names) = rest.split_at_checked(self.numbers)?;
        let numbers: Option<Vec<f64>> = numbers.iter().map(|word| word.parse().ok()).collect();
        let samples = numbers?.get(self.samples_at.unwrap_or(usize::MAX)).copied();
        let is_mark = |word: &&str| word.len() == 3 && word.starts_with('[') && word.ends_with(']');
        let mark = names.iter().position(is_mark)?;
        let (before, symbol) = (&names[..mark], &names[mark + 1..]);
        let (process, image) = match (self.has_process, self.has_image) {
            (true, true) => before.split_last().map(|(image, process)| (process, *image))?,
            (true, false) => (before, ""),
            (false, true) => (&before[..0], before.last().copied().unwrap_or("")),
            (false, false) => (&before[..0], ""),
        };
        let end = if self.has_more {
            symbol.iter().rposition(|word| !matches!(*word, "-" | "[-]")).map_or(0, |last| last + 1)
        } else {
            symbol.len()
        };
        Some(Row {
            function: Some(symbol[..end].join(" ")),
            process: process.join(" "),
            image: image.to_owned(),
            samples,
            self_share: shares.get(usize::from(self.has_children)).copied(),
            inclusive_share: self.has_children.then(|| shares[0]),
            others: Vec::new(),
        })
    }
}

/// The event of a line `Samples: 22M of event 'cpu-clock:pppH', Event count (approx.): 133212307020`, behind its first
/// word.
pub fn event<'w>(rest: &[&'w str]) -> Option<&'w str> {
    match rest {
        [_, "of", "event" | "events", name, ..] => Some(name.trim_end_matches(',').trim_matches('\'')),
        [.., name] => Some(name.trim_matches('\'')),
        [] => None,
    }
}

/// All samples, where they are not rounded (`22M`).
pub fn total(words: &[&str]) -> Option<f64> {
    let at = words.iter().position(|word| *word == "Samples:")?;
    words.get(at + 1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(head: &str, line: &str) -> Row {
        let words = |text: &'static str| text.split_whitespace().collect::<Vec<_>>();
        let (head, line): (&'static str, &'static str) = (head.to_owned().leak(), line.to_owned().leak());
        PerfColumns::of(&words(head)).expect("a heading").row(&words(line)).expect("a row")
    }

    #[test]
    fn columns_of_many_options() {
        let read = row(
            "Overhead Samples Command Shared Object Symbol",
            "0.44% 68 my qemu [kernel.kallsyms] [k] finish_task_switch.isra.0",
        );
        assert_eq!(
            (read.samples, read.process.as_str(), read.self_share),
            (Some(68.0), "my qemu", Some(0.0044))
        );
        let read = row("Overhead Shared Object Symbol", "25.50% [kernel] [k] _raw_spin_unlock_irq");
        assert_eq!((read.image.as_str(), read.process.as_str()), ("[kernel]", ""));
        let read = row(
            "Children Self Command Shared Object Symbol",
            "+ 95.10% 1.20% perl libperl.so.5.36 [.] Perl_runops_standard",
        );
        assert_eq!((read.self_share, read.inclusive_share), (Some(0.012), Some(0.951)));
        let read = row(
            "Overhead Command Shared Object Symbol IPC [IPC Coverage]",
            "9.00% sh libc.so.6 [.] operator new(unsigned long) - -",
        );
        assert_eq!(read.function.as_deref(), Some("operator new(unsigned long)"));
        let read = row("Overhead sys usr Command Symbol", "9.00% 8.00% 1.00% sh [k] copy_page");
        assert_eq!((read.process.as_str(), read.function.as_deref()), ("sh", Some("copy_page")));
        assert_eq!(PerfColumns::of(&["Overhead", "of", "a", "Symbol"]), None);
    }

    #[test]
    fn rows_without_headings() {
        let of = |line: &'static str| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let (columns, is_top) = PerfColumns::of_row(&words)?;
            let row = columns.row(&words)?;
            Some((is_top, row.process, row.image, row.function?, row.self_share?))
        };
        let told = |is_top, process: &str, image: &str, function: &str, share| {
            Some((is_top, process.to_owned(), image.to_owned(), function.to_owned(), share))
        };
        assert_eq!(
            of("+   14.36%  swapper  [kernel]  [k] native_safe_halt"),
            told(false, "swapper", "[kernel]", "native_safe_halt", 0.1436)
        );
        assert_eq!(
            of("2.73%  [kernel]       [k] __schedule"),
            told(true, "", "[kernel]", "__schedule", 0.0273)
        );
        assert_eq!(
            of("-  95.10%  1.20%  Web Content libxul.so [.] a(int)"),
            told(false, "Web Content", "libxul.so", "a(int)", 0.012)
        );
        for line in ["2.73% of it [k] x", "[k] x", "14.36% [k] x", "14 a b [k] x", "14.36% a b [k]"] {
            assert!(of(line).is_none_or(|told| told.3 == "x" && line.contains("of it")), "{line}");
        }
    }

    #[test]
    fn samples_and_their_event() {
        let words = |text: &'static str| text.split_whitespace().collect::<Vec<_>>();
        let told = words("Samples: 22M of event 'cpu-clock:pppH', Event count (approx.): 133212307020");
        assert_eq!((event(&told[1..]), total(&told)), (Some("cpu-clock:pppH"), None));
        let told = words("# Samples: 3  of event 'cpu-clock'");
        assert_eq!((event(&told[2..]), total(&told)), (Some("cpu-clock"), Some(3.0)));
    }
}
