// The rows of a query: what names a process, a device or a time leads there.

import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import type { SqlAnswer } from "../source/source";
import { count, harmless, isSameDay, moment, time } from "../text";
import { To } from "./link";

type Value = SqlAnswer["rows"][number][number];
/** A time leads to so much before and after it. */
const AROUND = 30_000;
/** Longer texts are cut; they are whole in what is copied. */
const LONGEST = 120;

export function Rows({
  answer,
  isRunning,
  onMore,
}: {
  answer: SqlAnswer;
  isRunning: boolean;
  onMore: () => void;
}) {
  const { columns, rows } = answer;
  const isNumber = (at: number) => {
    const kind = columns[at]?.kind;
    return (
      kind !== "text" &&
      kind !== "device" &&
      kind !== "time" &&
      !rows.some((row) => typeof row[at] === "string")
    );
  };
  const body = useMemo(() => {
    const numbers = columns.map((_, at) => isNumber(at));
    const decimals = columns.map((_, at) => decimalsOf(rows, at));
    const timeAt = columns.findIndex(({ kind }) => kind === "time");
    const firstTime = timeAt >= 0 ? rows[0]?.[timeAt] : null;
    const isOneDay =
      typeof firstTime === "number" &&
      rows.every((row) => typeof row[timeAt] !== "number" || isSameDay(row[timeAt] as number, firstTime));
    return rows.map((row, place) => (
      <tr key={place}>
        {columns.map((column, at) => (
          <td key={column.name} class={numbers[at] ? "num" : "bidi"}>
            {cell(row[at] ?? null, column, isOneDay, decimals[at] ?? 0)}
          </td>
        ))}
      </tr>
    ));
  }, [answer]);
  if (rows.length === 0) {
    return (
      <p class="lead">
        0 rows <span class="dim plain">in this window</span>
      </p>
    );
  }
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keys. */}
      <section class="sql-scroll" tabIndex={0} aria-label="rows">
        <table class="sql-rows">
          <thead>
            <tr>
              {columns.map((column, at) => (
                <th key={column.name} class={isNumber(at) ? "num" : ""}>
                  {harmless(column.name)}
                  {column.unit && column.unit !== "count" && column.kind !== "time"
                    ? `, ${harmless(column.unit)}`
                    : ""}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>{body}</tbody>
        </table>
      </section>
      <p class="dim sql-more">
        {answer.more ? (
          <>
            {count(rows.length)} rows are shown ·{" "}
            <button type="button" class="l" disabled={isRunning} onClick={onMore}>
              {isRunning ? "reading…" : "1,000 more"}
            </button>
          </>
        ) : null}
      </p>
    </>
  );
}

function cell(
  value: Value,
  column: SqlAnswer["columns"][number],
  isOneDay: boolean,
  decimals: number,
): ComponentChildren {
  if (value === null) return <span class="dim3">NULL</span>;
  if (column.kind === "time" && typeof value === "number") {
    const to = {
      view: "overview" as const,
      what: "",
      since: value - AROUND,
      until: value + AROUND,
      choices: {},
    };
    return (
      <To class="l" to={to} title={new Date(value).toISOString()}>
        {isOneDay ? time(value) : moment(value)}
      </To>
    );
  }
  if (column.kind === "pid" && typeof value === "number") {
    return (
      <To class="l" to={{ view: "life", what: String(value), choices: {} }}>
        {value}
      </To>
    );
  }
  if (column.kind === "device" && typeof value === "string" && value !== "") {
    return (
      <To class="l" to={{ view: "area", what: "disk", choices: {} }}>
        {harmless(value)}
      </To>
    );
  }
  if (typeof value === "number") return number(value, decimals);
  const text = harmless(String(value));
  return text.length > LONGEST ? <span title={text}>{`${text.slice(0, LONGEST)}…`}</span> : text;
}

/** Digits behind the point of a column: four that count in its greatest value; none of whole numbers. */
function decimalsOf(rows: Value[][], at: number): number {
  let greatest = 0;
  let isWhole = true;
  for (const row of rows) {
    const value = row[at];
    if (typeof value !== "number") continue;
    if (!Number.isInteger(value)) isWhole = false;
    greatest = Math.max(greatest, Math.abs(value));
  }
  if (isWhole) return 0;
  return Math.max(0, Math.min(6, 3 - Math.floor(Math.log10(greatest))));
}

function number(value: number, decimals: number): ComponentChildren {
  const text = value.toFixed(decimals);
  // What the column's digits do not show is not nothing.
  if (value !== 0 && Number(text) === 0) return String(Number(value.toPrecision(3)));
  return Number(text) === value ? text : <span title={String(value)}>{text}</span>;
}
