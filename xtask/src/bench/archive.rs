//! What an archive takes to answer: the bench `day` of the archive crate, which makes up a day of a hundred processes.

use std::process::Stdio;

use anyhow::Result;

use super::{Bench, Figure, Setting};
use crate::program::{cargo, output};

/// The bench.
pub const BENCH: Bench = Bench {
    name: "archive",
    question: "how soon an archive of a day of 100 processes answers",
    looks: false,
    measure,
};

/// What the bench of the archive crate measures of the program, and the bar in seconds.
const QUESTIONS: &[(&str, f64)] = &[
    ("heldup examine, an hour", 1.0),
    // The bar of examining is 6 s, that of a hundred rules 5: they are the same answer.
    ("heldup examine, 100 rules over a day", 5.0),
    ("heldup sql, top ten of a day", 3.0),
    ("heldup sql, top ten of a day by the minute", 0.2),
];

/// States of an archive: as its hours were sealed, and once its day is over.
const STATES: &[&str] = &["sealed by the hour", "put together"];

fn measure(setting: &Setting) -> Result<Vec<Figure>> {
    let arguments = ["bench", "--quiet", "--package", "heldup-archive", "--bench", "day"];
    let mut bench = cargo(setting.tree, &arguments);
    let words = output(bench.env("HELDUP_BIN", &setting.heldup).stderr(Stdio::inherit()))?;
    let figures = STATES.iter().flat_map(|state| {
        let lines = lines_of(&words, state);
        QUESTIONS.iter().map(move |(question, limit)| {
            let what = format!("{question}, {state}");
            match lines.iter().find_map(|line| median_of(line, question)) {
                Some(seconds) => Figure::at_most(what, seconds, *limit, "s", 2),
                None => Figure::shown(what, "not told by cargo bench --package heldup-archive --bench day"),
            }
        })
    });
    Ok(figures.collect())
}

/// The lines below the heading of a state.
fn lines_of<'a>(words: &'a str, state: &str) -> Vec<&'a str> {
    let below = words.lines().skip_while(|line| line.strip_suffix(':') != Some(state)).skip(1);
    below.take_while(|line| line.starts_with(' ')).collect()
}

/// The median of a line such as `   0.412 s (least 0.398)  heldup examine, an hour`.
fn median_of(line: &str, question: &str) -> Option<f64> {
    let (figures, said) = line.split_once(")  ")?;
    let (median, _) = figures.split_once(" s (least ")?;
    (said == question).then(|| median.trim().parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_found_below_their_state() {
        let words = "sealed by the hour:\n   0.412 s (least 0.398)  heldup examine, an hour\n\
                     put together:\n   0.300 s (least 0.298)  heldup examine, an hour\n";
        let of =
            |state| lines_of(words, state).iter().find_map(|line| median_of(line, "heldup examine, an hour"));
        assert_eq!(of("sealed by the hour"), Some(0.412));
        assert_eq!(of("put together"), Some(0.3));
        assert_eq!(of("ten seconds"), None);
        assert_eq!(
            median_of("   0.412 s (least 0.398)  heldup examine, an hour more", "heldup examine, an hour"),
            None
        );
    }
}
