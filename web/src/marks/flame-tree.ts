// Stacks as a tree: program, class, functions of the program, system call, functions of the kernel. The same tree as
// that of the command's flame graphs.

import { classOf } from "../classes";
import type { BreakdownDocument } from "../source/documents";

export type FlameKind = "all" | "program" | "class" | "user" | "call" | "kernel";

export interface FlameNode {
  name: string;
  kind: FlameKind;
  /** Name of the colour of its class: `disk-0`. */
  colour: string;
  /** Identifier of the class that it stands below. */
  class: string | null;
  /** Amounts of both windows; of one window `after`. */
  before: number;
  after: number;
  /** What the box is as wide as. */
  width: number;
  parent: FlameNode | null;
  /** Widest first. */
  children: FlameNode[];
  depth: number;
  /** Amounts that end here. */
  own: [number, number];
  /** Objects of the waits, and who ended them. */
  objects: Map<string, number> | null;
  wakers: Map<string, number> | null;
}

export interface FlameTree {
  root: FlameNode;
  isDifference: boolean;
  /** Amount of all stacks. */
  ofStacks: number;
  /** Amount of stacks without any function. */
  bare: number;
  /** Amount that waited for a CPU, in a picture of what ran. */
  queued: number;
  /** By how much stacks tell of more than the ledger: those of a longer time than the window. */
  excess: number;
  /** Amounts of the window before are brought to the length of the other; else both are shares of their sums. */
  isSameLength: boolean;
  size: number;
}

/** Levels that are drawn; deeper functions are counted in their callers. */
const MOST_LEVELS = 200;
// Functions by which every system call comes into the kernel, and what kernels put before the name of a call.
const ENTRIES = new Set([
  "entry_SYSCALL_64_after_hwframe",
  "entry_SYSCALL_64",
  "do_syscall_64",
  "x64_sys_call",
]);
const CALLS = ["__x64_sys_", "__arm64_sys_", "__s390x_sys_", "__se_sys_", "ksys_"];
const UNKNOWN = "[unknown]";
const isQueue = (name: string) => classOf(name).colour.startsWith("queue");

function colourOf(name: string | null, kind: string): string {
  if (kind === "calls") return "cpu-1";
  if (name !== null) return classOf(name).colour;
  return kind === "cpu" ? "cpu-0" : "unknown-0";
}

/** Whether amounts are time, or numbers, of the ledger: then what no stack tells of is there too. */
function isOfLedger(found: BreakdownDocument): boolean {
  return !found.flame || found.flame.unit === "seconds" || found.flame.unit === "calls";
}

/** Children by their names. */
class Index {
  private readonly known = new Map<FlameNode, Map<string, FlameNode>>();
  size = 1;

  child(parent: FlameNode, kind: FlameKind, name: string, colour: string, of: string | null): FlameNode {
    let children = this.known.get(parent);
    if (!children) {
      children = new Map();
      this.known.set(parent, children);
    }
    let key = name;
    let found = children.get(key);
    // A name is seldom that of two kinds.
    if (found && (found.kind !== kind || found.colour !== colour)) {
      key = `${kind} ${colour} ${name}`;
      found = children.get(key);
    }
    if (!found) {
      found = node(name, kind, colour, of, parent);
      parent.children.push(found);
      children.set(key, found);
      this.size += 1;
    }
    return found;
  }
}

class Growing extends Index {
  readonly root: FlameNode;
  ofStacks = 0;
  bare = 0;
  queued = 0;
  excess = 0;

  constructor(
    name: string,
    /** Classes that were measured in one of two windows. */
    private readonly without: ReadonlySet<string>,
  ) {
    super();
    this.root = node(name, "all", "unknown-0", null, null);
  }

  add(found: BreakdownDocument, side: 0 | 1, factor: number): void {
    for (const stack of found.flame?.stacks ?? []) {
      if (stack.class !== null && this.without.has(stack.class)) continue;
      this.addStack(stack, found.kind, side, factor);
    }
    if (!isOfLedger(found)) return;
    // Time of the ledger that no stack tells of ends in the class.
    for (const one of found.programs) {
      if (this.without.has(one.class)) continue;
      // It has no stacks, and would leave what ran no room: it is among the waits.
      if (found.kind === "cpu" && isQueue(one.class)) {
        if (side === 1) this.queued += one.amount * factor;
        continue;
      }
      const program = this.child(this.root, "program", one.program ?? "unknown program", "unknown-1", null);
      const label = found.kind === "calls" ? one.class : classOf(one.class).label;
      const of = this.child(program, "class", label, colourOf(one.class, found.kind), one.class);
      const rest = one.amount * factor - told(of, side);
      of.own[side] += Math.max(0, rest);
      this.excess += Math.max(0, -rest);
    }
  }

