// What the SQL view knows of its text: words for colours, the place of an error, rows as text, and as a chart.

import type { Frame, FrameSeries, SqlAnswer } from "./source/source";

const KEYWORDS = new Set(
  "select from where group by having order limit offset and or not in is null as on join left inner cross union all except intersect with recursive case when then else end distinct between like glob exists over partition rows range preceding following current row asc desc using values cast collate escape filter nulls first last".split(
    " ",
  ),
);

export type TokenKind = "plain" | "keyword" | "text" | "comment";

/** A query in pieces that are coloured alike; together they are the query. */
export function tokens(query: string): { kind: TokenKind; text: string }[] {
  const pattern =
    /(--[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|('(?:[^']|'')*(?:'|$))|([A-Za-z_][A-Za-z0-9_]*)|([\s\S])/g;
  const found: { kind: TokenKind; text: string }[] = [];
  for (const [text, comment, quoted, word] of query.matchAll(pattern)) {
    let kind: TokenKind = "plain";
    if (comment) kind = "comment";
    else if (quoted) kind = "text";
    else if (word && KEYWORDS.has(word.toLowerCase())) kind = "keyword";
    const last = found.at(-1);
    if (last && last.kind === kind && kind === "plain") last.text += text;
    else found.push({ kind, text });
  }
  return found;
}

/** The place that an error names, from 1. */
export function placeOf(message: string): { line: number; column: number } | null {
  const found = /line (\d+)(?:, column (\d+))?/.exec(message);
  return found ? { line: Number(found[1]), column: Number(found[2] ?? 1) } : null;
}

type Value = SqlAnswer["rows"][number][number];

/** One value as it is copied. */
export function plain(value: Value): string {
  return value === null ? "" : String(value);
}

/** Rows for a spreadsheet. What begins like a formula is text there. */
export function csv(answer: Pick<SqlAnswer, "columns" | "rows">): string {
  const cell = (value: Value) => {
    let text = plain(value);
    if (typeof value === "string" && /^[=+\-@\t\r]/.test(text)) text = `'${text}`;
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const lines = [answer.columns.map(({ name }) => cell(name)), ...answer.rows.map((row) => row.map(cell))];
  return `${lines.map((line) => line.join(",")).join("\n")}\n`;
}

/** The same as JSON, one object a row. */
export function json(answer: Pick<SqlAnswer, "columns" | "rows">): string {
  const object = (row: Value[]) =>
    JSON.stringify(Object.fromEntries(answer.columns.map(({ name }, at) => [name, row[at] ?? null])));
  return `${answer.rows.map(object).join("\n")}\n`;
}

/** Lines of a chart; more are too many to tell apart. */
const MOST_LINES = 8;
/** Colours in the order of the lines. */
const COLOURS = ["cpu", "disk", "lock", "queue", "memory", "remote", "idle", "unknown"];

/** Rows with a time as lines: the last column of numbers, one line for each value of the first column of text. */
export function chartOf(answer: SqlAnswer): Frame | null {
  const { columns, rows } = answer;
  const timeAt = columns.findIndex((column) => column.kind === "time");
  const isValue = (at: number) => {
    const column = columns[at];
    return column?.kind === "number" && !/_idx$|^(secs|tid|inode)$/.test(column.name);
  };
  const valueAt = columns.findIndex((_, at) => isValue(at));
  if (timeAt < 0 || valueAt < 0) return null;
  const others = columns
    .map((_, at) => at)
    .filter((at) => columns[at]?.kind === "text" || columns[at]?.kind === "device");
  // The first column that tells rows of one time apart with so many lines, else the one with the fewest.
  const apart = others
    .map((at) => ({ at, values: new Set(rows.map((row) => row[at])).size }))
    .filter(({ values }) => values > 1);
  const few = apart.find(({ values }) => values <= MOST_LINES);
  const byAt = (few ?? apart.sort((a, b) => a.values - b.values)[0])?.at ?? null;
  const sums = new Map<string, Map<number, number>>();
  const times = new Set<number>();
  for (const row of rows) {
    const [time, value] = [row[timeAt], row[valueAt]];
    if (typeof time !== "number" || typeof value !== "number") continue;
    const name =
      byAt === null ? (columns[valueAt]?.name ?? "") : row[byAt] === null ? "NULL" : String(row[byAt]);
    const series = sums.get(name) ?? new Map<number, number>();
    series.set(time, (series.get(time) ?? 0) + value);
    sums.set(name, series);
    times.add(time);
  }
  const ends = [...times].sort((a, b) => a - b);
  if (ends.length < 3) return null;
  // The commonest distance is a step; where times are further apart nothing is drawn.
  const distances = ends
    .slice(1)
    .map((end, at) => end - (ends[at] as number))
    .sort((a, b) => a - b);
  const step = distances[Math.floor(distances.length / 2)] as number;
  const steps: { since: number[]; until: number[] } = { since: [], until: [] };
  let before = (ends[0] as number) - step;
  for (const end of ends) {
    if (end - before > step * 1.75) {
      steps.since.push(before);
      steps.until.push(end - step);
    }
    steps.since.push(Math.max(before, end - step));
    steps.until.push(end);
    before = end;
  }
  const total = (series: Map<number, number>) => [...series.values()].reduce((sum, value) => sum + value, 0);
  const largest = [...sums].sort((a, b) => total(b[1]) - total(a[1])).slice(0, MOST_LINES);
  const series: FrameSeries[] = largest.map(([name, values], at) => {
    const mean = Float64Array.from(steps.until, (end) => values.get(end) ?? Number.NaN);
    const there = [...values.values()];
    return {
      name,
      letter: "",
      colour: { role: COLOURS[at] ?? "unknown", step: 0 },
      below: false,
      bounds: null,
      mean,
      least: mean,
      greatest: mean,
      summary: {
        mean: there.length > 0 ? total(values) / there.length : null,
        least: Math.min(...there),
        greatest: Math.max(...there),
        greatest_ms: null,
        total: total(values),
      },
    };
  });
  const value = columns[valueAt];
  return {
    id: "sql",
    subject: byAt === null ? null : (columns[byAt]?.name ?? null),
    title: value?.name ?? "",
    question: "",
    kind: "lines",
    unit: value?.unit ?? "",
    scale: "linear",
    since_ms: (ends[0] as number) - step,
    until_ms: ends.at(-1) as number,
    steps: { since: Float64Array.from(steps.since), until: Float64Array.from(steps.until) },
    series,
    peaks: null,
    limit: null,
    sql: "",
  };
}
