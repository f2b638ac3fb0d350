// Commands that the page shows. They are copied, never run.

import type { Span } from "./source/source";

/** A word of a command line, quoted where a shell would read more in it. */
export function word(text: string): string {
  return /^[\w./:@+=,%-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** A time as options take it. */
export function at(ms: number): string {
  return new Date(ms).toISOString().replace(".000Z", "Z");
}

/** Options of a window. */
export function windowWords({ since_ms, until_ms }: Span): string {
  return `--since ${at(since_ms)} --until ${at(until_ms)}`;
}
