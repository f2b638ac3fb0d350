// What an examination says, in the words of the text report: titles, shares, who, why, what was not checked.

import type { ExaminationDocument, Finding, FindingGroup, TaskShare } from "./source/documents";
import { count, counted, fixed, seconds, share, withUnit } from "./text";

/** Name under which the ledger sums up the tasks beyond its first 20. */
export const OTHERS = "(others)";
/** Active time below this share of what the CPUs could have given is an idle machine's. */
const IDLE = 0.01;
const MOST_NAMES = 3;
/** Waiting below this share of active time is nobody's trouble; CPUs busy from this share on are all in use. */
const LITTLE_WAITING = 0.05;
const ALL_IN_USE = 0.95;
/** Runnable tasks for each CPU up to which nobody queues. */
const LITTLE_QUEUE = 1.25;

/** Areas of rules, as they are listed. */
export const RULE_AREAS: readonly { title: string; prefixes: readonly string[] }[] = [
  { title: "CPU", prefixes: ["cpu", "power", "virt", "kernel"] },
  { title: "disk", prefixes: ["disk", "io"] },
  { title: "memory", prefixes: ["mem"] },
  { title: "locks", prefixes: ["lock"] },
  { title: "network", prefixes: ["net"] },
  { title: "file systems", prefixes: ["fs"] },
  { title: "limits", prefixes: ["limit"] },
  { title: "settings", prefixes: ["config"] },
  { title: "databases", prefixes: ["db"] },
  { title: "recording", prefixes: ["capture", "time"] },
];

const RESOURCES: readonly [string, readonly string[]][] = [
  ["CPU", ["cpu.saturated"]],
  ["memory", ["mem.exhausted", "mem.swapping", "mem.reclaim", "mem.thrashing"]],
  ["disk latency", ["disk.saturated", "disk.slow"]],
];

const prefix = (id: string) => id.split(".")[0] ?? id;
const trimmed = (text: string) => text.trim().replace(/\.$/, "");

/** The resource whose colour a rule has. */
export function roleOf(id: string): string {
  if (["cpu.saturated", "cpu.throttled", "cpu.placement"].includes(id)) return "queue-0";
  if (id === "virt.balloon") return "memory-0";
  const roles: Record<string, string> = {
    cpu: "cpu-0",
    power: "cpu-0",
    virt: "cpu-0",
    kernel: "cpu-0",
    mem: "memory-0",
    disk: "disk-0",
    io: "disk-0",
    fs: "disk-0",
    db: "disk-0",
    net: "remote-0",
    lock: "lock-0",
  };
  return roles[prefix(id)] ?? "unknown-0";
}

/** A group with the number that `heldup explain` takes. */
export interface Numbered {
  number: number;
  group: FindingGroup;
}

const numbered = (examination: ExaminationDocument): Numbered[] =>
  examination.groups.map((group, at) => ({ number: at + 1, group }));

export function membersOf(examination: ExaminationDocument, group: FindingGroup): Finding[] {
  const all = group.members.map((key) => examination.findings.find((finding) => finding.key === key));
  return all.filter((finding) => finding !== undefined);
}

/** Whether all members only say more about other findings. */
function isDetail(examination: ExaminationDocument, group: FindingGroup): boolean {
  const members = membersOf(examination, group);
  return members.length > 0 && members.every((finding) => finding.detail_of);
}

/** What needs attention, in rank. */
export function troubles(examination: ExaminationDocument): Numbered[] {
  return numbered(examination).filter(
    ({ group }) => group.severity !== "info" && !isDetail(examination, group),
  );
}

/** What is information only. */
export function information(examination: ExaminationDocument): Numbered[] {
  return numbered(examination).filter(({ group }) => group.severity === "info");
}

/** Findings that say more about a group. */
export function details(examination: ExaminationDocument, group: FindingGroup): Finding[] {
  const isOf = (finding: Finding) =>
    finding.severity !== "info" && finding.detail_of && group.members.includes(finding.detail_of);
  return examination.findings.filter(isOf);
}

