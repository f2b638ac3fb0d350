//! Which functions CPU samples are in: aggregates over stacks and over lists of functions, and what is known of a
//! function.
//!
//! A sample belongs to the innermost function on its stack that has a tenth of all samples or more, in itself or in what
//! it calls. So the functions that are named share no samples: a loop is named where its time is spread over many
//! small functions, and not where one of them has it.

use std::collections::{BTreeMap, HashMap};
use std::sync::OnceLock;

use heldup_model::{CodeRole, CodeTable, short_function_name};
use rusqlite::functions::{Aggregate, Context, FunctionFlags};
use rusqlite::{Connection, Result};
use serde::Serialize;

use super::functions::number;

/// Share of the samples from which a function is hot.
const HOT: f64 = 0.1;
/// Functions below this share of the samples are left out.
const LEAST_SHARE: f64 = 0.002;
/// Callers that a call path names.
const MOST_CALLERS: usize = 5;
/// Part of a function's samples that must have come the same way for it to be named.
const MAIN_PATH: f64 = 0.5;
/// Direct callers that are named where there is no main path, and their least part.
const MOST_DIRECT: usize = 3;
const LEAST_DIRECT: f64 = 0.1;

/// Makes the functions known.
pub(super) fn register(connection: &Connection, flags: FunctionFlags) -> Result<()> {
    connection.create_aggregate_function("hot_code", 4, flags, HotCode)?;
    connection.create_aggregate_function("hot_listed", 4, flags, HotListed)?;
    connection
        .create_scalar_function("code_kind", 1, flags, |context| known(context, |kind| kind.name.clone()))?;
    connection.create_scalar_function("code_means", 1, flags, |context| {
        known(context, |kind| kind.means.clone())
    })?;
    connection.create_scalar_function("code_remedy", 1, flags, |context| {
        known(context, |kind| kind.remedy.clone())
    })?;
    connection.create_scalar_function("is_idle_stack", 2, flags, |context| {
        let (user, kernel) = (text(context, 0), text(context, 1));
        Ok(table().is_some_and(|table| is_idle(table, user, kernel)))
    })?;
    connection.create_scalar_function("short_function", 1, flags, |context| {
        Ok(context.get_raw(0).as_str_or_null().ok().flatten().map(short_function_name))
    })
}

fn table() -> Option<&'static CodeTable> {
    static TABLE: OnceLock<Option<CodeTable>> = OnceLock::new();
    // The table is part of the program and tested there: it is always well-formed.
    TABLE.get_or_init(|| CodeTable::builtin().ok()).as_ref()
}

/// What is known of the function that is the argument.
fn known(context: &Context<'_>, what: fn(&heldup_model::CodeKind) -> String) -> Result<Option<String>> {
    let kind = table().and_then(|table| table.kind(text(context, 0)));
    Ok(kind.map(what).filter(|text| !text.is_empty()))
}

/// An argument as text; empty where it is none.
fn text<'c>(context: &'c Context<'_>, at: usize) -> &'c str {
    context.get_raw(at).as_str_or_null().ok().flatten().unwrap_or("")
}

/// Whether a CPU had nothing to do: an idle function, and no interrupt further in.
fn is_idle(table: &CodeTable, user: &str, kernel: &str) -> bool {
    let innermost_first = kernel.rsplit(';').chain(user.rsplit(';')).filter(|name| !name.is_empty());
    let decides = |role: &CodeRole| matches!(role, CodeRole::Idle | CodeRole::Interrupt);
    innermost_first.map(|name| table.role(name)).find(decides) == Some(CodeRole::Idle)
}

/// A function with what it has of the samples.
#[derive(Debug, Default, PartialEq, Serialize)]
struct Hot {
    function: String,
    is_kernel: bool,
    /// Shares of the samples: in the function itself; in what it calls, too; of those the ones that no hot function
    /// further in has.
    self_share: f64,
    inclusive_share: f64,
    own_share: f64,
    samples: f64,
    /// How most of its own samples came to it, outermost first; the direct callers where they came from everywhere.
    path: Option<String>,
    callers: Option<String>,
}

/// The functions as JSON, the hottest first.
fn answer(mut hot: Vec<Hot>) -> Option<String> {
    hot.retain(|one| one.inclusive_share.max(one.self_share) >= LEAST_SHARE);
    hot.sort_by(|a, b| {
        (b.own_share.total_cmp(&a.own_share))
            .then(b.inclusive_share.total_cmp(&a.inclusive_share))
            .then_with(|| a.function.cmp(&b.function))
    });
    serde_json::to_string(&hot).ok()
}

