import assert from "node:assert/strict";
import test from "node:test";
import type { Frame, FrameSeries } from "../source/source";
import { apart, gaps, layers, nice, totals } from "./steps";

const series = (name: string, below: boolean, mean: number[]): FrameSeries => ({
  name,
  letter: "a",
  colour: { role: "cpu", step: 0 },
  below,
  bounds: null,
  mean: Float64Array.from(mean),
  least: Float64Array.from(mean),
  greatest: Float64Array.from(mean),
  summary: { mean: null, least: null, greatest: null, greatest_ms: null, total: null },
});

function frame(since: number[], until: number[], all: FrameSeries[]): Frame {
  return {
    id: "time.classes",
    subject: null,
    title: "",
    question: "",
    kind: "stack",
    unit: "tasks",
    scale: "linear",
    since_ms: 0,
    until_ms: 4000,
    steps: { since: Float64Array.from(since), until: Float64Array.from(until) },
    series: all,
    peaks: null,
    limit: null,
    sql: "",
  };
}

const place = { x: (ms: number) => ms / 1000, y: (value: number) => 10 - value };

test("what runs stands on the line, what waits hangs from it, in steps", () => {
  const steps = frame(
    [0, 1000],
    [1000, 2000],
    [series("a", false, [1, 2]), series("b", false, [1, 0]), series("c", true, [3, 3])],
  );
  const [a, b, c] = layers(steps, place).map(({ path }) => path);
  assert.equal(a, "M0 10V9H1V8H2V10H1H0Z");
  assert.equal(b, "M0 9V8H1V9H0Z");
  assert.equal(c, "M0 10V13H1H2V10H1H0Z");
});

test("nothing is drawn across what was not measured", () => {
  const none = Number.NaN;
  const steps = frame([0, 1000, 3000], [1000, 2000, 4000], [series("a", false, [1, none, 1])]);
  const sums = totals(steps);
  assert.deepEqual(sums.missing, [false, true, false]);
  assert.deepEqual(gaps(steps, sums.missing), [{ since_ms: 1000, until_ms: 3000 }]);
  assert.equal(layers(steps, place)[0]?.path.split("M").length, 3);
  // Zero is measured.
  assert.deepEqual(totals(frame([0], [4000], [series("a", false, [0])])).missing, [false]);
});

test("names are pushed apart, and stay within their bounds", () => {
  const places = apart([50, 52, 53, 98], 15, 0, 100);
  assert.ok(places.every((at, index) => index === 0 || at - (places[index - 1] ?? 0) >= 15));
  assert.ok((places[0] ?? -1) >= 0 && (places[3] ?? 101) <= 100);
  assert.equal(nice(0.9), 1);
  assert.equal(nice(2.2), 2.5);
});