/** The groups that explain a group. */
export function causes(examination: ExaminationDocument, group: FindingGroup): Numbered[] {
  const because = membersOf(examination, group)[0]?.because ?? [];
  return numbered(examination).filter(
    ({ group: other }) =>
      other.key !== group.key &&
      because.some((key) => other.members.includes(key)) &&
      !isDetail(examination, other),
  );
}

/** The title; of several members that of the worst, and how many more of whom. */
export function titleOf(examination: ExaminationDocument, group: FindingGroup): string {
  const [worst, ...others] = membersOf(examination, group);
  if (!worst) return group.key;
  const title = trimmed(worst.title);
  return others.length === 0 ? title : `${title}; ${moreOf(group.id, worst, others)}`;
}

function moreOf(id: string, worst: Finding, others: Finding[]): string {
  const kind = others[0]?.subject.kind ?? "subject";
  const [one, many] =
    id === "mem.oom-kill"
      ? ["kill", "kills"]
      : kind === "process"
        ? ["process", "processes"]
        : kind === "cpu"
          ? ["CPU", "CPUs"]
          : [kind, `${kind}s`];
  const called = `${count(others.length)} more ${others.length === 1 ? one : many}`;
  if (others.every((other) => other.subject.name === worst.subject.name)) return called;
  const names = [...new Set(others.map((other) => other.subject.name))];
  const left = names.length - MOST_NAMES;
  const shown = names.slice(0, MOST_NAMES);
  if (left > 0) shown.push(`${count(left)} more`);
  return `${called}: ${shown.join(", ")}`;
}

/** Length of what was examined, in seconds. */
export function secondsOf(examination: ExaminationDocument): number {
  const { from, to } = examination;
  const length = from && to ? (Date.parse(to) - Date.parse(from)) / 1000 : examination.seconds;
  return length ?? 0;
}

/** Whether there was next to nothing to do. */
export function isIdle(examination: ExaminationDocument): boolean {
  const cpus = Math.max(1, examination.host.cpus ?? 1);
  return examination.ledger.active_seconds < IDLE * cpus * secondsOf(examination);
}

/** The share of active time; null where it says nothing. */
export function shareOf(examination: ExaminationDocument, group: FindingGroup): number | null {
  const isSaid = group.impact.kind === "time" && !isIdle(examination) && prefix(group.id) !== "db";
  return isSaid ? group.cost : null;
}

/** Of what that is a share. */
export function whose(examination: ExaminationDocument, group: FindingGroup): string {
  return membersOf(examination, group)[0]?.focus ? "of the command’s active time" : "of active time";
}

/** How much, where there is no share: `in 18 min`, `3 kills`, `4.2 s`. */
export function amountOf({ impact }: FindingGroup): string {
  switch (impact.kind) {
    case "time":
    case "waste":
      return withUnit(impact.amount, impact.unit);
    case "failure":
      return / since | at one moment$/.test(impact.unit)
        ? withUnit(impact.amount, impact.unit)
        : fixed(impact.amount, 0);
    default:
      if (impact.amount <= 0) return "";
      if (impact.unit === "s") return `in ${withUnit(impact.amount / 60, "min")}`;
      return impact.unit === "h"
        ? `in ${withUnit(impact.amount, "h")}`
        : withUnit(impact.amount, impact.unit);
  }
}

/** Rules that found something. */
export function rulesThatFound(examination: ExaminationDocument): number {
  return new Set(examination.findings.map((finding) => finding.id)).size;
}

/** All rules. */
export function rulesOf(examination: ExaminationDocument): number {
  return rulesThatFound(examination) + examination.ruled_out.length + examination.not_checked.length;
}

/** What is not checked for one reason, together; most first. */
export function reasons(examination: ExaminationDocument): { missing: string; how: string; ids: string[] }[] {
  const found: { missing: string; how: string; ids: string[] }[] = [];
  for (const { id, missing, how } of examination.not_checked) {
    const known = found.find((one) => one.missing === missing && one.how === how);
    if (known) known.ids.push(id);
    else found.push({ missing, how, ids: [id] });
  }
  return found.sort((a, b) => b.ids.length - a.ids.length);
}

