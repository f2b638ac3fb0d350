// One interaction for everything that is drawn over time: drag chooses the window, Shift-drag what it is compared
// with, the wheel zooms, a touch reads and drags, and by keys it is a slider.

import { signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Span } from "../source/source";
import { go, say, setWindow, span as shownSpan } from "../store";
import { time, windowText } from "../text";
import type { Box } from "./axis";
import { LEAST_WINDOW, zoomed } from "./zoom";

/** Where the values are drawn, within the picture. */
export type Plot = Box;

/** What a cursor reads. */
export interface Readout {
  head: string;
  /** Beside the head: of what the values are. */
  note?: string;
  columns?: string[];
  rows: { colour?: string; name: string; values: string[] }[];
}

/** A box as a style. */
export const placed = ({ left, top, width, height }: Box) => ({
  left: `${left}px`,
  top: `${top}px`,
  width: `${width}px`,
  height: `${height}px`,
});

/** The time that is pointed at: one for all charts of a page. */
export const cursor = signal<number | null>(null);

interface Picked {
  from: number;
  to: number;
  isWith: boolean;
}

/** A span that is being chosen, on all charts. */
export const picked = signal<Picked | null>(null);

interface BrushProps {
  /** The time from the left to the right end of the plot. */
  span: Span;
  plot: Plot;
  /** Name of the chart, for the ear. */
  label: string;
  /** What an arrow key moves by; a hundredth where values have no steps. */
  step?: number;
  /** What there is at a time, in a sentence. */
  says?: (ms: number) => string;
  /** The same as a table; `height` is the share of the plot's height, from its foot. */
  readout?: (ms: number, height: number | null) => Readout | null;
  /** What is said of a chosen span. */
  statistics?: (span: Span, signal: AbortSignal) => Readout | Promise<Readout> | null;
  /** Where the keys begin; at the end without. */
  start?: number;
  /** A click and Enter choose a place instead of a span. */
  onPlace?: (ms: number) => void;
  /** The wheel zooms at once; elsewhere when the chart has the focus, or with Ctrl, so that pages scroll. */
  wheel?: boolean;
}

const MINUTE = 60_000;
/** A drag shorter than this is a click. */
const LEAST_DRAG = 4;
/** Turns of the wheel that follow each other are one question. */
const WHEEL_REST = 120;
/** A wheel that scrolled the page a moment ago goes on doing so. */
const SCROLLS_ON = 500;

let scrolledAt = Number.NEGATIVE_INFINITY;
window.addEventListener(
  "scroll",
  () => {
    scrolledAt = performance.now();
  },
  { passive: true },
);

const clamp = (value: number, least: number, most: number) => Math.max(least, Math.min(most, value));

function ordered({ from, to }: Picked): Span {
  return { since_ms: Math.round(Math.min(from, to)), until_ms: Math.round(Math.max(from, to)) };
}

/** Makes the chosen span the window, or what it is compared with. */
function choose(chosen: Picked): void {
  const span = ordered(chosen);
  if (span.until_ms - span.since_ms < LEAST_WINDOW) span.until_ms = span.since_ms + LEAST_WINDOW;
  if (chosen.isWith) {
    go({ with: span });
    say(`Compared with ${windowText(span)}: x shows the difference.`);
  } else setWindow(span);
}

