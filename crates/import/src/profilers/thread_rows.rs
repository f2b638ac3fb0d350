//! A thread of a dump as a row of `stack`: what it waits for by its functions, or that it is runnable.

use heldup_model::tables::StackRow;
use heldup_model::{Record, UserWait, user_wait};

use crate::document::Document;
use crate::document::put::{Put, put};
use crate::table::sheets::When;

/// A thread that is outside of all known waits.
pub const RUNNABLE: &str = "runnable";
/// A thread that waits.
pub const WAIT: &str = "wait";

/// One thread, or several with the same stack.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DumpedThread {
    /// Thread id of the system.
    pub tid: Option<i64>,
    /// Its name, where the dump has it.
    pub name: String,
    /// Its program, where the dump has it.
    pub program: &'static str,
    /// Functions, innermost first.
    pub functions: Vec<String>,
    /// How many threads.
    pub threads: u64,
    /// What the dump itself says of the wait.
    pub told: Option<ToldWait>,
}

/// A wait that the dump names.
#[derive(Clone, Debug, PartialEq)]
pub struct ToldWait {
    /// Class of time.
    pub class_name: &'static str,
    /// The lock, where it is one.
    pub lock: Option<String>,
    /// Thread id and name of who holds it.
    pub holder: Option<(i64, String)>,
    /// The function that waits, where the dump's own words tell it.
    pub asker: Option<String>,
}

impl DumpedThread {
    /// Writes its row.
    pub fn write(&self, when: When, identity: &str, document: &mut Document) {
        let functions: Vec<&str> = self.functions.iter().map(String::as_str).collect();
        let seen = user_wait(&functions);
        let class = self.told.as_ref().map(|told| told.class_name).or(seen.map(|wait| wait.class.name()));
        let lock = self.told.as_ref().and_then(|told| told.lock.as_deref());
        let asker = self.told.as_ref().and_then(|told| told.asker.as_deref());
        let asker = asker.or(seen.and_then(|wait: UserWait<'_>| wait.asker));
        let stack = outermost_first(&functions);
        let mut cells = vec![
            ("kind", Put::Text(if class.is_some() { WAIT } else { RUNNABLE })),
            ("tid", Put::Number(self.tid.map(|tid| tid as f64))),
            ("user_stack", Put::Text(&stack)),
            ("samples", Put::Number(Some(self.threads as f64))),
        ];
        let holder = self.told.as_ref().and_then(|told| told.holder.as_ref());
        let object = match (lock, asker) {
            (Some(lock), _) => Some(("lock", lock)),
            (None, Some(asker)) if class.is_some() => Some(("function", asker)),
            _ => None,
        };
        let texts = [
            ("name", Some(self.name.as_str()).filter(|name| !name.is_empty())),
            ("process_name", Some(self.program).filter(|name| !name.is_empty())),
            ("class_name", class),
            ("object_kind", object.map(|(kind, _)| kind)),
            ("object_name", object.map(|(_, name)| name)),
            ("waker_name", holder.map(|(_, name)| name.as_str())),
        ];
        cells.extend(texts.into_iter().filter_map(|(column, text)| Some((column, Put::Text(text?)))));
        cells.push(("waker_tid", Put::Number(holder.map(|(tid, _)| *tid as f64))));
        put(document, StackRow::DEF, when, identity, &cells);
    }
}

/// A stack as the table has it. What stands between functions cannot be in one.
fn outermost_first(functions: &[&str]) -> String {
    functions.iter().rev().map(|name| name.replace(';', ":")).collect::<Vec<_>>().join(";")
}
