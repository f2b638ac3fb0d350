// The geometry of a stack: what runs above a line, what waits below it. Pure functions of a frame.

import type { Frame, FrameSeries, Span } from "../source/source";

/** Totals of each step, and where nothing was measured. */
export interface Totals {
  above: Float64Array;
  below: Float64Array;
  /** True where no series has a value. */
  missing: boolean[];
}

export function totals(frame: Frame): Totals {
  const n = frame.steps.since.length;
  const [above, below] = [new Float64Array(n), new Float64Array(n)];
  const missing: boolean[] = new Array(n).fill(true);
  for (const series of frame.series) {
    const sums = series.below ? below : above;
    for (let at = 0; at < n; at += 1) {
      const value = series.mean[at];
      if (value === undefined || Number.isNaN(value)) continue;
      missing[at] = false;
      sums[at] = (sums[at] ?? 0) + value;
    }
  }
  return { above, below, missing };
}

/** The greatest value; 0 of none. */
export function greatest(values: ArrayLike<number> | undefined): number {
  let most = 0;
  for (let at = 0; at < (values?.length ?? 0); at += 1) {
    const value = values?.[at] ?? 0;
    if (value > most) most = value;
  }
  return most;
}

/** The value that a share of the others does not exceed. */
export function quantile(values: Float64Array, share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** Stretches of steps for which something holds: first, and the one behind the last. */
export function stretches(n: number, holds: (at: number) => boolean): [number, number][] {
  const found: [number, number][] = [];
  for (let at = 0; at < n; at += 1) {
    if (!holds(at)) continue;
    const from = at;
    while (at < n && holds(at)) at += 1;
    found.push([from, at]);
  }
  return found;
}

/** When nothing was measured: steps without a value, and what no step covers. */
export function gaps(frame: Frame, missing: boolean[]): Span[] {
  const found: Span[] = [];
  const { since, until } = frame.steps;
  const add = (from: number, to: number) => {
    const last = found[found.length - 1];
    if (last && from - last.until_ms < 1) last.until_ms = to;
    else found.push({ since_ms: from, until_ms: to });
  };
  let edge = frame.since_ms;
  for (let at = 0; at < since.length; at += 1) {
    const [from = edge, to = edge] = [since[at], until[at]];
    // Samples are not taken to the millisecond.
    if (from - edge > (to - from) / 2) add(edge, from);
    if (missing[at]) add(from, to);
    edge = Math.max(edge, to);
  }
  const last = since.length - 1;
  const step = last < 0 ? 0 : (until[last] ?? 0) - (since[last] ?? 0);
  if (frame.until_ms - edge > step / 2) add(edge, frame.until_ms);
  return found;
}

const n1 = (value: number) => String(Math.round(value * 10) / 10);

/** Where a time and a value are drawn. */
export interface Place {
  x: (ms: number) => number;
  y: (value: number) => number;
}

/** The outline between two heights of each step: steps, no curves. */
export function outline(
  frame: Frame,
  holds: (at: number) => boolean,
  near: (at: number) => number,
  far: (at: number) => number,
  { x, y }: Place,
): string {
  const { since, until } = frame.steps;
  let d = "";
  for (const [from, to] of stretches(since.length, holds)) {
    let penX = n1(x(since[from] ?? 0));
    let penY = n1(y(near(from)));
    d += `M${penX} ${penY}`;
    const across = (at: string) => {
      if (at !== penX) d += `H${at}`;
      penX = at;
    };
    const down = (at: string) => {
      if (at !== penY) d += `V${at}`;
      penY = at;
    };
    for (let at = from; at < to; at += 1) {
      down(n1(y(far(at))));
      across(n1(x(until[at] ?? 0)));
    }
    for (let at = to - 1; at >= from; at -= 1) {
      down(n1(y(near(at))));
      across(n1(x(since[at] ?? 0)));
    }
    d += "Z";
  }
  return d;
}

export interface Layer {
  series: FrameSeries;
  path: string;
}

/** The outlines of all series, each on top of those before it. Values below the line are negative for `y`. */
export function layers(frame: Frame, place: Place): Layer[] {
  const n = frame.steps.since.length;
  const [above, below] = [new Float64Array(n), new Float64Array(n)];
  return frame.series.map((series) => {
    const base = series.below ? below : above;
    const sign = series.below ? -1 : 1;
    const has = (at: number) => (series.mean[at] ?? 0) > 0;
    const near = (at: number) => sign * (base[at] ?? 0);
    const far = (at: number) => sign * ((base[at] ?? 0) + (series.mean[at] ?? 0));
    const path = outline(frame, has, near, far, place);
    for (let at = 0; at < n; at += 1) base[at] = (base[at] ?? 0) + (series.mean[at] || 0);
    return { series, path };
  });
}

/** Places as near to the wanted ones as they can be, `gap` apart, between two bounds. Wanted ones are in order. */
export function apart(wanted: number[], gap: number, low: number, high: number): number[] {
  const places = [...wanted];
  for (let at = 0; at < places.length; at += 1) {
    const before = places[at - 1];
    places[at] = Math.max(places[at] ?? low, before === undefined ? low : before + gap);
  }
  for (let at = places.length - 1; at >= 0; at -= 1) {
    const after = places[at + 1];
    places[at] = Math.min(places[at] ?? high, after === undefined ? high : after - gap);
  }
  return places;
}

/** The least of 1, 2, 2.5, 5 and 10 times a power of ten from a value on. */
export function nice(least: number): number {
  if (!(least > 0) || !Number.isFinite(least)) return 0;
  const power = 10 ** Math.floor(Math.log10(least));
  const found = [1, 2, 2.5, 5].find((factor) => factor * power >= least * (1 - 1e-9));
  return (found ?? 10) * power;
}

/** The step that a time lies in; the nearest before it where none does. */
export function stepAt(frame: Frame, ms: number): number {
  const { since } = frame.steps;
  let low = 0;
  let high = since.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((since[middle] ?? 0) <= ms) low = middle;
    else high = middle - 1;
  }
  return low;
}
