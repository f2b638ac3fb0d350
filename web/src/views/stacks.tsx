// Where in the code: a flame graph of one kind of time, and of two windows as a difference.

import { useMemo, useRef, useState } from "preact/hooks";
import { useAsk } from "../ask";
import { classPaint } from "../classes";
import { turnTables, useKeys } from "../keys";
import { STEPS, tintOfStep } from "../marks/flame";
import { type FlameNode, inverted, nodeAt, pathOf, treeBetween, treeOf } from "../marks/flame-tree";
import {
  amounts,
  excessNote,
  labels,
  notesOf,
  sentence,
  signed,
  titleOf,
  unitOf,
} from "../marks/flame-words";
import { areTables } from "../parts/figure";
import { Flame, finder } from "../parts/flame";
import { Changes, Selected, StacksTable } from "../parts/flame-about";
import { Choice, To } from "../parts/link";
import { Swatch } from "../parts/quantity";
import { Failed, Loading } from "../parts/states";
import type { BreakdownDocument } from "../source/documents";
import type { Span } from "../source/source";
import { address, go, source, span } from "../store";
import { counted, harmless, share, windowText } from "../text";

const KINDS: [string, string][] = [
  ["wait", "waits"],
  ["cpu", "CPU"],
  ["lock", "locks"],
  ["io", "I/O"],
  ["memory", "memory"],
];
/** Between the names of a path in the address. */
const BETWEEN = "›";
/** Longer paths are left out of the address. */
const LONGEST = 900;

export function Stacks() {
  const { choices, focus, with: before } = address.value;
  const kind = choices.kind || "wait";
  const window = span.value;
  const from = source.value;
  const asked = useAsk(
    from && window
      ? (signal) =>
          Promise.all([
            from.breakdown(kind, window, focus, signal),
            before ? from.breakdown(kind, before, focus, signal) : null,
          ])
      : null,
    [kind, window?.since_ms, window?.until_ms, focus, before?.since_ms, before?.until_ms],
  );
  if (!asked.value || !window) {
    return (
      <>
        <Head kind={kind} title="Stacks" />
        {asked.error ? <Failed error={asked.error} /> : <Loading isLate={asked.isLate} height={320} />}
      </>
    );
  }
  const [after, earlier] = asked.value;
  return <Graph found={after} before={earlier} window={window} kind={kind} />;
}

function Head({
  kind,
  title,
  children,
}: {
  kind: string;
  title: string;
  children?: preact.ComponentChildren;
}) {
  const { choices, with: before } = address.value;
  const window = span.value;
  const length = window ? window.until_ms - window.since_ms : 0;
  return (
    <div class="sect stacks-head">
      <h1>{title}</h1>
      <nav class="seg" aria-label="kind of time">
        {KINDS.map(([id, label]) => (
          <Choice key={id} name="kind" value={id === "wait" ? "" : id} now={kind === "wait" ? "" : kind}>
            {label}
          </Choice>
        ))}
      </nav>
      <nav class="seg" aria-label="order of the functions">
        <Choice name="tree" value="" now={choices.tree ?? ""}>
          callers on top
        </Choice>
        <Choice name="tree" value="callees" now={choices.tree ?? ""}>
          callees on top
        </Choice>
      </nav>
      <nav class="seg" aria-label="difference">
        {before ? (
          <To class="choice" to={{ with: null }}>
            this window alone
          </To>
        ) : window ? (
          <To class="choice" to={{ with: { since_ms: window.since_ms - length, until_ms: window.since_ms } }}>
            against the window before
          </To>
        ) : null}
      </nav>
      <span class="r">{children}</span>
    </div>
  );
}

