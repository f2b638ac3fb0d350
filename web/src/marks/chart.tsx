// One frame as a chart over time, with what a cursor reads of it.

import type { ComponentChildren } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { paint } from "../classes";
import type { Frame, FrameSeries, Span } from "../source/source";
import { isLive, source } from "../store";
import { number, seconds, time, windowText, withUnit } from "../text";
import { Brush, type Plot, type Readout } from "./brush";
import { Heat, type LaidHeat, layHeat, rowAt } from "./heat";
import { Lines, layLines } from "./lines";
import { boundsText, nameOf, size, stepAt, stepLength, titleOf } from "./read";
import type { Scale } from "./scale";
import { sentence } from "./sentence";

/** Rows of what is read. */
const MOST_READ = 10;

interface ChartProps {
  frame: Frame;
  width: number;
  height: number;
  focus: string | null;
}

export function LinesChart(props: ChartProps) {
  const { frame, width, height } = props;
  const before = useRef<Scale | null>(null);
  const laid = useMemo(
    () => layLines(frame, width, height, isLive.peek() ? before.current : null),
    [frame, width, height],
  );
  before.current = laid.scale;
  const drawn = useMemo(() => <Lines frame={frame} laid={laid} height={height} />, [frame, laid, height]);
  return <Chart {...props} plot={laid.plot} drawn={drawn} map={null} />;
}

export function HeatChart(props: ChartProps) {
  const { frame, width, height } = props;
  const laid = useMemo(() => layHeat(frame, width, height), [frame, width, height]);
  const drawn = useMemo(() => <Heat frame={frame} laid={laid} height={height} />, [frame, laid, height]);
  return <Chart {...props} plot={laid.plot} drawn={drawn} map={laid.isBounded ? laid : null} />;
}

interface DrawnProps extends ChartProps {
  plot: Plot;
  drawn: ComponentChildren;
  /** Of a map of counts: where its cells are. */
  map: LaidHeat | null;
}

function Chart({ frame, height, focus, plot, drawn, map }: DrawnProps) {
  return (
    <div class="chart" style={{ height: `${height}px` }}>
      {drawn}
      <Brush
        span={frame}
        plot={plot}
        label={`${titleOf(frame)}. ${sentence(frame)}`}
        step={stepLength(frame)}
        says={(ms) => (map ? spokenOfMap(frame, map, ms) : spoken(frame, ms))}
        readout={(ms, y) => (map ? cellAt(frame, map, ms, y) : readAt(frame, ms))}
        // Of rows of a query there is no more than what is drawn.
        statistics={(span, signal) => (frame.sql === "" ? null : statistics(frame, span, focus, signal))}
      />
    </div>
  );
}

const known = (values: Float64Array, at: number): number | null => {
  const value = values[at];
  return value === undefined || Number.isNaN(value) ? null : value;
};

/** Those with the largest values at a step, in the order of the frame. */
function shown(frame: Frame, at: number): FrameSeries[] {
  const has = frame.series.filter((series) => known(series.mean, at) !== null);
  if (has.length <= MOST_READ) return has;
  const largest = [...has]
    .sort((a, b) => (b.mean[at] as number) - (a.mean[at] as number))
    .slice(0, MOST_READ);
  return has.filter((series) => largest.includes(series));
}

function headOf(frame: Frame, at: number): { head: string; note: string } {
  const since = frame.steps.since[at] as number;
  const length = (frame.steps.until[at] as number) - since;
  return { head: time(since), note: `mean of ${seconds(Number((length / 1000).toPrecision(2)))}` };
}

function readAt(frame: Frame, ms: number): Readout | null {
  const at = stepAt(frame, ms);
  const series = at < 0 ? [] : shown(frame, at);
  if (series.length === 0) return { head: time(ms), rows: [], note: "not recorded" };
  const isRange = (one: FrameSeries) => known(one.least, at) !== known(one.greatest, at);
  const hasRange = series.some(isRange);
  return {
    ...headOf(frame, at),
    ...(hasRange ? { columns: ["mean", "least", "greatest"] } : {}),
    rows: series.map((one) => ({
      colour: paint(one.colour),
      name: nameOf(one),
      values: [one.mean, ...(hasRange ? [one.least, one.greatest] : [])].map((values) =>
        withUnit(known(values, at), frame.unit),
      ),
    })),
  };
}

