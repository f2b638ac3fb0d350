//! `pt-pmp` and other poor man's profilers: a line for each stack, how many threads had it, and its functions, innermost
//! first: `   4207 nanosleep,usleep,spin_lock,main`.

use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::profilers::thread_rows::DumpedThread;
use heldup_model::user_wait;

const NAME: &str = "pt-pmp";
/// Functions that a thread begins with.
const STARTS: [&str; 6] = ["start_thread", "clone", "clone3", "main", "__clone", "__libc_start_main"];

/// Reads counted stacks.
#[derive(Default)]
pub struct Pmp {
    /// A first line, which the next may prove to be one.
    pending: Option<(u64, DumpedThread)>,
    threads: Vec<DumpedThread>,
    last_line: u64,
    listings: u64,
}

impl Importer for Pmp {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let Some(stack) = stack(line.words).filter(is_believed) else {
            self.pending = None;
            return Ok(false);
        };
        let before = self.pending.take().filter(|(number, first)| {
            // The most frequent stack comes first.
            number + 1 == line.number && first.threads >= stack.threads
        });
        let Some((_, first)) = before else {
            self.pending = Some((line.number, stack));
            return Ok(false);
        };
        self.end_listing(document)?;
        document.begin(NAME);
        self.threads.extend([first, stack]);
        self.last_line = line.number;
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let goes_on = line.number == self.last_line + 1;
        match stack(line.words).filter(|stack| {
            goes_on && self.threads.last().is_some_and(|before| before.threads >= stack.threads)
        }) {
            Some(stack) => {
                self.threads.push(stack);
                self.last_line = line.number;
                Ok(true)
            }
            None => self.begins(line, document),
        }
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.end_listing(document)
    }
}

impl Pmp {
    fn end_listing(&mut self, document: &mut Document) -> Result<(), ImportError> {
        if self.threads.is_empty() {
            return Ok(());
        }
        let when = document.moment(NAME);
        for (at, thread) in std::mem::take(&mut self.threads).iter().enumerate() {
            thread.write(when, &format!("{} {at}", self.listings), document);
        }
        self.listings += 1;
        document.end_sample(NAME)
    }
}

fn stack(words: &[&str]) -> Option<DumpedThread> {
    let [count, names @ ..] = words else { return None };
    let threads = count.bytes().all(|byte| byte.is_ascii_digit()).then(|| count.parse::<u64>().ok())??;
    let text = names.join(" ");
    let functions = functions(&text);
    let is_name = |name: &String| {
        name.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '~' | '?' | '<' | '(' | '@' | '['))
    };
    let is_stack = functions.iter().all(is_name) && threads > 0;
    is_stack.then(|| DumpedThread { functions, threads, ..DumpedThread::default() })
}

/// Whether it is no list of words: somewhere is a function that threads begin with or wait in.
fn is_believed(stack: &DumpedThread) -> bool {
    let bare = |name: &str| name.split(['(', '@']).next().unwrap_or(name).to_owned();
    let names: Vec<&str> = stack.functions.iter().map(String::as_str).collect();
    names.len() > 1
        && (names.iter().any(|name| STARTS.contains(&bare(name).as_str())) || user_wait(&names).is_some())
}

/// The functions between commas that are not within brackets.
fn functions(text: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    let mut depth = 0_usize;
    for c in text.chars() {
        match c {
            '(' | '<' => depth += 1,
            ')' | '>' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                out.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = out.last_mut() {
            last.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Option<DumpedThread> {
        stack(&line.split_whitespace().collect::<Vec<_>>()).filter(is_believed)
    }

    #[test]
    fn stacks_are_told_from_lists() {
        let told = read("   4207 nanosleep,usleep,spin_lock,std::map<int, int>::find,main").unwrap();
        assert_eq!(told.threads, 4207);
        assert_eq!(told.functions[3], "std::map<int, int>::find");
        assert!(read("60 poll(libc.so.6),admin_main_loop,start_thread(libpthread.so.0)").is_some());
        for other in ["12 apples,pears", "3 main", "1,2,3", "120 fields, comma separated,main", ""] {
            assert_eq!(read(other), None, "{other}");
        }
    }
}
