// Files of the page: a window as a report, a figure as a picture.

import type { Frame } from "./source/source";
import { asAskError, say, source, span, state } from "./store";

const pad = (value: number) => String(value).padStart(2, "0");

function stamp(ms: number): string {
  const date = new Date(ms);
  const day = `${date.getUTCFullYear()}${pad(date.getUTCMonth() + 1)}${pad(date.getUTCDate())}`;
  return `${day}T${pad(date.getUTCHours())}${pad(date.getUTCMinutes())}${pad(date.getUTCSeconds())}Z`;
}

/** Saves the window as a report, or one figure of it. */
export async function save(what: "report" | "svg" | "png" | "csv", figure?: Frame): Promise<void> {
  const shown = span.value;
  const from = source.value;
  if (!shown || !from) return;
  say(what === "report" ? "The report is being written." : "The figure is being drawn.");
  try {
    const blob = await from.file(what, shown, figure);
    const host = (state.value?.host ?? "heldup").replace(/[^\w.-]+/g, "_");
    const name = figure
      ? [figure.id, figure.subject]
          .filter(Boolean)
          .join("-")
          .replace(/[^\w.-]+/g, "_")
      : host;
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = `${name}-${stamp(shown.since_ms)}.${what === "report" ? "html" : what}`;
    link.click();
    window.setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    say(`${link.download} is saved.`);
  } catch (error) {
    const { message, advice } = asAskError(error);
    say(advice ? `${message} ${advice}` : message);
  }
}
