// Lines over time: the mean of each step, with a band from the least to the greatest sample in it. Nothing is drawn
// across a gap.

import { paint } from "../classes";
import type { Frame, FrameSeries } from "../source/source";
import { type Label, Labels, LETTER, labelSpace, Values } from "./axes";
import { across, Gaps, TimeAxis } from "./axis";
import type { Plot } from "./brush";
import { gaps, named, nameOf, stretches } from "./read";
import { calm, type Scale, scaleOf } from "./scale";

const TOP = 10;
const BOTTOM = 22;

export interface Laid {
  plot: Plot;
  scale: Scale;
  /** Space for names at the right. */
  names: number;
}

/** Where the lines are drawn in a picture of that size. */
export function layLines(frame: Frame, width: number, height: number, before: Scale | null): Laid {
  const scale = calm(scaleOf(frame), before);
  const left = Math.max(34, 12 + LETTER * Math.max(...scale.ticks.map((tick) => tick.text.length)));
  const { named: shown, others } = named(frame);
  const names = [...shown.map(nameOf), frame.limit?.name ?? "", others.length > 0 ? "99 others" : ""];
  const right = labelSpace(names, width < 420 ? 124 : 150);
  return {
    scale,
    names: right,
    plot: { left, top: TOP, width: Math.max(40, width - left - right), height: height - TOP - BOTTOM },
  };
}

export function Lines({ frame, laid, height }: { frame: Frame; laid: Laid; height: number }) {
  const { plot, scale } = laid;
  const x = across(frame, plot);
  const y = (value: number) => plot.top + plot.height * (1 - scale.place(value));
  const { named: shown, others } = named(frame);
  const labels: Label[] = [];
  for (const series of shown) {
    const last = series.mean.findLast((value) => !Number.isNaN(value));
    if (last !== undefined) labels.push({ y: y(last), name: nameOf(series), colour: series.colour });
  }
  if (others.length > 0) {
    const last = others[0]?.mean.findLast((value) => !Number.isNaN(value)) ?? 0;
    const colour = { role: "unknown", step: 0 };
    labels.push({ y: y(last), name: `${others.length} ${others.length === 1 ? "other" : "others"}`, colour });
  }
  const limit = frame.limit && scale.place(frame.limit.value) <= 1.001 ? frame.limit : null;
  if (limit) labels.push({ y: y(limit.value), name: limit.name, colour: null });
  return (
    <svg width={plot.left + plot.width} height={height} class="marks" aria-hidden="true">
      <Values scale={scale} plot={plot} />
      <Gaps gaps={gaps(frame)} box={plot} x={x} />
      {shown.map((series) => (
        <path
          key={series.name}
          d={band(frame, series, x, y)}
          class="band"
          style={{ fill: paint(series.colour) }}
        />
      ))}
      {others.map((series) => (
        <path key={series.name} d={line(frame, series, x, y)} class="line others" />
      ))}
      {shown.map((series) => (
        <path
          key={series.name}
          d={line(frame, series, x, y)}
          class="line"
          style={{ stroke: paint(series.colour) }}
        />
      ))}
      {limit ? <path d={`M${plot.left} ${y(limit.value)}h${plot.width}`} class="limit" /> : null}
      <TimeAxis span={frame} box={plot} apart={plot.width < 300 ? 72 : 98} />
      <Labels labels={labels} plot={plot} space={laid.names} />
    </svg>
  );
}

type Place = (value: number) => number;

/** From the beginning of its first step to the end of its last: one step alone is a line too. */
function line(frame: Frame, series: FrameSeries, x: Place, y: Place): string {
  const { since, until } = frame.steps;
  let path = "";
  for (const [from, to] of stretches(frame.steps, (at) => !Number.isNaN(series.mean[at] as number))) {
    path += `M${x(since[from] as number).toFixed(1)} ${y(series.mean[from] as number).toFixed(1)}`;
    for (let at = from; at < to; at += 1) {
      const middle = ((since[at] as number) + (until[at] as number)) / 2;
      path += `L${x(middle).toFixed(1)} ${y(series.mean[at] as number).toFixed(1)}`;
    }
    path += `L${x(until[to - 1] as number).toFixed(1)} ${y(series.mean[to - 1] as number).toFixed(1)}`;
  }
  return path;
}

function band(frame: Frame, series: FrameSeries, x: Place, y: Place): string {
  const { since, until } = frame.steps;
  const { least, greatest } = series;
  const has = (at: number) => !Number.isNaN(least[at] as number) && !Number.isNaN(greatest[at] as number);
  let path = "";
  for (const [from, to] of stretches(frame.steps, has)) {
    let differs = false;
    let over = "";
    let under = "";
    for (let at = from; at < to; at += 1) {
      if (least[at] !== greatest[at]) differs = true;
      const middle = x(((since[at] as number) + (until[at] as number)) / 2).toFixed(1);
      over += `${over ? "L" : "M"}${middle} ${y(greatest[at] as number).toFixed(1)}`;
      under = `L${middle} ${y(least[at] as number).toFixed(1)}${under}`;
    }
    if (differs) path += `${over}${under}Z`;
  }
  return path;
}
