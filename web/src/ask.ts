// Questions of a view: asked when what they depend on changes, cancelled when it changes again.

import { useEffect, useState } from "preact/hooks";
import type { AskError, Frame, Span } from "./source/source";
import { asAskError, source } from "./store";

export interface Asked<T> {
  value: T | null;
  error: AskError | null;
  /** It takes longer than one notices. */
  isLate: boolean;
}

/** Asks; what was answered before stays until the next answer. */
export function useAsk<T>(
  question: ((signal: AbortSignal) => Promise<T>) | null,
  depends: unknown[],
): Asked<T> {
  const [asked, setAsked] = useState<Asked<T>>({ value: null, error: null, isLate: false });
  useEffect(() => {
    if (!question) return undefined;
    const asking = new AbortController();
    const late = window.setTimeout(() => setAsked((before) => ({ ...before, isLate: true })), 300);
    question(asking.signal)
      .then(
        (value) => setAsked({ value, error: null, isLate: false }),
        (error) => {
          if (!asking.signal.aborted) setAsked({ value: null, error: asAskError(error), isLate: false });
        },
      )
      .finally(() => window.clearTimeout(late));
    return () => {
      window.clearTimeout(late);
      asking.abort();
    };
  }, depends);
  return asked;
}

export interface AskedFigures {
  frames: Frame[];
  error: AskError | null;
  isDone: boolean;
  isLate: boolean;
}

/** Asks for figures; frames are there as they arrive, those of before until the first of the next comes. */
export function useFigures(
  figures: string[],
  span: Span | null,
  steps: number,
  focus: string | null = null,
): AskedFigures {
  const [asked, setAsked] = useState<AskedFigures>({ frames: [], error: null, isDone: false, isLate: false });
  const ids = figures.join(" ");
  useEffect(() => {
    const from = source.value;
    if (!from || !span || figures.length === 0) return undefined;
    const asking = new AbortController();
    const late = window.setTimeout(() => setAsked((before) => ({ ...before, isLate: true })), 300);
    let frames: Frame[] = [];
    let drawn = 0;
    // Frames that arrive together are drawn together.
    const show = () => {
      drawn = 0;
      setAsked((before) => ({ ...before, frames, error: null, isDone: false, isLate: false }));
    };
    from
      .figures(
        { ...span, steps, figures, focus },
        (frame) => {
          frames = [...frames, frame];
          if (drawn === 0) drawn = window.requestAnimationFrame(show);
        },
        asking.signal,
      )
      .then(
        () => setAsked({ frames, error: null, isDone: true, isLate: false }),
        (error) => {
          if (!asking.signal.aborted)
            setAsked({ frames, error: asAskError(error), isDone: true, isLate: false });
        },
      )
      .finally(() => {
        window.clearTimeout(late);
        window.cancelAnimationFrame(drawn);
      });
    return () => {
      window.clearTimeout(late);
      window.cancelAnimationFrame(drawn);
      asking.abort();
    };
  }, [ids, span?.since_ms, span?.until_ms, steps, focus]);
  return asked;
}
