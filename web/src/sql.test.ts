import assert from "node:assert/strict";
import { test } from "node:test";
import type { SqlAnswer } from "./source/source";
import { chartOf, csv, placeOf, tokens } from "./sql";

function answer(columns: [string, string][], rows: SqlAnswer["rows"]): SqlAnswer {
  return {
    columns: columns.map(([name, kind]) => ({ name, unit: "", kind })),
    rows,
    offset: 0,
    more: false,
    took_ms: 1,
  };
}

test("pieces of a query are the query, whatever is in it", () => {
  for (const query of [
    "select 'it''s -- no comment' as a -- yes\nfrom b /* c",
    "select 'open",
    "żółć from\u202e \u0000",
  ]) {
    assert.equal(
      tokens(query)
        .map(({ text }) => text)
        .join(""),
      query,
    );
  }
  const kinds = tokens("select 'from' -- from").map(({ kind }) => kind);
  assert.deepEqual(kinds, ["keyword", "plain", "text", "plain", "comment"]);
});

test("the place of an error is read from its sentence", () => {
  assert.deepEqual(placeOf('line 2, column 16: near "y": syntax error'), { line: 2, column: 16 });
  assert.equal(placeOf("no such table: x"), null);
});

test("a cell that a spreadsheet would reckon is text", () => {
  const text = csv(
    answer(
      [
        ["name", "text"],
        ["n", "number"],
      ],
      [
        ["=cmd()", -1],
        ['a"b,c', null],
      ],
    ),
  );
  assert.equal(text, 'name,n\n\'=cmd(),-1\n"a""b,c",\n');
});

test("rows of one time are a line for each name, and nothing is drawn across a gap", () => {
  const rows: SqlAnswer["rows"] = [1000, 2000, 3000, 9000, 10_000].flatMap((time) => [
    [time, "db", 1],
    [time, "web", time === 2000 ? null : 2],
  ]);
  const frame = chartOf(
    answer(
      [
        ["time", "time"],
        ["name", "text"],
        ["seconds", "number"],
      ],
      rows,
    ),
  );
  assert.ok(frame);
  assert.deepEqual(
    frame.series.map(({ name }) => name),
    ["web", "db"],
  );
  assert.deepEqual([...frame.steps.until], [1000, 2000, 3000, 8000, 9000, 10_000]);
  const [web, db] = frame.series;
  assert.ok(Number.isNaN(db?.mean[3]) && Number.isNaN(web?.mean[1]));
  assert.equal(db?.mean[4], 1);
});

test("rows without a time, or with too few, are no chart", () => {
  assert.equal(
    chartOf(
      answer(
        [
          ["name", "text"],
          ["n", "number"],
        ],
        [["a", 1]],
      ),
    ),
    null,
  );
  assert.equal(
    chartOf(
      answer(
        [
          ["time", "time"],
          ["n", "number"],
        ],
        [
          [1000, 1],
          [2000, 1],
        ],
      ),
    ),
    null,
  );
});
