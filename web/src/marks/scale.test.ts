import assert from "node:assert/strict";
import { test } from "node:test";
import { calm, linear, log } from "./scale";

const texts = (scale: { ticks: { text: string }[] }) => scale.ticks.map((tick) => tick.text);

test("ticks of a linear scale are round and in one unit", () => {
  assert.deepEqual(texts(linear(2_900, "/s")), ["0", "1,000", "2,000", "3,000"]);
  const bytes = linear(61_000_000, "bytes/s");
  assert.equal(bytes.unit, "MB/s");
  assert.deepEqual(texts(bytes), ["0", "25", "50", "75"]);
  assert.equal(bytes.place(75_000_000), 1);
});

test("a logarithmic scale has decades, and its foot for what is smaller", () => {
  const waits = log(0.00012, 0.9, "s");
  assert.deepEqual(
    texts(waits).map((text) => text.replace("\u00a0", " ")),
    ["100 µs", "1 ms", "10 ms", "100 ms", "1 s"],
  );
  assert.equal(waits.place(0), 0);
  assert.ok(waits.place(0.9) > 0.95 && waits.place(0.9) <= 1);
});

test("a scale that still fits stays, one that became twice too large does not", () => {
  const [high, lower, low] = [linear(95, "/s"), linear(60, "/s"), linear(20, "/s")];
  assert.equal(calm(lower, high), high);
  assert.equal(calm(low, high), low);
  assert.equal(calm(high, lower), high);
});
