// Rows of who was there: processes, threads, units, containers or programs. Pure functions of an answer.

import { classOf } from "./classes";
import type { SeenProcess, SeenTask, Who } from "./source/source";

export const GROUPINGS = ["processes", "threads", "units", "containers", "programs"] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** What one row of a grouping is called. */
export const ONE: Record<Grouping, string> = {
  processes: "process",
  threads: "thread",
  units: "unit",
  containers: "container",
  programs: "program",
};

export interface Row {
  key: string;
  name: string;
  pid: number | null;
  tid: number | null;
  startMs: number | null;
  unit: string;
  command: string;
  /** Processes that it stands for. */
  count: number;
  /** Seconds by class, of what ran or waited. */
  times: [string, number][];
  /** Null where no time was accounted for. */
  waiting: number | null;
  running: number | null;
  cpu: number | null;
  resident: number | null;
  growth: number | null;
  swap: number | null;
  read: number | null;
  written: number | null;
  faults: number | null;
  threads: number | null;
  isKernel: boolean;
  ended: boolean;
  parent: number | null;
}

const empty = (key: string, name: string): Row => ({
  key,
  name,
  pid: null,
  tid: null,
  startMs: null,
  unit: "",
  command: "",
  count: 0,
  times: [],
  waiting: null,
  running: null,
  cpu: null,
  resident: null,
  growth: null,
  swap: null,
  read: null,
  written: null,
  faults: null,
  threads: null,
  isKernel: false,
  ended: false,
  parent: null,
});

/** The unit, else the container, else the last part of the control group. */
export function homeOf(process: SeenProcess): string {
  const group = process.cgroup?.split("/").findLast((part) => part !== "");
  return process.unit ?? process.container ?? group ?? "";
}

function ofProcess(process: SeenProcess): Row {
  return {
    ...empty(`${process.pid}@${process.start_ms ?? ""}`, process.name),
    pid: process.pid,
    startMs: process.start_ms,
    unit: homeOf(process),
    command: process.command ?? "",
    count: 1,
    cpu: process.cpu_s,
    resident: process.resident_bytes,
    growth: process.growth_bytes,
    swap: process.swap_bytes,
    read: process.read_bytes,
    written: process.write_bytes,
    faults: process.major_faults,
    threads: process.threads,
    isKernel: process.is_kernel,
    ended: process.ended,
    parent: process.parent,
  };
}

function addTimes(row: Row, times: readonly [string, number][]): void {
  for (const [name, seconds] of times) {
    const { group } = classOf(name);
    if (group !== "running" && group !== "waiting") continue;
    const known = row.times.find(([one]) => one === name);
    if (known) known[1] += seconds;
    else row.times.push([name, seconds]);
  }
}

function settle(row: Row, hasTimes: boolean): Row {
  if (hasTimes) {
    row.waiting = 0;
    row.running = 0;
    for (const [name, seconds] of row.times) {
      if (classOf(name).group === "waiting") row.waiting += seconds;
      else row.running += seconds;
    }
  } else {
    row.running = row.cpu;
  }
  return row;
}

function byProcess({ tasks, processes }: Who): Row[] {
  const rows = new Map(processes.map((process) => [process.pid, ofProcess(process)]));
  for (const task of tasks) {
    const pid = task.pid ?? task.tid;
    let row = rows.get(pid);
    if (!row) {
      // It lived between two snapshots: its times are known, nothing else.
      row = { ...empty(`${pid}@`, task.name), pid, count: 1, ended: true };
      rows.set(pid, row);
    }
    addTimes(row, task.times);
  }
  return [...rows.values()].map((row) => settle(row, tasks.length > 0));
}

function byThread({ tasks, processes }: Who): Row[] {
  const of = new Map(processes.map((process) => [process.pid, process]));
  return tasks.map((task: SeenTask) => {
    const process = task.pid === null ? undefined : of.get(task.pid);
    const row: Row = {
      ...empty(`${task.tid}`, task.name),
      tid: task.tid,
      pid: task.pid,
      startMs: process?.start_ms ?? null,
      unit: process ? homeOf(process) : "",
      command: process?.command ?? "",
      count: 1,
      isKernel: process?.is_kernel ?? false,
    };
    addTimes(row, task.times);
    return settle(row, true);
  });
}

