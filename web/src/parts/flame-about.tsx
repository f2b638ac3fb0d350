// What stands below a flame graph: the selected box, who calls it, and the same as tables.

import { useRef } from "preact/hooks";
import { useFigures } from "../ask";
import { classOf } from "../classes";
import { windowWords, word } from "../commands";
import {
  type FlameNode,
  type FlameTree,
  leaves,
  type Neighbour,
  neighbours,
  pathOf,
} from "../marks/flame-tree";
import { signed } from "../marks/flame-words";
import type { BreakdownDocument } from "../source/documents";
import type { Frame, Span } from "../source/source";
import { address, state } from "../store";
import { count, harmless, isolated, middle, number, share, ticks } from "../text";
import { useWidth } from "../width";
import { Command } from "./command";
import { To } from "./link";
import { Listing } from "./listing";
import { Fact, Section } from "./section";

type Write = (value: number) => string;
/** Rows of a table; SQL has all. */
const MOST_ROWS = 200;
const MOST_NEIGHBOURS = 8;
/** The figure of all classes over time. */
const CLASSES_FIGURE = "time.classes";

export function Selected({
  tree,
  node,
  isChosen,
  write,
  found,
  window,
  onSelect,
}: {
  tree: FlameTree;
  node: FlameNode;
  isChosen: boolean;
  write: Write;
  found: BreakdownDocument;
  window: Span;
  onSelect: (name: string) => void;
}) {
  const path = pathOf(node);
  const of = neighbours(tree.root, node);
  const isFunction = ["user", "kernel", "call"].includes(node.kind);
  const named = (all: Map<string, number> | null) =>
    [...(all ?? [])]
      .sort((a, b) => b[1] - a[1])
      .slice(0, 3)
      .map(([name, amount]) => `${isolated(middle(name, 48))} ${write(amount)}`)
      .join(", ");
  const objects = named(node.objects);
  const wakers = named(node.wakers);
  const query = rowsOf(node, found.kind);
  return (
    <div class="stacks-about">
      <section aria-live="polite">
        <div class="sect">
          <h2 class="bidi">
            {isChosen
              ? path
                  .slice(-4)
                  .map((name) => middle(name, 60))
                  .join(" › ")
              : harmless(node.name)}
          </h2>
          <span class="dim">{isChosen ? "selected" : "all"}</span>
        </div>
        <dl class="kv">
          {tree.isDifference ? (
            <Fact name="change">
              <Change node={node} write={write} />, {write(node.before)} before, {write(node.after)} in this
              window
            </Fact>
          ) : (
            <Fact name="amount">
              {write(node.after)}, {share(tree.root.after > 0 ? node.after / tree.root.after : 0)} of{" "}
              {harmless(tree.root.name)}
            </Fact>
          )}
          <Fact name="path" class="mono path">
            {path.length > 4 ? path.map(harmless).join(" › ") : ""}
          </Fact>
          <Fact name="object" class="bidi">
            {objects}
          </Fact>
          <Fact name={found.flame?.unit === "threads" ? "held by" : "woken by"} class="bidi">
            {wakers}
          </Fact>
          <Fact name="rows">
            {query ? (
              <To class="l" to={{ view: "sql", what: "", choices: { query } }}>
                <code>{shortened(query)}</code>
              </To>
            ) : null}
          </Fact>
        </dl>
        <Command command={deeper(node, found, window)} />
      </section>
      <section>
        {node.class && !tree.isDifference ? <When of={node.class} window={window} /> : null}
        {isChosen && isFunction ? (
          <div class="callers">
            <Neighbours title="called by" all={of.callers} tree={tree} write={write} onSelect={onSelect} />
            <Neighbours title="calls" all={of.callees} tree={tree} write={write} onSelect={onSelect} />
          </div>
        ) : null}
      </section>
    </div>
  );
}

function Change({ node, write }: { node: { before: number; after: number }; write: Write }) {
  const change = node.after - node.before;
  return (
    <span class={change > 0 ? "delta-more" : change < 0 ? "delta-less" : ""}>{signed(change, write)}</span>
  );
}

