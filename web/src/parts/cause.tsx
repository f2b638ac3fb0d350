// What causes a finding above it, what it causes below.

import { paint } from "../classes";
import { OTHERS, roleOf } from "../examination";
import type { ExaminationDocument, Finding, TaskShare } from "../source/documents";
import { harmless, middle, seconds, share } from "../text";
import { To } from "./link";
import { Severity } from "./quantity";

/** Rows of one kind. */
const MOST = 3;
const MOST_LEVELS = 3;
const INDENT = 22;

interface Row {
  key: string;
  depth: number;
  label: string;
  finding?: Finding;
  task?: TaskShare;
  isThis?: boolean;
  /** How many are left out, at the end of those of a kind. */
  more?: number;
}

/** Findings that lead to a finding, or that it leads to, level by level; each once. */
function levels(all: Map<string, Finding>, from: Finding, next: (finding: Finding) => string[]): Finding[][] {
  const seen = new Set([from.key]);
  const found: Finding[][] = [];
  let level = [from];
  for (let depth = 0; depth < MOST_LEVELS; depth += 1) {
    const keys = new Set(level.flatMap(next).filter((key) => !seen.has(key)));
    level = [...keys].flatMap((key) => all.get(key) ?? []);
    if (level.length === 0) break;
    for (const finding of level) seen.add(finding.key);
    found.push(level);
  }
  return found;
}

function findingRows(level: Finding[], depth: number, label: string): Row[] {
  const rows: Row[] = level.slice(0, MOST).map((finding) => ({ key: finding.key, depth, label, finding }));
  if (level.length > MOST)
    rows.push({ key: `more ${label} ${depth}`, depth, label, more: level.length - MOST });
  return rows;
}

/** Tasks of one program and place as one; what they did is that of all where there is only one. */
export function together(tasks: TaskShare[]): TaskShare[] {
  const found = new Map<string, TaskShare>();
  for (const task of tasks) {
    const key = JSON.stringify([task.name, task.unit ?? task.cgroup]);
    const known = found.get(key);
    if (!known) {
      found.set(key, { ...task });
      continue;
    }
    known.tasks = (known.tasks ?? 1) + (task.tasks ?? 1);
    known.seconds = (known.seconds ?? 0) + (task.seconds ?? 0);
    if (known.role !== task.role) known.role = null;
  }
  const rank = (task: TaskShare) => (task.name === OTHERS ? -1 : (task.seconds ?? 0));
  return [...found.values()].sort((a, b) => rank(b) - rank(a));
}

function taskRows(all: TaskShare[], depth: number, label: string): Row[] {
  const tasks = together(all);
  const rows: Row[] = tasks.slice(0, MOST).map((task, at) => ({ key: `${label} ${at}`, depth, label, task }));
  if (tasks.length > MOST) rows.push({ key: `more ${label}`, depth, label, more: tasks.length - MOST });
  return rows;
}

function rowsOf(examination: ExaminationDocument, finding: Finding): Row[] {
  const all = new Map(examination.findings.map((one) => [one.key, one]));
  const about = (one: Finding) => [...one.because, ...(one.detail_of ? [one.detail_of] : [])];
  const above = levels(all, finding, about).reverse();
  const below = levels(all, finding, (one) => one.explains);
  const details = examination.findings.filter((one) => one.detail_of === finding.key);
  const rows = above.flatMap((level, depth) => findingRows(level, depth, "cause"));
  const causes = Math.max(0, above.length - 1);
  rows.push(...taskRows(finding.culprits, causes, "culprit"));
  const own = rows.length > 0 ? causes + 1 : 0;
  rows.push({ key: finding.key, depth: own, label: "this", finding, isThis: true });
  rows.push(...findingRows(details, own + 1, "more of it"));
  rows.push(...below.flatMap((level, depth) => findingRows(level, own + 1 + depth, "explains")));
  rows.push(...taskRows(finding.victims, own + 1, "victim"));
  return rows;
}

export function CauseTree({ examination, finding }: { examination: ExaminationDocument; finding: Finding }) {
  const rows = rowsOf(examination, finding);
  if (rows.length < 2) return null;
  return (
    <section class="cause" aria-labelledby="cause">
      <div class="sect">
        <h2 id="cause">Cause</h2>
        <span class="dim">what causes it above, what it causes below</span>
      </div>
      <ol class="tree">
        {rows.map((row, at) => (
          <li
            key={row.key}
            class={row.isThis ? "this" : undefined}
            aria-current={row.isThis ? "true" : undefined}
          >
            <span class="dim3 label">{row.label}</span>
            <span class="what" style={{ paddingLeft: `${row.depth * INDENT}px` }}>
              {row.depth > 0 ? (
                <i
                  class={rows[at - 1]?.depth === row.depth ? "elbow on" : "elbow"}
                  style={{ left: `${(row.depth - 1) * INDENT + 6}px` }}
                  aria-hidden="true"
                />
              ) : null}
              <What row={row} />
            </span>
            <Share row={row} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function What({ row }: { row: Row }) {
  const { finding, task, more } = row;
  if (more) return <span class="dim">{`${more} more`}</span>;
  if (task) return <Task task={task} />;
  if (!finding) return null;
  const name = `${finding.id} · ${middle(finding.subject.name, 40)}`;
  return (
    <span>
      <Severity severity={finding.severity} />{" "}
      {row.isThis ? (
        <b class="bidi">{name}</b>
      ) : (
        <To to={{ view: "finding", what: finding.key }} class="l bidi" title={harmless(finding.title)}>
          {name}
        </To>
      )}
    </span>
  );
}

/** `exporter × 3 · export.service · 3,766 syncs/s` */
export function Task({ task }: { task: TaskShare }) {
  const home = task.unit ?? (task.cgroup && task.cgroup !== "/" ? task.cgroup : null);
  const id = task.tid ?? task.pid;
  const isOne = !task.tasks || task.tasks <= 1;
  return (
    <span class="task">
      {task.pid !== null && task.pid !== undefined ? (
        <To to={{ view: "life", what: String(task.pid) }} class="name">
          {middle(task.name, 32)}
        </To>
      ) : (
        <span class="name">{middle(task.name, 32)}</span>
      )}
      {isOne ? id ? <span class="dim3"> {id}</span> : null : <span class="dim3"> × {task.tasks}</span>}
      {home ? <span class="bidi"> · {middle(home, 36)}</span> : null}
      {task.role ? <span class="bidi"> · {middle(task.role, 80)}</span> : null}
    </span>
  );
}

function Share({ row: { finding, task } }: { row: Row }) {
  if (task) {
    return (
      <>
        <span />
        <span class="num">{task.seconds ? seconds(task.seconds) : ""}</span>
      </>
    );
  }
  if (finding?.cost === null || finding?.cost === undefined) {
    return (
      <>
        <span />
        <span />
      </>
    );
  }
  return (
    <>
      <span class="part" aria-hidden="true">
        <i style={{ width: `${Math.min(1, finding.cost) * 100}%`, background: paint(roleOf(finding.id)) }} />
      </span>
      <span class="num">{share(finding.cost)}</span>
    </>
  );
}
