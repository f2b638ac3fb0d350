// Figures of a view: asked for when they can be seen, all that are missing in one question, and again when the window
// changes. Of a machine that runs that is with each judgement, every ten seconds at most.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { AskError, type Frame, type Span } from "../source/source";
import { asAskError, isLive, source } from "../store";

export interface Answered {
  frames: Frame[];
  /** All frames of the window are there. */
  isDone: boolean;
  error: AskError | null;
}

interface Held extends Answered {
  key: string;
}

export interface Board {
  of: (id: string) => Answered;
  /** For the element that a figure's place is: it is asked for when this comes near. */
  place: (id: string) => (element: Element | null) => void;
  isLate: boolean;
}

/** Places this near to the window are asked for. */
const NEAR = "300px";
/** What comes into view together is asked for together. */
const TOGETHER = 40;
const LATE = 300;

const NOTHING: Answered = { frames: [], isDone: false, error: null };
const sameFrame = (a: Frame, b: Frame) => a.id === b.id && a.subject === b.subject;

export function useBoard(ids: string[], span: Span | null, steps: number, focus: string | null): Board {
  const held = useRef(new Map<string, Held>());
  const [, draw] = useState(0);
  const [visible, setVisible] = useState<ReadonlySet<string>>(new Set());
  const [isLate, setLate] = useState(false);
  const places = usePlaces(setVisible);
  const key = span ? `${span.since_ms} ${span.until_ms} ${steps} ${focus ?? ""}` : "";
  // A place that turned out empty is gone; while live it is not asked for again and again.
  const emptyKey = isLive.value ? `live ${focus ?? ""}` : key;
  const asking = useRef<{ key: string; ids: Set<string>; all: AbortController } | null>(null);
  const list = ids.join(" ");
  const seen = ids.filter((id) => visible.has(id)).join(" ");

  useEffect(() => {
    const from = source.value;
    if (!from || !span) return undefined;
    if (asking.current?.key !== key) {
      asking.current?.all.abort();
      asking.current = { key, ids: new Set(), all: new AbortController() };
    }
    const now = asking.current;
    const isMissing = (id: string) => {
      const known = held.current.get(id);
      if (now.ids.has(id) || known?.key === key) return false;
      const isEmpty = known?.isDone && known.frames.length === 0;
      return isEmpty ? known.key !== emptyKey : visible.has(id);
    };
    const rest = window.setTimeout(() => {
      const wanted = ids.filter(isMissing);
      if (wanted.length === 0) return;
      for (const id of wanted) now.ids.add(id);
      const late = window.setTimeout(() => setLate(true), LATE);
      const came: Frame[] = [];
      const failed = new Set<string>();
      let frame = 0;
      const show = () => {
        frame = 0;
        draw((n) => n + 1);
      };
      const put = (id: string, change: Partial<Held>) => {
        held.current.set(id, { ...(held.current.get(id) ?? { ...NOTHING, key: "" }), ...change });
      };
      const each = (one: Frame) => {
        if (one.error !== undefined) {
          failed.add(one.id);
          put(one.id, { error: new AskError(one.error, one.do ?? null) });
          return;
        }
        came.push(one);
        const before = held.current.get(one.id)?.frames ?? [];
        const isKnown = before.some((other) => sameFrame(other, one));
        const frames = isKnown
          ? before.map((other) => (sameFrame(other, one) ? one : other))
          : [...before, one];
        put(one.id, { frames, error: null });
        // Frames that arrive together are drawn together.
        if (frame === 0) frame = window.requestAnimationFrame(show);
      };
      from
        .figures({ ...span, steps, figures: wanted, focus }, each, now.all.signal)
        .then(
          () => {
            for (const id of wanted) {
              if (failed.has(id)) {
                put(id, { isDone: true, key });
                continue;
              }
              const frames = came.filter((one) => one.id === id);
              put(id, { frames, isDone: true, error: null, key: frames.length > 0 ? key : emptyKey });
            }
          },
          (error) => {
            if (now.all.signal.aborted) return;
            for (const id of wanted) put(id, { isDone: true, error: asAskError(error), key });
          },
        )
        .finally(() => {
          window.clearTimeout(late);
          if (now.all.signal.aborted) return;
          setLate(false);
          show();
        });
    }, TOGETHER);
    return () => window.clearTimeout(rest);
  }, [list, seen, key, emptyKey, source.value]);

  useEffect(() => () => asking.current?.all.abort(), []);

  return {
    of: (id) => held.current.get(id) ?? NOTHING,
    place: places,
    isLate,
  };
}

/** Which places are in view, or near. */
function usePlaces(
  setVisible: (change: (before: ReadonlySet<string>) => ReadonlySet<string>) => void,
): Board["place"] {
  return useMemo(() => {
    const ids = new Map<Element, string>();
    const refs = new Map<string, (element: Element | null) => void>();
    const elements = new Map<string, Element>();
    const observer = new IntersectionObserver(
      (changes) =>
        setVisible((before) => {
          const after = new Set(before);
          for (const { target, isIntersecting } of changes) {
            const id = ids.get(target);
            if (id === undefined) continue;
            if (isIntersecting) after.add(id);
            else after.delete(id);
          }
          return after;
        }),
      { rootMargin: NEAR },
    );
    return (id) => {
      let ref = refs.get(id);
      if (!ref) {
        ref = (element) => {
          const old = elements.get(id);
          if (old && old !== element) {
            observer.unobserve(old);
            ids.delete(old);
            elements.delete(id);
          }
          if (element) {
            elements.set(id, element);
            ids.set(element, id);
            observer.observe(element);
          }
        };
        refs.set(id, ref);
      }
      return ref;
    };
  }, []);
}
