// The flame graph: a canvas for the screen, SVG for paper. Keys walk over its boxes.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { onKeys } from "../keys";
import { boxAt, fillOf, greatestChange, type Layout, layout, paint, ROW, STEP, textOf } from "../marks/flame";
import type { FlameNode, FlameTree } from "../marks/flame-tree";
import { useTheme } from "../marks/theme";
import { groundOf } from "../marks/tint";
import { usePrinting } from "../printing";
import { harmless } from "../text";
import { useWidth } from "../width";

export interface FlameProps {
  tree: FlameTree;
  zoomed: FlameNode;
  selected: FlameNode | null;
  /** What is searched for; empty for nothing. */
  query: string;
  label: (node: FlameNode) => string;
  sentence: string;
  onSelect: (node: FlameNode) => void;
  onZoom: (node: FlameNode) => void;
}

/** Whether a node is one of those searched for. */
export function finder(query: string): ((node: FlameNode) => boolean) | null {
  const wanted = query.trim().toLowerCase();
  return wanted === "" ? null : (node) => node.kind !== "all" && node.name.toLowerCase().includes(wanted);
}

export function Flame({ tree, zoomed, selected, query, label, sentence, onSelect, onZoom }: FlameProps) {
  const holder = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useWidth(holder);
  const isPrinting = usePrinting();
  const theme = useTheme();
  const [hovered, setHovered] = useState<FlameNode | null>(null);
  const placed = useMemo(() => (width > 0 ? layout(zoomed, width) : null), [zoomed, width]);
  const greatest = useMemo(() => (tree.isDifference ? greatestChange(tree) : 0), [tree]);

  useEffect(() => {
    const element = canvas.current;
    if (!element || !placed) return;
    const dots = window.devicePixelRatio || 1;
    const [wide, high] = [Math.round(placed.width * dots), Math.round(placed.height * dots)];
    if (element.width !== wide) element.width = wide;
    if (element.height !== high) element.height = high;
    const context = element.getContext("2d");
    if (!context) return;
    context.setTransform(dots, 0, 0, dots, 0, 0);
    paint(context, placed, {
      ground: groundOf(element),
      isDifference: tree.isDifference,
      greatest,
      amount: label,
      selected,
      hovered,
      isFound: finder(query),
      font: getComputedStyle(element).fontFamily,
    });
  }, [placed, selected, hovered, query, label, greatest, theme, isPrinting]);

  useEffect(() => {
    if (!placed) return undefined;
    return onKeys((event) => {
      if (document.activeElement !== holder.current) return false;
      const at = selected ?? zoomed;
      if (event.key === "Enter") onZoom(at);
      else if (event.key === "Escape" && zoomed.parent) onZoom(zoomed.parent);
      else if (event.key === "Home") onSelect(tree.root);
      else {
        const next = neighbour(placed, at, event.key);
        if (next === undefined) return false;
        if (next) onSelect(next);
      }
      return true;
    });
  }, [placed, selected, zoomed, tree]);

  const under = (event: MouseEvent): FlameNode | null => {
    const place = canvas.current?.getBoundingClientRect();
    if (!place || !placed) return null;
    return boxAt(placed, event.clientX - place.left, event.clientY - place.top)?.node ?? null;
  };
  const choose = (event: MouseEvent) => {
    const node = under(event);
    if (!node) return;
    // What stands above leads out, a second click in.
    if (node === selected || node.depth < zoomed.depth) onZoom(node);
    onSelect(node);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is no drawing.
    <div
      ref={holder}
      class="flame"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: its keys walk over the boxes.
      tabIndex={0}
      role="group"
      aria-label="Flame graph. Arrow keys walk over the boxes, Enter zooms, Escape leads out; the selected box is told below."
    >
      {placed && isPrinting ? (
        <Drawn placed={placed} tree={tree} greatest={greatest} label={label} sentence={sentence} />
      ) : (
        <canvas
          ref={canvas}
          role="img"
          aria-label={sentence}
          style={{ width: `${width}px`, height: `${placed?.height ?? 200}px` }}
          onClick={choose}
          onPointerMove={(event) => setHovered(under(event))}
          onPointerLeave={() => setHovered(null)}
        />
      )}
      <p class="flame-under dim" aria-hidden="true">
        {hovered ? (
          <>
            <b class="bidi">{harmless(hovered.name)}</b> {label(hovered)}
          </>
        ) : (
          <>
            A click selects, a second one zooms. <kbd>↑ ↓ ← →</kbd> walk, <kbd>Enter</kbd> zooms,{" "}
            <kbd>Esc</kbd> leads out, <kbd>/</kbd> searches.
          </>
        )}
      </p>
    </div>
  );
}

/** The box that a key leads to; null where there is none, undefined where the key means nothing here. */
function neighbour(placed: Layout, at: FlameNode, key: string): FlameNode | null | undefined {
  const isDrawn = (node: FlameNode) => placed.rows[node.depth]?.some((box) => box.node === node) ?? false;
  switch (key) {
    case "ArrowUp":
    case "k":
      return at.parent;
    case "ArrowDown":
    case "j":
      return at.children.find(isDrawn) ?? null;
    case "ArrowLeft":
    case "ArrowRight": {
      const row = placed.rows[at.depth]?.filter((box) => box.node) ?? [];
      const place = row.findIndex((box) => box.node === at);
      return row[place + (key === "ArrowLeft" ? -1 : 1)]?.node ?? null;
    }
  }
  return undefined;
}

/** For paper: no canvas, no dark ground. */
function Drawn({
  placed,
  tree,
  greatest,
  label,
  sentence,
}: {
  placed: Layout;
  tree: FlameTree;
  greatest: number;
  label: (node: FlameNode) => string;
  sentence: string;
}) {
  return (
    <svg
      width="100%"
      viewBox={`0 0 ${placed.width} ${placed.height}`}
      role="img"
      aria-label={sentence}
      class="flame-paper"
    >
      {placed.boxes.map(({ node, x, width, row }) => {
        const fill = node && fillOf(node, tree.isDifference, greatest);
        const text = node ? textOf(node, width, label) : "";
        return (
          <g key={`${row} ${x}`}>
            <rect
              x={x}
              y={row * STEP}
              width={Math.max(0.6, width - 0.8)}
              height={ROW}
              style={{
                fill: fill
                  ? `color-mix(in srgb, var(--${fill[0]}) ${Math.round(fill[1] * 100)}%, var(--paper))`
                  : "var(--hair)",
              }}
            />
            {text === "" ? null : (
              <text x={x + 5} y={row * STEP + 13} class={node?.kind === "class" ? "b" : ""}>
                {text}
              </text>
            )}
          </g>
        );
      })}
    </svg>
  );
}
