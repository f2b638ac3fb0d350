//! `bonnie++`: how fast a file system was, in the two lines of figures that it prints at its end.

use heldup_model::Record;
use heldup_model::tables::BenchmarkRow;

use crate::document::put::{Put, put};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::table::sheets::When;

const NAME: &str = "bonnie++";
/// Lines between the headings of files and those of blocks.
const LONGEST_GAP: u64 = 8;

/// Figures of the first line, in pairs with a share of a CPU.
const BLOCKS: [&str; 6] = ["write_char", "write_block", "rewrite", "read_char", "read_block", "seek"];
/// Of the second.
const FILES: [&str; 6] = [
    "create_sequential",
    "stat_sequential",
    "delete_sequential",
    "create_random",
    "stat_random",
    "delete_random",
];

/// Reads what it prints at its end.
#[derive(Default)]
pub struct Bonnie {
    run: Option<Run>,
}

struct Run {
    when: Option<When>,
    machine: String,
    /// The figures of the row that comes next.
    next: Option<&'static [&'static str; 6]>,
    last_line: u64,
}

impl Importer for Bonnie {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let is_head =
            matches!(line.words, ["Version", _, rest @ ..] if rest.join(" ").contains("Sequential Output"));
        if is_head {
            self.ends(document)?;
            let (machine, last_line) = (String::new(), line.number);
            self.run = Some(Run { when: None, machine, next: None, last_line });
        }
        Ok(is_head)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if self.begins(line, document)? {
            return Ok(true);
        }
        let Some(run) = self.run.as_mut().filter(|run| line.number <= run.last_line + LONGEST_GAP) else {
            return Ok(false);
        };
        run.last_line = line.number;
        match line.words {
            ["Machine" | "Name:Size", ..] if line.text.contains("/sec") => run.next = Some(&BLOCKS),
            ["files:max:min", ..] => run.next = Some(&FILES),
            [first, ..] if first.starts_with('-') => {}
            words => match run.next.take() {
                Some(figures) => run.row(figures, words, line.number, document),
                None => return Ok(false),
            },
        }
        Ok(true)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        match self.run.take().and_then(|run| run.when) {
            Some(_) => document.end_sample(NAME),
            None => Ok(()),
        }
    }
}

impl Run {
    fn row(&mut self, figures: &[&'static str; 6], words: &[&str], line: u64, document: &mut Document) {
        let is_blocks = figures == &BLOCKS;
        let names = if is_blocks { 2 } else { 1 };
        let numbers = words.get(names..).unwrap_or_default();
        if numbers.len() != 2 * figures.len() {
            let what = format!("{NAME}: {} numbers; expected {}", numbers.len(), 2 * figures.len());
            document.flaw(line, what);
            return;
        }
        if is_blocks {
            self.machine = words[0].to_owned();
        }
        let when = match self.when {
            Some(when) => when,
            None => {
                document.begin(NAME);
                *self.when.insert(document.moment(NAME))
            }
        };
        for (figure, pair) in figures.iter().zip(numbers.chunks_exact(2)) {
            let unit = if is_blocks && *figure != "seek" { 1024.0 } else { 1.0 };
            let [value, cpu] = pair else { continue };
            let value = amount(value, unit);
            let cells = [
                ("tool", Put::Text(NAME)),
                ("machine_name", Put::Text(&self.machine)),
                ("figure_name", Put::Text(figure)),
                ("value", Put::Number(value)),
                ("cpu_ratio", Put::Number(cpu.parse::<f64>().ok().map(|percent| percent / 100.0))),
            ];
            put(document, BenchmarkRow::DEF, when, figure, &cells);
        }
    }
}

/// `144685` of the column's unit, `1.3g` of bytes in later releases; plus signs where it was too fast.
fn amount(word: &str, unit: f64) -> Option<f64> {
    let at = word.len().checked_sub(1).filter(|at| word.is_char_boundary(*at))?;
    let factor = match &word[at..] {
        "k" => 1024.0,
        "m" => 1_048_576.0,
        "g" => 1_073_741_824.0,
        _ => return word.parse().ok().map(|number: f64| number * unit),
    };
    word[..at].parse().ok().map(|number: f64| number * factor)
}

#[cfg(test)]
mod tests {
    use super::amount;

    #[test]
    fn amounts_of_all_releases() {
        assert_eq!(amount("144685", 1024.0), Some(148_157_440.0));
        assert_eq!(amount("1.5g", 1024.0), Some(1.5 * 1_073_741_824.0));
        assert_eq!(amount("893.3", 1.0), Some(893.3));
        assert_eq!(amount("+++++", 1.0), None);
    }
}
