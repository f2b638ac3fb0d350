// One line: what runs stands above it, what waits hangs below it, in one unit, on one scale.

import { useMemo, useRef } from "preact/hooks";
import { paint } from "../classes";
import type { Frame, FrameSeries, Span } from "../source/source";
import { fixed, harmless, middle, number, seconds, time, windowText, withUnit } from "../text";
import { useWidth } from "../width";
import { type Above, across, type Box, Findings, Gaps, TimeAxis } from "./axis";
import { Brush, type Readout } from "./brush";
import { short, stepLength } from "./read";
import { apart, gaps, greatest, layers, nice, outline, stepAt, type Totals, totals } from "./steps";
import { SeriesTable } from "./table";

/** Series with less than this share of all are not named. */
const LEAST_NAMED = 0.008;
const NAMES_APART = 15;
const LEFT = 56;
const NAMES = 176;
const TOP = 20;
const BOTTOM = 22;

interface Props {
  frame: Frame;
  height?: number;
  /** Names at the right end; without, where there is no room. */
  hasNames?: boolean;
  /** Findings over their time. */
  above?: Above[];
  /** The scale below the line reaches to this at least. */
  least?: number;
  /** Order and scale stay while the window goes on with time. */
  isLive?: boolean;
  /** Shows numbers in place of the drawing. */
  asTable?: boolean;
  /** What a gap is called. */
  gap?: (gap: Span) => string;
  /** The wheel zooms at once. */
  wheel?: boolean;
}

/** Whether something hangs below the line. */
const isHung = (frame: Frame) => frame.series.some((series) => series.below);

interface Scale {
  above: number;
  below: number;
}

/** The highest stack above and below the line, greatest samples included. */
function scaleOf(frame: Frame, sums: Totals, least: number): Scale {
  const above = Math.max(greatest(sums.above), greatest(frame.peaks?.above));
  const below = Math.max(greatest(sums.below), greatest(frame.peaks?.below), least);
  const limit = frame.limit?.value ?? 0;
  // A limit that is far above would press everything flat.
  return { above: Math.max(limit <= Math.max(above, 1) * 8 ? limit : 0, above, 1e-9) * 1.02, below };
}

/** While live, a scale that still fits and is not twice too large stays, and so does the order of series. */
function useCalm(frame: Frame, scale: Scale, isLive: boolean): { frame: Frame; scale: Scale } {
  const kept = useRef<{ key: string; names: string[]; scale: Scale } | null>(null);
  const length = Math.round((frame.until_ms - frame.since_ms) / 1000);
  const key = `${frame.id} ${frame.subject ?? ""} ${length}`;
  const before = kept.current;
  if (!isLive || before?.key !== key) {
    kept.current = { key, names: frame.series.map((series) => series.name), scale };
    return { frame, scale };
  }
  const calm = (now: number, then: number) => (now <= then && now > then / 2 ? then : now);
  const next: Scale = {
    above: calm(scale.above, before.scale.above),
    below: calm(scale.below, before.scale.below),
  };
  const rank = new Map(before.names.map((name, at) => [name, at]));
  const placed = (series: FrameSeries) => rank.get(series.name) ?? before.names.length;
  const series = [...frame.series].sort((a, b) => placed(a) - placed(b));
  const names = [...before.names, ...series.map(({ name }) => name).filter((name) => !rank.has(name))];
  kept.current = { key, names, scale: next };
  return { frame: { ...frame, series }, scale: next };
}

const size = (series: FrameSeries) => series.summary.total ?? series.summary.mean ?? 0;

/** Mean over the last tenth, where a series is named. */
function tail(series: FrameSeries, missing: boolean[]): number {
  const known = series.mean.length - [...missing].reverse().indexOf(false);
  const from = Math.max(0, known - Math.max(1, Math.round(known / 10)));
  let sum = 0;
  for (let at = from; at < known; at += 1) sum += series.mean[at] || 0;
  return sum / Math.max(1, known - from);
}

