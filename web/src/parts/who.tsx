// Rows of who was there: a bar of classes in each, waiting to the left of the line, running to the right.

import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { classOf } from "../classes";
import { onKeys } from "../keys";
import { lineAt, RowBar, type RowScale, Spark, type SparkSeries } from "../marks/rows";
import type { ExaminationDocument } from "../source/documents";
import { go } from "../store";
import { type Column, column, count, counted, harmless, inColumn, middle } from "../text";
import { type Branch, type Grouping, ONE, type Row } from "../who";
import { useWidth } from "../width";
import { To } from "./link";
import { Severity } from "./quantity";

const ROW = 28;
/** Rows above and below what is seen. */
const BESIDE = 12;

/** The worst finding that a process causes, by its id. */
export function blamed(examination: ExaminationDocument | undefined): Map<number, string> {
  const rank = ["info", "warning", "critical"];
  const found = new Map<number, string>();
  for (const finding of examination?.findings ?? []) {
    if (finding.severity === "info") continue;
    for (const { pid } of finding.culprits) {
      if (pid === null) continue;
      const known = found.get(pid);
      if (!known || rank.indexOf(finding.severity) > rank.indexOf(known)) found.set(pid, finding.severity);
    }
  }
  return found;
}

/** Where a process is shown: its id, and when it began. */
export function lifeOf(row: Row): string | null {
  if (row.pid === null) return null;
  return row.startMs === null ? String(row.pid) : `${row.pid}@${row.startMs}`;
}

export interface WhoTableProps {
  branches: Branch[];
  sort: string;
  /** Length of the window, in seconds. */
  seconds: number;
  /** What a row is called. */
  called: string;
  label: string;
  onSort: (sort: string) => void;
  onToggle?: (key: string, isOpen: boolean) => void;
  onGroup?: (row: Row) => void;
  blame: Map<number, string>;
  sparks?: Map<number, SparkSeries[]>;
  hasUnit?: boolean;
  /** Fewer columns. */
  isBrief?: boolean;
  hasKeys?: boolean;
}

interface Facts {
  columns: { time: Column; memory: Column; read: Column; written: Column };
  scale: RowScale;
  /** What was measured; a column of which nothing was is not shown. */
  has: Record<"waiting" | "resident" | "read" | "written", boolean>;
}

/** What all rows have in common: units, the scale of bars, which columns there are. */
function facts(branches: Branch[], seconds: number): Facts {
  const most = { waiting: 0, running: 0, resident: 0, read: 0, written: 0 };
  const has = { waiting: false, running: false, resident: false, read: false, written: false };
  for (const { row } of branches) {
    for (const key of ["waiting", "running", "resident", "read", "written"] as const) {
      const value = row[key];
      if (value === null) continue;
      has[key] = true;
      if (value > most[key]) most[key] = value;
    }
  }
  // Megabytes, so that rows of other windows can be compared.
  const megabytes = (bytes: number): Column => ({
    unit: "MB",
    factor: 1e-6,
    decimals: bytes >= 1e9 ? 0 : bytes >= 1e7 ? 1 : 2,
  });
  return {
    columns: {
      time: column(Math.max(most.waiting, most.running, 1), "s"),
      memory: megabytes(most.resident),
      read: megabytes(most.read / seconds),
      written: megabytes(most.written / seconds),
    },
    scale: { waiting: Math.max(1e-9, most.waiting), running: Math.max(1e-9, most.running) },
    has,
  };
}

/** Which rows are on the screen. */
function useSeen(number: number, of: { current: HTMLElement | null }): [number, number] {
  const [seen, setSeen] = useState<[number, number]>([0, 60]);
  useLayoutEffect(() => {
    if (number <= 80) return undefined;
    const look = () => {
      const top = of.current?.getBoundingClientRect().top ?? 0;
      // Whole blocks: scrolling within one draws nothing again.
      const from = Math.max(0, (Math.floor(-top / ROW / BESIDE) - 1) * BESIDE);
      const to = Math.min(number, (Math.ceil((window.innerHeight - top) / ROW / BESIDE) + 1) * BESIDE);
      setSeen((before) => (before[0] === from && before[1] === to ? before : [from, to]));
    };
    look();
    window.addEventListener("scroll", look, { passive: true });
    window.addEventListener("resize", look);
    return () => {
      window.removeEventListener("scroll", look);
      window.removeEventListener("resize", look);
    };
  }, [number]);
  return number <= 80 ? [0, number] : seen;
}

