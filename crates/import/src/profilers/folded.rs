//! Folded stacks, a line each: `program;function;function 12`, as the stackcollapse programs write them for
//! flame graphs.
//!
//! A single such line may be prose; two below each other are not.

use heldup_model::{Class, user_wait};

use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::profilers::stack_counts::{Met, Side, StackCounts, Who};
use crate::profilers::stack_meaning::{is_switch, meaning};

const NAME: &str = "folded stacks";
/// Time between a switch away from a task and the switch to it.
const OFF_CPU: &str = "off-cpu";
/// What is written behind functions of the kernel, of what was inlined and of what was compiled at run time.
const KERNEL_MARK: &str = "_[k]";
const MARKS: [&str; 4] = [KERNEL_MARK, "_[i]", "_[j]", "_[l]"];

/// Reads folded stacks.
#[derive(Default)]
pub struct Folded {
    /// A first line, which the next may prove to be one.
    pending: Option<(u64, String)>,
    counts: StackCounts,
    /// The same as waits, should most stacks end in one.
    waits: StackCounts,
    samples: u64,
    waiting: u64,
    lines: u64,
}

impl Importer for Folded {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if Stack::of(line.text).is_none() {
            self.pending = None;
            return Ok(false);
        }
        let before = self.pending.take().filter(|(number, _)| number + 1 == line.number);
        let Some((_, first)) = before else {
            self.pending = Some((line.number, line.text.to_owned()));
            return Ok(false);
        };
        if self.lines == 0 {
            document.begin(NAME);
        }
        self.take(&first);
        self.take(line.text);
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, _document: &mut Document) -> Result<bool, ImportError> {
        Ok(self.lines > 0 && self.take(line.text))
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        if self.lines == 0 {
            return Ok(());
        }
        document.note("folded stacks: the first frame is used as the program name");
        if !self.counts.has_kernel() {
            document.note("folded stacks: kernel functions are not marked");
        }
        let when = document.floating(None);
        let counts = match 2 * self.waiting > self.samples {
            true => {
                document.note(
                    "folded stacks: most end in the scheduler or in a wait: no CPU time, but time off CPU",
                );
                &mut self.waits
            }
            false => &mut self.counts,
        };
        std::mem::take(counts).write(when, document);
        document.end_sample(NAME)
    }
}

impl Folded {
    /// Counts a line; false where it is none.
    fn take(&mut self, text: &str) -> bool {
        let Some(stack) = Stack::of(text) else { return false };
        let who = stack.who(&mut self.counts);
        let met = Met { samples: stack.count, ..Met::default() };
        self.counts.add(who, None, stack.functions(), met);
        let class = stack.wait();
        let waits = &mut self.waits;
        let who = Who { kind: waits.word(if class.is_some() { OFF_CPU } else { "" }), ..stack.who(waits) };
        waits.add(who, class, stack.functions(), met);
        self.samples = self.samples.saturating_add(stack.count);
        self.waiting = self.waiting.saturating_add(if class.is_some() { stack.count } else { 0 });
        self.lines += 1;
        true
    }
}

/// One line.
struct Stack<'t> {
    /// The program, with its numbers where they are told: `java-123/456`.
    program: &'t str,
    functions: &'t str,
    count: u64,
}

impl<'t> Stack<'t> {
    fn of(text: &'t str) -> Option<Stack<'t>> {
        let (stack, count) = text.trim_ascii_end().rsplit_once(' ')?;
        let count = count.bytes().all(|byte| byte.is_ascii_digit()).then(|| count.parse().ok())??;
        let (program, functions) = stack.split_once(';')?;
        // Blanks are within names, but not around them as in prose and in tables.
        let is_name = |name: &str| {
            !name.is_empty()
                && name.trim_ascii().len() == name.len()
                && !name.bytes().any(|b| b.is_ascii_control())
        };
        let is_program = is_name(program) && !program.as_bytes()[0].is_ascii_digit();
        (is_program && functions.split(';').all(is_name)).then_some(Stack { program, functions, count })
    }

    /// What a task with this stack waits for; none where it may be on a CPU.
    fn wait(&self) -> Option<Class> {
        let functions: Vec<&str> = self.functions().map(|(_, name)| name).collect();
        let innermost_first: Vec<&str> = functions.into_iter().rev().collect();
        if innermost_first.first().is_some_and(|name| is_switch(name)) {
            return Some(meaning(&innermost_first).class.unwrap_or(Class::Unknown));
        }
        user_wait(&innermost_first).map(|wait| wait.class)
    }

    fn who(&self, counts: &mut StackCounts) -> Who {
        let number = |text: &str| text.parse::<i64>().ok();
        let numbers =
            self.program.rsplit_once('-').and_then(|(name, numbers)| match numbers.split_once('/') {
                Some((pid, tid)) => Some((name, number(pid), Some(number(tid)?))),
                None => Some((name, Some(number(numbers)?), None)),
            });
        let (name, pid, tid) = numbers.unwrap_or((self.program, None, None));
        // What was counted (time on a CPU, or waits) no line says.
        Who { kind: counts.word(""), name: counts.word(name), pid, tid }
    }

    fn functions(&self) -> impl Iterator<Item = (Side, &'t str)> {
        self.functions.split(';').map(|function| {
            let side = if function.ends_with(KERNEL_MARK) { Side::Kernel } else { Side::User };
            (side, MARKS.iter().find_map(|mark| function.strip_suffix(mark)).unwrap_or(function))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stacks_off_a_cpu_have_a_class() {
        let check =
            |line: &str, expect: Option<Class>| assert_eq!(Stack::of(line).unwrap().wait(), expect, "{line}");
        check(
            "tar;main;read;do_syscall_64;vfs_read;io_schedule;schedule;__schedule;finish_task_switch.isra.0 5",
            Some(Class::Unknown),
        );
        check("mysqld;start_thread;work;pthread_mutex_lock;__lll_lock_wait 7", Some(Class::LockUser));
        check(
            "mysqld;start_thread;pthread_mutex_lock;do_futex;futex_wait;schedule;__schedule 7",
            Some(Class::Park),
        );
        check("mysqld;start_thread;work;memcpy 7", None);
    }

    #[test]
    fn stacks_are_told_from_prose() {
        let told = Stack::of("V8 Worker-12/34;main;operator new(unsigned long);vfs_read_[k] 17").unwrap();
        let mut counts = StackCounts::default();
        let who = told.who(&mut counts);
        assert_eq!((who.pid, who.tid, told.count), (Some(12), Some(34), 17));
        let functions: Vec<(Side, &str)> = told.functions().collect();
        assert_eq!(
            functions,
            [(Side::User, "main"), (Side::User, "operator new(unsigned long)"), (Side::Kernel, "vfs_read")]
        );
        for other in [
            "We saw two; then 12",
            "host;10;2024-01-31 12:00:00 UTC;-1;5",
            "123;;cycles 4",
            "a;b",
            "a 4",
            "7;a 4",
            "a;b -4",
            "",
        ] {
            assert!(Stack::of(other).is_none(), "{other}");
        }
    }
}
