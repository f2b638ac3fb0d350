//! What functions do by general knowledge: the kinds of code in `code_kinds.toml`.
//!
//! CPU samples name functions; somebody who does not know `native_queued_spin_lock_slowpath` wants to read what it
//! means and what to check next. Nothing here knows where a name comes from.

use std::collections::HashMap;

use serde::Deserialize;

const BUILTIN: &str = include_str!("../code_kinds.toml");
const PLACE: &str = "code_kinds.toml";

/// What compilers append to a function that they made of another, up to a number.
const PARTS: [&str; 6] = [".isra", ".constprop", ".part", ".cold", ".llvm", ".lto_priv"];

/// What a table of kinds of code says that it must not.
#[derive(Debug, thiserror::Error)]
#[error("{PLACE}: {what}")]
pub struct CodeTableError {
    what: String,
}

/// How functions of a kind are treated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CodeRole {
    /// Work like any other.
    #[default]
    Work,
    /// The CPU has nothing to do.
    Idle,
    /// Work that the functions further out did not ask for.
    Interrupt,
    /// Contains everything: of no meaning unless the samples are in the function itself.
    Through,
}

/// One kind of code.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CodeKind {
    /// How a finding calls it.
    pub name: String,
    /// How its functions are treated.
    #[serde(default)]
    pub role: CodeRole,
    functions: Vec<String>,
    /// What the time goes into.
    pub means: String,
    /// What to check or to change; empty for idle.
    pub remedy: String,
    /// Where this is documented.
    pub source: String,
}

/// The kinds, ready to look functions up.
#[derive(Debug)]
pub struct CodeTable {
    kinds: Vec<CodeKind>,
    exact: HashMap<String, usize>,
    /// What stands between the `*` of each pattern, and its kind.
    patterns: Vec<(Vec<String>, usize)>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    kind: Vec<CodeKind>,
}

impl CodeTable {
    /// The table that the program carries.
    pub fn builtin() -> Result<CodeTable, CodeTableError> {
        CodeTable::parse(BUILTIN)
    }

    /// A table from its text; `code_kinds.toml` says what it may hold.
    pub fn parse(text: &str) -> Result<CodeTable, CodeTableError> {
        let document: Document =
            toml::from_str(text).map_err(|error| CodeTableError { what: error.to_string() })?;
        let mut table = CodeTable { kinds: document.kind, exact: HashMap::new(), patterns: Vec::new() };
        for (at, kind) in table.kinds.iter().enumerate() {
            for name in &kind.functions {
                if name.contains('*') {
                    table.patterns.push((name.split('*').map(str::to_owned).collect(), at));
                } else if let Some(other) = table.exact.insert(name.clone(), at) {
                    let what = format!("`{name}` is in {} and in {}", table.kinds[other].name, kind.name);
                    return Err(CodeTableError { what });
                }
            }
        }
        Ok(table)
    }

    /// The kinds, in the order of the table.
    pub fn kinds(&self) -> &[CodeKind] {
        &self.kinds
    }

    /// The kind of a function; none where nothing is known of it.
    pub fn kind(&self, function: &str) -> Option<&CodeKind> {
        let whole = bare(function);
        let at = self.named(whole).or_else(|| {
            let short = without_parameters(whole);
            if short.len() == whole.len() { None } else { self.named(short) }
        })?;
        self.kinds.get(at)
    }

    /// How a function is treated.
    pub fn role(&self, function: &str) -> CodeRole {
        self.kind(function).map_or(CodeRole::Work, |kind| kind.role)
    }

    fn named(&self, name: &str) -> Option<usize> {
        let length = |parts: &[String]| parts.iter().map(String::len).sum::<usize>();
        let by_pattern = || {
            let all = self.patterns.iter().filter(|(parts, _)| matches(parts, name));
            // The first of the longest: the last of these in the order from behind.
            all.rev().max_by_key(|(parts, _)| length(parts)).map(|(_, at)| *at)
        };
        self.exact.get(name).copied().or_else(by_pattern)
    }
}

/// Whether a name is a pattern's: its parts in their order, the first at the beginning, the last at the end.
pub(crate) fn matches(parts: &[String], name: &str) -> bool {
    let [first, middle @ .., last] = parts else { return false };
    let Some(rest) = name.strip_prefix(first.as_str()).and_then(|rest| rest.strip_suffix(last.as_str()))
    else {
        return false;
    };
    let mut rest = rest;
    middle.iter().all(|part| match rest.find(part.as_str()) {
        Some(at) => {
            rest = &rest[at + part.len()..];
            true
        }
        None => false,
    })
}

/// The name without what compilers and linkers append.
fn bare(function: &str) -> &str {
    let name = function.trim();
    let name = name.split_once("@plt").or_else(|| name.split_once("@@")).map_or(name, |(name, _)| name);
    let end = PARTS.iter().filter_map(|part| name.find(part)).filter(|at| *at > 0).min();
    &name[..end.unwrap_or(name.len())]
}

/// The name without its parameters: `StealTask::do_it(GCTaskManager*, unsigned int)`.
fn without_parameters(name: &str) -> &str {
    // `(*T).method` of Go, `operator()` and `(anonymous namespace)` are names.
    let begins = |(at, _): &(usize, &str)| {
        let (before, rest) = name.split_at(*at);
        !before.is_empty()
            && !before.ends_with(['.', ' '])
            && !before.ends_with("operator")
            && !rest.starts_with("(anonymous")
    };
    match name.match_indices('(').find(begins) {
        Some((at, _)) => name[..at].trim_end(),
        None => name,
    }
}

