//! What a kernel stack says about the class of a wait: the table in `stack_classes.toml`.
//!
//! The ledger classifies most waits at switch-out by what is available there; a stack taken late
//! classifies the rest. The same table is used for `/proc/PID/stack` and `/proc/PID/wchan`, and the
//! stacks in an imported kernel log, so nothing here may access the host. Patterns are names with at
//! most one `*` instead of regular expressions: that is sufficient, and a set of 600 of them is ready
//! in a fraction of the time that compiling expressions would take at every start.

use std::collections::HashMap;

use serde::Deserialize;

use crate::Class;

const BUILTIN: &str = include_str!("../stack_classes.toml");
const PLACE: &str = "stack_classes.toml";

/// What a table of stacks says that it must not.
#[derive(Debug, thiserror::Error)]
#[error("{PLACE}: {what}")]
pub struct StackTableError {
    what: String,
}

/// The table, ready to class stacks.
#[derive(Debug)]
pub struct StackTable {
    scheduler: Names,
    locks: Names,
    entries: Vec<Entry>,
    /// Entries of each function name that stands in the table as it is.
    exact: HashMap<String, Vec<u16>>,
    /// Patterns with a `*`, with their entry.
    open: Vec<(Pattern, u16)>,
}

/// One entry of the table.
#[derive(Debug)]
pub struct Entry {
    /// Class of a wait that the entry decides.
    pub class: Class,
    /// The highest of all matching entries decides.
    pub priority: u8,
    /// Kernel releases on which it was met; none where it was read in the source.
    pub seen: Vec<String>,
    /// Stacks that it decides.
    pub examples: Vec<Example>,
    first: bool,
    lock: bool,
    under: Names,
    keep: Vec<Class>,
}

/// A stack that an entry must decide.
#[derive(Debug)]
pub struct Example {
    /// Functions, innermost first.
    pub stack: Vec<String>,
    /// The class of the ledger at switch-out.
    pub hint: Class,
    /// What the answer must be.
    pub class: Class,
}

/// A function name, or what stands before or after a `*`.
#[derive(Debug)]
enum Pattern {
    Exact(String),
    Around { start: String, end: String },
}

