import { useEffect } from "preact/hooks";
import type { Address } from "../address";
import { save } from "../save";
import { address, copy, freeze, frozen, isLive, link, now, open, setWindow, span, state } from "../store";
import { duration, harmless, middle, showTimesIn, windowText } from "../text";
import { Key } from "./key";
import { To } from "./link";

const NAV: readonly { title: string; key: string; to: Partial<Address>; views: string[] }[] = [
  { title: "What is wrong", key: "o", to: { view: "overview", what: "" }, views: ["overview", "finding"] },
  { title: "Who", key: "w", to: { view: "who", what: "" }, views: ["who", "life"] },
  { title: "On what", key: "d", to: { view: "area", what: "disk" }, views: ["area"] },
  { title: "Stacks", key: "s", to: { view: "stacks", what: "" }, views: ["stacks"] },
  { title: "Compare", key: "x", to: { view: "compare", what: "" }, views: ["compare"] },
  { title: "Experiments", key: "e", to: { view: "try", what: "" }, views: ["try"] },
  { title: "SQL", key: ":", to: { view: "sql", what: "" }, views: ["sql"] },
  { title: "Recording", key: "r", to: { view: "record", what: "" }, views: ["record"] },
];

/** The one line, in 20 px. */
function Logo() {
  return (
    <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
      <path class="cpu" d="M2 3h4v4H2zM7 4.5h4V7H7z" />
      <path class="ink" d="M0 7h20v1.6H0z" />
      <path class="disk" d="M7 8.6h4V18H7z" />
      <path class="queue" d="M12 8.6h4V14h-4z" />
    </svg>
  );
}

export function Header() {
  const known = state.value;
  showTimesIn(known?.zone ?? null);
  useEffect(() => {
    document.title = known ? `${harmless(known.host)} – heldup` : "heldup";
  }, [known?.host]);
  const { view } = address.value;
  return (
    <>
      <header class="bar">
        <To class="brand" to={{ view: "overview", what: "" }} aria-label="heldup: what is wrong">
          <Logo />
          heldup
        </To>
        <nav aria-label="Views">
          {NAV.map(({ title, key, to, views }) => (
            <To
              key={key}
              to={to}
              class={views.includes(view) ? "on" : ""}
              aria-current={views.includes(view) ? "page" : undefined}
            >
              {title}
              <Key name={key} />
            </To>
          ))}
        </nav>
        <span class="r">
          <button
            type="button"
            onClick={() => copy(link(), "The address of this view is copied, with its times.")}
          >
            copy link <Key name="y" />
          </button>
          <button type="button" onClick={() => save("report")}>
            save <Key name="p" />
          </button>
          <button
            type="button"
            onClick={() => {
              open.value = "keys";
            }}
          >
            keys <Key name="?" />
          </button>
        </span>
      </header>
      {known ? <Where /> : null}
    </>
  );
}

function Where() {
  const known = state.value;
  if (!known) return null;
  const name =
    known.source.kind === "capture" || known.source.kind === "recording" ? known.source.name : null;
  const called = name ? (name.split("/").pop() ?? name) : known.host;
  return (
    <section class="where" aria-label="source and window">
      <button
        type="button"
        class="src pick"
        aria-haspopup="dialog"
        aria-label={`source: ${harmless(called)}`}
        onClick={() => {
          open.value = "source";
        }}
      >
        <span class="bidi">{middle(called, 32)}</span>
      </button>
      <span class="machine bidi" title={harmless(known.system)}>
        {name ? `${harmless(known.host)} · ` : ""}
        {harmless(known.system)}
      </span>
      <When />
    </section>
  );
}

/** Live, frozen or past; which window; a step back and ahead; whose tasks. */
function When() {
  const shown = span.value;
  const move = (sign: number) => (event: MouseEvent) => {
    const ms = sign * (event.shiftKey ? 60_000 : 1000);
    if (shown) setWindow({ since_ms: shown.since_ms + ms, until_ms: shown.until_ms + ms });
  };
  return (
    <span class="r">
      <Clock />
      {shown ? (
        <>
          <button
            type="button"
            class="range pick"
            aria-haspopup="dialog"
            aria-label={`window: ${windowText(shown)}`}
            onClick={() => {
              open.value = "time";
            }}
          >
            {windowText(shown, Date.now())}
          </button>
          <span class="dim length">{duration(shown.until_ms - shown.since_ms)}</span>
          <span class="steps">
            <button type="button" aria-label="one second back" title="one second back (←)" onClick={move(-1)}>
              ←
            </button>
            <button
              type="button"
              aria-label="one second ahead"
              title="one second ahead (→)"
              onClick={move(1)}
            >
              →
            </button>
          </span>
        </>
      ) : null}
      <button
        type="button"
        class="pick focus dim"
        aria-haspopup="dialog"
        aria-label={`whose tasks: ${harmless(address.value.focus ?? "all tasks")}`}
        onClick={() => {
          open.value = "focus";
        }}
      >
        <span class="bidi">{address.value.focus ? middle(address.value.focus, 24) : "all tasks"}</span>
      </button>
    </span>
  );
}

function Clock() {
  const known = state.value;
  if (!known?.live) {
    return (
      <span class="frozen">
        <i aria-hidden="true" />
        {known?.source.kind === "recording" ? "imported" : "past"}
      </span>
    );
  }
  if (isLive.value) {
    return (
      <button type="button" class="live" title="stay at this window (Space)" onClick={freeze}>
        <i aria-hidden="true" />
        live
      </button>
    );
  }
  const behind = (now.value ?? known.all.until_ms) - (span.value?.until_ms ?? 0);
  return (
    <button type="button" class="frozen" title="back to now (End)" onClick={() => setWindow(null)}>
      <i aria-hidden="true" />
      {frozen.value ? "frozen" : "past"}{" "}
      <span class="dim">
        {duration(Math.max(0, Math.round(behind / 1000) * 1000))} behind · <kbd>End</kbd> now
      </span>
    </button>
  );
}
