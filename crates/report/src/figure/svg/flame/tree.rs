//! Stacks as a tree: program, class, functions of the program, system call, functions of the kernel.

use std::collections::{HashMap, HashSet};

use heldup_model::{
    Breakdown, BreakdownDifference, BreakdownKind, Class, Colour, DifferencePer, FlameStack, FlameUnit, Role,
};

/// Levels that are drawn; deeper functions are counted in their callers.
const MOST_LEVELS: usize = 200;
/// Functions by which every system call comes into the kernel: they tell nothing.
const ENTRIES: [&str; 4] =
    ["entry_SYSCALL_64_after_hwframe", "entry_SYSCALL_64", "do_syscall_64", "x64_sys_call"];
/// What kernels put before the name of a call.
const CALLS: [&str; 5] = ["__x64_sys_", "__arm64_sys_", "__s390x_sys_", "__se_sys_", "ksys_"];
/// A function without a name.
const UNKNOWN: &str = "[unknown]";
/// Objects and wakers that a node names.
const MOST_NAMED: usize = 3;

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    All,
    Program,
    Class,
    User,
    Call,
    Kernel,
}

/// One box.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub name: String,
    pub kind: Kind,
    /// Colour of its class.
    pub colour: Colour,
    /// Amounts of both windows; of one window the second.
    pub amounts: [f64; 2],
    /// What the box is as wide as.
    pub width: f64,
    /// Widest first.
    pub children: Vec<usize>,
    /// Objects of the waits, and who ended them, largest first.
    pub objects: Vec<(String, f64)>,
    pub wakers: Vec<(String, f64)>,
    /// Nodes below it and itself.
    pub size: usize,
}

/// The tree; a parent is before its children.
#[derive(Debug)]
pub(super) struct Tree {
    pub nodes: Vec<Node>,
    /// Amount whose functions were not all drawn.
    pub too_deep: f64,
    /// Amount without any function, of what could have some.
    pub bare: f64,
    /// Amount whose innermost function has no name.
    pub unnamed: f64,
    /// Amount of stacks that reach the most frames that are kept.
    pub cut: f64,
    /// Amount of all stacks.
    pub of_stacks: f64,
    /// Amount that waited for a CPU, in a picture of what ran.
    pub queued: f64,
}

#[derive(Default)]
struct Growing {
    nodes: Vec<Node>,
    /// Amounts that end in a node.
    own: Vec<[f64; 2]>,
    known: HashMap<(usize, Kind, String), usize>,
    objects: HashMap<(usize, String), f64>,
    wakers: HashMap<(usize, String), f64>,
    too_deep: f64,
    bare: f64,
    unnamed: f64,
    cut: f64,
    of_stacks: f64,
    queued: f64,
    /// Classes that were measured in one of two windows.
    without: HashSet<Option<String>>,
}

impl Tree {
    /// Of one window.
    pub(super) fn of(found: &Breakdown) -> Tree {
        let mut growing = Growing::with_root(found);
        growing.add(found, 1, 1.0);
        growing.grown(false)
    }

    /// Of two windows, each divided as the difference says.
    pub(super) fn between(before: &Breakdown, after: &Breakdown, difference: &BreakdownDifference) -> Tree {
        let by = |side: &heldup_model::DifferenceSide| match difference.per {
            DifferencePer::Second => side.length_s,
            DifferencePer::Total => side.amount,
        };
        let factor = |by: f64| if by > 0.0 { 1.0 / by } else { 0.0 };
        let mut growing = Growing::with_root(after);
        growing.without = difference
            .classes
            .iter()
            .filter(|row| row.difference.is_none())
            .map(|row| row.class.clone())
            .collect();
        growing.add(before, 0, factor(by(&difference.before)));
        growing.add(after, 1, factor(by(&difference.after)));
        growing.grown(true)
    }

    /// The amount of everything.
    pub(super) fn all(&self) -> [f64; 2] {
        self.nodes.first().map_or([0.0; 2], |root| root.amounts)
    }
}

impl Growing {
    fn with_root(found: &Breakdown) -> Growing {
        let is_time = found
            .flame
            .as_ref()
            .is_none_or(|flame| matches!(flame.unit, FlameUnit::Seconds | FlameUnit::Calls));
        let name = if is_time { found.kind.word() } else { "all" };
        let mut growing = Growing::default();
        growing.push(name.to_owned(), Kind::All, Colour::of(Role::Unknown));
        growing
    }