/// `hot_code(user_stack, kernel_stack, share, samples)`.
struct HotCode;

impl Aggregate<CallStacks, Option<String>> for HotCode {
    fn init(&self, _: &mut Context<'_>) -> Result<CallStacks> {
        Ok(CallStacks::default())
    }

    fn step(&self, context: &mut Context<'_>, stacks: &mut CallStacks) -> Result<()> {
        let share = number(context, 2, "hot_code")?.unwrap_or(0.0);
        let samples = number(context, 3, "hot_code")?.unwrap_or(0.0);
        stacks.add(text(context, 0), text(context, 1), share, samples);
        Ok(())
    }

    fn finalize(&self, _: &mut Context<'_>, stacks: Option<CallStacks>) -> Result<Option<String>> {
        Ok(stacks.zip(table()).and_then(|(stacks, table)| answer(stacks.functions(table))))
    }
}

/// Code of a file without symbols as one: `/usr/bin/python3.11+0x1b2c0` is `[python3.11]`.
fn unnamed_code(name: &str) -> Option<String> {
    let (file, offset) = name.rsplit_once("+0x")?;
    let is_offset = !offset.is_empty() && offset.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_offset.then(|| format!("[{}]", file.rsplit('/').next().unwrap_or(file)))
}

/// Stacks of one program, with their shares of the samples of all.
#[derive(Default)]
struct CallStacks {
    names: Vec<String>,
    /// Of the program's functions and of the kernel's.
    numbers: [HashMap<String, u32>; 2],
    is_kernel: Vec<bool>,
    stacks: Vec<CallStack>,
}

/// Stacks by their numbers, and where on them a function is.
type Places = Vec<(usize, usize)>;

struct CallStack {
    /// Outermost first.
    frames: Vec<u32>,
    share: f64,
    samples: f64,
}

impl CallStacks {
    fn add(&mut self, user: &str, kernel: &str, share: f64, samples: f64) {
        let mut frames = Vec::new();
        for (side, stack) in [user, kernel].into_iter().enumerate() {
            frames
                .extend(stack.split(';').filter(|name| !name.is_empty()).map(|name| self.number(side, name)));
        }
        self.stacks.push(CallStack { frames, share, samples });
    }

    fn number(&mut self, side: usize, name: &str) -> u32 {
        let unnamed = unnamed_code(name);
        let name = unnamed.as_deref().unwrap_or(name);
        if let Some(known) = self.numbers[side].get(name) {
            return *known;
        }
        let next = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.is_kernel.push(side == 1);
        self.numbers[side].insert(name.to_owned(), next);
        next
    }

    fn functions(&self, table: &CodeTable) -> Vec<Hot> {
        let count = self.names.len();
        let mut hot: Vec<Hot> = (0..count)
            .map(|at| Hot {
                function: self.names[at].clone(),
                is_kernel: self.is_kernel[at],
                ..Hot::default()
            })
            .collect();
        // A function that calls itself has a sample once.
        let mut last = vec![usize::MAX; count];
        for (at, stack) in self.stacks.iter().enumerate() {
            for &frame in &stack.frames {
                let one = &mut hot[frame as usize];
                if last[frame as usize] != at {
                    last[frame as usize] = at;
                    one.inclusive_share += stack.share;
                    one.samples += stack.samples;
                }
            }
            if let Some(&innermost) = stack.frames.last() {
                hot[innermost as usize].self_share += stack.share;
            }
        }
        let may_own: Vec<(bool, bool)> = hot
            .iter()
            .map(|one| {
                // Sums of shares are a little off.
                let is_hot = one.inclusive_share >= HOT - 1e-9;
                (is_hot, is_hot && table.role(&one.function) == CodeRole::Through)
            })
            .collect();
        // For each hot function the stacks of its own samples, and where on them it is.
        let mut owned: BTreeMap<u32, Places> = BTreeMap::new();
        for (at, stack) in self.stacks.iter().enumerate() {
            let innermost = stack.frames.len().saturating_sub(1);
            let owner = stack.frames.iter().enumerate().rev().find(|(depth, frame)| {
                let (is_hot, is_through) = may_own[**frame as usize];
                is_hot && (*depth == innermost || !is_through)
            });
            if let Some((depth, &frame)) = owner {
                hot[frame as usize].own_share += stack.share;
                owned.entry(frame).or_default().push((at, depth));
            }
        }
        for (frame, places) in owned {
            let (path, callers) = self.came_from(frame, places, table);
            let one = &mut hot[frame as usize];
            (one.path, one.callers) = (path, callers);
        }
        hot
    }