export function WhoTable(props: WhoTableProps) {
  const { branches, seconds, sort, blame, sparks } = props;
  const element = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLTableSectionElement>(null);
  const width = useWidth(element);
  const [selected, setSelected] = useState<string | null>(null);
  const at = branches.findIndex(({ row }) => row.key === selected);
  const [from, to] = useSeen(branches.length, body);
  const open = (row: Row) => {
    const what = lifeOf(row);
    if (row.count === 1 && what !== null && row.key !== "") go({ view: "life", what });
    else props.onGroup?.(row);
  };
  useEffect(() => {
    if (!props.hasKeys) return undefined;
    return onKeys((event) => {
      const move = (next: number) => {
        const index = Math.max(0, Math.min(branches.length - 1, next));
        setSelected(branches[index]?.row.key ?? null);
        const top = (body.current?.getBoundingClientRect().top ?? 0) + index * ROW;
        if (top < 0 || top > window.innerHeight - 2 * ROW) window.scrollBy(0, top - window.innerHeight / 2);
        return true;
      };
      if (event.key === "j" || event.key === "ArrowDown") return move(at + 1);
      if (event.key === "k" || event.key === "ArrowUp") return move(at < 0 ? 0 : at - 1);
      const branch = branches[at];
      if (event.key === "Enter" && branch) {
        open(branch.row);
        return true;
      }
      if (event.key === "Escape" && branch) {
        setSelected(null);
        return true;
      }
      return false;
    });
  }, [branches, at, props.hasKeys]);

  const isWide = width >= 1000 && !props.isBrief;
  const isNarrow = width < 560;
  const hasUnit = (props.hasUnit ?? true) && width >= 900;
  const hasSparks = isWide && sparks !== undefined && sparks.size > 0;
  const { columns, scale, has } = useMemo(() => facts(branches, seconds), [branches, seconds]);
  const hasIo = isWide && (has.read || has.written);
  const hasMemory = !isNarrow && has.resident;
  const bar =
    isNarrow || !has.waiting ? 0 : Math.round(Math.max(90, Math.min(300, width * (isWide ? 0.19 : 0.22))));
  const line = lineAt(scale, bar);
  const head = (name: string, text: ComponentChildren, title?: string) => (
    <SortHead name={name} sort={sort} onSort={props.onSort} title={title}>
      {text}
    </SortHead>
  );
  const cells = (hasUnit ? 1 : 0) + (bar > 0 ? 1 : 0) + (isNarrow ? 0 : 1) + (hasMemory ? 1 : 0);
  const all = 4 + cells + (hasIo ? 2 : 0) + (hasSparks ? 1 : 0);
  return (
    <div ref={element} class="whotable">
      <table class="who" aria-label={props.label} aria-rowcount={branches.length + 1}>
        <thead>
          <tr>
            <SortHead name="name" sort={sort} onSort={props.onSort} isText>
              {props.called}
            </SortHead>
            {hasUnit ? <th scope="col">unit</th> : null}
            {head("waiting", "waiting")}
            {bar > 0 ? (
              <th class="bars" scope="col" style={{ width: `${bar + 14}px` }}>
                <span class="dim3" style={{ width: `${Math.max(0, line - 6)}px` }}>
                  {line > 60 ? "waiting" : ""}
                </span>
                <span class="dim3">{bar - line > 60 ? "running" : ""}</span>
              </th>
            ) : null}
            {head("running", "running")}
            {isNarrow ? null : head("cpu", "CPU %")}
            {hasMemory ? head("memory", "memory MB", "resident") : null}
            {hasIo ? head("read", "read MB/s") : null}
            {hasIo ? head("written", "write MB/s") : null}
            {hasSparks ? <th scope="col">over the window</th> : null}
            <th scope="col">
              <span class="ear">cause of</span>
            </th>
          </tr>
        </thead>
        <tbody ref={body}>
          {from > 0 ? <Space height={from * ROW} columns={all} /> : null}
          {branches.slice(from, to).map((branch, index) => {
            const { row } = branch;
            return (
              <tr
                key={row.key}
                class={branch.isOpen !== null || (row.count > 1 && branch.depth === 0) ? "grp" : ""}
                aria-selected={row.key === selected}
                aria-rowindex={from + index + 2}
                onClick={() => setSelected(row.key)}
                onDblClick={() => open(row)}
              >
                <td class="whoname">
                  <Name
                    branch={branch}
                    isNarrow={isNarrow}
                    onToggle={props.onToggle}
                    onGroup={props.onGroup}
                  />
                </td>
                {hasUnit ? <td class="unit bidi">{middle(row.unit, 26)}</td> : null}
                <td class="num">
                  {inColumn(row.waiting, columns.time)}
                  {row.waiting === null ? null : <span class="u">{columns.time.unit}</span>}
                </td>
                {bar > 0 ? (
                  <td class="barcell">
                    <RowBar times={row.times} scale={scale} width={bar} />
                  </td>
                ) : null}
                <td class="num">
                  {inColumn(row.running, columns.time)}
                  {row.running === null ? null : <span class="u">{columns.time.unit}</span>}
                </td>
                {isNarrow ? null : <td class="num">{percent(row.cpu ?? row.running, seconds)}</td>}
                {hasMemory ? <td class="num">{inColumn(row.resident, columns.memory)}</td> : null}
                {hasIo ? <td class="num">{inColumn(rate(row.read, seconds), columns.read)}</td> : null}
                {hasIo ? <td class="num">{inColumn(rate(row.written, seconds), columns.written)}</td> : null}
                {hasSparks ? (
                  <td class="sparkcell">
                    {row.pid !== null && sparks.has(row.pid) ? (
                      <Spark series={sparks.get(row.pid) ?? []} />
                    ) : null}
                  </td>
                ) : null}
                <td class="mark">
                  {row.pid !== null && blame.has(row.pid) ? (
                    <Severity severity={blame.get(row.pid) ?? ""} />
                  ) : null}
                </td>
              </tr>
            );
          })}
          {to < branches.length ? <Space height={(branches.length - to) * ROW} columns={all} /> : null}
        </tbody>
      </table>
    </div>
  );
}

