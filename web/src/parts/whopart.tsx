// Who, as a part of the overview and as a view of its own: grouping, filter, order, tree.

import { useMemo, useRef, useState } from "preact/hooks";
import { useAsk } from "../ask";
import { useKeys } from "../keys";
import { address, go, source, span, view } from "../store";
import { harmless } from "../text";
import {
  byParent,
  byUnit,
  flat,
  GROUPINGS,
  type Grouping,
  NO_GROUP,
  ONE,
  rowsOf,
  SORT_WORDS,
  SORTS,
} from "../who";
import { To } from "./link";
import { Segments } from "./segments";
import { Failed, Loading } from "./states";
import { blamed, classesIn, numberOf, WhoTable } from "./who";

interface Props {
  /** Rows at most; all where that is not given. */
  most?: number;
}

/** Processes that have a drawing over the window, and its steps. */
const OVER = 40;
const SPARK = 60;

function choose(change: Record<string, string>): void {
  go({ choices: { ...address.value.choices, ...change } });
}

export function WhoPart({ most }: Props) {
  const isWhole = most === undefined;
  const shown = span.value;
  const { choices, focus } = address.value;
  const by: Grouping = GROUPINGS.find((one) => one === choices.by) ?? "processes";
  const filter = isWhole ? (choices.filter ?? "") : "";
  const [withKernel, setKernel] = useState(false);
  const [openness, setOpenness] = useState<ReadonlyMap<string, boolean>>(new Map());
  const { value, error, isLate } = useAsk(
    shown && source.value
      ? // All groupings are made of the same answer.
        (signal) =>
          source.value?.who(
            shown,
            by === "threads" ? "thread" : "process",
            signal,
            by === "processes" ? { processes: OVER, steps: SPARK } : undefined,
          ) ?? Promise.reject()
      : null,
    [shown?.since_ms, shown?.until_ms, by === "threads", by === "processes", address.value.host],
  );
  const examination = view.value?.examination;
  const rows = useMemo(() => {
    const all = value ? rowsOf(value, by, withKernel) : [];
    return focus ? all.filter((row) => isOf(row, focus)) : all;
  }, [value, by, withKernel, focus]);
  const hasTimes = (value?.tasks.length ?? 0) > 0;
  const sort = choices.sort || (hasTimes && waitsMost(rows) ? "waiting" : "running");
  const units = useMemo(() => new Set(rows.map((row) => row.unit).filter(Boolean)).size, [rows]);
  const isTree = isWhole && by === "processes" && (choices.tree ? choices.tree === "on" : units > 1);
  const branches = useMemo(() => {
    if (isTree) return (units > 1 ? byUnit : byParent)(rows, sort, filter, openness);
    const all = flat(rows, sort, filter);
    return isWhole ? all : all.slice(0, most);
  }, [rows, sort, filter, isTree, units, openness, most]);
  const field = useRef<HTMLInputElement>(null);
  const hasTree = isWhole && by === "processes";
  const turnTree = () => choose({ tree: isTree ? "off" : "on" });
  useKeys(
    {
      "/": () => (isWhole ? field.current?.focus() : go({ view: "who", what: "" })),
      f: () => hasTree && turnTree(),
    },
    [isWhole, isTree, by],
  );
  const seconds = value ? (value.span.until_ms - value.span.since_ms) / 1000 : 1;
  const blame = useMemo(() => blamed(examination), [examination]);
  const sparks = useMemo(
    () =>
      new Map(
        value?.over_time?.processes.map(({ pid, classes: own }) => [
          pid,
          own.map((one) => ({ name: one.class, values: one.tasks })),
        ]),
      ),
    [value],
  );
  const classes = useMemo(() => (isWhole ? classesIn(rows) : []), [rows, isWhole]);
  const Heading = isWhole ? "h1" : "h2";
  return (
    <>
      <div class="sect whohead">
        <Heading>Who</Heading>
        <Segments
          label="rows are"
          all={GROUPINGS}
          chosen={by}
          onChoose={(one) => choose({ by: one === "processes" ? "" : one })}
        />
        {isWhole ? (
          <>
            <span class="filter">
              <span class="kbd" aria-hidden="true">
                /
              </span>
              <input
                ref={field}
                class="input"
                aria-label="filter"
                placeholder="name, pid, unit, class…"
                value={filter}
                autocomplete="off"
                spellcheck={false}
                onInput={(event) => choose({ filter: event.currentTarget.value })}
                onKeyDown={(event) => {
                  if (event.key === "Escape") {
                    if (filter) choose({ filter: "" });
                    field.current?.blur();
                    event.stopPropagation();
                  } else if (event.key === "Enter") field.current?.blur();
                }}
              />
            </span>
            {hasTree ? (
              <button type="button" class="dim toggle" aria-pressed={isTree} onClick={turnTree}>
                tree{" "}
                <span class="kbd" aria-hidden="true">
                  f
                </span>
              </button>
            ) : null}
            <button
              type="button"
              class="dim toggle"
              aria-pressed={withKernel}
              onClick={() => setKernel(!withKernel)}
            >
              kernel threads
            </button>
          </>
        ) : null}
        <span class="r">
          {value ? numberOf(rows.length, by) : ""}
          {isWhole ? (
            <label>
              {" "}
              · sorted by{" "}
              <select
                value={sort.replace(/^-/, "")}
                onChange={(event) => choose({ sort: event.currentTarget.value })}
              >
                {SORTS.map((one) => (
                  <option key={one} value={one}>
                    {SORT_WORDS[one]}
                  </option>
                ))}
                {classes.map(({ name, label }) => (
                  <option key={name} value={`class:${name}`}>
                    {label}
                  </option>
                ))}
              </select>
            </label>
          ) : (
            <>
              {" · "}
              <To to={{ view: "who", what: "" }}>
                <span class="kbd" aria-hidden="true">
                  /
                </span>{" "}
                filter
              </To>
            </>
          )}
        </span>
      </div>
      {error ? (
        <Failed error={error} />
      ) : !value ? (
        <Loading isLate={isLate} height={(most ?? 20) * 28} />
      ) : branches.length === 0 ? (
        <p class="dim">{emptyWords(rows.length, filter, focus, by)}</p>
      ) : (
        <WhoTable
          branches={branches}
          sort={sort}
          seconds={seconds}
          called={ONE[by]}
          label={`${by}, sorted by ${SORT_WORDS[sort.replace(/^-/, "")] ?? "a class"}`}
          onSort={(next) => choose({ sort: next })}
          onToggle={(key, isOpen) => setOpenness((before) => new Map(before).set(key, isOpen))}
          onGroup={(row) => {
            if (row.name !== NO_GROUP)
              go({ view: "who", what: "", choices: { ...choices, by: "", filter: row.name } });
          }}
          blame={blame}
          sparks={sparks}
          hasUnit={!isTree && (by === "processes" || by === "threads") && units > 0}
          hasKeys
        />
      )}
      {isWhole && value && branches.length > 0 ? (
        <p class="dim below">
          {hasTimes
            ? "Waiting grows to the left of the line, running to the right; one scale for all rows. "
            : "Waits of tasks are not in this source. "}
          {isTree && units > 1 ? "A unit’s row is the sum of its processes. " : ""}– not measured.
        </p>
      ) : null}
    </>
  );
}

/** Whether waiting is what rows differ by. */
function waitsMost(rows: { waiting: number | null; running: number | null }[]): boolean {
  const of = (key: "waiting" | "running") => rows.reduce((sum, row) => sum + (row[key] ?? 0), 0);
  return of("waiting") >= 0.05 * of("running");
}

/** Whether a row belongs to `unit:…`, `comm:…` or `pid:…`; what is no task leaves all. */
function isOf(row: { name: string; unit: string; pid: number | null }, focus: string): boolean {
  const [kind, what] = focus.split(/:(.*)/s);
  if (kind === "unit") return row.unit === what;
  if (kind === "comm") return row.name === what;
  return kind !== "pid" || String(row.pid) === what;
}

function emptyWords(all: number, filter: string, focus: string | null, by: Grouping): string {
  if (filter && all > 0)
    return `Nothing has “${harmless(filter)}” in its name, id, unit, command or classes.`;
  if (focus) return `Nothing here belongs to ${harmless(focus)}.`;
  return `No ${by} are in this source for this window.`;
}
