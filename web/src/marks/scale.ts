// Scales of values: where a value lies, and where its axis has ticks.

import type { Frame } from "../source/source";
import { column, number, quantity, withUnit } from "../text";
import { nice } from "./steps";

export interface Scale {
  /** Share of the height, from the foot; a value below a logarithmic scale is at the foot. */
  place: (value: number) => number;
  ticks: { value: number; text: string }[];
  /** What is written beside the title, where the ticks do not have it. */
  unit: string;
  isLog: boolean;
  /** Least and greatest value. */
  foot: number;
  end: number;
}

/** How a unit is written beside a title. */
export function unitWords(unit: string): string {
  if (unit === "ratio") return "%";
  if (unit === "/s") return "per second";
  return unit === "count" ? "" : unit;
}

/** From zero, with at most `most` ticks above it. */
export function linear(greatest: number, unit: string, most = 3): Scale {
  const top = greatest > 0 && Number.isFinite(greatest) ? greatest : 1;
  const step = nice(top / most);
  // A little above the last tick is no reason for another one.
  const end = Math.max(step, Math.ceil(top / step - 0.12) * step);
  const shown = column(end, unit);
  const ticks: Scale["ticks"] = [];
  for (let at = 0; at <= Math.round(end / step); at += 1) {
    const value = at * step;
    ticks.push({
      value,
      text: shown.factor === 1 ? number(value) : number(Number((value * shown.factor).toPrecision(6))),
    });
  }
  return { place: (value) => value / end, ticks, unit: unitWords(shown.unit), isLog: false, foot: 0, end };
}

/** Decades, and steps of 1, 2, 5 where they are few. */
export function log(least: number, greatest: number, unit: string, most = 5): Scale {
  const top = greatest > 0 ? greatest * 1.15 : 1;
  // A decade at least: a line that goes straight looks so.
  const wanted = Math.max(Math.min(least > 0 ? least * 0.9 : top / 10, top / 10), top / 1e9);
  const decade = 10 ** Math.floor(Math.log10(wanted) + 1e-9);
  const foot = decade * ([5, 2].find((factor) => wanted / decade >= factor * (1 - 1e-9)) ?? 1);
  const span = Math.log(top / foot);
  const every = Math.max(1, Math.ceil(Math.log10(top / foot) / most));
  const ticks: Scale["ticks"] = [];
  for (let at = 0, value = decade; value <= top * (1 + 1e-9); at += 1, value = decade * 10 ** at) {
    for (const factor of top / foot < 40 ? [1, 2, 5] : [1]) {
      const tick = value * factor;
      const isShown = factor > 1 || at % every === 0;
      if (isShown && tick >= foot * (1 - 1e-9) && tick <= top)
        ticks.push({ value: tick, text: withUnit(Number(tick.toPrecision(3)), unit) });
    }
  }
  const place = (value: number) => (value <= foot ? 0 : Math.log(value / foot) / span);
  // A unit that is a word, and does not change with the value, stands beside the title.
  const isWord = unit !== "s" && quantity(1, unit)[1] === unit.trim();
  if (isWord) for (const tick of ticks) tick.text = number(Number(tick.value.toPrecision(3)));
  return { place, ticks, unit: isWord ? unitWords(unit) : "", isLog: true, foot, end: top };
}

/** The scale of lines: of all values that are drawn, and of the limit where it is near. */
export function scaleOf(frame: Frame): Scale {
  let greatest = 0;
  const small: number[] = [];
  for (const series of frame.series) {
    for (const value of series.greatest.length > 0 ? series.greatest : series.mean)
      if (value > greatest) greatest = value;
    if (frame.scale === "log") for (const value of series.mean) if (value > 0) small.push(value);
  }
  const limit = frame.limit?.value ?? 0;
  // One that is far above would press everything flat.
  if (limit > 0 && limit <= greatest * 4) greatest = Math.max(greatest, limit * 1.04);
  if (frame.scale !== "log") {
    const isShare = frame.unit === "ratio" && greatest > 0.5 && greatest <= 1.04;
    return linear(isShare ? 1 : greatest, frame.unit, isShare ? 4 : 3);
  }
  small.sort((a, b) => a - b);
  let least = small[Math.floor(small.length * 0.02)] ?? 0;
  if (limit > 0 && limit <= greatest) least = Math.min(least, limit);
  return log(least, greatest, frame.unit);
}

/** While a window goes on with time: a scale that still fits, and is not twice too large, stays. */
export function calm(next: Scale, before: Scale | null): Scale {
  if (!before || before.isLog !== next.isLog || before.unit !== next.unit) return next;
  const room = next.isLog ? 10.1 : 2.1;
  const isInside = next.end <= before.end * 1.001 && next.foot >= before.foot * 0.999;
  return isInside && before.end <= next.end * room && next.foot <= before.foot * room ? before : next;
}
