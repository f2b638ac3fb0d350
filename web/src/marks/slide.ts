// Choosing in time: a cursor, a part by dragging, zooming by the wheel; by pointer, touch and keys alike.

import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Span } from "../source/source";
import { go, setWindow } from "../store";

export interface Slide {
  /** Where the cursor is; none before there is one. */
  cursor: number | null;
  /** What is being dragged over. */
  chosen: Span | null;
  /** For the element. */
  handlers: {
    onPointerDown: (event: PointerEvent) => void;
    onPointerMove: (event: PointerEvent) => void;
    onPointerUp: (event: PointerEvent) => void;
    onPointerCancel: () => void;
    onPointerLeave: () => void;
    onKeyDown: (event: KeyboardEvent) => void;
    onBlur: () => void;
  };
}

interface Options {
  /** The time that is drawn. */
  span: Span;
  /** Where in the element, in pixels. */
  left: number;
  width: number;
  /** How far an arrow goes, in milliseconds. */
  step: number;
  /** A click or Enter. */
  choose?: (ms: number) => void;
  /** The window that the wheel zooms. */
  zoomed: Span;
}

/** A drag is one from this many pixels on. */
const DRAG = 4;
/** A wheel that turned elsewhere a moment ago scrolls the page on. */
const SCROLLS_ON_MS = 500;
const SHORTEST_MS = 1000;
const ZOOMS_AFTER_MS = 120;

let scrolledAt = Number.NEGATIVE_INFINITY;
let isListening = false;

function listen(): void {
  if (isListening) return;
  isListening = true;
  const scrolled = (event: WheelEvent) => {
    if (!event.defaultPrevented) scrolledAt = performance.now();
  };
  window.addEventListener("wheel", scrolled, { passive: true });
}

const between = (a: number, b: number): Span => ({ since_ms: Math.min(a, b), until_ms: Math.max(a, b) });

export function useSlide(of: RefObject<HTMLElement | null>, options: Options): Slide {
  const [cursor, setCursor] = useState<number | null>(null);
  const [chosen, setChosen] = useState<Span | null>(null);
  const from = useRef<{ x: number; ms: number } | null>(null);
  const last = useRef(options);
  last.current = options;
  const { since_ms: since, until_ms: until } = options.span;

  const at = (event: PointerEvent | WheelEvent) => {
    const { left, width, span } = last.current;
    const x = event.clientX - (of.current?.getBoundingClientRect().left ?? 0) - left;
    const share = Math.max(0, Math.min(width, x)) / Math.max(1, width);
    return span.since_ms + share * (span.until_ms - span.since_ms);
  };

  useEffect(() => {
    const element = of.current;
    if (!element) return undefined;
    listen();
    let pending: Span | null = null;
    let timer = 0;
    const turn = (event: WheelEvent) => {
      if (event.ctrlKey || event.metaKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) return;
      if (performance.now() - scrolledAt < SCROLLS_ON_MS) return;
      event.preventDefault();
      const before = pending ?? last.current.zoomed;
      const ms = Math.max(before.since_ms, Math.min(before.until_ms, at(event)));
      const factor = 1.0015 ** Math.max(-400, Math.min(400, event.deltaY));
      const length = Math.max(SHORTEST_MS, (before.until_ms - before.since_ms) * factor);
      const share = (ms - before.since_ms) / Math.max(1, before.until_ms - before.since_ms);
      pending = { since_ms: ms - share * length, until_ms: ms + (1 - share) * length };
      if (timer) return;
      timer = window.setTimeout(() => {
        setWindow(pending);
        pending = null;
        timer = 0;
      }, ZOOMS_AFTER_MS);
    };
    element.addEventListener("wheel", turn, { passive: false });
    return () => {
      window.clearTimeout(timer);
      element.removeEventListener("wheel", turn);
    };
  }, [of.current]);

  const end = () => {
    from.current = null;
    setChosen(null);
  };
  return {
    cursor,
    chosen,
    handlers: {
      onPointerDown: (event) => {
        if (event.button === 0) from.current = { x: event.clientX, ms: at(event) };
      },
      onPointerMove: (event) => {
        const ms = at(event);
        setCursor(ms);
        const begun = from.current;
        if (!begun || Math.abs(event.clientX - begun.x) < DRAG) return;
        of.current?.setPointerCapture(event.pointerId);
        setChosen(between(begun.ms, ms));
      },
      onPointerUp: (event) => {
        const begun = from.current;
        if (!begun) return;
        const ms = at(event);
        if (Math.abs(event.clientX - begun.x) < DRAG) options.choose?.(ms);
        else if (event.shiftKey) go({ with: between(begun.ms, ms) });
        else setWindow(between(begun.ms, ms));
        end();
      },
      onPointerCancel: end,
      onPointerLeave: () => {
        if (!from.current) setCursor(null);
      },
      onKeyDown: (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const held = cursor ?? (options.zoomed.since_ms + options.zoomed.until_ms) / 2;
        const step = event.shiftKey ? Math.max(60_000, options.step) : options.step;
        const moves: Record<string, number> = {
          ArrowLeft: -step,
          ArrowDown: -step,
          ArrowRight: step,
          ArrowUp: step,
          PageUp: (since - until) / 10,
          PageDown: (until - since) / 10,
        };
        const move = moves[event.key];
        if (move !== undefined) setCursor(Math.max(since, Math.min(until, held + move)));
        else if (event.key === "Enter" && cursor !== null) options.choose?.(cursor);
        else if (event.key === "Escape" && cursor !== null) setCursor(null);
        else return;
        event.preventDefault();
      },
      onBlur: () => setCursor(null),
    },
  };
}