/** Tasks of one name together: name, number, seconds; what is left over last. */
export function byName(tasks: TaskShare[]): { name: string; tasks: number; seconds: number }[] {
  const found = new Map<string, { name: string; tasks: number; seconds: number }>();
  for (const task of tasks) {
    const known = found.get(task.name) ?? { name: task.name, tasks: 0, seconds: 0 };
    known.tasks += task.tasks ?? 1;
    known.seconds += task.seconds ?? 0;
    found.set(task.name, known);
  }
  const isLast = (name: string) => (name === OTHERS ? 1 : 0);
  return [...found.values()].sort((a, b) => isLast(a.name) - isLast(b.name) || b.seconds - a.seconds);
}

/** Where nothing needs attention: how sure that is, and what is said of it. */
export interface Calm {
  title: string;
  text: string;
}

export function calm(examination: ExaminationDocument): Calm {
  const { ledger, vitals, host } = examination;
  const parts = examination.stretches?.flatMap((stretch) => stretch.findings) ?? [];
  if (parts.length > 0) {
    return {
      title: "Nothing throughout",
      text: "Parts of this window have findings; they are on the strip.",
    };
  }
  if (examination.findings.length === 0 && examination.ruled_out.length === 0) {
    return {
      title: "Nothing could be checked",
      text: "No rule has what it needs here. heldup doctor says what is missing.",
    };
  }
  const unseen = unseenOf(examination);
  if (unseen.length > 0) {
    const rules = rulesThatFound(examination) + examination.ruled_out.length;
    return {
      title: "Not judged",
      text: `Nothing found by ${counted(rules, "rule")}; not judged: ${unseen.join(", ")}.`,
    };
  }
  const hasTime = ledger.classes.length > 0;
  const length = secondsOf(examination);
  const ofActive = ledger.active_seconds > 0 ? ledger.waiting_seconds / ledger.active_seconds : 0;
  if (hasTime && isIdle(examination)) {
    return { title: "Idle", text: `${seconds(ledger.active_seconds)} of active time in ${seconds(length)}.` };
  }
  const cpus = host.cpus ?? 0;
  const isFull = (vitals.cpu_busy ?? 0) >= ALL_IN_USE;
  const nobodyWaits = hasTime
    ? ofActive <= LITTLE_WAITING
    : cpus > 0 && vitals.runnable !== null && vitals.runnable <= LITTLE_QUEUE * cpus;
  const waits = hasTime
    ? `${seconds(ledger.waiting_seconds)} of waiting in ${seconds(length)}: ${share(ofActive)} of active time.`
    : "";
  if (isFull && nobodyWaits) {
    const all = cpus === 1 ? "The CPU is" : cpus === 2 ? "Both CPUs are" : `All ${count(cpus)} CPUs are`;
    return { title: "No bottleneck", text: `${all} in use and nobody queues. ${waits}`.trim() };
  }
  return { title: "Nothing found", text: waits };
}

/** What a recording would have to have before anybody could call the machine healthy, and has not. */
function unseenOf(examination: ExaminationDocument): string[] {
  const { vitals, host } = examination;
  if (host.method !== "imported" || vitals.profile) return [];
  if (vitals.database) return vitals.database.events.length === 0 ? ["wait events"] : [];
  const judged = new Set([
    ...examination.findings.map((finding) => finding.id),
    ...examination.ruled_out.map((rule) => rule.id),
  ]);
  return RESOURCES.filter(([, ids]) => !ids.some((id) => judged.has(id))).map(([name]) => name);
}

/** The query of a command `heldup sql … "select …"`: the page asks it itself. */
export function queryOf(command: string): string | null {
  const found = /^(?:sudo )?heldup sql .*?"((?:[^"\\]|\\.)*)"$/s.exec(command.trim());
  return found?.[1]?.replace(/\\(.)/g, "$1") ?? null;
}