function Graph({
  found,
  before,
  window,
  kind,
}: {
  found: BreakdownDocument;
  before: BreakdownDocument | null;
  window: Span;
  kind: string;
}) {
  const { choices, with: against } = address.value;
  const [query, setQuery] = useState(choices.filter ?? "");
  const isTable = areTables.value;
  const search = useRef<HTMLInputElement>(null);
  const isInverted = choices.tree === "callees";
  const plain = useMemo(() => (before ? treeBetween(before, found) : treeOf(found)), [found, before]);
  const tree = useMemo(() => (isInverted ? inverted(plain) : plain), [plain, isInverted]);
  const write = amounts(unitOf(found), tree.isDifference && !tree.isSameLength);
  const label = useMemo(() => labels(tree, write), [tree]);
  const [selectedPath, setSelectedPath] = useState<string[]>(choices.at ? choices.at.split(BETWEEN) : []);
  const [zoomedPath, setZoomedPath] = useState<string[]>([]);
  // After another window they are what stands at the same place.
  const selected = useMemo(
    () => (selectedPath.length > 0 ? nodeAt(tree.root, selectedPath) : null),
    [tree, selectedPath],
  );
  const zoomed = useMemo(() => nodeAt(tree.root, zoomedPath), [tree, zoomedPath]);

  useKeys({ "/": () => search.current?.focus() }, []);
  const keep = (name: string, value: string) => go({ choices: { ...address.value.choices, [name]: value } });
  const select = (node: FlameNode) => {
    const path = pathOf(node);
    setSelectedPath(path);
    const text = path.join(BETWEEN);
    keep("at", text.length <= LONGEST ? text : "");
  };

  const isFound = finder(query);
  const title = titleOf(found);
  const all = tree.root.width;
  if (all <= 0) {
    const missing = found.flame?.gaps.missing;
    return (
      <>
        <Head kind={kind} title={title} />
        <p class="lead">{missing ? "Not measured here" : `0 s in ${windowText(window)}`}</p>
        {notesOf(found, tree)
          .slice(1)
          .map((note) => (
            <p class="dim" key={note}>
              {note}
            </p>
          ))}
      </>
    );
  }
  const heading = against
    ? `${title}: ${windowText(window, window.since_ms)} against ${windowText(against, window.since_ms)}`
    : `${title}: ${write(tree.root.after)}`;
  return (
    <>
      <Head kind={kind} title={heading}>
        {tree.isDifference ? <Scale write={write} most={greatest(tree.root)} /> : <Legend root={tree.root} />}
      </Head>
      <div class="stacks-tools">
        <input
          ref={search}
          class="input"
          type="search"
          placeholder="search  /"
          aria-label="search for a program, class or function"
          value={query}
          spellcheck={false}
          autocomplete="off"
          onInput={(event) => setQuery(event.currentTarget.value)}
          onChange={() => keep("filter", query)}
          onKeyDown={(event) => {
            if (event.key !== "Escape") return;
            event.stopPropagation();
            setQuery("");
            keep("filter", "");
            event.currentTarget.blur();
          }}
        />
        {isFound ? <Hits root={tree.root} isFound={isFound} write={write} /> : null}
        {zoomed.parent ? (
          <button type="button" class="l" onClick={() => setZoomedPath([])}>
            whole graph
          </button>
        ) : null}
        <button type="button" class="as-table" aria-pressed={isTable} onClick={turnTables}>
          <kbd>.</kbd> {isTable ? "graph" : "table"}
        </button>
      </div>
      {isTable ? (
        <StacksTable tree={plain} write={write} />
      ) : (
        <Flame
          tree={tree}
          zoomed={zoomed}
          selected={selected}
          query={query}
          label={label}
          sentence={sentence(tree, heading, label)}
          onSelect={select}
          onZoom={(node) => setZoomedPath(pathOf(node))}
        />
      )}
      {against ? (
        <p class="dim notes">
          Width: the greater of the two
          {tree.isSameLength
            ? ". The earlier window is brought to the length of this one."
            : ", each as a share of its own side: the recordings count differently."}{" "}
          Colour and sign: more (orange, +) or less (blue, −) in this window. {excessNote(tree)}
        </p>
      ) : null}
      <Selected
        tree={tree}
        node={selected ?? tree.root}
        isChosen={selected !== null && selected.kind !== "all"}
        write={write}
        found={found}
        window={window}
        onSelect={(name) => {
          setQuery(name);
          keep("filter", name);
        }}
      />
      {against ? (
        <Changes tree={plain} write={write} />
      ) : (
        <ul class="notes dim">
          {notesOf(found, tree).map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
    </>
  );
}

/** The classes, largest first. */
function Legend({ root }: { root: FlameNode }) {
  const sums = new Map<string, { name: string; width: number }>();
  const walk = (node: FlameNode, depth: number) => {
    if (node.kind === "class" && node.class) {
      const sum = sums.get(node.class) ?? { name: node.name, width: 0 };
      sum.width += node.width;
      sums.set(node.class, sum);
    } else if (depth < 2) for (const child of node.children) walk(child, depth + 1);
  };
  walk(root, 0);
  const classes = [...sums].sort((a, b) => b[1].width - a[1].width);
  const shown = classes.filter(([, { width }]) => width >= root.width * 0.005).slice(0, 6);
  return (
    <span class="legend">
      {shown.map(([id, { name }]) => (
        <span key={id} class="nowrap">
          <Swatch paint={classPaint(id)} />
          {harmless(name)}
        </span>
      ))}
    </span>
  );
}

function greatest(root: FlameNode): number {
  return Math.max(0, ...root.children.map((child) => Math.abs(child.after - child.before)));
}

function Scale({ write, most }: { write: (value: number) => string; most: number }) {
  const steps = Array.from({ length: 2 * STEPS + 1 }, (_, at) => at - STEPS);
  return (
    <span class="scale">
      <span class="dim">less</span>
      <svg width={steps.length * 12} height={10} aria-hidden="true">
        {steps.map((step, at) => (
          <rect
            key={step}
            x={at * 12}
            width={11}
            height={10}
            style={{
              fill:
                step === 0
                  ? "var(--hair)"
                  : `color-mix(in srgb, var(--${step > 0 ? "more" : "less"}) ${Math.round(tintOfStep(step) * 100)}%, var(--paper))`,
            }}
          />
        ))}
      </svg>
      <span class="dim">more</span>
      <span class="dim3">± {write(most)}</span>
    </span>
  );
}

function Hits({
  root,
  isFound,
  write,
}: {
  root: FlameNode;
  isFound: (node: FlameNode) => boolean;
  write: (value: number) => string;
}) {
  let boxes = 0;
  const sum = { before: 0, after: 0 };
  const walk = (node: FlameNode, isInside: boolean) => {
    const isOne = isFound(node);
    if (isOne) boxes += 1;
    if (isOne && !isInside) {
      sum.before += node.before;
      sum.after += node.after;
    }
    for (const child of node.children) walk(child, isInside || isOne);
  };
  walk(root, false);
  const said =
    root.before > 0
      ? signed(sum.after - sum.before, write)
      : `${write(sum.after)}, ${share(root.after > 0 ? sum.after / root.after : 0)}`;
  return (
    <span class="dim" role="status">
      {boxes === 0 ? "found nowhere" : `${counted(boxes, "box", "boxes")}, ${said}`}
    </span>
  );
}
