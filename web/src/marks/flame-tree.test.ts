import assert from "node:assert/strict";
import { test } from "node:test";
import type { BreakdownDocument } from "../source/documents";
import { boxAt, layout, STEP } from "./flame";
import { inverted, neighbours, nodeAt, pathOf, treeBetween, treeOf } from "./flame-tree";

type Stack = NonNullable<BreakdownDocument["flame"]>["stacks"][number];

function stack(program: string, of: string, call: string | null, kernel: string, amount: number): Stack {
  return {
    program,
    class: of,
    syscall: call,
    user_stack: null,
    kernel_stack: kernel,
    object: "vdb",
    waker: null,
    amount,
  };
}

function breakdown(
  stacks: Stack[],
  ledger: [string, string, number][],
  length_s: number,
  kind: BreakdownDocument["kind"] = "wait",
): BreakdownDocument {
  const programs = ledger.map(([program, name, amount]) => ({
    program,
    class: name,
    amount,
    waits: null,
    processes: null,
  }));
  const flame = { unit: "seconds", stacks, gaps: {} } as unknown as BreakdownDocument["flame"];
  return { kind, length_s, programs, flame } as unknown as BreakdownDocument;
}

const ENTRY = "entry_SYSCALL_64_after_hwframe;do_syscall_64;__x64_sys_fsync";

test("time of the ledger without a stack ends in its class, and the way into the kernel is left out", () => {
  const found = breakdown(
    [stack("db", "disk_sync", "fsync", `${ENTRY};do_fsync`, 3)],
    [
      ["db", "disk_sync", 5],
      ["web", "lock_user", 1],
    ],
    10,
  );
  const { root } = treeOf(found);
  assert.equal(root.after, 6);
  const sync = nodeAt(root, ["db", "sync"]);
  assert.deepEqual(sync.own, [0, 2]);
  assert.deepEqual(pathOf(nodeAt(root, ["db", "sync", "fsync", "do_fsync"])), [
    "db",
    "sync",
    "fsync",
    "do_fsync",
  ]);
});

test("what runs has no room for the run queue", () => {
  const tree = treeOf(
    breakdown(
      [],
      [
        ["db", "user", 1],
        ["db", "cpu_queue", 4],
      ],
      10,
      "cpu",
    ),
  );
  assert.deepEqual([tree.root.after, tree.queued], [1, 4]);
});

test("stacks of more than the window are noticed", () => {
  const stacks = [stack("db", "disk_sync", "fsync", "do_fsync", 54)];
  assert.equal(treeOf(breakdown(stacks, [["db", "disk_sync", 33]], 6)).excess, 21);
});

test("the window before is brought to the length of the other, and what is gone keeps its width", () => {
  const before = breakdown([stack("db", "disk_sync", "fsync", "do_fsync", 4)], [], 20);
  const after = breakdown([stack("web", "disk_sync", "fsync", "do_fsync", 1)], [], 10);
  const { root, isSameLength } = treeBetween(before, after);
  assert.ok(isSameLength);
  assert.deepEqual([root.before, root.after, root.width], [2, 1, 3]);
  assert.deepEqual(
    root.children.map((child) => [child.name, child.after - child.before]),
    [
      ["db", -2],
      ["web", 1],
    ],
  );
});

test("a class that one window did not measure is in neither", () => {
  const before = {
    ...breakdown([], [["db", "user", 1]], 10),
    not_measured: ["disk_sync"],
  } as BreakdownDocument;
  const after = breakdown(
    [],
    [
      ["db", "user", 1],
      ["db", "disk_sync", 9],
    ],
    10,
  );
  assert.equal(treeBetween(before, after).root.after, 1);
});

test("from the innermost function outwards the sum stays", () => {
  const tree = treeOf(
    breakdown(
      [stack("db", "disk_sync", "fsync", "a;b", 3), stack("web", "disk_sync", "read", "c;b", 2)],
      [],
      10,
    ),
  );
  const turned = inverted(tree).root;
  assert.equal(turned.after, 5);
  assert.deepEqual(
    turned.children.map(({ name, after }) => [name, after]),
    [["b", 5]],
  );
  assert.equal(nodeAt(turned, ["b", "c", "read", "sync", "web"]).after, 2);
});

test("a function that calls itself counts once", () => {
  const { root } = treeOf(breakdown([stack("db", "disk_sync", null, "a;b;a;c", 2)], [], 10));
  const { amount, callers, callees } = neighbours(root, nodeAt(root, ["db", "sync", "a"]));
  assert.equal(amount.after, 2);
  assert.deepEqual(
    callers.map(({ name }) => name),
    ["sync"],
  );
  assert.deepEqual(callees.map(({ name }) => name).sort(), ["b", "c"]);
});

test("narrow boxes are one, and a point finds its box", () => {
  const many = Array.from({ length: 400 }, (_, at) => stack(`p${at}`, "disk_sync", null, "f", 1));
  const { root } = treeOf(breakdown([stack("big", "disk_sync", null, "f", 600), ...many], [], 10));
  const placed = layout(root, 1000);
  assert.equal(placed.rows[1]?.length, 2);
  assert.equal(boxAt(placed, 10, STEP + 1)?.node?.name, "big");
  assert.equal(boxAt(placed, 900, STEP + 1)?.node, null);
  assert.equal(boxAt(placed, 900, 2 * STEP + 1), null);
  // Zoomed, what it stands below is as wide as the picture.
  const zoomed = layout(nodeAt(root, ["p7"]), 1000);
  assert.equal(boxAt(zoomed, 990, 1)?.node, root);
  assert.equal(boxAt(zoomed, 990, STEP + 1)?.node?.name, "p7");
});