function Neighbours({
  title,
  all,
  tree,
  write,
  onSelect,
}: {
  title: string;
  all: Neighbour[];
  tree: FlameTree;
  write: Write;
  onSelect: (name: string) => void;
}) {
  return (
    <table>
      <caption>{title}</caption>
      <tbody>
        {all.length === 0 ? (
          <tr>
            <td class="dim">no function</td>
          </tr>
        ) : null}
        {all.slice(0, MOST_NEIGHBOURS).map((one) => (
          <tr key={one.name}>
            <td class="mono">
              <button type="button" class="l" onClick={() => onSelect(one.name)}>
                {middle(one.name, 44)}
              </button>
            </td>
            <td class="num">{tree.isDifference ? <Change node={one} write={write} /> : write(one.after)}</td>
          </tr>
        ))}
        {all.length > MOST_NEIGHBOURS ? (
          <tr>
            <td class="dim">{count(all.length - MOST_NEIGHBOURS)} more</td>
            <td />
          </tr>
        ) : null}
      </tbody>
    </table>
  );
}

/** The rows that a box is made of, as a query. */
function rowsOf(node: FlameNode, kind: string): string | null {
  const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;
  const wanted: string[] = [];
  for (let at: FlameNode | null = node; at; at = at.parent) {
    if (at.kind === "program" && at.name !== "unknown program")
      wanted.unshift(`process_name = ${quoted(at.name)}`);
    if (at.kind === "class" && at.class) wanted.push(`class_name = ${quoted(at.class)}`);
    if (at.kind === "call") wanted.push(`syscall = ${quoted(at.name)}`);
  }
  if (kind === "calls" || wanted.length === 0) return null;
  if (node.kind === "kernel") wanted.push(`instr(kernel_stack, ${quoted(node.name)}) > 0`);
  if (node.kind === "user") wanted.push(`instr(user_stack, ${quoted(node.name)}) > 0`);
  return `select process_name, class_name, syscall, object_name, waker_name, kernel_stack, user_stack,\n       sum(seconds) as seconds\nfrom stack\nwhere ${wanted.join(" and ")}\ngroup by 1, 2, 3, 4, 5, 6, 7\norder by seconds desc`;
}

/** The part of the query that tells it apart. */
function shortened(query: string): string {
  return harmless(query.slice(query.indexOf("from "), query.indexOf("\ngroup")).replace("\n", " "));
}

/** The command that shows more of it: while it happens, or as a file of its own. */
function deeper(node: FlameNode, found: BreakdownDocument, window: Span): string {
  const kind = found.kind === "memory" ? "mem" : found.kind;
  let program: string | null = null;
  for (let at: FlameNode | null = node; at; at = at.parent) if (at.kind === "program") program = at.name;
  // A name that steers what is around it is no word to copy.
  const isPlain = program && program !== "unknown program" && harmless(program) === program;
  const focus = isPlain ? ` --focus ${word(`comm:${program}`)}` : "";
  const name = state.value?.source.name;
  if (state.value?.live || !name) return `sudo heldup breakdown ${kind}${focus} --for 30s`;
  return `heldup breakdown ${kind} ${word(name)} ${windowWords(window)}${focus} -o ${kind}.svg`;
}

/** When: tasks in a class, step by step. */
function When({ of, window }: { of: string; window: Span }) {
  const has = state.value?.figures.some((figure) => figure.id === CLASSES_FIGURE) ?? false;
  const { frames } = useFigures(has ? [CLASSES_FIGURE] : [], window, 120, address.value.focus);
  const frame = frames.find((each) => each.id === CLASSES_FIGURE);
  const { label } = classOf(of);
  const series = frame?.series.find((each) => each.name === of || each.name === label);
  if (!frame || !series) return null;
  return (
    <div class="when">
      <div class="sect">
        <h3>
          When <small>tasks in class {label}, step by step</small>
        </h3>
      </div>
      <Shades frame={frame} values={series.mean} colour={classOf(of).colour} />
    </div>
  );
}

