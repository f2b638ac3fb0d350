import type { AskError } from "../source/source";
import { Command } from "./command";

/** What, why, what to do. */
export function Failed({ error }: { error: AskError }) {
  return (
    <div class="note" role="alert">
      <p>{error.message}</p>
      {error.advice ? <p class="dim">{error.advice}</p> : null}
      {error.command ? <Command command={error.command} /> : null}
    </div>
  );
}

/** The place of what is asked for, with a word after 0.3 s. */
export function Loading({ isLate, height }: { isLate: boolean; height: number }) {
  return (
    <div class="loading" style={{ height: `${height}px` }} aria-busy="true">
      {isLate ? <span class="dim">reading…</span> : null}
    </div>
  );
}
