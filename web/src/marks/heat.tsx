// Heat maps: a row for each series, one hue, the shade by the value. Zero is the paper, what was not measured is hatched.

import { useLayoutEffect, useRef } from "preact/hooks";
import type { Frame } from "../source/source";
import { number, withUnit } from "../text";
import { LETTER } from "./axes";
import { across, Gaps, TimeAxis } from "./axis";
import { type Plot, placed } from "./brush";
import { gaps, nameOf, stretches } from "./read";
import { useTheme } from "./theme";

const TOP = 8;
const BOTTOM = 22;
const LEGEND = 76;
/** The least shade that can be told from the paper. */
const FAINTEST = 0.14;
/** Rows of which not each is named. */
const MOST_NAMED = 16;

export interface LaidHeat {
  plot: Plot;
  /** Top and height of each row. */
  rows: [number, number][];
  ticks: { y: number; text: string }[];
  isBounded: boolean;
  shade: (value: number) => number;
  legend: { value: number; text: string }[];
  /** The row that 99 % of each step are below: top of it. */
  high: number[];
}

/** How high a picture of it is. */
export function heatHeight(frame: Frame, usual: number): number {
  if (frame.series.some((series) => series.bounds)) return usual + 24;
  const rows = frame.series.length;
  const row = rows <= 4 ? 32 : rows <= MOST_NAMED ? 14 : Math.max(3, 224 / rows);
  return Math.max(88, TOP + BOTTOM + rows * row);
}

export function layHeat(frame: Frame, width: number, height: number): LaidHeat {
  let greatest = 0;
  for (const series of frame.series) for (const value of series.mean) if (value > greatest) greatest = value;
  const isShare = frame.unit === "ratio";
  const most = isShare ? Math.max(1, greatest) : greatest;
  const shade = (value: number) => {
    const share = isShare ? value / most : Math.log1p(value) / Math.log1p(most);
    return FAINTEST + (1 - FAINTEST) * Math.max(0, Math.min(1, share));
  };
  const isBounded = frame.series.length > 0 && frame.series.every((series) => series.bounds);
  const names = isBounded ? ["100 µs"] : frame.series.map(nameOf);
  const left = Math.min(150, Math.max(40, 14 + LETTER * Math.max(...names.map((name) => name.length), 0)));
  const plot = { left, top: TOP, width: Math.max(40, width - left - LEGEND), height: height - TOP - BOTTOM };
  const { rows, ticks } = isBounded ? bounded(frame, plot) : even(frame, plot);
  return {
    plot,
    rows,
    ticks,
    isBounded,
    shade,
    legend: legend(frame, most, isShare),
    high: isBounded ? highRows(frame) : [],
  };
}

/** Rows on the logarithmic scale of their bounds; the first, whose lower bound may be zero, as far as it is drawn. */
function bounded(frame: Frame, plot: Plot): Pick<LaidHeat, "rows" | "ticks"> {
  const bounds = frame.series.map(({ bounds }): [number, number] => {
    const [low, high] = bounds ?? [0, null];
    return [low, high ?? low * 1.25];
  });
  const least = Math.min(...bounds.map(([, high]) => high)) / 2;
  const most = Math.max(...bounds.map(([, high]) => high));
  const span = Math.log(most / least) || 1;
  const y = (value: number) => plot.top + plot.height * (1 - Math.log(Math.max(value, least) / least) / span);
  const ticks: LaidHeat["ticks"] = [];
  const decades = Math.log10(most / least);
  const every = Math.max(1, Math.ceil((decades * 22) / plot.height));
  for (let power = Math.ceil(Math.log10(least)), at = 0; 10 ** power <= most; power += 1, at += 1)
    if (at % every === 0)
      ticks.push({ y: y(10 ** power), text: withUnit(Number((10 ** power).toPrecision(2)), "s") });
  return { rows: bounds.map(([low, high]) => [y(high), y(low) - y(high)]), ticks };
}

function even(frame: Frame, plot: Plot): Pick<LaidHeat, "rows" | "ticks"> {
  const height = plot.height / Math.max(1, frame.series.length);
  const every = Math.max(1, Math.ceil(frame.series.length / MOST_NAMED));
  return {
    rows: frame.series.map((_, at) => [plot.top + at * height, height]),
    ticks: frame.series.flatMap((series, at) =>
      at % every === 0 ? [{ y: plot.top + (at + 0.5) * height, text: nameOf(series) }] : [],
    ),
  };
}

/** Four shades. */
function legend(frame: Frame, most: number, isShare: boolean): LaidHeat["legend"] {
  if (!(most > 0)) return [];
  if (isShare)
    return [0.25, 0.5, 0.75, 1].map((share) => ({
      value: share * most,
      text: withUnit(share * most, frame.unit),
    }));
  const top = Math.floor(Math.log10(most) + 1e-9);
  return [3, 2, 1, 0].map((below) => {
    const value = 10 ** (top - below);
    return { value, text: number(Number(value.toPrecision(1))) };
  });
}

