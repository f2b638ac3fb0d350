import assert from "node:assert/strict";
import test from "node:test";
import {
  bytes,
  column,
  duration,
  glue,
  harmless,
  inColumn,
  middle,
  number,
  offset,
  seconds,
  share,
  ticks,
  time,
  windowText,
  withUnit,
} from "./text";

const plain = (text: string) => text.replaceAll("\u00a0", " ");

test("three digits that count, in the unit that people use", () => {
  assert.equal(plain(seconds(0.000507)), "507 µs");
  assert.equal(plain(seconds(0.9999)), "1 s");
  assert.equal(plain(seconds(1204)), "1,204 s");
  assert.equal(plain(bytes(999_600)), "1 MB");
  assert.equal(plain(withUnit(4852, "/s")), "4,852/s");
  assert.equal(plain(withUnit(0.25, "ratio at one moment")), "25 % at one moment");
  assert.equal(plain(duration(138_000)), "2.3 min");
  assert.equal(number(-0.25), "−0.25");
});

test("nothing reads zero that is not, and what was not measured is no number", () => {
  assert.equal(plain(share(0.0004)), "< 0.1 %");
  assert.equal(plain(share(0.99999)), "> 99.9 %");
  assert.equal(plain(share(0)), "0 %");
  assert.equal(seconds(null), "–");
  assert.equal(number(Number.NaN), "–");
  const shown = column(96.2, "s");
  assert.deepEqual(
    [96.21, 0.01, 0, null].map((value) => inColumn(value, shown)),
    ["96.2", "< 0.1", "0", "–"],
  );
});

test("times are those of the zone, also on the day of its change", () => {
  const change = Date.UTC(2025, 2, 30, 1);
  assert.equal(offset(change - 1, "Europe/Berlin"), 3_600_000);
  assert.equal(offset(change, "Europe/Berlin"), 7_200_000);
  assert.equal(time(change, "Europe/Berlin"), "03:00:00");
  const day = Date.UTC(2025, 10, 24);
  const whole = { since_ms: day, until_ms: day + 86_400_000 };
  assert.match(windowText(whole, day, "UTC"), /^00:00 – 24:00$/);
  const round = ticks(whole.since_ms, whole.until_ms, 10, "Asia/Kolkata");
  assert.ok(round.length >= 7 && round.length <= 10);
  assert.ok(round.every(({ text }) => /:00$|Nov/.test(text)));
});

test("names of the machine steer nothing", () => {
  assert.equal(harmless("a\u001b[31m\u202eb\nc\u200f"), "a\\x1b[31m\\u{202e}b\\nc\\u{200f}");
  assert.equal(middle("/srv/very/long/name/of/a/file.db", 20), "/srv/very/…a/file.db");
  assert.equal([...middle("𝒳".repeat(30), 10)].length, 10);
  assert.equal(glue("345 s of 7 tasks, 65 %"), "345\u00a0s of 7 tasks, 65\u00a0%");
});