function Space({ height, columns }: { height: number; columns: number }) {
  return (
    <tr class="space">
      <td colSpan={columns} style={{ height: `${height}px` }} />
    </tr>
  );
}

const rate = (bytes: number | null, seconds: number) =>
  bytes === null ? null : bytes / Math.max(seconds, 1e-9);

function percent(cpu: number | null, seconds: number): string {
  return inColumn(cpu === null ? null : cpu / Math.max(seconds, 1e-9), {
    unit: "%",
    factor: 100,
    decimals: 1,
  });
}

interface HeadProps {
  name: string;
  sort: string;
  onSort: (sort: string) => void;
  title?: string | undefined;
  isText?: boolean;
  children: ComponentChildren;
}

function SortHead({ name, sort, onSort, title, isText = false, children }: HeadProps) {
  const isSorted = sort === name || sort === `-${name}`;
  const isAscending = sort.startsWith("-") !== isText;
  const direction = isSorted ? (isAscending ? "ascending" : "descending") : undefined;
  return (
    <th scope="col" class={isText ? "" : "num"} aria-sort={direction} title={title}>
      <button type="button" onClick={() => onSort(sort === name ? `-${name}` : name)}>
        {children}
        {isSorted ? <span aria-hidden="true">{isAscending ? " ↑" : " ↓"}</span> : null}
      </button>
    </th>
  );
}

interface NameProps {
  branch: Branch;
  isNarrow: boolean;
  onToggle: WhoTableProps["onToggle"];
  onGroup: WhoTableProps["onGroup"];
}

function Name({ branch, isNarrow, onToggle, onGroup }: NameProps) {
  const { row, depth, isLast, isOpen, rest } = branch;
  const indent = depth > 0 ? `${" ".repeat(Math.min(depth - 1, 12) * 2 + 1)}${isLast ? "└" : "├"} ` : "";
  const most = isNarrow ? 14 : 28;
  if (rest > 0) {
    return (
      <>
        <span class="tree">{indent}</span>
        <button type="button" class="name rest" onClick={() => onToggle?.(row.key, true)}>
          {count(rest)} more
        </button>
      </>
    );
  }
  const life = row.count === 1 ? lifeOf(row) : null;
  return (
    <>
      <span class="tree">{indent}</span>
      {isOpen === null ? null : (
        <button
          type="button"
          class="fold"
          aria-expanded={isOpen}
          aria-label={`${harmless(row.name)}: ${isOpen ? "hide" : "show"} what is below`}
          onClick={() => onToggle?.(row.key, !isOpen)}
        >
          {isOpen ? "▾" : "▸"}
        </button>
      )}
      {life !== null ? (
        <To class="name" to={{ view: "life", what: life }} title={harmless(row.command || row.name)}>
          {middle(row.name, most)}
        </To>
      ) : onGroup ? (
        <button type="button" class="name" onClick={() => onGroup(row)}>
          {middle(row.name, most)}
        </button>
      ) : (
        <span class="name">{middle(row.name, most)}</span>
      )}
      {row.tid !== null || row.pid !== null ? <span class="pid">{row.tid ?? row.pid}</span> : null}
      {row.pid === null && row.count > 0 ? <span class="pid">× {count(row.count)}</span> : null}
      {row.ended && row.pid !== null && !isNarrow ? <span class="pid">ended</span> : null}
    </>
  );
}

/** What the line above the rows says: `106 processes`. */
export function numberOf(n: number, called: Grouping): string {
  return counted(n, ONE[called], called);
}

/** Classes that somebody spent time in, for a list to sort by. */
export function classesIn(rows: Row[]): { name: string; label: string }[] {
  const sums = new Map<string, number>();
  for (const row of rows)
    for (const [name, seconds] of row.times) sums.set(name, (sums.get(name) ?? 0) + seconds);
  return [...sums]
    .filter(([, seconds]) => seconds > 0)
    .sort((a, b) => b[1] - a[1])
    .map(([name]) => ({ name, label: classOf(name).label }));
}
