// One keymap for all views, the same as in `heldup top`.

import { useEffect } from "preact/hooks";
import type { ViewName } from "./address";
import { save } from "./save";
import { address, asTables, copy, freeze, go, link, marks, open, say, setWindow, span, state } from "./store";

export interface Key {
  keys: string;
  does: string;
}

/** What `?` shows, by task. */
export const KEYMAP: { title: string; keys: Key[] }[] = [
  {
    title: "Go to",
    keys: [
      { keys: "o", does: "what is wrong" },
      { keys: "w", does: "who" },
      { keys: "c d m n g", does: "CPU, disk, memory, network, control groups" },
      { keys: "s", does: "stacks" },
      { keys: "x", does: "compare" },
      { keys: "e", does: "experiments" },
      { keys: ":", does: "SQL" },
      { keys: "r", does: "recording" },
    ],
  },
  {
    title: "Time",
    keys: [
      { keys: "← →  or  T t", does: "one second back and ahead" },
      { keys: "Shift ← →", does: "one minute" },
      { keys: "[ ]", does: "the previous, the next finding" },
      { keys: "b", does: "go to a time: yesterday 03:00" },
      { keys: "Space", does: "stay at this window; recording goes on" },
      { keys: "End", does: "back to now" },
      { keys: "drag, Shift drag", does: "choose a window; what to compare with" },
      { keys: "wheel", does: "zoom; in figures after a click, or with Ctrl" },
      { keys: "Tab, ← →, Enter", does: "in a chart: read, begin and end a window" },
    ],
  },
  {
    title: "Here",
    keys: [
      { keys: "↑ ↓  or  j k", does: "rows" },
      { keys: "Enter", does: "open" },
      { keys: "Esc", does: "back" },
      { keys: "/", does: "filter" },
      { keys: ".", does: "charts as tables" },
      { keys: "y", does: "copy the address of this view" },
      { keys: "p", does: "save this window as a report" },
      { keys: "?", does: "this list" },
    ],
  },
];

/** What a key leads to. */
const PLACES: Record<string, { view: ViewName; what: string }> = {
  o: { view: "overview", what: "" },
  w: { view: "who", what: "" },
  s: { view: "stacks", what: "" },
  x: { view: "compare", what: "" },
  e: { view: "try", what: "" },
  ":": { view: "sql", what: "" },
  r: { view: "record", what: "" },
  c: { view: "area", what: "cpu" },
  d: { view: "area", what: "disk" },
  m: { view: "area", what: "memory" },
  n: { view: "area", what: "net" },
  g: { view: "area", what: "groups" },
};

type Handler = (event: KeyboardEvent) => boolean;
const handlers: Handler[] = [];

/** Keys of one view; the latest comes first. Returns what takes them away. */
export function onKeys(handler: Handler): () => void {
  handlers.unshift(handler);
  return () => {
    handlers.splice(handlers.indexOf(handler), 1);
  };
}

/** Keys of one view, each with what it does; what answers `false` leaves its key to others. */
export function useKeys(keys: Record<string, () => unknown>, depends: unknown[]): void {
  useEffect(
    () =>
      onKeys((event) => {
        const act = keys[event.key];
        return act !== undefined && act() !== false;
      }),
    depends,
  );
}

/** Shows charts as tables, or again as charts. */
export function turnTables(): void {
  asTables.value = !asTables.value;
}

function isTyping(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement | null;
  return (
    target !== null && (["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName) || target.isContentEditable)
  );
}

function shift(ms: number): void {
  const shown = span.value;
  if (shown) setWindow({ since_ms: shown.since_ms + ms, until_ms: shown.until_ms + ms });
}

/** To the previous or the next part of the recording that has findings. */
export function jump(sign: -1 | 1): void {
  const shown = span.value;
  const found = marks.value.filter((mark) => mark.findings.length > 0);
  if (!shown || found.length === 0) {
    say("No findings are known on the strip.");
    return;
  }
  // Half a second: the window of a mark may be cut to whole steps.
  const next =
    sign > 0
      ? found.find((mark) => mark.span.since_ms > shown.since_ms + 500)
      : found.findLast((mark) => mark.span.since_ms < shown.since_ms - 500);
  if (next) setWindow(next.span);
  else say(sign > 0 ? "No later finding." : "No earlier finding.");
}

function everywhere(event: KeyboardEvent): boolean {
  const step = event.shiftKey ? 60_000 : 1000;
  switch (event.key) {
    case "?":
      open.value = open.value === "keys" ? null : "keys";
      return true;
    case "Escape":
      if (open.value) open.value = null;
      else if (["finding", "life"].includes(address.value.view)) history.back();
      else return false;
      return true;
    case ".":
      turnTables();
      return true;
    case "b":
      open.value = "time";
      return true;
    case "p":
      void save("report");
      return true;
    case "[":
      jump(-1);
      return true;
    case "]":
      jump(1);
      return true;
    case "y":
      void copy(link(), "The address of this view is copied, with its times.");
      return true;
    case "ArrowLeft":
    case "T":
      shift(-step);
      return true;
    case "ArrowRight":
    case "t":
      shift(step);
      return true;
    case " ":
      if (!state.value?.live) return false;
      freeze();
      return true;
    case "End":
      setWindow(null);
      return true;
  }
  const place = PLACES[event.key];
  if (place) go(place);
  return place !== undefined;
}

/** Listens, once. */
export function listen(): void {
  window.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (isTyping(event) && event.key !== "Escape") return;
    const isButton =
      event.target instanceof HTMLElement && event.target.closest("button, a, summary, [role=slider]");
    if (isButton && (event.key === " " || event.key === "Enter")) return;
    if (handlers.some((handler) => handler(event)) || everywhere(event)) event.preventDefault();
  });
}