interface Name {
  series: FrameSeries;
  at: number;
  y: number;
}

/** Where names stand: above the line those of what runs, below it those of what waits. */
function namesOf(frame: Frame, sums: Totals, y: (value: number) => number, box: Box): Name[] {
  const all = frame.series.reduce((sum, series) => sum + size(series), 0);
  const [up, down]: [Name[], Name[]] = [[], []];
  const base = { up: 0, down: 0 };
  for (const series of frame.series) {
    const mean = tail(series, sums.missing);
    const before = series.below ? base.down : base.up;
    const at = y((series.below ? -1 : 1) * (before + mean / 2));
    if (series.below) base.down += mean;
    else base.up += mean;
    if (size(series) >= all * LEAST_NAMED && size(series) > 0) {
      (series.below ? down : up).push({ series, at, y: at });
    }
  }
  const line = y(0);
  const bottom = box.top + box.height;
  up.sort((a, b) => a.at - b.at);
  down.sort((a, b) => a.at - b.at);
  // What has no room is in the table.
  const roomUp = Math.max(1, Math.floor((line - 7 - (box.top - 14)) / NAMES_APART) + 1);
  const kept = up.slice(Math.max(0, up.length - roomUp));
  const placesUp = apart(
    kept.map(({ at }) => at),
    NAMES_APART,
    box.top - 14,
    line - 7,
  );
  const roomDown = Math.max(1, Math.floor((bottom + 14 - (line + 9)) / NAMES_APART) + 1);
  const keptDown = down.slice(0, roomDown);
  const placesDown = apart(
    keptDown.map(({ at }) => at),
    NAMES_APART,
    line + 9,
    Math.max(bottom + 14, line + 9),
  );
  kept.forEach((name, index) => {
    name.y = placesUp[index] ?? name.at;
  });
  keptDown.forEach((name, index) => {
    name.y = placesDown[index] ?? name.at;
  });
  return [...kept, ...keptDown];
}

function amount(frame: Frame, series: FrameSeries): string {
  const { total } = series.summary;
  if (frame.unit === "tasks" && total !== null) {
    return total >= 0.9995 ? `${fixed(total, total >= 99.95 ? 0 : 1)}\u00a0s` : seconds(total);
  }
  return series.summary.mean === null ? "" : tickText(frame, series.summary.mean);
}

/** Pixels of a letter: system fonts differ, and this is one of the wide ones. */
const LETTER = 7.2;

/** Letters of a name beside its number. */
const letters = (number: string) => Math.max(5, Math.floor((NAMES - 30 - LETTER * number.length) / LETTER));

interface Worst {
  at: number;
  value: number;
  word: string;
}

/** The step, or the sample in it, in which most waited. */
function worstOf(frame: Frame, sums: Totals): Worst | null {
  const peaks = frame.peaks?.below;
  const values = peaks && peaks.length === sums.below.length ? peaks : sums.below;
  let at = -1;
  for (let index = 0; index < values.length; index += 1) {
    if ((values[index] ?? 0) > (at < 0 ? 0 : (values[at] ?? 0))) at = index;
  }
  if (at < 0) return null;
  const length = (frame.steps.until[at] ?? 0) - (frame.steps.since[at] ?? 0);
  const word = values === peaks ? "sample" : Math.abs(length - 1000) < 200 ? "second" : "step";
  return { at, value: values[at] ?? 0, word };
}

/** What a screen reader hears of the whole. */
export function sentenceOf(frame: Frame): string {
  const parts = frame.series
    .filter((series) => size(series) > 0)
    .slice(0, 6)
    .map((series) => `${harmless(series.name)} ${amount(frame, series)}`);
  return `${frame.title}, ${windowText(frame)}: ${parts.join(", ") || "nothing ran or waited"}.`;
}