/** The same for the ear. */
function spoken(frame: Frame, ms: number): string {
  const at = stepAt(frame, ms);
  const series = at < 0 ? [] : shown(frame, at).slice(0, 4);
  if (series.length === 0) return `${time(ms)}: not recorded`;
  const values = series.map((one) => {
    const value = withUnit(known(one.mean, at), frame.unit);
    return frame.series.length === 1 ? value : `${nameOf(one)} ${value}`;
  });
  return `${time(ms)}: ${values.join(", ")}`;
}

/** Of a map of counts: the cell that is pointed at, and what 99 % are below. */
function cellAt(frame: Frame, laid: LaidHeat, ms: number, y: number | null): Readout | null {
  const at = stepAt(frame, ms);
  if (at < 0) return { head: time(ms), rows: [], note: "not recorded" };
  const rows: Readout["rows"] = [];
  const pointed = y === null ? undefined : frame.series[rowAt(laid, y)];
  if (pointed?.bounds) {
    const value = known(pointed.mean, at);
    rows.push({ name: boundsText(pointed.bounds), values: [withUnit(value ?? 0, frame.unit)] });
  }
  const high = frame.series[laid.high[at] ?? -1]?.bounds;
  if (high) rows.push({ name: "99 % below", values: [high[1] === null ? "any bound" : seconds(high[1])] });
  return { ...headOf(frame, at), rows };
}

function spokenOfMap(frame: Frame, laid: LaidHeat, ms: number): string {
  const high = frame.series[laid.high[stepAt(frame, ms)] ?? -1]?.bounds?.[1];
  return high ? `${time(ms)}: 99 % below ${seconds(high)}` : `${time(ms)}: nothing`;
}

/** Mean, least, greatest and total of each series over a chosen span: reckoned where the data is, since a mean of means is none. */
async function statistics(
  frame: Frame,
  span: Span,
  focus: string | null,
  signal: AbortSignal,
): Promise<Readout> {
  const head = windowText(span);
  const from = source.value;
  if (!from || from.kind === "embedded") return { head, ...extremes(frame, span) };
  let found: Frame | null = null;
  await from.figures(
    { ...span, steps: 1, figures: [frame.id], focus },
    (one) => {
      if (one.subject === frame.subject) found = one;
    },
    signal,
  );
  const over = found as Frame | null;
  if (!over) return { head, rows: [], note: "not recorded" };
  if (over.series.length > 0 && over.series.every((series) => series.bounds)) {
    return { head, rows: [], note: sentence(over) };
  }
  const series = [...over.series].sort((a, b) => size(b) - size(a)).slice(0, MOST_READ);
  const hasTotal = series.some(({ summary }) => summary.total !== null);
  return {
    head,
    columns: ["mean", "least", "greatest", ...(hasTotal ? ["total"] : [])],
    rows: series.map((one) => ({
      colour: paint(one.colour),
      name: nameOf(one),
      values: [
        withUnit(one.summary.mean, over.unit),
        withUnit(one.summary.least, over.unit),
        withUnit(one.summary.greatest, over.unit),
        ...(hasTotal ? [totalText(over.unit, one.summary.total)] : []),
      ],
    })),
  };
}

/** What a unit adds up to over time. */
export function totalText(unit: string, total: number | null): string {
  if (unit === "tasks" || unit === "CPUs" || unit === "ratio") return withUnit(total, "s");
  if (unit === "bytes/s") return withUnit(total, "bytes");
  if (unit === "/s") return number(total === null ? null : Math.round(total));
  return withUnit(total, unit.endsWith("/s") ? unit.slice(0, -2) : unit);
}

/** What the steps of a span tell without asking. */
function extremes(frame: Frame, span: Span): Pick<Readout, "columns" | "rows"> {
  const { since, until } = frame.steps;
  const rows = frame.series.slice(0, MOST_READ).map((series) => {
    let least: number | null = null;
    let greatest: number | null = null;
    for (let at = 0; at < since.length; at += 1) {
      if ((until[at] as number) <= span.since_ms || (since[at] as number) >= span.until_ms) continue;
      const [low, high] = [known(series.least, at), known(series.greatest, at)];
      if (low !== null && (least === null || low < least)) least = low;
      if (high !== null && (greatest === null || high > greatest)) greatest = high;
    }
    const values = [withUnit(least, frame.unit), withUnit(greatest, frame.unit)];
    return { colour: paint(series.colour), name: nameOf(series), values };
  });
  return { columns: ["least", "greatest"], rows };
}