    /// The main path to a function; its direct callers where there is none.
    fn came_from(
        &self,
        frame: u32,
        mut places: Places,
        table: &CodeTable,
    ) -> (Option<String>, Option<String>) {
        let share =
            |places: &[(usize, usize)]| places.iter().map(|(at, _)| self.stacks[*at].share).sum::<f64>();
        let whole = share(&places);
        let name = |frame: u32| short_function_name(&self.names[frame as usize]);
        let mut path = vec![frame];
        let mut direct = None;
        while path.len() <= MOST_CALLERS {
            let mut callers: BTreeMap<u32, Places> = BTreeMap::new();
            for &(at, depth) in &places {
                // Calls of a function to itself are one step.
                let here = self.stacks[at].frames[depth];
                let caller = (0..depth).rev().find(|above| self.stacks[at].frames[*above] != here);
                if let Some(above) = caller {
                    callers.entry(self.stacks[at].frames[above]).or_default().push((at, above));
                }
            }
            let mut callers: Vec<(f64, u32, Places)> =
                callers.into_iter().map(|(caller, places)| (share(&places), caller, places)).collect();
            callers.sort_by(|a, b| {
                b.0.total_cmp(&a.0).then_with(|| self.names[a.1 as usize].cmp(&self.names[b.1 as usize]))
            });
            let is_first = path.len() == 1;
            let Some((part, caller, next)) = callers.first() else { break };
            if *part < MAIN_PATH * whole {
                if is_first {
                    let named: Vec<String> = callers
                        .iter()
                        .take(MOST_DIRECT)
                        .filter(|(part, ..)| *part >= LEAST_DIRECT * whole)
                        .map(|(part, caller, _)| format!("{} ({:.0} %)", name(*caller), 100.0 * part / whole))
                        .collect();
                    direct = Some(named.join(", ")).filter(|text| !text.is_empty());
                }
                break;
            }
            if table.role(&self.names[*caller as usize]) == CodeRole::Through {
                break;
            }
            path.push(*caller);
            places.clone_from(next);
        }
        let names: Vec<String> = path.iter().rev().map(|frame| name(*frame)).collect();
        (Some(names.join(" → ")).filter(|_| names.len() > 1), direct)
    }
}

/// `hot_listed(function, self_share, inclusive_share, samples)`.
struct HotListed;

impl Aggregate<Vec<Hot>, Option<String>> for HotListed {
    fn init(&self, _: &mut Context<'_>) -> Result<Vec<Hot>> {
        Ok(Vec::new())
    }

    fn step(&self, context: &mut Context<'_>, listed: &mut Vec<Hot>) -> Result<()> {
        let at = |at| number(context, at, "hot_listed");
        let (self_share, inclusive, samples) = (at(1)?, at(2)?, at(3)?);
        listed.push(Hot {
            function: text(context, 0).to_owned(),
            self_share: self_share.unwrap_or(0.0),
            inclusive_share: inclusive.or(self_share).unwrap_or(0.0),
            samples: samples.unwrap_or(0.0),
            ..Hot::default()
        });
        Ok(())
    }

    fn finalize(&self, _: &mut Context<'_>, listed: Option<Vec<Hot>>) -> Result<Option<String>> {
        Ok(listed.zip(table()).and_then(|(listed, table)| answer(divided(listed, table))))
    }
}