    fn push(&mut self, name: String, kind: Kind, colour: Colour) -> usize {
        self.nodes.push(Node {
            name,
            kind,
            colour,
            amounts: [0.0; 2],
            width: 0.0,
            children: Vec::new(),
            objects: Vec::new(),
            wakers: Vec::new(),
            size: 1,
        });
        self.own.push([0.0; 2]);
        self.nodes.len() - 1
    }

    fn child(&mut self, parent: usize, kind: Kind, name: &str, colour: Colour) -> usize {
        let key = (parent, kind, name.to_owned());
        if let Some(at) = self.known.get(&key) {
            return *at;
        }
        let at = self.push(name.to_owned(), kind, colour);
        self.nodes[parent].children.push(at);
        self.known.insert(key, at);
        at
    }

    /// Adds one side.
    fn add(&mut self, found: &Breakdown, side: usize, factor: f64) {
        let flame = found.flame.as_ref();
        let most_frames = flame.and_then(|flame| flame.gaps.most_frames).unwrap_or(usize::MAX);
        for stack in flame.iter().flat_map(|flame| &flame.stacks) {
            if self.without.contains(&stack.class) {
                continue;
            }
            self.add_stack(stack, found.kind, side, stack.amount * factor, most_frames);
        }
        // Time of the ledger that no stack tells of ends in the class.
        let is_of_ledger =
            flame.is_none_or(|flame| matches!(flame.unit, FlameUnit::Seconds | FlameUnit::Calls));
        for one in found.programs.iter().filter(|_| is_of_ledger) {
            if self.without.contains(&Some(one.class.clone())) {
                continue;
            }
            // It has no stacks, and would leave what ran no room: it is among the waits.
            if found.kind == BreakdownKind::Cpu && is_queued(&one.class) {
                self.queued += if side == 1 { one.amount * factor } else { 0.0 };
                continue;
            }
            let program = self.child(0, Kind::Program, program_name(&one.program), Colour::OTHERS);
            let colour = colour_of(Some(&one.class), found.kind);
            let label = class_label(&one.class, found.kind);
            let class = self.child(program, Kind::Class, label, colour);
            let told = self.told(class, side);
            self.own[class][side] += (one.amount * factor - told).max(0.0);
        }
    }

    /// What the stacks of a node tell so far.
    fn told(&self, node: usize, side: usize) -> f64 {
        let mut open = vec![node];
        let mut sum = 0.0;
        while let Some(at) = open.pop() {
            sum += self.own[at][side];
            open.extend(&self.nodes[at].children);
        }
        sum
    }

    fn add_stack(
        &mut self,
        stack: &FlameStack,
        kind: BreakdownKind,
        side: usize,
        amount: f64,
        most_frames: usize,
    ) {
        let class = stack.class.as_deref();
        let colour = colour_of(class, kind);
        let mut at = self.child(0, Kind::Program, program_name(&stack.program), Colour::OTHERS);
        let mut named = Vec::new();
        if let Some(class) = class {
            at = self.child(at, Kind::Class, class_label(class, kind), colour);
            named.push(at);
        }
        let mut level = 3;
        let mut innermost = None;
        let functions = |stack: &Option<String>| -> usize {
            stack.as_deref().filter(|stack| !stack.is_empty()).map_or(0, |stack| stack.split(';').count())
        };
        let [user, kernel] = [functions(&stack.user_stack), functions(&stack.kernel_stack)];
        // Of CPU samples the kernel's functions begin with the call.
        let call = stack.syscall.as_deref().filter(|_| kind != BreakdownKind::Cpu);
        let user_names =
            stack.user_stack.iter().flat_map(|stack| stack.split(';')).map(|name| (Kind::User, name));
        let kernel_names = stack.kernel_stack.iter().flat_map(|stack| stack.split(';'));
        let kernel_names = kernel_names.filter(|name| !is_entry(name, call)).map(|name| (Kind::Kernel, name));
        let frames = user_names.chain(call.map(|call| (Kind::Call, call))).chain(kernel_names);
        for (kind, name) in frames.filter(|(_, name)| !name.is_empty()) {
            // A tower of them tells no more than one.
            if name == UNKNOWN && innermost == Some(UNKNOWN) {
                continue;
            }
            if level >= MOST_LEVELS {
                if side == 1 {
                    self.too_deep += amount;
                }
                break;
            }
            at = self.child(at, kind, name, colour);
            if kind == Kind::Call {
                named.push(at);
            }
            innermost = Some(name);
            level += 1;
        }
        self.own[at][side] += amount;
        if side == 0 {
            return;
        }
        if !named.contains(&at) {
            named.push(at);
        }
        for node in named {
            if let Some(object) = &stack.object {
                *self.objects.entry((node, object.clone())).or_default() += amount;
            }
            if let Some(waker) = &stack.waker {
                *self.wakers.entry((node, waker.clone())).or_default() += amount;
            }
        }
        self.of_stacks += amount;
        if user + kernel == 0 && call.is_none() {
            self.bare += amount;
        }
        if innermost.is_some_and(is_unnamed) {
            self.unnamed += amount;
        }
        if user >= most_frames || kernel >= most_frames || (most_frames > 100 && user + kernel >= most_frames)
        {
            self.cut += amount;
        }
    }

