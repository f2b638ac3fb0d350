// What the whole page shares: the source, the address, the window, and what is known of them.

import { computed, effect, signal } from "@preact/signals";
import { type Address, format, moved, parse } from "./address";
import { isReport } from "./source/embedded";
import type { Mark, PageView, Source, Span, State } from "./source/source";
import { AskError } from "./source/source";
import { windowText } from "./text";

export const source = signal<Source | null>(null);
export const state = signal<State | null>(null);
/** The window of now, or the one that the address names, examined. */
export const view = signal<PageView | null>(null);
export const viewError = signal<AskError | null>(null);
/** A window is asked for, longer than one notices. */
export const isLoading = signal(false);
/** One line at the foot, for a while; only for what one asked for. */
export const toast = signal<string | null>(null);
/** Parts of all that was recorded, with what was found there; empty until that is known. */
export const marks = signal<Mark[]>([]);
/** Charts are shown as tables. */
export const asTables = signal(false);
/** Windows over the page. */
export const open = signal<"keys" | "time" | "source" | "focus" | null>(null);

/** A report has no other windows. */
const ONE_WINDOW = { since: null, until: null, with: null, host: null, focus: null };

/** The view that the browser's address names: of a report it is the fragment. */
function named(): { address: Address; dropped: string[] } {
  if (!isReport()) return parse(location.pathname, location.search);
  const target = new URL(location.hash.startsWith("#/") ? location.hash.slice(1) : "/", "http://report");
  const { address, dropped } = parse(target.pathname, target.search);
  return { address: { ...address, ...ONE_WINDOW }, dropped };
}

const first = named();
export const address = signal<Address>(first.address);
export const dropped = signal<string[]>(first.dropped);

/** Newest sample of a machine that runs. */
export const now = signal<number | null>(null);
/** Where live stood when it was frozen. */
export const frozen = signal<Span | null>(null);

export const isLive = computed(
  () => state.value?.live === true && address.value.since === null && frozen.value === null,
);

/** The window that everything shows. */
export const span = computed<Span | null>(() => {
  const { since, until } = address.value;
  if (since !== null && until !== null) return { since_ms: since, until_ms: until };
  if (frozen.value) return frozen.value;
  // What is examined may reach to the next samples; the window stays what was asked for, so that nothing is asked twice.
  const live = state.value?.live ? view.value?.span : null;
  return live ?? state.value?.first ?? null;
});

/** Changes the address, and with it the view. A new page goes into the history, other choices do not. */
export function go(change: Partial<Address>): void {
  dropped.value = [];
  const before = address.value;
  const isEmbedded = source.value?.kind === "embedded";
  const after = { ...moved(before, change), ...(isEmbedded ? ONE_WINDOW : {}) };
  const isOther = after.view !== before.view || after.what !== before.what;
  address.value = after;
  const target = isEmbedded ? `#${format(after)}` : format(after);
  if (isOther) history.pushState(null, "", target);
  else history.replaceState(null, "", target);
}

/** One window for all. None goes back to now. */
export function setWindow(next: Span | null): void {
  if (source.value?.kind === "embedded") {
    say("This file holds one window. heldup serve shows others.");
    return;
  }
  frozen.value = null;
  if (next === null) {
    go({ since: null, until: null });
    return;
  }
  const all = state.value?.all;
  let { since_ms, until_ms } = next;
  if (all) {
    const length = Math.min(until_ms - since_ms, all.until_ms - all.since_ms);
    since_ms = Math.max(all.since_ms, Math.min(since_ms, all.until_ms - length));
    until_ms = since_ms + length;
  }
  go({ since: Math.round(since_ms), until: Math.round(Math.max(until_ms, since_ms + 1000)) });
}

/** Stays at this window while recording goes on; again: back to now. */
export function freeze(): void {
  if (frozen.value) {
    frozen.value = null;
  } else if (isLive.value && span.value) {
    frozen.value = span.value;
  }
}

/** The whole address, with absolute times: what is copied shows the same tomorrow. */
export function link(change: Partial<Address> = {}): string {
  const shown = span.value;
  const full: Address = {
    ...address.value,
    since: shown?.since_ms ?? null,
    until: shown?.until_ms ?? null,
    ...change,
  };
  if (source.value?.kind === "embedded") return `${location.href.split("#")[0]}#${format(full)}`;
  return location.origin + format(full);
}

