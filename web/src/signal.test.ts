import assert from "node:assert/strict";
import { test } from "node:test";
import { options } from "preact";
import { computed, effect, signal } from "./signal";

test("an effect runs after each change of what it read last, and is ended before", () => {
  const [which, a, b] = [signal("a"), signal(1), signal(10)];
  const said: string[] = [];
  effect(() => {
    const value = which.value === "a" ? a.value : b.value;
    said.push(`begin ${value}`);
    return () => said.push(`end ${value}`);
  });
  a.value = 2;
  a.value = 2;
  b.value = 11;
  which.value = "b";
  a.value = 3;
  b.value = 12;
  assert.deepEqual(said, ["begin 1", "end 1", "begin 2", "end 2", "begin 11", "end 11", "begin 12"]);
});

test("what follows from others is right at once, and changes only with them", () => {
  const [a, b] = [signal(1), signal(2)];
  const isMore = computed(() => a.value > b.value);
  const seen: boolean[] = [];
  effect(() => {
    seen.push(isMore.value);
  });
  a.value = 3;
  assert.equal(isMore.peek(), true);
  a.value = 4;
  b.value = 5;
  assert.deepEqual(seen, [false, true, false]);
});

test("a component is drawn again while it is there, for what it read while it was drawn", () => {
  const hooks = options as Record<string, (node: unknown) => void>;
  const [read, peeked, later] = [signal(1), signal(1), signal(1)];
  let drawn = 0;
  const node = {
    __c: {
      setState: () => {
        drawn += 1;
      },
    },
  };
  hooks.__r?.(node);
  void read.value;
  peeked.peek();
  hooks.diffed?.(node);
  void later.value;
  peeked.value = 2;
  later.value = 2;
  assert.equal(drawn, 0);
  read.value = 2;
  assert.equal(drawn, 1);
  hooks.unmount?.(node);
  read.value = 3;
  assert.equal(drawn, 1);
});