function Shades({ frame, values, colour }: { frame: Frame; values: Float64Array; colour: string }) {
  const holder = useRef<HTMLDivElement>(null);
  const width = useWidth(holder);
  const { since_ms: since, until_ms: until } = frame;
  const x = (ms: number) => ((ms - since) / Math.max(1, until - since)) * width;
  let most = 0;
  for (const value of values) if (value > most) most = value;
  const steps = width > 0 ? [...values] : [];
  return (
    <div ref={holder} class="shades">
      <svg
        width={width}
        height={46}
        role="img"
        aria-label={`At most ${number(most)} tasks at a time in this class.`}
      >
        <defs>
          <pattern
            id="shades-gap"
            width={6}
            height={6}
            patternUnits="userSpaceOnUse"
            patternTransform="rotate(45)"
          >
            <path d="M0 0V6" style={{ stroke: "var(--hatch)", strokeWidth: 2 }} />
          </pattern>
        </defs>
        {steps.map((value, at) => {
          const from = x(frame.steps.since[at] ?? since);
          const wide = Math.max(0.5, x(frame.steps.until[at] ?? until) - from);
          const shade = most > 0 ? Math.round(10 + (90 * value) / most) : 0;
          let fill = `color-mix(in srgb, var(--${colour}) ${shade}%, var(--paper))`;
          if (Number.isNaN(value)) fill = "url(#shades-gap)";
          else if (value === 0) fill = "var(--sunk)";
          return <rect key={from} x={from} width={wide} height={26} style={{ fill }} />;
        })}
        {(width > 0 ? ticks(since, until, Math.max(1, Math.floor(width / 110))) : []).map(({ ms, text }) => (
          <text key={ms} x={Math.min(x(ms), width - 56)} y={42} class="t3">
            {text}
          </text>
        ))}
      </svg>
    </div>
  );
}

const STACK = ["stack, outermost first", "mono path"] as const;

/** The same as a table: paths on which time ends. */
export function StacksTable({ tree, write }: { tree: FlameTree; write: Write }) {
  const all = leaves(tree.root, tree.isDifference);
  return (
    <>
      <Listing
        class="stack-rows"
        heads={
          tree.isDifference
            ? [STACK, ["before", "num"], ["this window", "num"], ["change", "num"]]
            : [STACK, ["amount", "num"], ["share", "num"]]
        }
        rows={all.slice(0, MOST_ROWS).map((node) => {
          const own = { before: node.own[0], after: node.own[1] };
          const path = pathOf(node).map(harmless).join(" › ");
          return tree.isDifference
            ? [path, path, write(own.before), write(own.after), <Change node={own} write={write} />]
            : [path, path, write(own.after), share(tree.root.after > 0 ? own.after / tree.root.after : 0)];
        })}
      />
      {all.length > MOST_ROWS ? (
        <p class="dim">
          {MOST_ROWS} of {count(all.length)} stacks
        </p>
      ) : null}
    </>
  );
}

/** What changed most, by program, class and call. */
export function Changes({ tree, write }: { tree: FlameTree; write: Write }) {
  const sums = new Map<string, { path: string[]; before: number; after: number }>();
  const walk = (node: FlameNode, path: string[], isBelowCall: boolean) => {
    const isNamed = ["program", "class", "call"].includes(node.kind) && !isBelowCall;
    const here = isNamed ? [...path, node.name] : path;
    if (node.own[0] > 0 || node.own[1] > 0) {
      const key = here.join("\n");
      const sum = sums.get(key) ?? { path: here, before: 0, after: 0 };
      sum.before += node.own[0];
      sum.after += node.own[1];
      sums.set(key, sum);
    }
    for (const child of node.children) walk(child, here, isBelowCall || node.kind === "call");
  };
  walk(tree.root, [], false);
  const change = (row: { before: number; after: number }) => Math.abs(row.after - row.before);
  const rows = [...sums.values()].sort((a, b) => change(b) - change(a)).slice(0, 12);
  return (
    <Section title="Largest changes">
      <Listing
        heads={[
          ["program, class, call", "mono path"],
          ["before", "num"],
          ["this window", "num"],
          ["change", "num"],
        ]}
        rows={rows.map((row) => [
          row.path.join(" "),
          row.path.map((name) => middle(name, 40)).join(" › "),
          write(row.before),
          write(row.after),
          <Change node={row} write={write} />,
        ])}
      />
    </Section>
  );
}