#[derive(Debug)]
struct Names(Vec<Pattern>);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    scheduler: Vec<String>,
    locks: Vec<String>,
    entry: Vec<EntryText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EntryText {
    class: String,
    priority: u8,
    frames: Vec<String>,
    #[serde(default)]
    first: bool,
    #[serde(default)]
    lock: bool,
    #[serde(default)]
    under: Vec<String>,
    #[serde(default)]
    keep: Vec<String>,
    seen: Vec<String>,
    example: Vec<ExampleText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExampleText {
    stack: String,
    hint: Option<String>,
    class: Option<String>,
}

impl StackTable {
    /// The table that the program carries.
    pub fn builtin() -> Result<StackTable, StackTableError> {
        StackTable::parse(BUILTIN)
    }

    /// A table from its text; `stack_classes.toml` says what it may hold.
    pub fn parse(text: &str) -> Result<StackTable, StackTableError> {
        let document: Document = toml::from_str(text).map_err(|error| bad(error.to_string()))?;
        let mut table = StackTable {
            scheduler: Names::parse(&document.scheduler)?,
            locks: Names::parse(&document.locks)?,
            entries: Vec::with_capacity(document.entry.len()),
            exact: HashMap::new(),
            open: Vec::new(),
        };
        for (at, entry) in document.entry.into_iter().enumerate() {
            table.add(at as u16, entry)?;
        }
        Ok(table)
    }

    fn add(&mut self, at: u16, text: EntryText) -> Result<(), StackTableError> {
        let class = class_of(&text.class)?;
        for name in &text.frames {
            match Pattern::parse(name)? {
                Pattern::Exact(name) => self.exact.entry(name).or_default().push(at),
                around => self.open.push((around, at)),
            }
        }
        let examples = text
            .example
            .into_iter()
            .map(|example| Example::parse(example, class))
            .collect::<Result<_, _>>()?;
        self.entries.push(Entry {
            class,
            priority: text.priority,
            seen: text.seen,
            examples,
            first: text.first,
            lock: text.lock,
            under: Names::parse(&text.under)?,
            keep: text.keep.iter().map(|name| class_of(name)).collect::<Result<_, _>>()?,
        });
        Ok(())
    }

    /// The class of a wait with this stack, or none where no entry matches.
    ///
    /// `frames` are function names, innermost first; `hint` is the class that was determined
    /// without the stack and stays if the stack has no better one.
    pub fn classify(&self, frames: &[&str], hint: Class) -> Option<Class> {
        let entry = &self.entries[self.deciding(frames)?];
        Some(if entry.keep.contains(&hint) { hint } else { entry.class })
    }

    /// The entries, in the order of the table.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Index of the entry that decides a stack: `entries()[index]`.
    pub fn deciding(&self, frames: &[&str]) -> Option<usize> {
        let stack = self.reduce(frames);
        let mut best: Option<usize> = None;
        for (depth, name) in stack.names.iter().enumerate() {
            let open = self.open.iter().filter(|(pattern, _)| pattern.matches(name)).map(|(_, at)| *at);
            for at in self.exact.get(*name).into_iter().flatten().copied().chain(open) {
                let at = usize::from(at);
                if best.is_none_or(|held| self.outranks(at, held)) && self.entries[at].applies(&stack, depth)
                {
                    best = Some(at);
                }
            }
        }
        best
    }

    fn outranks(&self, new: usize, held: usize) -> bool {
        let (new_priority, held_priority) = (self.entries[new].priority, self.entries[held].priority);
        new_priority > held_priority || (new_priority == held_priority && new < held)
    }

    /// The name that a wait without an entry is shown by: the first function that is left.
    pub fn place<'a>(&self, frames: &[&'a str]) -> Option<&'a str> {
        self.reduce(frames).names.first().copied()
    }

    /// Whether the innermost functions take a lock. A whole stack has them; `/proc/PID/stack` leaves them out.
    pub fn takes_lock(&self, frames: &[&str]) -> bool {
        self.reduce(frames).lock
    }

    /// Takes off what only says how a task sleeps and how it takes a lock.
    fn reduce<'a>(&self, frames: &[&'a str]) -> Reduced<'a> {
        let mut reduced = Reduced { names: Vec::with_capacity(frames.len()), lock: false };
        for name in frames.iter().map(|frame| bare_name(frame)).filter(|name| !name.is_empty()) {
            if self.scheduler.contain(name) {
                continue;
            }
            if reduced.names.is_empty() && self.locks.contain(name) {
                reduced.lock = true;
                continue;
            }
            reduced.names.push(name);
        }
        reduced
    }
}

struct Reduced<'a> {
    names: Vec<&'a str>,
    lock: bool,
}

impl Entry {
    fn applies(&self, stack: &Reduced<'_>, depth: usize) -> bool {
        (!self.first || depth == 0)
            && (!self.lock || stack.lock)
            && (self.under.0.is_empty() || stack.names[depth..].iter().any(|name| self.under.contain(name)))
    }
}

impl Example {
    fn parse(text: ExampleText, class: Class) -> Result<Example, StackTableError> {
        Ok(Example {
            stack: text.stack.split(';').map(str::to_owned).collect(),
            hint: text.hint.as_deref().map_or(Ok(Class::Unknown), class_of)?,
            class: text.class.as_deref().map_or(Ok(class), class_of)?,
        })
    }
}

impl Names {
    fn parse(names: &[String]) -> Result<Names, StackTableError> {
        names.iter().map(|name| Pattern::parse(name)).collect::<Result<_, _>>().map(Names)
    }

    fn contain(&self, name: &str) -> bool {
        self.0.iter().any(|pattern| pattern.matches(name))
    }
}

impl Pattern {
    fn parse(text: &str) -> Result<Pattern, StackTableError> {
        match text.split_once('*') {
            None if text.is_empty() => Err(bad("an empty function name".to_owned())),
            None => Ok(Pattern::Exact(text.to_owned())),
            Some((_, end)) if end.contains('*') => Err(bad(format!("`{text}`: at most one `*` in a name"))),
            Some((start, end)) => Ok(Pattern::Around { start: start.to_owned(), end: end.to_owned() }),
        }
    }

    fn matches(&self, name: &str) -> bool {
        match self {
            Pattern::Exact(exact) => exact == name,
            Pattern::Around { start, end } => {
                name.len() >= start.len() + end.len()
                    && name.starts_with(start.as_str())
                    && name.ends_with(end.as_str())
            }
        }
    }
}