/** Of each step the row below whose upper bound 99 % are; -1 of none. */
function highRows(frame: Frame): number[] {
  const n = frame.steps.since.length;
  const found: number[] = new Array(n).fill(-1);
  for (let at = 0; at < n; at += 1) {
    let all = 0;
    for (const series of frame.series) all += series.mean[at] || 0;
    if (all <= 0) continue;
    let below = 0;
    found[at] = frame.series.findIndex((series) => {
      below += series.mean[at] || 0;
      return below >= all * 0.99;
    });
  }
  return found;
}

export function Heat({ frame, laid, height }: { frame: Frame; laid: LaidHeat; height: number }) {
  const { plot, ticks, shade, legend: shades } = laid;
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = useTheme();
  const role = frame.series[0]?.colour.role ?? "unknown";
  useLayoutEffect(() => {
    if (canvas.current) paintCells(canvas.current, frame, laid, role);
  }, [frame, plot.width, plot.height, theme]);
  const x = across(frame, plot);
  const right = plot.left + plot.width;
  const line = laid.high.length > 0 ? highLine(frame, laid, x) : "";
  const foot = plot.top + plot.height;
  return (
    <>
      <canvas ref={canvas} class="cells" style={placed(plot)} />
      <svg width={right + LEGEND} height={height} class="marks over" aria-hidden="true">
        {ticks.map(({ y, text }) => (
          <g key={text}>
            <path d={`M${plot.left - 4} ${y}h4`} class="ruleline" />
            <text x={plot.left - 8} y={y + 4} text-anchor="end" class="t3">
              {text}
            </text>
          </g>
        ))}
        <path d={`M${plot.left} ${foot + 0.5}h${plot.width}`} class="ruleline" />
        <Gaps gaps={gaps(frame)} box={plot} x={x} />
        {line ? (
          <>
            <path d={line} class="line under" />
            <path d={line} class="line inked" />
            <text x={right + 10} y={foot - shades.length * 15 - 8} class="t1">
              99 %
            </text>
          </>
        ) : null}
        {shades.map(({ value, text }, at) => {
          const y = foot - (shades.length - at) * 15;
          return (
            <g key={text}>
              <rect
                x={right + 10}
                y={y}
                width={12}
                height={12}
                rx={1}
                style={{ fill: `var(--${role}-0)`, fillOpacity: shade(value) }}
              />
              <text x={right + 28} y={y + 10} class="t3">
                {text}
              </text>
            </g>
          );
        })}
        <TimeAxis span={frame} box={plot} apart={plot.width < 300 ? 72 : 98} />
      </svg>
    </>
  );
}

function paintCells(canvas: HTMLCanvasElement, frame: Frame, laid: LaidHeat, role: string): void {
  const { plot, rows, shade } = laid;
  const scale = Math.min(3, Math.max(1, window.devicePixelRatio || 1));
  canvas.width = Math.round(plot.width * scale);
  canvas.height = Math.round(plot.height * scale);
  const pen = canvas.getContext("2d");
  if (!pen) return;
  pen.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(`--${role}-0`).trim();
  const perMs = canvas.width / Math.max(1, frame.until_ms - frame.since_ms);
  const { since, until } = frame.steps;
  frame.series.forEach((series, row) => {
    const [top = 0, height = 0] = rows[row] ?? [];
    const from = Math.round((top - plot.top) * scale);
    const rowHeight = Math.max(1, Math.round((top - plot.top + height) * scale) - from);
    series.mean.forEach((value, at) => {
      if (!(value > 0)) return;
      const [start = 0, stop = 0, next = stop] = [since[at], until[at], since[at + 1]];
      // Steps that follow each other leave no line between them.
      const edge = next - stop < (stop - start) / 2 ? next : stop;
      const left = Math.round((start - frame.since_ms) * perMs);
      const end = Math.round((edge - frame.since_ms) * perMs);
      pen.globalAlpha = shade(value);
      pen.fillRect(left, from, Math.max(1, end - left), rowHeight);
    });
  });
}

function highLine(frame: Frame, laid: LaidHeat, x: (ms: number) => number): string {
  const { since, until } = frame.steps;
  let path = "";
  for (const [from, to] of stretches(frame.steps, (at) => (laid.high[at] ?? -1) >= 0))
    for (let at = from; at < to; at += 1) {
      const y = (laid.rows[laid.high[at] as number]?.[0] ?? 0).toFixed(1);
      path += `${at === from ? "M" : "L"}${x(since[at] as number).toFixed(1)} ${y}H${x(until[at] as number).toFixed(1)}`;
    }
  return path;
}

/** The row at a share of the plot's height from its foot. */
export function rowAt(laid: LaidHeat, height: number): number {
  const y = laid.plot.top + laid.plot.height * (1 - height);
  return laid.rows.findIndex(([top, tall]) => y >= top && y < top + tall);
}
