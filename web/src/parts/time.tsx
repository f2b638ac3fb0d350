import { useEffect, useState } from "preact/hooks";
import type { Span } from "../source/source";
import { asAskError, now, open, setWindow, source, span, state } from "../store";
import { duration, offset, windowText } from "../text";
import { Popover } from "./popover";

const MINUTE = 60_000;

interface Understood {
  span: Span | null;
  said: string;
}

/** Two times: `03:00 to 04:00`. */
const BETWEEN = /\s+(?:-|–|to|until)\s+/;

async function understand(words: string, length: number, signal: AbortSignal): Promise<Span> {
  const [first = "", second] = words.split(BETWEEN);
  const ask = (text: string) =>
    source.value?.time(text.trim(), signal) ?? Promise.reject(new Error("no source"));
  const since_ms = await ask(first);
  if (!second) return { since_ms, until_ms: since_ms + length };
  const until_ms = await ask(second);
  return { since_ms: Math.min(since_ms, until_ms), until_ms: Math.max(since_ms, until_ms) };
}

/** Goes to a time in words; below it stands what was understood. */
export function TimePicker() {
  const [words, setWords] = useState("");
  const [understood, setUnderstood] = useState<Understood>({ span: null, said: "" });
  const all = state.value?.all;
  const shown = span.value;
  const length = shown ? shown.until_ms - shown.since_ms : 10 * MINUTE;
  useEffect(() => {
    if (!words.trim()) {
      setUnderstood({ span: null, said: "" });
      return undefined;
    }
    const asking = new AbortController();
    const timer = window.setTimeout(() => {
      understand(words, length, asking.signal).then(
        (found) => {
          const isIn = all && found.until_ms > all.since_ms && found.since_ms < (now.value ?? all.until_ms);
          setUnderstood({
            span: found,
            said: `${windowText(found)} · ${isIn ? "recorded" : "not recorded"}`,
          });
        },
        (error) => {
          if (asking.signal.aborted) return;
          const { message, advice } = asAskError(error);
          setUnderstood({ span: null, said: advice ? `${message} ${advice}` : message });
        },
      );
    }, 150);
    return () => {
      window.clearTimeout(timer);
      asking.abort();
    };
  }, [words, length]);
  const take = (chosen: Span | null) => {
    open.value = null;
    setWindow(chosen);
  };
  const end = now.value ?? all?.until_ms ?? 0;
  const day = (ms: number) => Math.floor((ms + offset(ms)) / 86_400_000) * 86_400_000 - offset(ms);
  const last = (ms: number): Span => {
    const until = state.value?.live ? end : (shown?.until_ms ?? end);
    return { since_ms: until - ms, until_ms: until };
  };
  const quick: [string, Span | null][] = [
    ["10 min", last(10 * MINUTE)],
    ["1 h", last(60 * MINUTE)],
    ["the last day", { since_ms: day(end - 1), until_ms: end }],
    [
      all ? `all ${duration(end - all.since_ms)}` : "all",
      all ? { since_ms: all.since_ms, until_ms: end } : null,
    ],
  ];
  if (state.value?.live) quick.unshift(["now", null]);
  return (
    <Popover label="Go to a time" kind="times">
      <form
        method="dialog"
        onSubmit={(event) => {
          event.preventDefault();
          if (understood.span) take(understood.span);
        }}
      >
        <input
          class="input"
          aria-label="time in words"
          aria-describedby="understood"
          placeholder="yesterday 03:00, or 03:00 to 04:00"
          value={words}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => setWords(event.currentTarget.value)}
        />
      </form>
      <p id="understood" class="dim" role="status">
        {understood.said || (shown ? windowText(shown) : "")}
        {state.value?.zone ? ` ${state.value.zone}` : ""}
      </p>
      <p class="quick">
        {quick.map(([text, chosen]) => (
          <button key={text} type="button" onClick={() => take(chosen)}>
            {text}
          </button>
        ))}
      </p>
    </Popover>
  );
}
