// What a flame graph says in words: amounts, its sentence for who cannot see it, and what it does not show.

import type { BreakdownDocument } from "../source/documents";
import { count, counted, harmless, isolated, number, seconds, share } from "../text";
import type { FlameNode, FlameTree } from "./flame-tree";

type Unit = NonNullable<BreakdownDocument["flame"]>["unit"];

export function unitOf(found: BreakdownDocument): Unit {
  return found.kind === "calls" ? "calls" : (found.flame?.unit ?? "seconds");
}

/** How amounts are written. */
export function amounts(unit: Unit, isShare = false): (value: number) => string {
  if (isShare || unit === "share") return share;
  if (unit === "seconds") return seconds;
  if (unit === "threads") return (value) => counted(Math.round(value), "thread");
  if (unit === "samples") return (value) => counted(Math.round(value), "sample");
  return (value) => counted(Math.round(value), "call");
}

/** With its sign, where it differs at all. */
export function signed(value: number, write: (value: number) => string): string {
  if (value === 0) return "0";
  return `${value > 0 ? "+" : "−"}${write(Math.abs(value))}`;
}

/** What stands in a box behind its name. */
export function labels(tree: FlameTree, write: (value: number) => string): (node: FlameNode) => string {
  return tree.isDifference ? (node) => signed(node.after - node.before, write) : (node) => write(node.after);
}

const TITLES: Record<string, string> = {
  cpu: "Stacks of CPU time",
  wait: "Stacks of waits",
  io: "Stacks of I/O waits",
  lock: "Stacks of lock waits",
  memory: "Stacks of memory waits",
  calls: "System calls",
};

export function titleOf(found: BreakdownDocument): string {
  const unit = unitOf(found);
  if (unit === "threads") return found.kind === "cpu" ? "Runnable threads" : "Waiting threads";
  if (found.kind === "cpu" && (unit === "samples" || unit === "share")) return "Profile";
  return TITLES[found.kind] ?? "Stacks";
}

/** The largest boxes in a sentence. */
export function sentence(tree: FlameTree, title: string, label: (node: FlameNode) => string): string {
  const largest: { name: string; size: number; node: FlameNode }[] = [];
  for (const program of tree.root.children) {
    const classes = program.children.filter((child) => child.kind === "class");
    for (const node of classes.length > 0 ? classes : [program]) {
      const name = node === program ? node.name : `${program.name}, ${node.name}`;
      largest.push({ name: isolated(harmless(name)), size: node.width, node });
    }
  }
  largest.sort((a, b) => b.size - a.size);
  const said = largest.slice(0, 5).map(({ name, node }) => `${name} ${label(node)}`);
  return `${title}, ${label(tree.root)}. Largest: ${said.join("; ")}.`;
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const ended = (text: string) => `${capital(harmless(text)).replace(/\.$/, "")}.`;

/** What the width is, and what is not drawn. */
export function notesOf(found: BreakdownDocument, tree: FlameTree): string[] {
  const write = amounts(unitOf(found));
  const notes = [widthNote(found, tree)];
  if (tree.queued > 0) {
    notes.push(`Not drawn: ${write(tree.queued)} in the run queue, which has no stacks; the waits have it.`);
  }
  const gaps = found.flame?.gaps;
  if (gaps) {
    if (gaps.missing) notes.push(ended(gaps.missing));
    if (gaps.functions_only) notes.push("Functions without callers: the recording has no stacks.");
    if (gaps.unknown_event) {
      notes.push("The recording does not say what was sampled; it is taken to be time on CPUs.");
    }
    if (gaps.by_the_minute) {
      notes.push(
        "An archive has stacks once a minute: those at the edges of the window may begin up to a minute before it.",
      );
    }
    if (gaps.idle > 0) notes.push(`Not drawn: idle ${write(gaps.idle)}.`);
    if (gaps.untimed_samples > 0) {
      notes.push(`Not drawn: ${counted(gaps.untimed_samples, "sample")} without a time.`);
    }
    if (gaps.other_events.length > 0) {
      const events = gaps.other_events.slice(0, 5);
      const named = events.map((event) => `${count(event.samples)} of ${harmless(event.event)}`);
      notes.push(`Not drawn: samples of other events (${named.join(", ")}).`);
    }
    for (const error of gaps.errors.slice(0, 5)) notes.push(ended(error));
  }
  const excess = excessNote(tree);
  if (excess) notes.push(excess);
  if (tree.ofStacks > 0 && tree.bare / tree.ofStacks > 0.0005) {
    notes.push(`Without functions: ${share(tree.bare / tree.ofStacks)} of what has stacks.`);
  }
  if ((found.not_measured ?? []).length > 0) {
    notes.push(`Not measured: ${(found.not_measured ?? []).map(harmless).join(", ")}.`);
  }
  return notes.filter((note) => note !== "");
}

/** That stacks are of more than the window; short waits before it are no such. */
export function excessNote({ root, excess }: FlameTree): string | null {
  return excess > 0.1 * root.width
    ? "The stacks are of a longer time than the window: the recording has them once for all of it."
    : null;
}

function widthNote(found: BreakdownDocument, tree: FlameTree): string {
  switch (unitOf(found)) {
    case "calls":
      return "Width: number of calls.";
    case "threads":
      return "Width: number of threads at that moment.";
    case "share":
      return "Width: share of all samples.";
    case "samples":
      return `Width: samples (${number(tree.root.after)}); the recording does not say how long one stands for.`;
  }
  if (found.programs.length === 0) return "Width: time of tasks, by the samples of the recording.";
  const whole = "Width: time of tasks, by time accounting.";
  if (tree.ofStacks <= 0 || tree.root.after <= 0) return whole;
  const part = share(Math.min(1, tree.ofStacks / tree.root.after));
  return found.kind === "cpu"
    ? `${whole} Below the classes: samples, for ${part} of it.`
    : `${whole} Below the classes: stacks, for ${part} of it; waits for a CPU and short waits have none.`;
}
