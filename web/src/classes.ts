// Classes of time: their words, their colours, and in which order they are drawn.

import { CLASSES, type ClassGroup, type ClassInfo } from "./generated/classes";
import { harmless } from "./text";

const BY_NAME = new Map(CLASSES.map((info) => [info.name, info]));

/** A class; one that this page does not know yet has its own name and no resource. */
export function classOf(name: string): ClassInfo {
  return (
    BY_NAME.get(name) ?? { name, label: harmless(name), letter: "?", group: "other", colour: "unknown-0" }
  );
}

/** The label of a name that is a class, or else a name of the machine. */
export function seriesLabel(name: string): string {
  return BY_NAME.get(name)?.label ?? harmless(name);
}

/** The colour of a role, as a style. */
export function paint(colour: { role: string; step: number } | string): string {
  return `var(--${typeof colour === "string" ? colour : `${colour.role}-${colour.step}`})`;
}

export const classPaint = (name: string): string => paint(classOf(name).colour);

export const isRunning = (name: string): boolean => classOf(name).group === "running";
export const isWaiting = (name: string): boolean => classOf(name).group === "waiting";

/** Seconds of the classes of a group. */
export function secondsOf(times: readonly [string, number][], group: ClassGroup): number {
  let sum = 0;
  for (const [name, seconds] of times) if (classOf(name).group === group) sum += seconds;
  return sum;
}

/** Those of a group that are not zero, the largest first. */
export function largest(times: readonly [string, number][], group: ClassGroup): [string, number][] {
  return times
    .filter(([name, seconds]) => classOf(name).group === group && seconds > 0)
    .sort((a, b) => b[1] - a[1]);
}
