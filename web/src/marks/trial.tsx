// An experiment: the interval of the effect as it narrowed, pair by pair, and every run in its order.

import type { ExperimentDocument } from "../source/documents";

/** A pair of runs, and the interval that all pairs up to it leave. */
export interface Pair {
  change: number;
  pair: number;
  with_first: boolean;
  without: number;
  with: number;
  effect: number;
  low: number | null;
  high: number | null;
}

const LEFT = 60;
const TOP = 10;

/** Round values that cover so much, about `most` of them. */
function roundStep(reach: number, most: number): number {
  const least = reach / most;
  const power = 10 ** Math.floor(Math.log10(least));
  return ([1, 2, 5, 10].find((step) => step * power >= least) ?? 10) * power;
}

export function Narrowing({
  pairs,
  worth,
  width,
  effect,
  last,
  found,
  sentence,
}: {
  pairs: Pair[];
  /** The smallest effect that one wants to see. */
  worth: number;
  width: number;
  /** An effect in words, with its sign. */
  effect: (value: number) => string;
  /** What stands beside the interval at the end. */
  last: string;
  /** The effect that all pairs say. */
  found: number | null;
  sentence: string;
}) {
  const height = 220;
  const bottom = 38;
  const isNarrow = width < 560;
  const right = isNarrow ? 8 : 190;
  const plot = Math.max(80, width - LEFT - right);
  const end = pairs.at(-1);
  // The first intervals are far wider than what is to be seen: they are cut.
  const reach =
    1.15 *
    Math.max(
      worth * 1.5,
      ...pairs.map((pair) => Math.abs(pair.effect)),
      Math.abs(end?.low ?? 0),
      Math.abs(end?.high ?? 0),
      Number.MIN_VALUE,
    );
  const middle = TOP + (height - TOP - bottom) / 2;
  const y = (value: number) => middle - Math.max(-1, Math.min(1, value / reach)) * (middle - TOP);
  const step = plot / Math.max(8, pairs.length);
  const x = (at: number) => LEFT + at * step;
  const round = roundStep(reach, 2);
  const lines: number[] = [];
  for (let at = round; at <= reach; at += round) lines.push(at, -at);
  const every = Math.ceil(pairs.length / Math.max(4, Math.floor(plot / 34)));
  return (
    <svg width={width} height={height} role="img" aria-label={sentence}>
      <rect x={LEFT} y={y(worth)} width={plot} height={y(-worth) - y(worth)} class="not-worth" />
      {lines.map((at) => (
        <g key={at}>
          <path d={`M${LEFT} ${y(at)}H${LEFT + plot}`} style={{ stroke: "var(--hair)" }} />
          <text x={LEFT - 8} y={y(at) + 4} text-anchor="end" class="t3">
            {effect(at)}
          </text>
        </g>
      ))}
      {pairs.map((pair, at) =>
        pair.low === null && pair.high === null ? null : (
          <rect
            key={pair.pair}
            x={x(at)}
            y={y(pair.high ?? reach)}
            width={step}
            height={Math.max(1, y(pair.low ?? -reach) - y(pair.high ?? reach))}
            class="interval"
          />
        ),
      )}
      <path d={`M${LEFT} ${middle}H${LEFT + plot}`} style={{ stroke: "var(--ink)", strokeWidth: 1.5 }} />
      <text x={LEFT - 8} y={middle + 4} text-anchor="end" class="t3">
        0
      </text>
      {pairs.map((pair, at) => (
        <circle key={pair.pair} cx={x(at) + step / 2} cy={y(pair.effect)} r={2.8} class="ring" />
      ))}
      {pairs.map((pair, at) =>
        at % every === 0 ? (
          <text key={pair.pair} x={x(at) + step / 2} y={height - bottom + 16} text-anchor="middle" class="t3">
            {pair.pair}
          </text>
        ) : null,
      )}
      {end && (end.low !== null || end.high !== null) ? (
        <path
          d={`M${x(pairs.length)} ${y(end.high ?? reach)}V${y(end.low ?? -reach)}`}
          style={{ stroke: "var(--less)", strokeWidth: 3 }}
        />
      ) : null}
      {found === null ? null : (
        <circle cx={x(pairs.length)} cy={y(found)} r={4.5} style={{ fill: "var(--less)" }} />
      )}
      {isNarrow ? null : (
        <>
          <text x={LEFT + plot + 10} y={middle - 4} class="t3">
            not worth seeing
          </text>
          <text x={LEFT + plot + 10} y={middle + 11} class="t3">
            ± {effect(worth).slice(1)}
          </text>
          {end && last ? (
            <text x={LEFT + plot + 10} y={besides(y(found ?? end.effect), middle)} class="t1 b">
              {last}
            </text>
          ) : null}
        </>
      )}
      <text x={LEFT} y={height - 4} class="t3">
        {isNarrow
          ? "pairs, in order of time"
          : "pairs, in order of time: one run with the change, one without"}
      </text>
    </svg>
  );
}