const plus = (a: number | null, b: number | null) => (a === null && b === null ? null : (a ?? 0) + (b ?? 0));

/** One row for several. */
export function sum(key: string, name: string, rows: Row[]): Row {
  const all = empty(key, name);
  all.isKernel = rows.every((row) => row.isKernel);
  for (const row of rows) {
    all.count += row.count;
    addTimes(all, row.times);
    for (const of of ["waiting", "running", "cpu", "resident", "growth", "swap"] as const) {
      all[of] = plus(all[of], row[of]);
    }
    for (const of of ["read", "written", "faults", "threads"] as const) all[of] = plus(all[of], row[of]);
  }
  return all;
}

/** What belongs to no unit or container. */
export const NO_GROUP = "(none)";

function grouped(rows: Row[], nameOf: (row: Row) => string): Row[] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const name = nameOf(row) || NO_GROUP;
    const known = groups.get(name);
    if (known) known.push(row);
    else groups.set(name, [row]);
  }
  return [...groups].map(([name, members]) => sum(`group ${name}`, name, members));
}

/** The rows of a window; threads of the kernel only where they are asked for. */
export function rowsOf(who: Who, by: Grouping, withKernel: boolean): Row[] {
  const kept = (rows: Row[]) => (withKernel ? rows : rows.filter((row) => !row.isKernel));
  if (by === "threads") return kept(byThread(who));
  const rows = kept(byProcess(who));
  if (by === "units") return grouped(rows, (row) => row.unit);
  if (by === "programs") return grouped(rows, (row) => row.name);
  if (by === "containers") {
    const of = new Map(who.processes.map((process) => [process.pid, process.container ?? ""]));
    return grouped(rows, (row) => of.get(row.pid ?? -1) ?? "");
  }
  return rows;
}

/** What rows can be sorted by; `class:NAME` is the time of one class. */
export const SORTS = [
  "waiting",
  "running",
  "active",
  "cpu",
  "memory",
  "growth",
  "swap",
  "read",
  "written",
  "faults",
  "threads",
  "pid",
  "name",
] as const;

export const SORT_WORDS: Record<string, string> = {
  waiting: "waiting",
  running: "running",
  active: "active time",
  cpu: "CPU",
  memory: "memory",
  growth: "memory growth",
  swap: "swapped out",
  read: "read",
  written: "written",
  faults: "major faults",
  threads: "threads",
  pid: "PID",
  name: "name",
};

function amountOf(row: Row, sort: string): number {
  const missing = Number.NEGATIVE_INFINITY;
  if (sort.startsWith("class:")) {
    return row.times.find(([name]) => name === sort.slice("class:".length))?.[1] ?? 0;
  }
  switch (sort) {
    case "running":
      return row.running ?? missing;
    case "active":
      return (row.running ?? 0) + (row.waiting ?? 0);
    case "cpu":
      return row.cpu ?? row.running ?? missing;
    case "memory":
      return row.resident ?? missing;
    case "growth":
      return row.growth ?? missing;
    case "swap":
      return row.swap ?? missing;
    case "read":
      return row.read ?? missing;
    case "written":
      return row.written ?? missing;
    case "faults":
      return row.faults ?? missing;
    case "threads":
      return row.threads ?? missing;
    case "pid":
      return -(row.tid ?? row.pid ?? 0);
    default:
      return row.waiting ?? missing;
  }
}

/** The most first; `-name` turns it round. Equal ones keep an order that does not change from tick to tick. */
export function sorted(rows: Row[], sort: string): Row[] {
  const isTurned = sort.startsWith("-");
  const by = isTurned ? sort.slice(1) : sort;
  const sign = isTurned ? -1 : 1;
  return [...rows].sort((a, b) => {
    const differ = by === "name" ? a.name.localeCompare(b.name) : compare(amountOf(b, by), amountOf(a, by));
    return (
      sign * differ || compare(amountOf(b, "active"), amountOf(a, "active")) || a.key.localeCompare(b.key)
    );
  });
}

const compare = (a: number, b: number) => (a === b ? 0 : a < b ? -1 : 1);