  private addStack(
    stack: NonNullable<BreakdownDocument["flame"]>["stacks"][number],
    kind: string,
    side: 0 | 1,
    factor: number,
  ): void {
    const amount = stack.amount * factor;
    const colour = colourOf(stack.class, kind);
    const named: FlameNode[] = [];
    let at = this.child(this.root, "program", stack.program ?? "unknown program", "unknown-1", null);
    if (stack.class !== null) {
      const label = kind === "calls" ? stack.class : classOf(stack.class).label;
      at = this.child(at, "class", label, colour, stack.class);
      named.push(at);
    }
    // Of CPU samples the kernel's functions begin with the call.
    const call = kind === "cpu" ? null : stack.syscall;
    let level = 3;
    let innermost = "";
    let functions = 0;
    const step = (of: FlameKind, name: string) => {
      // A tower of unknown functions tells no more than one.
      if (name === "" || level >= MOST_LEVELS || (name === UNKNOWN && innermost === UNKNOWN)) return;
      at = this.child(at, of, name, colour, stack.class);
      if (of === "call") named.push(at);
      innermost = name;
      level += 1;
    };
    for (const name of stack.user_stack?.split(";") ?? []) {
      functions += 1;
      step("user", name);
    }
    if (call) step("call", call);
    for (const name of stack.kernel_stack?.split(";") ?? []) {
      functions += 1;
      if (!isEntry(name, call)) step("kernel", name);
    }
    at.own[side] += amount;
    if (side === 0) return;
    if (!named.includes(at)) named.push(at);
    for (const each of named) {
      if (stack.object) {
        each.objects ??= new Map();
        each.objects.set(stack.object, (each.objects.get(stack.object) ?? 0) + amount);
      }
      if (stack.waker) {
        each.wakers ??= new Map();
        each.wakers.set(stack.waker, (each.wakers.get(stack.waker) ?? 0) + amount);
      }
    }
    this.ofStacks += amount;
    if (functions === 0 && !call) this.bare += amount;
  }

  grown(isDifference: boolean, isSameLength: boolean): FlameTree {
    sum(this.root, isDifference);
    const { root, ofStacks, bare, queued, excess, size } = this;
    return { root, isDifference, ofStacks, bare, queued, excess, isSameLength, size };
  }
}

function node(
  name: string,
  kind: FlameKind,
  colour: string,
  of: string | null,
  parent: FlameNode | null,
): FlameNode {
  return {
    name,
    kind,
    colour,
    class: of,
    before: 0,
    after: 0,
    width: 0,
    parent,
    children: [],
    depth: parent ? parent.depth + 1 : 0,
    own: [0, 0],
    objects: null,
    wakers: null,
  };
}

/** What the stacks of a node tell so far. */
function told(of: FlameNode, side: 0 | 1): number {
  return of.children.reduce((all, child) => all + told(child, side), of.own[side]);
}

/** Amounts and widths of a node and all below it. */
function sum(of: FlameNode, isDifference: boolean): void {
  let below = 0;
  [of.before, of.after] = of.own;
  for (const child of of.children) {
    sum(child, isDifference);
    of.before += child.before;
    of.after += child.after;
    below += child.width;
  }
  // What is gone must be seen too: the greater side, and never less than the children need.
  of.width = Math.max(isDifference ? Math.max(of.before, of.after) : of.after, below);
  of.children.sort((a, b) => b.width - a.width || (a.name < b.name ? -1 : 1));
}

function isEntry(name: string, call: string | null): boolean {
  return ENTRIES.has(name) || (call !== null && CALLS.some((before) => name === before + call));
}

const ROOTS: Record<string, string> = {
  cpu: "CPU time",
  wait: "waits",
  io: "I/O waits",
  lock: "lock waits",
  memory: "memory waits",
  calls: "system calls",
};

function rootName(found: BreakdownDocument): string {
  const of = found.focus ? ` of ${found.focus}` : "";
  return (isOfLedger(found) ? (ROOTS[found.kind] ?? "all") : "all") + of;
}

