// Values that the page shares. What reads one follows it: a component is drawn again, an effect runs again.

import { type Component, options, type VNode } from "preact";

/** What reads values, and is told when one of them changes. */
interface Reader {
  again: () => void;
  /** Of each value that it read: who reads it. */
  read: Set<Set<Reader>>;
}

let reader: Reader | null = null;

/** Reads nothing any more, until it reads again. */
function forget(one: Reader): void {
  for (const readers of one.read) readers.delete(one);
  one.read.clear();
}

export interface Signal<T> {
  value: T;
  /** The value, without following it. */
  peek: () => T;
}

export function signal<T>(held: T): Signal<T> {
  const readers = new Set<Reader>();
  return {
    peek: () => held,
    get value() {
      if (reader) {
        readers.add(reader);
        reader.read.add(readers);
      }
      return held;
    },
    set value(next) {
      if (next === held) return;
      held = next;
      for (const each of [...readers]) if (readers.has(each)) each.again();
    },
  };
}

/** Runs now and after each change of what it read. What it returns is called before the next run. */
export function effect(run: () => unknown): void {
  let end: unknown;
  const own: Reader = {
    read: new Set(),
    again() {
      if (typeof end === "function") end();
      forget(own);
      const outer = reader;
      reader = own;
      try {
        end = run();
      } finally {
        reader = outer;
      }
    },
  };
  own.again();
}

/** A value that follows from others. */
export function computed<T>(reckon: () => T): { readonly value: T; peek: () => T } {
  const found = signal(undefined as T);
  effect(() => {
    found.value = reckon();
  });
  return found;
}

// ---- components

/** The names under which Preact has these for the libraries beside it. */
type Drawn = VNode & { __c?: Component };
const hooks = options as typeof options & { __r?: (node: Drawn) => void };

const readersOf = new WeakMap<Component, Reader>();
const { __r: before, diffed, unmount } = hooks;

hooks.__r = (node) => {
  before?.(node);
  const component = node.__c;
  if (!component) return;
  const own = readersOf.get(component) ?? { read: new Set(), again: () => component.setState({}) };
  readersOf.set(component, own);
  forget(own);
  reader = own;
};
hooks.diffed = (node) => {
  reader = null;
  diffed?.(node);
};
hooks.unmount = (node) => {
  const { __c: component } = node as Drawn;
  const own = component && readersOf.get(component);
  if (own) forget(own);
  unmount?.(node);
};