let toastEnds = 0;

/** Says one line, for four seconds. */
export function say(text: string): void {
  toast.value = text;
  window.clearTimeout(toastEnds);
  toastEnds = window.setTimeout(() => {
    toast.value = null;
  }, 4000);
}

/** Copies a text and says so. */
export async function copy(text: string, said = "copied"): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say(said);
  } catch {
    say(`The browser does not allow copying: ${text}`);
  }
}

/** Any error as one that says what to do. */
export function asAskError(error: unknown): AskError {
  return error instanceof AskError
    ? error
    : new AskError(error instanceof Error ? error.message : String(error));
}

window.addEventListener("popstate", () => {
  // A place on the page is no view.
  if (isReport() && !location.hash.startsWith("#/")) return;
  const next = named();
  address.value = next.address;
  dropped.value = next.dropped;
});

/** A window that the source does not reach is dropped, and said. */
function dropOthers({ all, live }: State): void {
  const { since, until } = address.value;
  if (since === null || until === null || live) return;
  if (since < all.until_ms && until > all.since_ms) return;
  const left = [...dropped.value, windowText({ since_ms: since, until_ms: until })];
  go({ since: null, until: null });
  dropped.value = left;
}

/** Begins to ask: the window's examination, again and again while live, nothing while the tab is hidden. */
export function begin(from: Source): void {
  source.value = from;
  // Another window is no other source.
  const hostOf = computed(() => address.value.host);
  effect(() => {
    const host = hostOf.value;
    const asking = new AbortController();
    from.state(host, asking.signal).then(
      (answer) => {
        dropOthers(answer);
        state.value = answer;
        now.value = answer.live ? answer.all.until_ms : null;
      },
      (error) => {
        if (!asking.signal.aborted) viewError.value = asAskError(error);
      },
    );
    return () => asking.abort();
  });
  const windowOf = computed(() => {
    const { since, until } = address.value;
    return `${since} ${until}`;
  });
  effect(() => {
    // Further choices of a view change nothing of the window.
    void windowOf.value;
    const { since, until } = address.peek();
    const asked = since !== null && until !== null ? { since_ms: since, until_ms: until } : frozen.value;
    if (!state.value) return undefined;
    if (asked === null && state.value.live) return followNow(from);
    return askOnce(from, asked ?? state.value.first);
  });
}

function askOnce(from: Source, asked: Span): () => void {
  const asking = new AbortController();
  const late = window.setTimeout(() => {
    isLoading.value = true;
  }, 300);
  from
    .view(asked, asking.signal)
    .then(
      (answer) => {
        view.value = answer;
        viewError.value = null;
      },
      (error) => {
        if (asking.signal.aborted) return;
        // What was found in another window is no answer to this one.
        view.value = null;
        viewError.value = asAskError(error);
      },
    )
    .finally(() => {
      window.clearTimeout(late);
      isLoading.value = false;
    });
  return () => {
    window.clearTimeout(late);
    asking.abort();
  };
}

/** Findings of now are judged this often at most, in milliseconds. */
const JUDGED_EVERY = 10_000;

/** Waits for samples; what was judged is asked for when there is a new judgement. */
function followNow(from: Source): () => void {
  const asking = new AbortController();
  let judged: number | null = null;
  const visible = () =>
    new Promise<void>((resolve) => {
      if (!document.hidden) return resolve();
      const look = () => {
        if (document.hidden) return;
        document.removeEventListener("visibilitychange", look);
        resolve();
      };
      document.addEventListener("visibilitychange", look);
      return undefined;
    });
  (async () => {
    while (!asking.signal.aborted) {
      await visible();
      try {
        if (view.value === null || judged === null) {
          const answer = await from.view(null, asking.signal);
          judged = answer.judged_ms ?? answer.span.until_ms;
          view.value = answer;
          viewError.value = null;
        }
        const tick = await from.live(now.value ?? 0, asking.signal);
        now.value = tick.until_ms;
        // Another tab's judgement, or time for the next one: the server makes them when somebody asks.
        if (tick.judged_ms !== judged || tick.until_ms - judged >= JUDGED_EVERY) judged = null;
      } catch (error) {
        if (asking.signal.aborted) return;
        viewError.value = asAskError(error);
        await new Promise((resolve) => window.setTimeout(resolve, 3000));
      }
    }
  })();
  return () => asking.abort();
}