/// A name that an older Rust compiler gave: `core..iter..range$LT$A$GT$$GT$::next::hd0b7b2668add6c40`.
fn rust_name(name: &str) -> Option<String> {
    let (path, hash) = name.rsplit_once("::h")?;
    let is_hash = hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_hash {
        return None;
    }
    let mut out = path.replace("..", "::");
    for (code, text) in [
        ("$LT$", "<"),
        ("$GT$", ">"),
        ("$u20$", " "),
        ("$u7b$", "{"),
        ("$u7d$", "}"),
        ("$RF$", "&"),
        ("$BP$", "*"),
        ("$LP$", "("),
        ("$RP$", ")"),
        ("$C$", ","),
        ("$u5b$", "["),
        ("$u5d$", "]"),
    ] {
        out = out.replace(code, text);
    }
    Some(out.strip_prefix('_').filter(|rest| rest.starts_with('<')).map_or(out.clone(), str::to_owned))
}

/// A Java method without its package: `Lorg/mozilla/javascript/ScriptableObject:.getSlot`.
fn without_package(name: &str) -> &str {
    let is_java =
        !name.starts_with(['/', '[']) && !name.contains([' ', '(']) && name.matches('/').count() > 1;
    match name.rfind('/').filter(|_| is_java) {
        Some(at) => &name[at + 1..],
        None => name,
    }
}

/// The name for a line: without parameters, arguments of templates, and what compilers append.
pub fn short_function_name(function: &str) -> String {
    let readable = rust_name(bare(function));
    let name = without_package(without_parameters(readable.as_deref().unwrap_or(bare(function))));
    let mut out = String::with_capacity(name.len());
    let mut depth = 0_usize;
    let is_operator = name.contains("operator<") || name.contains("operator>") || name.contains("->");
    let names_type = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':');
    let is_template = name.find('<').is_some_and(|at| name[..at].ends_with(names_type));
    let is_whole = is_operator || !is_template || name.matches('<').count() != name.matches('>').count();
    for c in name.chars() {
        match c {
            '<' if !is_whole => {
                depth += 1;
                if depth == 1 {
                    out.push_str("<…>");
                }
            }
            '>' if !is_whole => depth = depth.saturating_sub(1),
            c if depth == 0 => out.push(c),
            _ => {}
        }
    }
    const LONGEST: usize = 48;
    let length = out.chars().count();
    if length > LONGEST {
        // The end tells functions of one class apart.
        let tail: String = out.chars().skip(length + 1 - LONGEST).collect();
        out = format!("…{tail}");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> CodeTable {
        CodeTable::builtin().expect("the table that the program carries is well-formed")
    }

    fn check(function: &str, expect: Option<&str>) {
        assert_eq!(table().kind(function).map(|kind| kind.name.as_str()), expect, "{function}");
    }

    #[test]
    fn functions_of_many_programs() {
        check("native_queued_spin_lock_slowpath", Some("kernel spin lock"));
        check("_raw_spin_unlock_irqrestore", Some("interrupts enabled again"));
        check("_raw_spin_lock_irqsave.isra.0", Some("kernel spin lock"));
        check("StealTask::do_it(GCTaskManager*, unsigned int)", Some("garbage collection"));
        check("__memmove_avx_unaligned_erms", Some("memory copy"));
        check("malloc@plt", Some("memory allocator"));
        check("operator new(unsigned long)", Some("memory allocator"));
        check("runtime.scanobject", Some("garbage collection"));
        check("mwait_idle_with_hints.constprop.0", Some("idle"));
        check("[libc-2.15.so]", Some("no symbols"));
        check("main", Some("own code"));
        check("compute", None);
        check("freeze_the_world", None);
        check("", None);
    }

    #[test]
    fn every_kind_says_what_it_means_and_each_name_is_its_own() {
        let table = table();
        for (at, kind) in table.kinds().iter().enumerate() {
            assert!(!kind.means.is_empty() && !kind.source.is_empty(), "{}", kind.name);
            assert_eq!(kind.remedy.is_empty(), kind.role == CodeRole::Idle, "{}", kind.name);
            for function in &kind.functions {
                let name = function.replace('*', "x");
                let told = table.kind(&name).map(|kind| kind.name.as_str());
                assert_eq!(told, Some(kind.name.as_str()), "`{function}` of kind {at} is decided by another");
            }
        }
    }

    #[test]
    fn names_for_a_line() {
        let check = |function: &str, expect: &str| assert_eq!(short_function_name(function), expect);
        check("vfs_read", "vfs_read");
        check("JavaCalls::call_helper(JavaValue*, methodHandle*)", "JavaCalls::call_helper");
        check("std::vector<int, std::allocator<int> >::push_back(int&&)", "std::vector<…>::push_back");
        check("operator()(int)", "operator()");
        check(
            "internal/runtime/atomic.(*Uint32).CompareAndSwap",
            "internal/runtime/atomic.(*Uint32).CompareAndSwap",
        );
        check("main.(*shop).add", "main.(*shop).add");
        check("RegExp:[&<>]", "RegExp:[&<>]");
        check("Lorg/mozilla/javascript/ScriptableObject:.getSlot", "ScriptableObject:.getSlot");
        check(
            "core::iter::range::_$LT$impl$u20$core..iter..Iterator$GT$::next::hd0b7b2668add6c40",
            "core::iter::range::_<…>::next",
        );
        check("<alloc::vec::Vec<T> as Drop>::drop", "<alloc::vec::Vec<T> as Drop>::drop");
        let long = format!("{}end", "a".repeat(100));
        assert!(
            short_function_name(&long).ends_with("aend") && short_function_name(&long).chars().count() == 48
        );
    }
}