    /// Amounts and widths of all nodes, their children in order.
    fn grown(mut self, is_difference: bool) -> Tree {
        for ((node, name), amount) in std::mem::take(&mut self.objects) {
            self.nodes[node].objects.push((name, amount));
        }
        for ((node, name), amount) in std::mem::take(&mut self.wakers) {
            self.nodes[node].wakers.push((name, amount));
        }
        for at in (0..self.nodes.len()).rev() {
            let children = std::mem::take(&mut self.nodes[at].children);
            let mut amounts = self.own[at];
            let (mut below, mut size) = (0.0, 1);
            for child in &children {
                let child = &self.nodes[*child];
                amounts[0] += child.amounts[0];
                amounts[1] += child.amounts[1];
                below += child.width;
                size += child.size;
            }
            // What is gone must be seen too: the wider side, and never less than the children need.
            let wider = if is_difference { amounts[0].max(amounts[1]) } else { amounts[1] };
            let mut sorted = children;
            sorted.sort_by(|a, b| {
                let (a, b) = (&self.nodes[*a], &self.nodes[*b]);
                b.width
                    .total_cmp(&a.width)
                    .then_with(|| a.name.cmp(&b.name))
                    .then_with(|| a.name.len().cmp(&b.name.len()))
            });
            let node = &mut self.nodes[at];
            (node.amounts, node.width, node.size) = (amounts, wider.max(below), size);
            node.children = sorted;
            for names in [&mut node.objects, &mut node.wakers] {
                names.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
                names.truncate(MOST_NAMED);
            }
        }
        let Growing { nodes, too_deep, bare, unnamed, cut, of_stacks, queued, .. } = self;
        Tree { nodes, too_deep, bare, unnamed, cut, of_stacks, queued }
    }
}

fn program_name(name: &Option<String>) -> &str {
    name.as_deref().unwrap_or("unknown program")
}

fn class_label(class: &str, kind: BreakdownKind) -> &str {
    if kind == BreakdownKind::Calls { class } else { Class::label_of(class) }
}

/// The colour of a class; what has none is of the kind of time.
fn colour_of(class: Option<&str>, kind: BreakdownKind) -> Colour {
    match (class.and_then(Class::from_name), kind) {
        (_, BreakdownKind::Calls) => Colour::of_class(Class::Kernel),
        (Some(class), _) => Colour::of_class(class),
        (None, BreakdownKind::Cpu) => Colour::of_class(Class::User),
        (None, _) => Colour::of(Role::Unknown),
    }
}

/// Whether a class is time in the run queue.
fn is_queued(class: &str) -> bool {
    Class::from_name(class).is_some_and(|class| Colour::of_class(class).role == Role::Queue)
}

/// Whether a function is but the way into the kernel, or the call that stands above it already.
fn is_entry(function: &str, call: Option<&str>) -> bool {
    let of_call = |call: &str| CALLS.iter().any(|before| function.strip_prefix(before) == Some(call));
    ENTRIES.contains(&function) || call.is_some_and(of_call)
}

/// Whether a function has no name: an address, a place in a file, or the file alone.
fn is_unnamed(function: &str) -> bool {
    let is_in_brackets = function.starts_with('[') && function.ends_with(']');
    is_in_brackets || function.starts_with("0x") || function.contains("+0x")
}
