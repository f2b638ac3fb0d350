// What a frame says at a time, over a span, and where it says nothing.

import type { Frame, FrameSeries, Span } from "../source/source";
import { harmless, middle, seconds } from "../text";

/** The step that holds a time, or -1. */
export function stepAt(frame: Frame, ms: number): number {
  const { since, until } = frame.steps;
  let low = 0;
  let high = since.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (ms < (since[middle] as number)) high = middle - 1;
    else if (ms >= (until[middle] as number)) low = middle + 1;
    else return middle;
  }
  // The end of the window belongs to its last step.
  const last = until.length - 1;
  return last >= 0 && ms === until[last] ? last : -1;
}

/** Usual length of a step. */
export function stepLength(frame: Frame): number {
  const { since, until } = frame.steps;
  const middle = since.length >> 1;
  return Math.max(1, (until[middle] ?? frame.until_ms) - (since[middle] ?? frame.since_ms));
}

/** Steps that follow each other, without a missing sample between them, and have values: from, to (excluded). */
export function stretches(steps: Frame["steps"], has: (at: number) => boolean): [number, number][] {
  const { since, until } = steps;
  const found: [number, number][] = [];
  let from = -1;
  for (let at = 0; at < since.length; at += 1) {
    const isNext = at > 0 && follows(steps, at);
    if (from >= 0 && !(isNext && has(at))) {
      found.push([from, at]);
      from = -1;
    }
    if (from < 0 && has(at)) from = at;
  }
  if (from >= 0) found.push([from, since.length]);
  return found;

  function follows({ since: starts }: Frame["steps"], at: number): boolean {
    const before = (until[at - 1] as number) - (starts[at - 1] as number);
    const own = (until[at] as number) - (starts[at] as number);
    return (starts[at] as number) - (until[at - 1] as number) <= Math.max(before, own) / 2;
  }
}

const isKnown = (values: Float64Array, at: number) => !Number.isNaN(values[at] ?? Number.NaN);

/** Where no series has a value. */
export function gaps(frame: Frame): Span[] {
  const found: Span[] = [];
  let edge = frame.since_ms;
  const has = (at: number) => frame.series.some((series) => isKnown(series.mean, at));
  for (const [from, to] of stretches(frame.steps, has)) {
    const since = frame.steps.since[from] as number;
    if (since > edge) found.push({ since_ms: edge, until_ms: since });
    edge = Math.max(edge, frame.steps.until[to - 1] as number);
  }
  if (frame.until_ms > edge) found.push({ since_ms: edge, until_ms: frame.until_ms });
  return found;
}

/** How much a series is: the sum where it adds up, else the mean. */
export function size(series: FrameSeries): number {
  return series.summary.total ?? series.summary.mean ?? 0;
}

/** Bounds of what a row of a map counts. */
export function boundsText([low, high]: [number, number | null]): string {
  return high === null ? `${seconds(low)} and more` : `${seconds(low)} – ${seconds(high)}`;
}

/** Of a row of a map its bounds: its name is a number of a bucket. */
export function nameOf(series: FrameSeries): string {
  return series.bounds ? boundsText(series.bounds) : harmless(series.name);
}

/** A name of at most `most` characters: of a unit without its kind, of a path its end, which tells it from the others. */
export function short(name: string, most: number): string {
  if (name.length <= most) return harmless(name);
  const plain = name.replace(/\.service$/, "");
  const end = plain.split("/").pop();
  return middle(plain.length > most && plain.startsWith("/") && end ? `…/${end}` : plain, most);
}

/** The title of a frame: of what, and what. */
export function titleOf(frame: Frame): string {
  return frame.subject ? `${harmless(frame.subject)}: ${frame.title}` : capital(frame.title);
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Series that have a name at their line; the others are drawn alike and counted. */
export function named(frame: Frame, most = 4): { named: FrameSeries[]; others: FrameSeries[] } {
  if (frame.series.length <= most) return { named: frame.series, others: [] };
  const largest = [...frame.series].sort((a, b) => size(b) - size(a)).slice(0, most);
  return {
    named: frame.series.filter((series) => largest.includes(series)),
    others: frame.series.filter((series) => !largest.includes(series)),
  };
}