/** A place for a line of text that leaves the two lines at the middle free. */
function besides(y: number, middle: number): number {
  if (y < middle - 18 || y > middle + 26) return y + 4;
  return y < middle ? middle - 20 : middle + 28;
}

type Block = ExperimentDocument["blocks"][number];

export function Runs({
  blocks,
  width,
  value,
  sentence,
}: {
  blocks: Block[];
  width: number;
  /** The measure in words. */
  value: (figure: number) => string;
  sentence: string;
}) {
  const height = 120;
  const bottom = 22;
  const isNarrow = width < 560;
  const right = isNarrow ? 8 : 190;
  const plot = Math.max(80, width - LEFT - right);
  const greatest = Math.max(Number.MIN_VALUE, ...blocks.map((block) => block.figure).filter(Number.isFinite));
  const round = roundStep(greatest, 2);
  const top = Math.ceil(greatest / round) * round;
  const y = (figure: number) => TOP + (1 - Math.max(0, figure) / top) * (height - TOP - bottom);
  const x = (at: number) => LEFT + ((at + 0.5) * plot) / blocks.length;
  const lines: number[] = [];
  for (let at = 0; at <= top * 1.001; at += round) lines.push(at);
  const first = blocks.findIndex((block) => block.kind === "with" || block.kind === "without");
  const border = first > 0 ? x(first) - plot / blocks.length / 2 : null;
  return (
    <svg width={width} height={height} role="img" aria-label={sentence}>
      {lines.map((at) => (
        <g key={at}>
          <path
            d={`M${LEFT} ${y(at)}H${LEFT + plot}`}
            style={{ stroke: at === 0 ? "var(--ink3)" : "var(--hair)" }}
          />
          <text x={LEFT - 8} y={y(at) + 4} text-anchor="end" class="t3">
            {at === 0 ? "0" : value(at)}
          </text>
        </g>
      ))}
      {blocks.map((block, at) => {
        const [left, above] = [x(at), y(block.figure)];
        const key = `${at} ${block.kind}`;
        if (block.kind === "with") return <circle key={key} cx={left} cy={above} r={3.4} class="filled" />;
        if (block.kind === "without") return <circle key={key} cx={left} cy={above} r={3} class="hollow" />;
        return <path key={key} d={`M${left - 3} ${above - 3}l6 6m0 -6l-6 6`} class="cross" />;
      })}
      {border === null ? null : (
        <>
          <path d={`M${border} ${TOP}V${height - bottom + 2}`} style={{ stroke: "var(--rule)" }} />
          <text x={LEFT} y={height - 6} class="t3">
            {border - LEFT > 110 ? "warm-up, noise" : ""}
          </text>
          <text x={border + 4} y={height - 6} class="t3">
            pairs
          </text>
        </>
      )}
      {isNarrow ? null : (
        <>
          <circle cx={LEFT + plot + 16} cy={TOP + 12} r={3} class="hollow" />
          <text x={LEFT + plot + 26} y={TOP + 16} class="t1">
            without
          </text>
          <circle cx={LEFT + plot + 16} cy={TOP + 30} r={3.4} class="filled" />
          <text x={LEFT + plot + 26} y={TOP + 34} class="t1">
            with the change
          </text>
          {border === null ? null : (
            <>
              <path d={`M${LEFT + plot + 13} ${TOP + 45}l6 6m0 -6l-6 6`} class="cross" />
              <text x={LEFT + plot + 26} y={TOP + 52} class="t1">
                not counted
              </text>
            </>
          )}
        </>
      )}
    </svg>
  );
}
