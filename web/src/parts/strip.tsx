// All that was recorded, as one line: the window in it, findings above it, gaps and boots. Drawn at once; what was found
// and when the machine was booted arrive later.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useFigures } from "../ask";
import { paint } from "../classes";
import { aboveOf } from "../marks/above";
import { type Above, across, type Box, Findings, Gaps, TimeAxis } from "../marks/axis";
import { Brush } from "../marks/brush";
import { gaps, greatest, layers, quantile, totals } from "../marks/steps";
import type { Frame, Span } from "../source/source";
import { address, marks, now, setWindow, source, span, state } from "../store";
import { duration, moment, windowText } from "../text";
import { useWidth } from "../width";

const HEIGHT = 92;
const TOP = 22;
const BOTTOM = 20;
/** What is higher than this share of the steps is cut. */
const CUT_AT = 0.98;
/** While live the strip goes on this often at most. */
const GOES_ON_MS = 10_000;
const MARKS_AGAIN_MS = 60_000;
const LEAST_WIDTH = 4;

/** All that there is, up to now; it moves on by whole steps. */
function useAll(): Span | null {
  const all = state.value?.all;
  const last = useRef<Span | null>(null);
  if (!all) return null;
  const until = Math.max(all.until_ms, now.value ?? 0);
  const before = last.current;
  const step = Math.max(GOES_ON_MS, (until - all.since_ms) / 600);
  if (before && before.since_ms === all.since_ms && until - before.until_ms < step) return before;
  last.current = { since_ms: all.since_ms, until_ms: until };
  return last.current;
}

function useMarks(all: Span | null, isDrawn: boolean): Above[] {
  const host = address.value.host;
  useEffect(() => {
    const from = source.value;
    if (!from || !all || !isDrawn) return undefined;
    const asking = new AbortController();
    const ask = () => {
      if (document.hidden) return;
      const until_ms = Math.max(all.until_ms, now.value ?? 0);
      from.marks({ since_ms: all.since_ms, until_ms }, asking.signal).then(
        (found) => {
          marks.value = found;
        },
        () => {
          // Without findings above it the strip is still right.
        },
      );
    };
    ask();
    const again = state.value?.live ? window.setInterval(ask, MARKS_AGAIN_MS) : 0;
    return () => {
      window.clearInterval(again);
      asking.abort();
    };
  }, [host, all?.since_ms, isDrawn]);
  return aboveOf(marks.value);
}

/** Boots within all that there is. */
function useBoots(all: Span | null, isDrawn: boolean): number[] {
  const [boots, setBoots] = useState<number[]>([]);
  useEffect(() => {
    const from = source.value;
    if (from?.kind !== "http" || !all || !isDrawn) return undefined;
    const asking = new AbortController();
    from.sql("select distinct boot_ms from host order by 1", all, 0, asking.signal).then(
      ({ rows }) => {
        const times = rows.map(([ms]) => Number(ms));
        setBoots(times.filter((ms) => ms > all.since_ms && ms < all.until_ms));
      },
      () => {
        // Not every source knows them.
      },
    );
    return () => asking.abort();
  }, [address.value.host, all?.since_ms, isDrawn]);
  return boots;
}

export function Strip() {
  const all = useAll();
  if (!all || ["try", "record"].includes(address.value.view)) return null;
  return <StripOf all={all} />;
}

function StripOf({ all }: { all: Span }) {
  const element = useRef<HTMLDivElement>(null);
  const width = useWidth(element);
  const steps = Math.max(60, Math.floor(width / 2));
  const asked = width > 0 ? all : null;
  const classes = useFigures(["time.classes"], asked, steps);
  const hasNone = classes.isDone && classes.frames.length === 0;
  // Of a recording without waits: what its CPUs did.
  const states = useFigures(hasNone ? ["cpu.states"] : [], asked, steps);
  const frame = classes.frames[0] ?? states.frames[0] ?? null;
  // Once drawn it stays so while the next answer comes.
  const drawnOnce = useRef(false);
  drawnOnce.current ||= classes.isDone;
  const isDrawn = drawnOnce.current;
  const above = useMarks(asked, isDrawn);
  const boots = useBoots(asked, isDrawn);
  const shown = span.value;
  const against = address.value.with;
  const found = above.map((one) => `${one.name} ${windowText(one)}`).join("; ");
  const box: Box = { left: 0, top: TOP, width, height: HEIGHT - TOP - BOTTOM };
  const drawn = useMemo(
    () => (
      <StripDrawing
        frame={frame}
        all={all}
        shown={shown}
        against={against}
        above={above}
        boots={boots}
        width={width}
      />
    ),
    [frame, all, shown?.since_ms, shown?.until_ms, against, found, boots, width],
  );
  return (
    <section class="strip" aria-label="all that was recorded">
      <div ref={element} class="chart" style={{ height: `${HEIGHT}px` }}>
        {width > 0 ? drawn : null}
        {width > 0 ? (
          <Brush
            span={all}
            plot={box}
            label={`All that was recorded, running above the line, waiting below it. ${found || "No findings are known."}`}
            step={Math.max(1000, (all.until_ms - all.since_ms) / steps)}
            start={shown ? (shown.since_ms + shown.until_ms) / 2 : all.until_ms}
            says={moment}
            readout={(ms) => ({ head: moment(ms), rows: [] })}
            statistics={(part) => ({
              head: windowText(part),
              note: duration(part.until_ms - part.since_ms),
              rows: [],
            })}
            onPlace={(ms) => {
              const half = shown ? (shown.until_ms - shown.since_ms) / 2 : 30_000;
              setWindow({ since_ms: ms - half, until_ms: ms + half });
            }}
            wheel
          />
        ) : null}
      </div>
    </section>
  );
}

