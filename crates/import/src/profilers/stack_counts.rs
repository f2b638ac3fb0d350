//! Stacks, each counted once however often it was met, on their way into the table `stack`.

use std::collections::HashMap;

use heldup_model::tables::StackRow;
use heldup_model::{Class, Record};

use crate::document::Document;
use crate::document::put::{Put, put};
use crate::table::sheets::When;

/// Whose a function is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// A program's.
    User,
    /// The kernel's.
    Kernel,
}

/// Who was met, in what kind of sample; words by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Who {
    /// `cpu`, or what else was sampled; empty where nobody tells.
    pub kind: u32,
    /// Name of the thread.
    pub name: u32,
    /// Process.
    pub pid: Option<i64>,
    /// Thread.
    pub tid: Option<i64>,
}

/// Whose stack, of which class of time, and its two halves.
type StackKey = (Who, Option<Class>, u32, u32);

/// Stacks and how often each was met.
#[derive(Debug, Default)]
pub struct StackCounts {
    /// Few words and many stacks, each with its number.
    words: HashMap<Box<str>, u32>,
    /// Of the kernel's functions and of the program's, outermost first.
    stacks: HashMap<Box<str>, u32>,
    /// Which stack of whom, in the order in which they were met.
    rows: HashMap<StackKey, usize>,
    counts: Vec<Met>,
    last: Option<(StackKey, usize)>,
    kernel: String,
    user: String,
    has_kernel: bool,
}

/// How often a stack was met, and what that stands for where it is said.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Met {
    /// How often.
    pub samples: u64,
    /// Events of the sampled kind: each sample stands for its period.
    pub events: Option<u64>,
    /// Time.
    pub seconds: Option<f64>,
}

impl StackCounts {
    /// The number of a word.
    pub fn word(&mut self, word: &str) -> u32 {
        number(&mut self.words, word)
    }

    /// Counts a stack, whose functions come outermost first.
    pub fn add<'f>(
        &mut self,
        who: Who,
        class: Option<Class>,
        functions: impl Iterator<Item = (Side, &'f str)>,
        met: Met,
    ) {
        self.kernel.clear();
        self.user.clear();
        for (side, function) in functions {
            let stack = match side {
                Side::Kernel => &mut self.kernel,
                Side::User => &mut self.user,
            };
            if !stack.is_empty() {
                stack.push(';');
            }
            stack.push_str(function);
        }
        self.has_kernel |= !self.kernel.is_empty();
        let key = (who, class, number(&mut self.stacks, &self.kernel), number(&mut self.stacks, &self.user));
        let at = match self.last.filter(|(last, _)| *last == key) {
            Some((_, at)) => at,
            None => {
                let next = self.counts.len();
                let at = *self.rows.entry(key).or_insert(next);
                if at == next {
                    self.counts.push(Met::default());
                }
                self.last = Some((key, at));
                at
            }
        };
        if let Some(count) = self.counts.get_mut(at) {
            count.samples = count.samples.saturating_add(met.samples);
            count.events = sum(count.events, met.events, u64::saturating_add);
            count.seconds = sum(count.seconds, met.seconds, |before, more| before + more);
        }
    }

    /// Whether any function is the kernel's.
    pub fn has_kernel(&self) -> bool {
        self.has_kernel
    }

    /// Writes a row for each.
    pub fn write(self, when: When, document: &mut Document) {
        let StackCounts { words, stacks, rows, counts, .. } = self;
        let (words, stacks) = (by_number(words), by_number(stacks));
        let mut rows: Vec<_> = rows.into_iter().map(|(key, at)| (at, key)).collect();
        rows.sort_by_key(|(at, _)| *at);
        let word = |number: u32| words.get(number as usize).map_or("", |word| &**word);
        let stack = |number: u32| stacks.get(number as usize).map_or("", |stack| &**stack);
        for (at, (who, class, kernel, user)) in rows {
            let count = counts.get(at).copied().unwrap_or_default();
            let class = class.map_or("", Class::name);
            let texts = [
                ("kind", word(who.kind)),
                ("name", word(who.name)),
                ("class_name", class),
                ("kernel_stack", stack(kernel)),
                ("user_stack", stack(user)),
            ];
            let texts = texts.into_iter().filter(|(_, text)| !text.is_empty());
            let mut cells: Vec<(&str, Put<'_>)> = texts.map(|(name, text)| (name, Put::Text(text))).collect();
            cells.extend([
                ("pid", Put::Number(who.pid.map(|pid| pid as f64))),
                ("tid", Put::Number(who.tid.map(|tid| tid as f64))),
                ("samples", Put::Number(Some(count.samples as f64))),
                ("events", Put::Number(count.events.map(|events| events as f64))),
                ("seconds", Put::Number(count.seconds)),
            ]);
            put(document, StackRow::DEF, when, &at.to_string(), &cells);
        }
    }
}

/// The sum of what is said.
fn sum<T>(before: Option<T>, more: Option<T>, add: fn(T, T) -> T) -> Option<T> {
    match (before, more) {
        (Some(before), Some(more)) => Some(add(before, more)),
        (before, more) => before.or(more),
    }
}

/// The number of a text.
fn number(texts: &mut HashMap<Box<str>, u32>, text: &str) -> u32 {
    if let Some(known) = texts.get(text) {
        return *known;
    }
    let next = texts.len() as u32;
    texts.insert(text.into(), next);
    next
}

fn by_number(texts: HashMap<Box<str>, u32>) -> Vec<Box<str>> {
    let mut list: Vec<Box<str>> = vec![Box::default(); texts.len()];
    for (text, number) in texts {
        if let Some(place) = list.get_mut(number as usize) {
            *place = text;
        }
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_stack_of_the_same_thread_is_counted_once() {
        let met = |samples, events, seconds| Met { samples, events, seconds };
        let mut counts = StackCounts::default();
        let who = Who { kind: counts.word("cpu"), name: counts.word("a"), pid: None, tid: Some(1) };
        let stack = [(Side::User, "main"), (Side::User, "read"), (Side::Kernel, "vfs_read")];
        counts.add(who, Some(Class::Kernel), stack.into_iter(), met(1, Some(10), Some(0.5)));
        counts.add(Who { tid: Some(2), ..who }, Some(Class::Kernel), stack.into_iter(), met(1, None, None));
        counts.add(who, Some(Class::Kernel), stack.into_iter(), met(3, Some(30), Some(0.25)));
        assert_eq!(counts.counts, [met(4, Some(40), Some(0.75)), met(1, None, None)]);
        assert!(counts.stacks.contains_key("main;read") && counts.stacks.contains_key("vfs_read"));
    }
}
