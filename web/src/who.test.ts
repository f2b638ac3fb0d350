import assert from "node:assert/strict";
import test from "node:test";
import type { SeenProcess, SeenTask, Who } from "./source/source";
import { byParent, byUnit, flat, rowsOf, sorted } from "./who";

const process = (pid: number, name: string, more: Partial<SeenProcess> = {}): SeenProcess => ({
  pid,
  name,
  command: null,
  parent: null,
  uid: null,
  state: null,
  is_kernel: false,
  cgroup: null,
  unit: null,
  container: null,
  nice: null,
  threads: null,
  start_ms: 1000,
  ended: false,
  cpu_s: null,
  resident_bytes: null,
  growth_bytes: null,
  swap_bytes: null,
  major_faults: null,
  read_bytes: null,
  write_bytes: null,
  ...more,
});
const task = (tid: number, pid: number | null, name: string, times: SeenTask["times"]): SeenTask => ({
  tid,
  pid,
  name,
  times,
});

const WHO: Who = {
  span: { since_ms: 0, until_ms: 10_000 },
  processes: [
    process(1, "init"),
    process(2, "db", { parent: 1, unit: "db.service", resident_bytes: 100 }),
    process(3, "db", { parent: 2, unit: "db.service" }),
    process(4, "kworker", { is_kernel: true }),
  ],
  tasks: [
    task(2, 2, "db", [["user", 1]]),
    task(20, 2, "db-log", [
      ["disk_sync", 6],
      ["park", 4],
    ]),
    task(3, 3, "db", [["cpu_queue", 2]]),
    task(4, 4, "kworker", [["kernel", 9]]),
    task(77, 77, "short", [["user", 0.5]]),
  ],
};

test("threads add up to processes; idle is no time, what lived between two snapshots is there", () => {
  const rows = sorted(rowsOf(WHO, "processes", false), "waiting");
  assert.deepEqual(
    rows.map((row) => [row.name, row.pid, row.waiting, row.running]),
    [
      ["db", 2, 6, 1],
      ["db", 3, 2, 0],
      ["short", 77, 0, 0.5],
      ["init", 1, 0, 0],
    ],
  );
  assert.equal(rowsOf(WHO, "processes", true).length, 5);
  // Where no time is accounted for nobody waited zero seconds.
  assert.equal(rowsOf({ ...WHO, tasks: [] }, "processes", false)[0]?.waiting, null);
});

test("groups add up, and what no member has is not zero", () => {
  const [db] = sorted(rowsOf(WHO, "units", false), "waiting");
  assert.deepEqual(
    [db?.name, db?.count, db?.waiting, db?.resident, db?.read],
    ["db.service", 2, 8, 100, null],
  );
});

test("a filter finds ids and classes, and keeps what stands above", () => {
  const rows = rowsOf(WHO, "processes", false);
  assert.deepEqual(
    flat(rows, "waiting", "sync").map(({ row }) => row.pid),
    [2],
  );
  assert.deepEqual(
    byParent(rows, "waiting", "3", new Map()).map(({ row, depth }) => [row.pid, depth]),
    [
      [1, 0],
      [2, 1],
      [3, 2],
    ],
  );
  assert.deepEqual(
    byUnit(rows, "waiting", "sync", new Map()).map(({ row, depth }) => [row.name, depth]),
    [
      ["db.service", 0],
      ["db", 1],
    ],
  );
});

test("parents that run in a circle lose no row", () => {
  const circle = {
    ...WHO,
    tasks: [],
    processes: [process(5, "a", { parent: 6 }), process(6, "b", { parent: 5 })],
  };
  const rows = rowsOf(circle, "processes", false);
  assert.equal(byParent(rows, "name", "", new Map()).length, 2);
});
