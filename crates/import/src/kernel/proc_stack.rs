//! `/proc/PID/stack`, one or several below each other: where tasks wait in the kernel.
//!
//! Whose stack it is a line above says (`PID = 301`, `cat /proc/301/stack`), else nobody. The state of the task is not in it.

use heldup_model::Record;
use heldup_model::tables::StackRow;
use heldup_sources::kernel_report::places::{class_of_whole_stack, waits};

use crate::document::first_line::{FirstLine, replay};
use crate::document::put::{Put, put};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::profilers::stack_meaning::meaning;
use crate::table::sheets::When;

const NAME: &str = "kernel stacks";
/// Lines between whose stack it is and the stack.
const LONGEST_GAP: u64 = 3;

/// Reads stacks.
#[derive(Default)]
pub struct ProcStack {
    when: Option<When>,
    pid: Option<(i64, u64)>,
    functions: Vec<String>,
    first: FirstLine,
    stacks: u64,
    last_line: u64,
}

impl Importer for ProcStack {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if let Some(pid) = pid(line.text) {
            self.end_stack(document);
            self.pid = Some((pid, line.number));
            return Ok(false);
        }
        let is_frame = frame(line.text).is_some();
        let is_announced = self.pid.is_some_and(|(_, at)| line.number <= at + LONGEST_GAP);
        if !is_frame {
            return Ok(false);
        }
        let held = self.first.before(line);
        if held.is_none() && !is_announced {
            self.first.hold(line);
            return Ok(false);
        }
        if !self.functions.is_empty() {
            self.end_stack(document);
        }
        if self.when.is_none() {
            document.begin(NAME);
            self.when = Some(document.moment(NAME));
        }
        if let Some(held) = held {
            replay(&held, document, |line, _| self.take(line));
        }
        self.take(line);
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if self.functions.is_empty() || line.number > self.last_line + 1 {
            return self.begins(line, document);
        }
        if frame(line.text).is_none() {
            return self.begins(line, document);
        }
        self.take(line);
        Ok(true)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.end_stack(document);
        match self.when.take() {
            Some(_) => document.end_sample(NAME),
            None => Ok(()),
        }
    }
}

impl ProcStack {
    fn take(&mut self, line: &Line<'_>) {
        if let Some(function) = frame(line.text).filter(|name| !name.starts_with("0x")) {
            self.functions.push(function.to_owned());
        }
        self.last_line = line.number;
    }

    fn end_stack(&mut self, document: &mut Document) {
        let functions = std::mem::take(&mut self.functions);
        let pid = self.pid.take().map(|(pid, _)| pid);
        let (Some(when), false) = (self.when, functions.is_empty()) else { return };
        let names: Vec<&str> = functions.iter().map(String::as_str).collect();
        let told = meaning(&names);
        let class = class_of_whole_stack(&names);
        let asker = told.asker.filter(|_| class.is_some());
        let object = asker.map(|name| ("lock", name)).or(waits(&names).map(|name| ("function", name)));
        let outermost_first: Vec<&str> = names.iter().rev().copied().collect();
        let stack = outermost_first.join(";");
        let mut cells = vec![
            ("kind", Put::Text("wait")),
            ("tid", Put::Number(pid.map(|pid| pid as f64))),
            ("kernel_stack", Put::Text(&stack)),
            ("samples", Put::Number(Some(1.0))),
        ];
        let texts = [
            ("class_name", class.map(heldup_model::Class::name)),
            ("object_kind", object.map(|(kind, _)| kind)),
            ("object_name", object.map(|(_, name)| name)),
            ("syscall", told.syscall),
        ];
        cells.extend(texts.into_iter().filter_map(|(column, text)| Some((column, Put::Text(text?)))));
        put(document, StackRow::DEF, when, &self.stacks.to_string(), &cells);
        self.stacks += 1;
    }
}

/// `[<0>] rpc_wait_bit_killable+0x1e/0xa0 [sunrpc]`; the address was printed until 4.15, and ends the list in all bits.
fn frame(text: &str) -> Option<&str> {
    let (address, rest) = text.trim_start().strip_prefix("[<")?.split_once(">] ")?;
    if !address.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let rest = rest.trim();
    if rest.starts_with("0xffffffff") {
        return Some(rest);
    }
    let (name, offset) = rest.split_once("+0x")?;
    let is_name = !name.is_empty() && !name.contains(char::is_whitespace);
    (is_name && offset.contains("/0x")).then_some(name)
}

/// `PID = 301`, `# cat /proc/301/stack`, `==> /proc/301/task/302/stack <==`.
fn pid(text: &str) -> Option<i64> {
    let text = text.trim();
    if let Some(number) = text.strip_prefix("PID = ").or_else(|| text.strip_prefix("PID: ")) {
        return number.trim().parse().ok();
    }
    if !text.ends_with("/stack") && !text.ends_with("/stack <==") {
        return None;
    }
    let (_, rest) = text.split_once("/proc/")?;
    let (path, _) = rest.split_once("/stack")?;
    path.rsplit('/').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_and_whose_they_are() {
        assert_eq!(frame("[<0>] rpc_wait_bit_killable+0x1e/0xa0 [sunrpc]"), Some("rpc_wait_bit_killable"));
        assert_eq!(
            frame("[<ffffffffc04d6bcd>] write_all_supers+0x95d/0xaf0 [btrfs]"),
            Some("write_all_supers")
        );
        assert_eq!(frame("[<ffffffffffffffff>] 0xffffffffffffffff"), Some("0xffffffffffffffff"));
        assert_eq!(frame("[<0>] ? doubted+0x1/0x2"), None);
        assert_eq!(frame("[<c0882f18>] (__schedule) from [<c0883858>] (schedule+0x64/0xe4)"), None);
        assert_eq!(frame("[<link>] text"), None);
        assert_eq!(pid("PID = 301"), Some(301));
        assert_eq!(pid("root@a:~# cat /proc/301/stack"), Some(301));
        assert_eq!(pid("==> /proc/301/task/302/stack <=="), Some(302));
        assert_eq!(pid("PIDS = 301 363"), None);
        assert_eq!(pid("cat /proc/self/stack"), None);
    }
}
