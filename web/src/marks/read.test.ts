import assert from "node:assert/strict";
import { test } from "node:test";
import type { Frame, FrameSeries } from "../source/source";
import { gaps, named, stepAt, stretches } from "./read";
import { zoomed } from "./zoom";

function series(name: string, mean: number[]): FrameSeries {
  const values = Float64Array.from(mean);
  const known = mean.filter((value) => !Number.isNaN(value));
  const average = known.reduce((sum, value) => sum + value, 0) / Math.max(1, known.length);
  return {
    name,
    letter: "a",
    colour: { role: "cpu", step: 0 },
    below: false,
    bounds: null,
    mean: values,
    least: values,
    greatest: values,
    summary: { mean: average, least: null, greatest: null, greatest_ms: null, total: null },
  };
}

function frame(since: number[], all: FrameSeries[]): Frame {
  return {
    id: "a.b",
    subject: null,
    title: "a",
    question: "",
    kind: "lines",
    unit: "/s",
    scale: "linear",
    since_ms: 0,
    until_ms: 10_000,
    steps: { since: Float64Array.from(since), until: Float64Array.from(since, (ms) => ms + 1000) },
    series: all,
    peaks: null,
    limit: null,
    sql: "",
  };
}

const NONE = Number.NaN;

test("a line ends where a value is missing, and where a step is", () => {
  // No step from 4 s to 7 s.
  const of = frame([0, 1000, 2000, 3000, 7000, 8000, 9000], [series("a", [1, 2, NONE, 4, 5, 6, 7])]);
  const has = (at: number) => !Number.isNaN(of.series[0]?.mean[at]);
  assert.deepEqual(stretches(of.steps, has), [
    [0, 2],
    [3, 4],
    [4, 7],
  ]);
  assert.deepEqual(gaps(of), [
    { since_ms: 2000, until_ms: 3000 },
    { since_ms: 4000, until_ms: 7000 },
  ]);
});

test("a step that begins a little late is no gap", () => {
  const of = frame([0, 1100, 2300], [series("a", [1, 2, 3])]);
  assert.deepEqual(
    stretches(of.steps, () => true),
    [[0, 3]],
  );
});

test("a time has the step that it lies in, and none in a gap", () => {
  const of = frame([0, 1000, 7000], [series("a", [1, 2, 3])]);
  assert.equal(stepAt(of, 999), 0);
  assert.equal(stepAt(of, 1000), 1);
  assert.equal(stepAt(of, 5000), -1);
  assert.equal(stepAt(of, 8000), 2, "the end belongs to the last step");
});

test("the four largest of many series are named, in the order of the frame", () => {
  const of = frame(
    [0],
    ["a", "b", "c", "d", "e"].map((name, at) => series(name, [at === 1 ? 0 : 10 - at])),
  );
  assert.deepEqual(
    named(of).named.map((one) => one.name),
    ["a", "c", "d", "e"],
  );
  assert.deepEqual(
    named(of).others.map((one) => one.name),
    ["b"],
  );
});

test("zooming keeps the time below the pointer in its place", () => {
  const window = { since_ms: 0, until_ms: 100_000 };
  assert.deepEqual(zoomed(window, 25_000, 0.5), { since_ms: 12_500, until_ms: 62_500 });
  assert.deepEqual(zoomed(window, 0, 2), { since_ms: 0, until_ms: 200_000 });
  assert.deepEqual(
    zoomed(window, 50_000, 0.0001),
    { since_ms: 49_500, until_ms: 50_500 },
    "a second at least",
  );
});
