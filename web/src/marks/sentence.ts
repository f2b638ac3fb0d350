// What a frame shows, in one sentence: below the chart, and for who cannot see it. The words are those of `plot`.

import type { Frame, FrameSeries } from "../source/source";
import { date, number, seconds, share, time, withUnit } from "../text";
import { nameOf, size } from "./read";

/** Series that are named. */
const MOST_NAMED = 3;
const DAY = 86_400_000;

export function sentence(frame: Frame): string {
  if (frame.kind === "lines") return lines(frame);
  if (frame.kind === "stack") return stack(frame);
  if (frame.kind === "heat") return quantiles(frame) ?? busiest(frame);
  return bars(frame);
}

const mean = (series: FrameSeries) => series.summary.mean ?? 0;

function lines(frame: Frame): string {
  const said = [...frame.series]
    .sort((a, b) => mean(b) - mean(a))
    .slice(0, MOST_NAMED)
    .flatMap((series) => {
      const { mean, greatest, greatest_ms } = series.summary;
      if (mean === null || greatest === null) return [];
      const name = frame.series.length === 1 ? "" : `${nameOf(series)}: `;
      if (greatest <= mean * 1.05) return [`${name}${withUnit(mean, frame.unit)} throughout`];
      const at =
        frame.steps.since.length > 1 && greatest_ms !== null ? ` at ${when(greatest_ms, frame)}` : "";
      return [
        `${name}${withUnit(mean, frame.unit)} on average, at most ${withUnit(greatest, frame.unit)}${at}`,
      ];
    });
  return said.length > 0 ? `${said.join("; ")}.` : "";
}

const when = (ms: number, frame: Frame) =>
  frame.until_ms - frame.since_ms > DAY ? `${date(ms)}, ${time(ms)}` : time(ms);

function stack(frame: Frame): string {
  const side = (below: boolean) => {
    const of = frame.series.filter((series) => series.below === below && series.colour.role !== "idle");
    if (of.length === 0) return null;
    const parts = of.slice(0, MOST_NAMED).map((series) => `${nameOf(series)} ${plain(frame, mean(series))}`);
    return { total: of.reduce((sum, series) => sum + mean(series), 0), parts: parts.join(", ") };
  };
  const [above, below] = [side(false), side(true)];
  const isHung = frame.series.some((series) => series.below) && frame.series.some((series) => !series.below);
  if (above && below && isHung) {
    const [runs, waits] = [withUnit(above.total, frame.unit), withUnit(below.total, frame.unit)];
    return `On average ${runs} running (${above.parts}) and ${waits} waiting (${below.parts}).`;
  }
  const only = above ?? below;
  return only ? `${withUnit(only.total, frame.unit)} on average: ${only.parts}.` : "Nothing but idle time.";
}

/** Without a unit that is a word. */
function plain(frame: Frame, value: number): string {
  return ["ratio", "s", "bytes", "bytes/s"].includes(frame.unit)
    ? withUnit(value, frame.unit)
    : number(value);
}

/** What half and 99 % of the things that a heat map counts are below. */
function quantiles(frame: Frame): string | null {
  let all = 0;
  for (const { bounds, summary } of frame.series) {
    if (!bounds || summary.total === null) return null;
    all += summary.total;
  }
  if (all <= 0) return null;
  const below = (part: number) => {
    let so = 0;
    const found = frame.series.find(({ summary }) => {
      so += summary.total ?? 0;
      return so >= all * part;
    });
    const bound = found?.bounds?.[1] ?? null;
    return bound === null ? "any bound" : seconds(bound);
  };
  return `Half take less than ${below(0.5)}, 99 % less than ${below(0.99)}.`;
}

function busiest(frame: Frame): string {
  const sorted = [...frame.series].sort((a, b) => mean(b) - mean(a));
  const [most] = sorted;
  const least = sorted.at(-1);
  if (!most || !least) return "";
  const said = (series: FrameSeries) => `${nameOf(series)}, ${withUnit(mean(series), frame.unit)}`;
  if (most === least) return `${nameOf(most)}: ${withUnit(mean(most), frame.unit)} on average.`;
  return `Most: ${said(most)} on average; least: ${said(least)}.`;
}

function bars(frame: Frame): string {
  const all = frame.series.reduce((sum, series) => sum + size(series), 0);
  const [first] = frame.series;
  if (!first || all <= 0) return "";
  return `${nameOf(first)} first: ${withUnit(size(first), frame.unit)}, ${share(size(first) / all)} of all.`;
}