/// A list has no stacks: a function with callees is taken to call all hot ones that have less than it, so that no sample
/// is named twice.
fn divided(mut listed: Vec<Hot>, table: &CodeTable) -> Vec<Hot> {
    listed.sort_by(|a, b| {
        a.inclusive_share.total_cmp(&b.inclusive_share).then_with(|| a.function.cmp(&b.function))
    });
    let mut covered = 0.0;
    for one in &mut listed {
        let is_through = table.role(&one.function) == CodeRole::Through;
        let rest = if is_through { 0.0 } else { one.inclusive_share - covered };
        let own = one.self_share.max(rest);
        if own >= HOT - 1e-9 {
            one.own_share = own;
            covered += own;
        }
    }
    listed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn functions(stacks: &[(&str, &str, f64)]) -> Vec<Hot> {
        let mut all = CallStacks::default();
        for (user, kernel, share) in stacks {
            all.add(user, kernel, *share, 100.0 * share);
        }
        let mut hot = all.functions(table().expect("a table"));
        hot.sort_by(|a, b| b.own_share.total_cmp(&a.own_share));
        hot
    }

    fn owners(hot: &[Hot]) -> Vec<(&str, i64)> {
        let owners = hot.iter().filter(|one| one.own_share > 0.0);
        owners.map(|one| (one.function.as_str(), (100.0 * one.own_share).round() as i64)).collect()
    }

    #[test]
    fn a_sample_is_the_innermost_hot_functions() {
        let hot = functions(&[
            ("main;serve;parse", "", 0.3),
            ("main;serve;parse;copy", "", 0.05),
            ("main;serve;a", "", 0.08),
            ("main;serve;b", "", 0.07),
            ("main", "", 0.02),
            ("main;serve;read", "do_syscall_64;vfs_read", 0.48),
        ]);
        assert_eq!(owners(&hot), [("vfs_read", 48), ("parse", 35), ("serve", 15), ("main", 2)]);
        assert_eq!(hot[0].path.as_deref(), None, "behind the entry of the kernel");
        assert_eq!(hot[1].path.as_deref(), Some("serve → parse"));
        assert!((hot[1].self_share - 0.3).abs() < 1e-9 && (hot[1].inclusive_share - 0.35).abs() < 1e-9);
        let main = hot.iter().find(|one| one.function == "main").expect("main");
        assert!((main.inclusive_share - 1.0).abs() < 1e-9);
    }

    #[test]
    fn a_function_that_calls_itself_has_a_sample_once() {
        let hot = functions(&[("main;walk;walk;walk", "", 0.5), ("main;walk;walk;leaf", "", 0.2)]);
        let walk = hot.iter().find(|one| one.function == "walk").expect("walk");
        assert!((walk.inclusive_share - 0.7).abs() < 1e-9);
        assert_eq!(owners(&hot), [("walk", 50), ("leaf", 20)]);
    }

    #[test]
    fn a_function_that_is_called_from_everywhere_has_callers() {
        let hot = functions(&[
            ("main;a;memcpy", "", 0.2),
            ("main;b;memcpy", "", 0.15),
            ("main;c;memcpy", "", 0.15),
        ]);
        assert_eq!(owners(&hot), [("memcpy", 50)]);
        assert_eq!(
            (hot[0].path.as_deref(), hot[0].callers.as_deref()),
            (None, Some("a (40 %), b (30 %), c (30 %)"))
        );
    }

    #[test]
    fn main_is_named_for_its_own_code_only() {
        assert_eq!(owners(&functions(&[("main", "", 0.9)])), [("main", 90)]);
        assert_eq!(owners(&functions(&[("_start;main;a", "", 0.09), ("_start;main;b", "", 0.09)])), []);
    }

    #[test]
    fn an_interrupt_of_an_idle_cpu_is_no_idle_time() {
        let table = table().expect("a table");
        assert!(is_idle(table, "", "start_secondary;cpu_startup_entry;cpuidle_idle_call;native_safe_halt"));
        assert!(!is_idle(table, "", "cpu_startup_entry;do_idle;asm_common_interrupt;net_rx_action"));
        assert!(!is_idle(table, "main;work", "") && !is_idle(table, "", ""));
    }

    #[test]
    fn code_without_symbols_is_its_files() {
        let hot = functions(&[("a+0x10;/bin/a+0x20", "", 0.3), ("a+0x10;/bin/a+0x28;read", "", 0.3)]);
        assert_eq!(owners(&hot), [("[a]", 30), ("read", 30)]);
    }

    #[test]
    fn a_list_names_no_sample_twice() {
        let row = |function: &str, self_share: f64, inclusive_share: f64| Hot {
            function: function.to_owned(),
            self_share,
            inclusive_share,
            ..Hot::default()
        };
        let mut hot = divided(
            vec![row("main", 0.0, 0.95), row("loop", 0.0, 0.94), row("a", 0.5, 0.5), row("b", 0.3, 0.42)],
            table().expect("a table"),
        );
        hot.sort_by(|a, b| b.own_share.total_cmp(&a.own_share));
        assert_eq!(owners(&hot), [("a", 50), ("b", 42)]);
    }
}
