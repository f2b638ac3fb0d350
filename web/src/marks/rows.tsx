// The one line in a row of a table: waiting grows to the left of it, running to the right.

import { classPaint, largest } from "../classes";

export interface RowScale {
  /** Greatest waiting and greatest running time of all rows. */
  waiting: number;
  running: number;
}

/** Where the line stands in bars of a width: as in all rows. */
export function lineAt({ waiting, running }: RowScale, width: number): number {
  const all = waiting + running;
  return all > 0 ? Math.round((width * waiting) / all) : Math.round(width / 2);
}

export function RowBar({
  times,
  scale,
  width,
  height = 12,
}: {
  times: readonly [string, number][];
  scale: RowScale;
  width: number;
  height?: number;
}) {
  const line = lineAt(scale, width);
  const unit = width / Math.max(1e-12, scale.waiting + scale.running);
  let left = line;
  let right = line + 1;
  return (
    <svg class="rowbar" width={width + 1} height={height + 16} aria-hidden="true">
      {largest(times, "waiting").map(([name, seconds]) => {
        left -= seconds * unit;
        return <Part key={name} name={name} x={left} long={seconds * unit} height={height} />;
      })}
      {largest(times, "running").map(([name, seconds]) => {
        const x = right;
        right += seconds * unit;
        return <Part key={name} name={name} x={x} long={seconds * unit} height={height} />;
      })}
      <line class="rowline" x1={line + 0.5} x2={line + 0.5} y1={0} y2={height + 16} />
    </svg>
  );
}

function Part({ name, x, long, height }: { name: string; x: number; long: number; height: number }) {
  return <rect x={x} y={8} width={Math.max(0.4, long - 0.6)} height={height} fill={classPaint(name)} />;
}

export interface SparkSeries {
  name: string;
  values: (number | null)[];
}

/** The class chart in 22 px, on a scale of its own. */
export function Spark({
  series,
  width = 120,
  height = 22,
}: {
  series: SparkSeries[];
  width?: number;
  height?: number;
}) {
  const n = Math.max(0, ...series.map(({ values }) => values.length));
  if (n === 0) return null;
  const order = (group: "running" | "waiting") =>
    largest(
      series.map(({ name, values }) => [name, values.reduce<number>((sum, value) => sum + (value ?? 0), 0)]),
      group,
    ).map(([name]) => series.find((one) => one.name === name) as SparkSeries);
  const [running, waiting] = [order("running"), order("waiting")];
  const most = (all: SparkSeries[]) => {
    let found = 0;
    for (let at = 0; at < n; at += 1) {
      found = Math.max(
        found,
        all.reduce((sum, { values }) => sum + (values[at] ?? 0), 0),
      );
    }
    return found;
  };
  const [up, down] = [most(running), most(waiting)];
  const least = Math.max(up, down, 1e-9) * 0.12;
  const [above, below] = [Math.max(up, least), Math.max(down, least)];
  const unit = (height - 1) / (above + below);
  const line = above * unit;
  const isMissing = (at: number) => series.every(({ values }) => values[at] === null);
  const draw = (all: SparkSeries[], sign: number) => {
    const base = new Float64Array(n);
    return all.map(({ name, values }) => {
      let d = "";
      for (let at = 0; at < n; at += 1) {
        const value = values[at] ?? 0;
        if (value <= 0) continue;
        const near = line - sign * (base[at] ?? 0) * unit;
        base[at] = (base[at] ?? 0) + value;
        const far = line - sign * (base[at] ?? 0) * unit;
        d += `M${((at * width) / n).toFixed(1)} ${near.toFixed(1)}V${far.toFixed(1)}H${(((at + 1) * width) / n).toFixed(1)}V${near.toFixed(1)}Z`;
      }
      return <path key={name} d={d} fill={classPaint(name)} />;
    });
  };
  const known: string[] = [];
  for (let at = 0; at < n; at += 1) {
    if (!isMissing(at))
      known.push(`M${((at * width) / n).toFixed(1)} ${line.toFixed(1)}h${(width / n).toFixed(1)}`);
  }
  return (
    <svg class="spark" width={width} height={height} aria-hidden="true">
      {draw(running, 1)}
      {draw(waiting, -1)}
      <path class="sparkline" d={known.join("")} />
    </svg>
  );
}