/** Whether a row has all words: in its name, id, command, unit, or in the label of a class that it spent time in. */
export function matches(row: Row, filter: string): boolean {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return true;
  const ids = [row.pid, row.tid].filter((id) => id !== null).map(String);
  const texts = [row.name, row.unit, row.command].map((text) => text.toLowerCase());
  const classes = row.times
    .filter(([, seconds]) => seconds > 0)
    .map(([name]) => `${name} ${classOf(name).label}`);
  return words.every(
    (word) =>
      ids.includes(word) ||
      texts.some((text) => text.includes(word)) ||
      classes.some((label) => label.toLowerCase().includes(word)),
  );
}

/** A row of a tree. */
export interface Branch {
  row: Row;
  depth: number;
  /** It is the last of its parent's. */
  isLast: boolean;
  /** It has rows below it; those that are shown or not. */
  isOpen: boolean | null;
  /** It stands for rows that are not shown one by one. */
  rest: number;
}

/** Rows of a group that are shown before the others are asked for. */
const FIRST = 3;

/** Processes below their units. A filter keeps the units of what it finds. */
export function byUnit(
  rows: Row[],
  sort: string,
  filter: string,
  openness: ReadonlyMap<string, boolean>,
): Branch[] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    if (!matches(row, filter)) continue;
    const known = groups.get(row.unit || NO_GROUP);
    if (known) known.push(row);
    else groups.set(row.unit || NO_GROUP, [row]);
  }
  const heads = [...groups].map(([name, members]) => sum(`group ${name}`, name, members));
  const found: Branch[] = [];
  for (const head of sorted(heads, sort)) {
    const members = sorted(groups.get(head.name) ?? [], sort);
    const isOpen = openness.get(head.key) ?? true;
    found.push({ row: head, depth: 0, isLast: false, isOpen, rest: 0 });
    if (!isOpen) continue;
    const all = filter !== "" || openness.get(`${head.key} all`) === true || members.length <= FIRST + 1;
    const shown = all ? members : members.slice(0, FIRST);
    shown.forEach((row, at) => {
      found.push({ row, depth: 1, isLast: all && at === shown.length - 1, isOpen: null, rest: 0 });
    });
    if (!all) {
      const rest = sum(`${head.key} all`, "", members.slice(FIRST));
      found.push({ row: rest, depth: 1, isLast: true, isOpen: null, rest: rest.count });
    }
  }
  return found;
}

/** Processes below their parents. A filter keeps the parents of what it finds. */
export function byParent(
  rows: Row[],
  sort: string,
  filter: string,
  openness: ReadonlyMap<string, boolean>,
): Branch[] {
  const of = new Map(rows.filter((row) => row.pid !== null).map((row) => [row.pid as number, row]));
  const kept = new Set<Row>();
  for (const row of rows) {
    if (!matches(row, filter)) continue;
    for (let at: Row | undefined = row; at && !kept.has(at); at = of.get(at.parent ?? -1)) kept.add(at);
  }
  const children = new Map<number | null, Row[]>();
  for (const row of sorted([...kept], sort)) {
    const parent = row.parent !== null && row.parent !== row.pid && of.has(row.parent) ? row.parent : null;
    const known = children.get(parent);
    if (known) known.push(row);
    else children.set(parent, [row]);
  }
  const found: Branch[] = [];
  const shown = new Set<Row>();
  const add = (row: Row, depth: number, isLast: boolean) => {
    if (shown.has(row)) return;
    shown.add(row);
    const below = row.pid === null ? [] : (children.get(row.pid) ?? []);
    const isOpen = below.length > 0 ? (openness.get(row.key) ?? true) : null;
    found.push({ row, depth, isLast, isOpen, rest: 0 });
    if (isOpen === false) {
      hide(below);
      return;
    }
    for (const [at, child] of below.entries()) add(child, depth + 1, at === below.length - 1);
  };
  const hide = (rows: Row[]) => {
    for (const row of rows) {
      if (shown.has(row)) continue;
      shown.add(row);
      hide(row.pid === null ? [] : (children.get(row.pid) ?? []));
    }
  };
  for (const row of children.get(null) ?? []) add(row, 0, false);
  // Where ids were used again parents may run in a circle, which has no root.
  for (const row of sorted([...kept], sort)) add(row, 0, false);
  return found;
}

/** Rows without a tree. */
export function flat(rows: Row[], sort: string, filter: string): Branch[] {
  return sorted(
    rows.filter((row) => matches(row, filter)),
    sort,
  ).map((row) => ({ row, depth: 0, isLast: false, isOpen: null, rest: 0 }));
}