/** What it hears of one time. */
function sentenceAt(frame: Frame, sums: Totals, at: number): string {
  const clock = time(frame.steps.since[at] ?? 0);
  if (sums.missing[at]) return `${clock}: not recorded`;
  if (!isTasks(frame)) {
    const parts = frame.series.map(
      (series) => `${harmless(series.name)} ${withUnit(series.mean[at], frame.unit)}`,
    );
    return `${clock}: ${parts.slice(0, 4).join(", ")}`;
  }
  const most = frame.series.reduce<FrameSeries | null>(
    (best, series) => (series.below && (series.mean[at] ?? 0) > (best?.mean[at] ?? 0) ? series : best),
    null,
  );
  const waits = `${clock}: ${number(round(sums.below[at] ?? 0))} tasks wait, ${number(round(sums.above[at] ?? 0))} run`;
  return most ? `${waits}; ${number(round(most.mean[at] ?? 0))} ${harmless(most.name)}` : waits;
}

const round = (value: number) => Math.round(value * 100) / 100;

export function Hang(props: Props) {
  const element = useRef<HTMLDivElement>(null);
  const width = useWidth(element);
  const { frame: given, height = 250, isLive = false } = props;
  const sums = useMemo(() => totals(given), [given]);
  const { frame, scale } = useCalm(
    given,
    scaleOf(given, sums, props.least ?? (isHung(given) ? 1 : 0)),
    isLive,
  );
  const hasNames = (props.hasNames ?? true) && width > 440;
  const box: Box = {
    left: LEFT,
    top: TOP,
    width: Math.max(20, width - LEFT - (hasNames ? NAMES : 8)),
    height: height - TOP - BOTTOM,
  };
  const above = props.above ?? NOTHING;
  const drawn = useMemo(
    () => (
      <Drawing
        {...{ frame, sums, scale, box, width, height, hasNames, above, gap: props.gap ?? notRecorded }}
      />
    ),
    [given, scale.above, scale.below, width, height, hasNames, above],
  );
  if (props.asTable) return <SeriesTable frame={frame} />;
  return (
    <div ref={element} class="chart" style={{ height: `${height}px` }}>
      {width > 0 ? drawn : null}
      {width > 0 ? (
        <Brush
          span={frame}
          plot={box}
          label={sentenceOf(frame)}
          step={stepLength(frame)}
          says={(ms) => sentenceAt(frame, sums, stepAt(frame, ms))}
          readout={(ms) => readAt(frame, sums, stepAt(frame, ms))}
          statistics={(span) => readOver(frame, span)}
          wheel={props.wheel ?? false}
        />
      ) : null}
    </div>
  );
}

const NOTHING: Above[] = [];
const notRecorded = () => "not recorded";

interface DrawingProps {
  frame: Frame;
  sums: Totals;
  scale: Scale;
  box: Box;
  width: number;
  height: number;
  hasNames: boolean;
  above: Above[];
  gap: (gap: Span) => string;
}