/** Lies over a chart, in a box whose position is relative. */
export function Brush(props: BrushProps) {
  const { span, plot, label } = props;
  const element = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const [isHere, setHere] = useState(false);
  const [isFocused, setFocused] = useState(false);
  const [height, setHeight] = useState<number | null>(null);
  const pointers = useRef(new Map<number, number>());
  const drag = useRef<{ x: number; from: number; isWith: boolean; isMoved: boolean } | null>(null);
  const pinch = useRef<[number, number] | null>(null);
  const length = Math.max(1, span.until_ms - span.since_ms);

  const timeAt = (x: number) => span.since_ms + clamp(x / Math.max(1, plot.width), 0, 1) * length;
  const place = (event: PointerEvent | WheelEvent) => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    return { x: event.clientX - box.left, y: (box.bottom - event.clientY) / Math.max(1, box.height) };
  };

  const onDown = (event: PointerEvent) => {
    if (event.button !== 0) return;
    const { x, y } = place(event);
    pointers.current.set(event.pointerId, x);
    element.current?.setPointerCapture(event.pointerId);
    setHere(true);
    setHeight(y);
    cursor.value = timeAt(x);
    const [first, second] = [...pointers.current.values()];
    if (first !== undefined && second !== undefined) {
      drag.current = null;
      picked.value = null;
      pinch.current = [timeAt(first), timeAt(second)];
    } else drag.current = { x, from: timeAt(x), isWith: event.shiftKey, isMoved: false };
  };

  const onMove = (event: PointerEvent) => {
    const { x, y } = place(event);
    setHere(true);
    setHeight(y);
    cursor.value = timeAt(x);
    if (pointers.current.has(event.pointerId)) pointers.current.set(event.pointerId, x);
    const now = drag.current;
    if (!now) return;
    if (Math.abs(x - now.x) >= LEAST_DRAG) now.isMoved = true;
    if (now.isMoved) picked.value = { from: now.from, to: timeAt(x), isWith: now.isWith || event.shiftKey };
  };

  const onUp = (event: PointerEvent) => {
    const fingers = pinch.current;
    const xs = [...pointers.current.values()];
    pointers.current.delete(event.pointerId);
    const was = drag.current;
    drag.current = null;
    if (fingers && xs.length === 2) {
      pinch.current = null;
      spread(fingers, xs as [number, number]);
      return;
    }
    if (!was) return;
    const chosen = picked.value;
    picked.value = null;
    if (was.isMoved && chosen) choose(chosen);
    else props.onPlace?.(was.from);
  };

  /** Two fingers: the times below them stay below them. */
  const spread = ([a, b]: [number, number], [x, y]: [number, number]) => {
    if (Math.abs(x - y) < LEAST_DRAG * 4 || a === b) return;
    const perPixel = Math.abs((a - b) / (x - y));
    const since = Math.min(a, b) - Math.min(x, y) * perPixel;
    setWindow({ since_ms: Math.round(since), until_ms: Math.round(since + perPixel * plot.width) });
  };

  const onCancel = (event: PointerEvent) => {
    pointers.current.delete(event.pointerId);
    pinch.current = null;
    if (drag.current) picked.value = null;
    drag.current = null;
  };

  const onLeave = (event: PointerEvent) => {
    // What a finger reads stays until the next one.
    if (event.pointerType === "touch" || drag.current) return;
    setHere(false);
    if (!isFocused) cursor.value = null;
  };

  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = event.shiftKey ? MINUTE : (props.step ?? length / 100);
    const at = cursor.value ?? props.start ?? span.until_ms - step / 2;
    const direction = { ArrowLeft: -1, ArrowRight: 1, ArrowDown: -1, ArrowUp: 1 }[event.key];
    const chosen = picked.value;
    if (direction !== undefined) {
      if (cursor.value === null) cursor.value = at;
      else cursor.value = clamp(at + direction * step, span.since_ms, span.until_ms);
      if (chosen) picked.value = { ...chosen, to: cursor.value };
    } else if (event.key === "Enter") {
      if (props.onPlace) props.onPlace(at);
      else if (chosen) {
        picked.value = null;
        choose({ ...chosen, isWith: chosen.isWith || event.shiftKey });
      } else picked.value = { from: at, to: at, isWith: event.shiftKey };
    } else if (event.key === "Escape" && chosen) picked.value = null;
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  useEffect(() => {
    const target = element.current;
    if (!target) return undefined;
    let asked: Span | null = null;
    let rest = 0;
    const onWheel = (event: WheelEvent) => {
      const now = latest.current;
      const isScrolling = performance.now() - scrolledAt < SCROLLS_ON;
      const isMeant = event.ctrlKey || document.activeElement === target || (now.wheel && !isScrolling);
      const window_ = asked ?? shownSpan.peek();
      if (!isMeant || !window_ || event.deltaY === 0) return;
      event.preventDefault();
      const box = target.getBoundingClientRect();
      const share = clamp((event.clientX - box.left) / Math.max(1, box.width), 0, 1);
      const ms = now.span.since_ms + share * (now.span.until_ms - now.span.since_ms);
      const lines = event.deltaMode === 1 ? 16 : 1;
      asked = zoomed(window_, ms, Math.exp(clamp(event.deltaY * lines, -400, 400) * 0.002));
      window.clearTimeout(rest);
      rest = window.setTimeout(() => {
        if (asked) setWindow(asked);
        asked = null;
      }, WHEEL_REST);
    };
    target.addEventListener("wheel", onWheel, { passive: false });
    return () => {
      window.clearTimeout(rest);
      target.removeEventListener("wheel", onWheel);
    };
  }, []);

  const start = props.start ?? span.until_ms;
  const at = isFocused ? (cursor.value ?? start) : start;
  return (
    <div
      ref={element}
      class="brush"
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={Math.round(span.since_ms)}
      aria-valuemax={Math.round(span.until_ms)}
      aria-valuenow={Math.round(clamp(at, span.since_ms, span.until_ms))}
      aria-valuetext={props.says && isFocused ? props.says(at) : time(at)}
      style={placed(plot)}
      onPointerDown={onDown}
      onPointerMove={onMove}
      onPointerUp={onUp}
      onPointerCancel={onCancel}
      onPointerLeave={onLeave}
      onKeyDown={onKey}
      onFocus={() => setFocused(true)}
      onBlur={() => {
        setFocused(false);
        setHere(false);
        cursor.value = null;
        picked.value = null;
      }}
    >
      <Marks props={props} isHere={isHere || isFocused} height={isHere ? height : null} />
    </div>
  );
}