interface DrawingProps {
  frame: Frame | null;
  all: Span;
  shown: Span | null;
  against: Span | null;
  above: Above[];
  boots: number[];
  width: number;
}

function StripDrawing({ frame, all, shown, against, above, boots, width }: DrawingProps) {
  const box: Box = { left: 0, top: TOP, width, height: HEIGHT - TOP - BOTTOM };
  const x = across(all, box);
  const bottom = box.top + box.height;
  const isSmall = width < 600;
  return (
    <svg width={width} height={HEIGHT} aria-hidden="true">
      {frame ? (
        <Line frame={frame} all={all} box={box} />
      ) : (
        <line class="hairline" x1={0} x2={width} y1={TOP + 16} y2={TOP + 16} />
      )}
      <Frames box={box} x={x} shown={shown} against={against} />
      {boots.map((boot) => (
        <g key={boot}>
          <line class="boot" x1={x(boot)} x2={x(boot)} y1={box.top - 2} y2={bottom} />
          <text
            class="halo"
            x={x(boot) + (x(boot) > width - 40 ? -4 : 4)}
            y={box.top + 9}
            text-anchor={x(boot) > width - 40 ? "end" : "start"}
          >
            boot
          </text>
        </g>
      ))}
      <TimeAxis span={all} box={box} apart={isSmall ? 76 : 140} />
      <Findings findings={above} box={box} x={x} areNamed={!isSmall} />
      {state.value?.live ? (
        <text class="now b" x={width} y={box.top - 8} text-anchor="end">
          now
        </text>
      ) : null}
    </svg>
  );
}

/** What ran above the line, what waited below it; higher than most is cut, with a black foot. */
function Line({ frame, all, box }: { frame: Frame; all: Span; box: Box }) {
  const active = frame.series.filter((series) => series.colour.role !== "idle");
  const drawn: Frame = { ...frame, series: active };
  const sums = totals(drawn);
  const hasBelow = active.some((series) => series.below);
  const highest = greatest(sums.above);
  const most = hasBelow ? Math.max(1, quantile(sums.below, CUT_AT)) : 0;
  const up = Math.max(highest, hasBelow ? 0.2 * most : 1e-9);
  const unit = box.height / (up + most);
  const line = box.top + up * unit;
  const x = across(all, box);
  const bottom = box.top + box.height;
  const y = (value: number) => Math.max(box.top, Math.min(bottom, line - value * unit));
  const { since, until } = frame.steps;
  const feet: string[] = [];
  for (let at = 0; hasBelow && at < since.length; at += 1) {
    if ((sums.below[at] ?? 0) <= most * 1.01) continue;
    const from = x(since[at] ?? 0);
    feet.push(
      `M${from.toFixed(1)} ${bottom - 1}h${Math.max(1.2, x(until[at] ?? 0) - from).toFixed(1)}v2.5H${from.toFixed(1)}Z`,
    );
  }
  return (
    <g>
      {layers(drawn, { x, y }).map(({ series, path }) => (
        <path key={series.name} d={path} fill={paint(series.colour)} />
      ))}
      <path class="ink" d={feet.join("")} />
      <Gaps
        gaps={gaps(frame, sums.missing)}
        box={box}
        x={x}
        words={(gap) => `gap ${duration(gap.until_ms - gap.since_ms)}`}
      />
      <line class="stripline" x1={box.left} x2={x(frame.until_ms)} y1={line} y2={line} />
    </g>
  );
}

interface FramesProps {
  box: Box;
  x: (ms: number) => number;
  shown: Span | null;
  against: Span | null;
}

/** The window is framed, what is outside pales; A is what it is compared with. */
function Frames({ box, x, shown, against }: FramesProps) {
  const windows = [
    { span: against, name: "A" },
    { span: shown, name: against ? "B" : "" },
  ]
    .filter((one): one is { span: Span; name: string } => one.span !== null)
    .map(({ span: part, name }) => {
      const from = Math.min(x(part.since_ms), box.width - LEAST_WIDTH);
      return { from, to: Math.max(x(part.until_ms), from + LEAST_WIDTH), name };
    })
    .sort((a, b) => a.from - b.from);
  let edge = 0;
  const pale = [...windows, { from: box.width, to: box.width, name: "" }].map(({ from, to }) => {
    const part = { from: edge, to: Math.max(edge, from) };
    edge = Math.max(edge, to);
    return part;
  });
  return (
    <g>
      {windows.length > 0
        ? pale.map(({ from, to }) => (
            <rect key={from} class="pale" x={from} y={box.top} width={to - from} height={box.height} />
          ))
        : null}
      {windows.map(({ from, to, name }) => (
        <g key={name}>
          <rect
            class="window"
            x={from - 0.5}
            y={box.top - 3}
            width={to - from + 1}
            height={box.height + 6}
            rx={1.5}
          />
          {name ? (
            <text class="t1 b halo" x={to + 5} y={box.top + box.height - 2}>
              {name}
            </text>
          ) : null}
        </g>
      ))}
    </g>
  );
}