function Drawing({ frame, sums, scale, box, width, height, hasNames, above, gap }: DrawingProps) {
  const x = across(frame, box);
  const hasLine = isHung(frame);
  const unit = box.height / Math.max(scale.above + scale.below, 1e-9);
  const line = box.top + scale.above * unit;
  const y = (value: number) => line - value * unit;
  const bottom = box.top + box.height;
  const right = box.left + box.width;
  const step = nice(Math.max(scale.above, scale.below) / 4);
  const ticks: number[] = [];
  for (let tick = step; step > 0 && tick <= (hasLine ? scale.below : scale.above) + 1e-9; tick += step) {
    // Beside the line stands a word.
    const isNamed = !hasLine && frame.limit && Math.abs(frame.limit.value - tick) * unit < 12;
    if (!isNamed && (!hasLine || tick * unit > 26)) ticks.push(hasLine ? -tick : tick);
  }
  const places = { x, y };
  // More programs than colours: a seam tells neighbours apart.
  const hasTwins = new Set(frame.series.map(({ colour }) => paint(colour))).size < frame.series.length;
  const limit = frame.limit && frame.limit.value <= scale.above ? frame.limit : null;
  // A long name has no room beside the box.
  const isClose =
    limit !== null && (limit.value * unit < 26 || limitText(frame, limit).length * 6.6 > box.left - 8);
  const peaks = frame.peaks;
  const peak = (values: Float64Array, drawn: Float64Array, sign: number) =>
    outline(
      frame,
      (at) => (values[at] ?? 0) > (drawn[at] ?? 0),
      (at) => sign * (drawn[at] ?? 0),
      (at) => sign * (values[at] ?? 0),
      places,
    );
  return (
    <svg width={width} height={height} aria-hidden="true">
      {ticks.map((tick) => (
        <g key={tick}>
          <line class="hairline" x1={box.left} x2={right} y1={y(tick)} y2={y(tick)} />
          <text class="t3" x={box.left - 8} y={y(tick) + 4} text-anchor="end">
            {tickText(frame, Math.abs(tick))}
          </text>
        </g>
      ))}
      {layers(frame, places).map(({ series, path }) => (
        <path key={series.name} class={hasTwins ? "piece" : undefined} d={path} fill={paint(series.colour)} />
      ))}
      {peaks ? (
        <path class="peak" d={peak(peaks.above, sums.above, 1) + peak(peaks.below, sums.below, -1)} />
      ) : null}
      <Gaps gaps={gaps(frame, sums.missing)} box={box} x={x} words={gap} />
      {limit ? (
        <g>
          <line class="cpus" x1={box.left} x2={right} y1={y(limit.value)} y2={y(limit.value)} />
          {/* A tick says it already. */}
          {frame.unit === "ratio" ? null : (
            <text
              class="t3 halo"
              x={isClose ? right - 4 : box.left - 8}
              y={y(limit.value) + (isClose ? -5 : 4)}
              text-anchor="end"
            >
              {limitText(frame, limit)}
            </text>
          )}
        </g>
      ) : null}
      {hasLine ? (
        <g>
          <line class="theline" x1={box.left - 52} x2={right} y1={line} y2={line} />
          {frame.series.every((series) => series.below) ? null : (
            <text class="t1" x={box.left - 52} y={line - 6}>
              running
            </text>
          )}
          <text class="t1" x={box.left - 52} y={line + 15}>
            waiting
          </text>
        </g>
      ) : (
        <line class="theline" x1={box.left} x2={right} y1={line} y2={line} />
      )}
      <TimeAxis span={frame} box={box} apart={width < 440 ? 72 : 98} />
      {hasNames
        ? namesOf(frame, sums, y, box).map((name) => (
            <g key={name.series.name}>
              <path
                class="lead-line"
                d={`M${right + 2} ${name.at.toFixed(1)}L${right + 10} ${name.y.toFixed(1)}`}
                stroke={paint(name.series.colour)}
              />
              <rect
                x={right + 12}
                y={name.y - 4.5}
                width={9}
                height={9}
                rx={2}
                fill={paint(name.series.colour)}
              />
              <text class="t1" x={right + 26} y={name.y + 4}>
                {short(name.series.name, letters(amount(frame, name.series)))}
              </text>
              <text x={width} y={name.y + 4} text-anchor="end">
                {amount(frame, name.series)}
              </text>
            </g>
          ))
        : null}
      <Findings findings={above} box={box} x={x} areNamed={width > 300} />
      <WorstNote frame={frame} sums={sums} box={box} x={x} y={y} bottom={bottom} />
    </svg>
  );
}

/** A value at the axis; its unit stands beside the title where it is a word. */
function tickText({ unit }: Frame, value: number): string {
  return ["ratio", "s", "bytes", "bytes/s"].includes(unit) ? withUnit(value, unit) : number(value);
}

function limitText(frame: Frame, { name, value }: { name: string; value: number }): string {
  if (frame.unit === "ratio") return name;
  if (name !== "CPUs") return `${name} ${tickText(frame, value)}`;
  return `${number(value)} ${value === 1 ? "CPU" : "CPUs"}`;
}

