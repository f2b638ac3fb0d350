import type { Span } from "../source/source";

/** The shortest window. */
export const LEAST_WINDOW = 1000;

/** The window, longer or shorter by a factor, where `ms` stays in its place. */
export function zoomed(window: Span, ms: number, factor: number): Span {
  const at = Math.max(window.since_ms, Math.min(window.until_ms, ms));
  const length = Math.max(LEAST_WINDOW, (window.until_ms - window.since_ms) * factor);
  const share = (at - window.since_ms) / Math.max(1, window.until_ms - window.since_ms);
  const since_ms = Math.round(at - share * length);
  return { since_ms, until_ms: Math.round(since_ms + length) };
}
