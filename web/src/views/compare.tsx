// What changed: this window against another one.

import { useState } from "preact/hooks";
import { useAsk } from "../ask";
import { Found } from "../parts/compared";
import { To } from "../parts/link";
import { Failed, Loading } from "../parts/states";
import type { ComparisonDocument } from "../source/documents";
import type { Span } from "../source/source";
import { address, go, isLive, source, span, state } from "../store";
import { counted, duration, harmless, windowText } from "../text";

const MARKED = "heldup-marked";
const DAY = 86_400_000;

function marked(): Span | null {
  try {
    const found = JSON.parse(sessionStorage.getItem(MARKED) ?? "null");
    return typeof found?.since_ms === "number" && typeof found?.until_ms === "number" ? found : null;
  } catch {
    return null;
  }
}

const isSame = (a: Span | null, b: Span | null) =>
  a !== null &&
  b !== null &&
  Math.abs(a.since_ms - b.since_ms) < 1000 &&
  Math.abs(a.until_ms - b.until_ms) < 1000;

export function Compare() {
  // While the clock runs the window stays: a comparison takes longer than a tick.
  const [held, setHeld] = useState(span.value);
  const window = isLive.value ? (held ?? span.value) : span.value;
  const all = state.value?.all ?? null;
  const [mark, setMark] = useState(marked);
  const length = window ? window.until_ms - window.since_ms : 0;
  const shifted = (by: number): Span | null =>
    window ? { since_ms: window.since_ms - by, until_ms: window.until_ms - by } : null;
  const isRecorded = (one: Span | null) =>
    one !== null && (all === null || one.since_ms >= all.since_ms - 1000);
  const first = shifted(length);
  const from = source.value;
  const isFile = from?.kind === "embedded";
  // A file has one comparison, or none: it says so.
  const before = isFile ? window : (address.value.with ?? (isRecorded(first) ? first : null));
  const asked = useAsk(from && window && before ? (signal) => from.compare(window, before, signal) : null, [
    window?.since_ms,
    window?.until_ms,
    before?.since_ms,
    before?.until_ms,
  ]);
  const keep = (one: Span) => {
    try {
      sessionStorage.setItem(MARKED, JSON.stringify(one));
    } catch {
      // It is kept for this view.
    }
    setMark(one);
  };
  if (!window) return <Loading isLate={false} height={320} />;
  const choices: [string, Span | null][] = [
    ["the window before", first],
    ["the same time yesterday", shifted(DAY)],
  ];
  const half = Math.round((window.since_ms + window.until_ms) / 2);
  if (mark && !isSame(mark, window)) choices.push([`marked: ${windowText(mark, window.since_ms)}`, mark]);
  const found = asked.value;
  if (isFile) {
    return (
      <>
        <h1 class="ear">What changed</h1>
        {asked.error ? <Failed error={asked.error} /> : null}
        {found ? (
          <>
            <div class="sides">
              <Side letter="A" name={found.first.source} window={compared(found.first)} side={found.first} />
              <Side
                letter="B"
                name={found.second.source}
                window={compared(found.second)}
                side={found.second}
              />
            </div>
            <Found found={found} />
          </>
        ) : null}
      </>
    );
  }
  return (
    <>
      <h1 class="ear">What changed</h1>
      <div class="sides">
        <Side letter="A" name="before" window={before} near={window.since_ms} side={found?.first ?? null} />
        <Side
          letter="B"
          name="this window"
          window={window}
          near={window.since_ms}
          side={found?.second ?? null}
        />
      </div>
      <nav class="seg against" aria-label="compare with">
        <span class="dim3">compare with</span>
        {choices.map(([label, one]) =>
          isRecorded(one) ? (
            <To
              key={label}
              to={{ with: one }}
              class="choice"
              aria-current={isSame(one, before) ? "true" : undefined}
            >
              {label}
            </To>
          ) : (
            <span key={label} class="dim3" title="not recorded">
              {label}: not recorded
            </span>
          ),
        )}
        {before && !choices.some(([, one]) => isSame(one, before)) ? (
          <span class="choice" aria-current="true">
            {windowText(before, window.since_ms)}
          </span>
        ) : null}
        <button type="button" class="choice" onClick={() => keep(window)}>
          {isSame(mark, window) ? "this window is marked" : "mark this window"}
        </button>
        {isLive.value ? (
          <button type="button" class="choice" onClick={() => setHeld(span.value)}>
            up to now
          </button>
        ) : null}
        {before ? (
          <button
            type="button"
            class="choice"
            onClick={() => go({ since: before.since_ms, until: before.until_ms, with: window })}
          >
            swap A and B
          </button>
        ) : null}
      </nav>
      {before ? null : (
        <div class="note">
          <p>Nothing is recorded before this window.</p>
          <p class="dim">
            Choose a later window, drag another one on the strip with Shift held, or compare{" "}
            <To
              class="l"
              to={{
                since: half,
                until: window.until_ms,
                with: { since_ms: window.since_ms, until_ms: half },
              }}
            >
              its first half with its second
            </To>
            .
          </p>
        </div>
      )}
      {asked.error ? <Failed error={asked.error} /> : null}
      {before && !found && !asked.error ? <Loading isLate={asked.isLate} height={320} /> : null}
      {found ? <Found found={found} /> : null}
    </>
  );
}

const compared = (side: ComparisonDocument["first"]): Span => ({
  since_ms: side.compared_since_ms,
  until_ms: side.compared_until_ms,
});

function Side({
  letter,
  name,
  window,
  near,
  side,
}: {
  letter: string;
  name: string;
  window: Span | null;
  near?: number;
  side: ComparisonDocument["first"] | null;
}) {
  if (!window) return <div />;
  const length = duration(window.until_ms - window.since_ms);
  return (
    <section>
      <p class="dim3">
        {letter} · <span class="bidi">{harmless(name)}</span>
      </p>
      <h2>
        {windowText(window, near ?? null)}{" "}
        <span class="dim plain">
          {length}
          {side ? `, ${counted(side.samples, "sample")}` : ""}
        </span>
      </h2>
    </section>
  );
}