/** The cursor, the chosen span and what is read: the only parts that a moving pointer draws again. */
function Marks({ props, isHere, height }: { props: BrushProps; isHere: boolean; height: number | null }) {
  const { span, plot } = props;
  const length = Math.max(1, span.until_ms - span.since_ms);
  const x = (ms: number) => (clamp((ms - span.since_ms) / length, 0, 1) * plot.width).toFixed(1);
  const at = cursor.value;
  const chosen = picked.value;
  const isInside = at !== null && at >= span.since_ms && at <= span.until_ms;
  const chosenSpan = chosen ? ordered(chosen) : null;
  const statistics = useStatistics(isHere && chosenSpan ? chosenSpan : null, props.statistics);
  const read = isHere && isInside && !chosen ? (props.readout?.(at, height) ?? null) : null;
  return (
    <>
      {chosenSpan ? (
        <div
          class={chosen?.isWith ? "picked with" : "picked"}
          style={{
            transform: `translateX(${x(chosenSpan.since_ms)}px)`,
            width: `${Math.max(1, Number(x(chosenSpan.until_ms)) - Number(x(chosenSpan.since_ms)))}px`,
          }}
        />
      ) : null}
      {isInside ? <div class="cursor" style={{ transform: `translateX(${x(at)}px)` }} /> : null}
      {(statistics ?? read) && at !== null ? (
        <Popover read={statistics ?? (read as Readout)} x={Number(x(at))} width={plot.width} />
      ) : null}
    </>
  );
}

/** Statistics of a chosen span, when the pointer rests. */
function useStatistics(span: Span | null, ask: BrushProps["statistics"]): Readout | null {
  const [said, setSaid] = useState<Readout | null>(null);
  useEffect(() => {
    if (!span || !ask || span.until_ms - span.since_ms < LEAST_WINDOW / 10) {
      setSaid(null);
      return undefined;
    }
    setSaid((before) =>
      before ? { ...before, head: windowText(span) } : { head: windowText(span), rows: [] },
    );
    const asking = new AbortController();
    const rest = window.setTimeout(() => {
      Promise.resolve(ask(span, asking.signal)).then(
        (answer) => {
          if (!asking.signal.aborted && answer) setSaid(answer);
        },
        // The head still tells which span it is.
        () => undefined,
      );
    }, 100);
    return () => {
      window.clearTimeout(rest);
      asking.abort();
    };
  }, [span?.since_ms, span?.until_ms]);
  return span ? said : null;
}

function Popover({ read, x, width }: { read: Readout; x: number; width: number }) {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const box = element.current;
    if (!box) return;
    // On the emptier side of the cursor, and inside the page.
    const own = box.offsetWidth;
    const page = document.documentElement.clientWidth;
    const left = box.parentElement?.getBoundingClientRect().left ?? 0;
    const wanted = x > width / 2 ? x - own - 10 : x + 10;
    box.style.left = `${clamp(wanted, 4 - left, page - 4 - own - left)}px`;
  });
  return (
    <div ref={element} class="pop readout" aria-hidden="true">
      <b>{read.head}</b> {read.note ? <span class="dim3">{read.note}</span> : null}
      {read.rows.length > 0 ? (
        <table>
          {read.columns ? (
            <thead>
              <tr>
                <th />
                {read.columns.map((column) => (
                  <th key={column} class="num">
                    {column}
                  </th>
                ))}
              </tr>
            </thead>
          ) : null}
          <tbody>
            {read.rows.map((row) => (
              <tr key={row.name}>
                <td>
                  {row.colour ? <i class="sw" style={{ background: row.colour }} /> : null}
                  <bdi>{row.name}</bdi>
                </td>
                {row.values.map((value, index) => (
                  <td key={index} class="num">
                    {value}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      ) : null}
    </div>
  );
}