/** The tree of one window. */
export function treeOf(found: BreakdownDocument): FlameTree {
  const growing = new Growing(rootName(found), new Set());
  growing.add(found, 1, 1);
  return growing.grown(false, true);
}

/** The tree of two windows, the first brought to the length of the second; where a length is not known, of shares. */
export function treeBetween(before: BreakdownDocument, after: BreakdownDocument): FlameTree {
  const without = new Set([...(before.not_measured ?? []), ...(after.not_measured ?? [])]);
  const unit = (found: BreakdownDocument) => found.flame?.unit ?? "seconds";
  const isSameLength = before.length_s > 0 && after.length_s > 0 && unit(before) === unit(after);
  const share = (found: BreakdownDocument) => 1 / (treeOf(found).root.after || 1);
  const growing = new Growing(rootName(after), without);
  growing.add(before, 0, isSameLength ? after.length_s / before.length_s : share(before));
  growing.add(after, 1, isSameLength ? 1 : share(after));
  return growing.grown(true, isSameLength);
}

/** The same amounts from the innermost functions outwards: who called them. */
export function inverted(tree: FlameTree): FlameTree {
  const root = node(tree.root.name, "all", "unknown-0", null, null);
  const index = new Index();
  const walk = (of: FlameNode) => {
    if (of.own[0] > 0 || of.own[1] > 0) {
      let at = root;
      for (let from: FlameNode | null = of; from && from.kind !== "all"; from = from.parent) {
        at = index.child(at, from.kind, from.name, from.colour, from.class);
      }
      at.own[0] += of.own[0];
      at.own[1] += of.own[1];
    }
    of.children.forEach(walk);
  };
  walk(tree.root);
  sum(root, tree.isDifference);
  return { ...tree, root, size: index.size };
}

/** Where a node stands, outermost first, without the root. */
export function pathOf(of: FlameNode): string[] {
  const names: string[] = [];
  for (let at: FlameNode | null = of; at && at.kind !== "all"; at = at.parent) names.unshift(at.name);
  return names;
}

/** The node at a path, or the last of it that there is. */
export function nodeAt(root: FlameNode, path: readonly string[]): FlameNode {
  let at = root;
  for (const name of path) {
    const next = at.children.find((child) => child.name === name);
    if (!next) return at;
    at = next;
  }
  return at;
}

export interface Neighbour {
  name: string;
  before: number;
  after: number;
}

/** All boxes of one function: its amount, who called it and whom it called. Recursion counts once. */
export function neighbours(
  root: FlameNode,
  of: FlameNode,
): { amount: Neighbour; callers: Neighbour[]; callees: Neighbour[] } {
  const amount: Neighbour = { name: of.name, before: 0, after: 0 };
  const callers = new Map<string, Neighbour>();
  const callees = new Map<string, Neighbour>();
  const add = (to: Map<string, Neighbour>, one: FlameNode, by: FlameNode) => {
    const sum = to.get(one.name) ?? { name: one.name, before: 0, after: 0 };
    sum.before += by.before;
    sum.after += by.after;
    to.set(one.name, sum);
  };
  const isSame = (at: FlameNode) => at.name === of.name && at.kind === of.kind;
  const walk = (at: FlameNode, isInside: boolean) => {
    const isOne = isSame(at);
    if (isOne && !isInside) {
      amount.before += at.before;
      amount.after += at.after;
      if (at.parent) add(callers, at.parent, at);
    }
    if (isOne) for (const child of at.children) if (!isSame(child)) add(callees, child, child);
    for (const child of at.children) walk(child, isInside || isOne);
  };
  walk(root, false);
  const sorted = (all: Map<string, Neighbour>) =>
    [...all.values()].sort((a, b) => Math.max(b.before, b.after) - Math.max(a.before, a.after));
  return { amount, callers: sorted(callers), callees: sorted(callees) };
}

/** Paths on which amounts end, largest first. */
export function leaves(root: FlameNode, isDifference: boolean): FlameNode[] {
  const all: FlameNode[] = [];
  const walk = (at: FlameNode) => {
    if (at.own[0] > 0 || at.own[1] > 0) all.push(at);
    at.children.forEach(walk);
  };
  walk(root);
  const size = ({ own }: FlameNode) => (isDifference ? Math.abs(own[1] - own[0]) : own[1]);
  return all.sort((a, b) => size(b) - size(a));
}