/// `ext4_fsync_nojournal.constprop.0+0x12/0x90 [ext4]` → `ext4_fsync_nojournal`.
fn bare_name(frame: &str) -> &str {
    let name = frame.trim();
    let name = name.split([' ', '+', '\t']).next().unwrap_or(name);
    match name.find('.') {
        // A leading dot belongs to the name (functions on PowerPC).
        Some(at) if at > 0 => &name[..at],
        _ => name,
    }
}

fn class_of(name: &str) -> Result<Class, StackTableError> {
    Class::from_name(name).ok_or_else(|| bad(format!("`{name}` is no class of time")))
}

fn bad(what: String) -> StackTableError {
    StackTableError { what }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> StackTable {
        StackTable::builtin().expect("the table that the program carries is well-formed")
    }

    #[test]
    fn every_entry_decides_its_examples() {
        let table = table();
        for (at, entry) in table.entries().iter().enumerate() {
            assert!(!entry.examples.is_empty(), "entry {at} ({}) has no example", entry.class.name());
            for example in &entry.examples {
                let frames: Vec<&str> = example.stack.iter().map(String::as_str).collect();
                let decided = table.deciding(&frames);
                assert_eq!(
                    decided,
                    Some(at),
                    "{} of entry {at} is decided by another",
                    example.stack.join(";")
                );
                assert_eq!(
                    table.classify(&frames, example.hint),
                    Some(example.class),
                    "{}",
                    example.stack.join(";")
                );
            }
        }
    }

    /// Each pattern must have a stack that it alone can decide, else it is dead weight.
    #[test]
    fn every_pattern_can_win() {
        let table = table();
        let document: Document = toml::from_str(BUILTIN).expect("parsed before");
        let mut dead = Vec::new();
        for (at, entry) in document.entry.iter().enumerate() {
            for frame in &entry.frames {
                let name = frame.replace('*', "x");
                let outer: Vec<String> = entry.under.iter().map(|under| under.replace('*', "x")).collect();
                let lock = if entry.lock { "mutex_lock" } else { "schedule" };
                let inner = if entry.first { "schedule" } else { "some_wait" };
                let decided =
                    |under: &str| table.deciding(&["schedule", lock, inner, &name, under, "do_syscall_64"]);
                let won = outer.is_empty() && decided("do_syscall_64") == Some(at)
                    || outer.iter().any(|under| decided(under) == Some(at));
                if !won {
                    dead.push(format!(
                        "`{frame}` of entry {at} ({}): see entry {:?}",
                        entry.class,
                        decided("do_syscall_64")
                    ));
                }
            }
        }
        assert!(dead.is_empty(), "patterns that never decide:\n{}", dead.join("\n"));
    }

    #[test]
    fn names_are_bared() {
        for (frame, name) in [
            ("ext4_fsync_nojournal.constprop.0+0x12/0x90 [ext4]", "ext4_fsync_nojournal"),
            ("schedule", "schedule"),
            ("xlog_cil_push_now.isra.0", "xlog_cil_push_now"),
            (".ppc_function", ".ppc_function"),
            ("", ""),
        ] {
            assert_eq!(bare_name(frame), name);
        }
    }

    #[test]
    fn an_unknown_wait_has_no_class_and_a_place() {
        let frames = ["schedule", "brand_new_wait", "do_syscall_64"];
        assert_eq!(table().classify(&frames, Class::LockKernel), None);
        assert_eq!(table().place(&frames), Some("brand_new_wait"));
        assert_eq!(table().classify(&[], Class::LockKernel), None);
    }

    #[test]
    fn a_bad_table_says_what_is_wrong() {
        let entry = |class: &str, frame: &str| {
            format!(
                "scheduler = []\nlocks = []\n[[entry]]\nclass = \"{class}\"\npriority = 1\nframes = [\"{frame}\"]\nseen = []\nexample = []\n"
            )
        };
        for (text, words) in [
            (entry("disc_read", "x"), "no class of time"),
            (entry("disk_read", "a*b*c"), "at most one `*`"),
            (entry("disk_read", ""), "empty function name"),
            ("scheduler = 1".to_owned(), "scheduler"),
        ] {
            let error = StackTable::parse(&text).expect_err("refused").to_string();
            assert!(error.contains(words) && error.contains(PLACE), "{error}");
        }
    }
}