interface NoteProps {
  frame: Frame;
  sums: Totals;
  box: Box;
  x: (ms: number) => number;
  y: (value: number) => number;
  bottom: number;
}

/** A dot at the worst, with its number on the emptier side. */
function WorstNote({ frame, sums, box, x, y, bottom }: NoteProps) {
  const worst = worstOf(frame, sums);
  if (!worst || worst.value <= 0.3 || box.width < 220) return null;
  const { since, until } = frame.steps;
  const at = (x(since[worst.at] ?? 0) + x(until[worst.at] ?? 0)) / 2;
  const right = box.left + box.width;
  const room = 190;
  const reach = Math.ceil(room / Math.max(1, box.width / Math.max(1, since.length)));
  const most = (from: number, to: number) =>
    greatest(sums.below.subarray(Math.max(0, from), Math.max(0, to)));
  const isFuller = most(worst.at - reach, worst.at) < most(worst.at + 1, worst.at + reach);
  const isLeft = at > right - room || (at > box.left + room && isFuller);
  const text = `worst ${worst.word}: ${number(round(worst.value))} waiting`;
  const y0 = Math.min(y(-worst.value) + 5, bottom - 1);
  const wide = 6.9 * text.length + 4;
  return (
    <g>
      <rect class="paper" x={isLeft ? at - 6 - wide : at + 6} y={y0 - 12} width={wide} height={15} rx={2} />
      <circle class="ink" cx={at} cy={y(-worst.value)} r={2.5} />
      <text class="t1" x={at + (isLeft ? -8 : 8)} y={y0} text-anchor={isLeft ? "end" : "start"}>
        {text}
      </text>
    </g>
  );
}

/** The values of every series at one time. */
function readAt(frame: Frame, sums: Totals, at: number): Readout {
  const since = frame.steps.since[at] ?? 0;
  const length = ((frame.steps.until[at] ?? since) - since) / 1000;
  const rows = frame.series
    .filter((series) => isSeen(frame, series.mean[at] ?? 0))
    .map((series) => row(frame, series, series.mean[at] ?? 0));
  const mean = `${isTasks(frame) ? "tasks, " : ""}mean of ${seconds(Math.round(length * 10) / 10)}`;
  const none = sums.missing[at] ? "not recorded" : "nothing ran or waited";
  return { head: time(since), note: rows.length > 0 ? mean : none, rows };
}

/** Means over a part: a sum over time, since all of it is time. */
function readOver(frame: Frame, span: Span): Readout {
  const first = stepAt(frame, span.since_ms);
  const last = stepAt(frame, span.until_ms);
  const mean = (series: FrameSeries) => {
    let [sum, length] = [0, 0];
    for (let at = first; at <= last; at += 1) {
      const value = series.mean[at] ?? Number.NaN;
      const long = (frame.steps.until[at] ?? 0) - (frame.steps.since[at] ?? 0);
      if (Number.isNaN(value)) continue;
      sum += value * long;
      length += long;
    }
    return length > 0 ? sum / length : 0;
  };
  const rows = frame.series
    .map((series) => ({ series, value: mean(series) }))
    .filter(({ value }) => isSeen(frame, value))
    .map(({ series, value }) => row(frame, series, value));
  return { head: windowText(span, frame.since_ms), note: isTasks(frame) ? "tasks, mean" : "mean", rows };
}

const isTasks = ({ unit }: Frame) => unit === "tasks";
/** Of tasks what is not 0.00. */
const isSeen = (frame: Frame, value: number) => value >= (isTasks(frame) ? 0.005 : 1e-12);

const row = (frame: Frame, series: FrameSeries, value: number) => ({
  colour: paint(series.colour),
  name: middle(series.name, 24),
  values: [isTasks(frame) ? value.toFixed(2) : withUnit(value, frame.unit)],
});
