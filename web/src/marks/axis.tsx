// What charts over time have in common: ticks, gaps, and findings above.

import { severityPath } from "../parts/quantity";
import type { Span } from "../source/source";
import { harmless, ticks } from "../text";

/** Ticks stand this far apart at least. */
const TICKS_APART = 98;

export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Maps times of a window into a box; what is outside lies at its edge. */
export function across({ since_ms, until_ms }: Span, { left, width }: Box): (ms: number) => number {
  const length = Math.max(1, until_ms - since_ms);
  return (ms) => left + Math.max(0, Math.min(1, (ms - since_ms) / length)) * width;
}

/** Round times below a box. */
export function TimeAxis({ span, box, apart = TICKS_APART }: { span: Span; box: Box; apart?: number }) {
  const x = across(span, box);
  const most = Math.max(1, Math.floor(box.width / apart));
  const bottom = box.top + box.height;
  const right = box.left + box.width;
  return (
    <g>
      {ticks(span.since_ms, span.until_ms, most).map(({ ms, text }) => {
        const at = x(ms);
        const anchor = at < box.left + 20 ? "start" : at > right - 20 ? "end" : "middle";
        return (
          <g key={ms}>
            <line class="ruleline" x1={at} x2={at} y1={bottom} y2={bottom + 4} />
            <text class="t3" x={at} y={bottom + 17} text-anchor={anchor}>
              {text}
            </text>
          </g>
        );
      })}
    </g>
  );
}

/** Slanted lines over a part of a box. */
export function hatch(from: number, to: number, top: number, height: number): string {
  let d = "";
  for (let at = from; at < to + height; at += 8) {
    const left = Math.max(at - height, from);
    const right = Math.min(at, to);
    if (right > left)
      d += `M${left.toFixed(1)} ${(top + at - left).toFixed(1)}L${right.toFixed(1)} ${(top + at - right).toFixed(1)}`;
  }
  return d;
}

/** Where nothing was measured; `words` stand in wide ones. */
export function Gaps({
  gaps,
  box,
  x,
  words,
}: {
  gaps: Span[];
  box: Box;
  x: (ms: number) => number;
  words?: (gap: Span) => string;
}) {
  return (
    <g>
      {gaps.map((gap) => {
        const from = x(gap.since_ms);
        const to = x(gap.until_ms);
        // What is narrower is the edge of a step.
        if (to - from < 3) return null;
        const text = words?.(gap) ?? "";
        const isWide = to - from > 6.4 * text.length + 4;
        return (
          <g key={gap.since_ms}>
            <rect class="paper" x={from} y={box.top} width={to - from} height={box.height} />
            <path class="hatch" d={hatch(from, to, box.top, box.height)} />
            {text && isWide ? (
              <text class="t3 halo" x={(from + to) / 2} y={box.top + box.height - 6} text-anchor="middle">
                {text}
              </text>
            ) : null}
          </g>
        );
      })}
    </g>
  );
}

/** A finding and its time, as drawn above a chart. */
export interface Above extends Span {
  severity: string;
  name: string;
}

/** Letters of 12 px are about this wide. */
const LETTER = 6.4;

/** Findings above a box: shape, bar over their span, name where there is room. */
export function Findings({
  findings,
  box,
  x,
  areNamed,
}: {
  findings: Above[];
  box: Box;
  x: (ms: number) => number;
  areNamed: boolean;
}) {
  const right = box.left + box.width;
  let named = Number.NEGATIVE_INFINITY;
  return (
    <g>
      {findings.map((finding) => {
        const from = x(finding.since_ms);
        const to = Math.max(x(finding.until_ms), from + 3);
        const name = harmless(finding.name);
        const wide = 14 + LETTER * name.length;
        const at = Math.max(box.left, Math.min(from, right - wide));
        const isNamed = areNamed && at >= named + 6;
        if (isNamed) named = at + wide;
        return (
          <g key={`${finding.since_ms} ${name}`}>
            {isNamed || !areNamed ? severityPath(finding.severity, at + 5, box.top - 14, 4.5) : null}
            {isNamed ? (
              <text class="t1 halo" x={at + 14} y={box.top - 10}>
                {name}
              </text>
            ) : null}
            <rect
              class={finding.severity === "info" ? "markbar quiet" : "markbar"}
              x={from}
              y={box.top - 7}
              width={to - from}
              height={2.5}
            />
          </g>
        );
      })}
    </g>
  );
}
