// Flame graph: where each box lies, what is under a point, and how it is painted. Root on top.

import { isolated, middle } from "../text";
import type { FlameNode, FlameTree } from "./flame-tree";
import { type Ground, mixed, readable } from "./tint";

export const ROW = 18;
/** From row to row. */
export const STEP = ROW + 1;
/** Narrower boxes are put together. */
const LEAST = 3;
/** Width of a letter on paper, about. */
const LETTER = 6.8;
/** Space left and right of a name. */
const SPACE = 5;

export interface Box {
  /** None: boxes that are too narrow, together. */
  node: FlameNode | null;
  x: number;
  width: number;
  row: number;
}

export interface Layout {
  boxes: Box[];
  /** The same by row, from left to right. */
  rows: Box[][];
  width: number;
  height: number;
  /** Boxes that were too narrow, and their share of the width. */
  pruned: number;
}

/** Places a node over the whole width, those that it stands below above it, and what it consists of below. */
export function layout(zoomed: FlameNode, width: number): Layout {
  const rows: Box[][] = [];
  const put = (box: Box) => {
    let row = rows[box.row];
    if (!row) {
      row = [];
      rows[box.row] = row;
    }
    row.push(box);
  };
  for (let at = zoomed.parent; at; at = at.parent) put({ node: at, x: 0, width, row: at.depth });
  const scale = zoomed.width > 0 ? width / zoomed.width : 0;
  let pruned = 0;
  const place = (node: FlameNode, x: number) => {
    put({ node, x, width: node.width * scale, row: node.depth });
    let at = x;
    let narrow = 0;
    for (const child of node.children) {
      const wide = child.width * scale;
      if (wide < LEAST) {
        narrow += wide;
        pruned += 1;
        continue;
      }
      place(child, at);
      at += wide;
    }
    if (narrow >= 1) put({ node: null, x: at, width: narrow, row: node.depth + 1 });
  };
  place(zoomed, 0);
  return { boxes: rows.flat(), rows, width, height: rows.length * STEP, pruned };
}

/** The box under a point. */
export function boxAt({ rows }: Layout, x: number, y: number): Box | null {
  const row = rows[Math.floor(y / STEP)];
  if (!row) return null;
  let low = 0;
  let high = row.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const box = row[middle] as Box;
    if (x < box.x) high = middle - 1;
    else if (x >= box.x + box.width) low = middle + 1;
    else return box;
  }
  return null;
}

// Shares of the class's colour: the class itself, the kernel's functions and calls, those of programs.
const TINTS: Record<FlameNode["kind"], number> = {
  all: 0,
  program: 0,
  class: 0.7,
  call: 0.38,
  kernel: 0.38,
  user: 0.22,
};
/** Steps of a difference, from nothing to all. */
export const STEPS = 5;

/** The step of a change: how many of STEPS, with its sign; 0 is: hardly differs. */
export function stepOf(change: number, greatest: number): number {
  const share = greatest > 0 ? change / greatest : 0;
  if (Math.abs(share) < 0.02) return 0;
  return Math.sign(share) * Math.min(STEPS, Math.max(1, Math.ceil(Math.abs(share) * STEPS)));
}

/** Share of the colour in a step. */
export function tintOfStep(step: number): number {
  return 0.12 + (0.58 * Math.abs(step)) / STEPS;
}

/** The greatest change below the root. */
export function greatestChange({ root }: FlameTree): number {
  let most = 0;
  const walk = (of: FlameNode) => {
    most = Math.max(most, Math.abs(of.after - of.before));
    of.children.forEach(walk);
  };
  root.children.forEach(walk);
  return most;
}

/** What a box is filled with: the name of a colour and its share, none for grey. */
export function fillOf(node: FlameNode, isDifference: boolean, greatest: number): [string, number] | null {
  if (isDifference) {
    const step = stepOf(node.after - node.before, greatest);
    return step === 0 ? null : [step > 0 ? "more" : "less", tintOfStep(step)];
  }
  const share = TINTS[node.kind];
  return share === 0 ? null : [node.colour, share];
}

/** What stands in a box: its name, with its amount where there is room. */
export function textOf(
  node: FlameNode,
  width: number,
  amount: (node: FlameNode) => string,
  letter = LETTER,
): string {
  const fits = Math.floor((width - 2 * SPACE) / letter);
  if (fits < 3) return "";
  const said = amount(node);
  const name = middle(node.name, 400);
  if (name.length + said.length + 1 <= fits) return `${isolated(name)} ${said}`;
  return name.length <= fits ? name : `${name.slice(0, fits - 1)}…`;
}

export interface Painting {
  ground: Ground;
  isDifference: boolean;
  greatest: number;
  amount: (node: FlameNode) => string;
  selected: FlameNode | null;
  hovered: FlameNode | null;
  /** Whether a box is one of those searched for; none where nothing is searched. */
  isFound: ((node: FlameNode) => boolean) | null;
  font: string;
}

/** Paints everything. */
export function paint(context: CanvasRenderingContext2D, placed: Layout, how: Painting): void {
  const { ground } = how;
  const fills = new Map<string, string>();
  const fill = (node: FlameNode | null): string => {
    const of = node && fillOf(node, how.isDifference, how.greatest);
    if (!of) return ground.grey;
    const key = `${of[0]} ${of[1]}`;
    let found = fills.get(key);
    if (found === undefined) {
      found = readable(ground, ground.colour(of[0]), of[1]);
      fills.set(key, found);
    }
    return found;
  };
  context.clearRect(0, 0, placed.width, placed.height);
  const faint = mixed(ground.paper, ground.grey, 0.6);
  // By colour: the browser is told of each colour once.
  const byFill = new Map<string, Box[]>();
  for (const box of placed.boxes) {
    const isFaint = how.isFound && !(box.node && how.isFound(box.node));
    const colour = isFaint ? faint : fill(box.node);
    const some = byFill.get(colour);
    if (some) some.push(box);
    else byFill.set(colour, [box]);
  }
  for (const [colour, some] of byFill) {
    context.fillStyle = colour;
    for (const { x, width, row } of some) {
      context.fillRect(x, row * STEP, Math.max(0.6, width - 0.8), ROW);
    }
  }
  context.textBaseline = "middle";
  context.direction = "ltr";
  const letters = "abcdefghijklmnopqrstuvwxyz_0123456789";
  let isStrong: boolean | null = null;
  context.font = `11.5px ${how.font}`;
  const letter = context.measureText(letters).width / letters.length;
  for (const { node, x, width, row } of placed.boxes) {
    const text = node ? textOf(node, width, how.amount, node.kind === "class" ? letter * 1.08 : letter) : "";
    if (!node || text === "") continue;
    const strong = node.kind === "class";
    if (strong !== isStrong) {
      context.font = `${strong ? "600 " : ""}11.5px ${how.font}`;
      isStrong = strong;
    }
    context.fillStyle = how.isFound && !how.isFound(node) ? ground.third : ground.ink;
    context.fillText(text, x + SPACE, row * STEP + ROW / 2 + 0.5, width - 2 * SPACE);
  }
  const around = (of: FlameNode | null, colour: string, line: number) => {
    const box = of && placed.boxes.find((each) => each.node === of);
    if (!box) return;
    context.strokeStyle = colour;
    context.lineWidth = line;
    const inset = line / 2;
    const wide = Math.max(line, box.width - 0.8 - line);
    context.strokeRect(box.x + inset, box.row * STEP + inset, wide, ROW - line);
  };
  if (how.hovered !== how.selected) around(how.hovered, ground.second, 1);
  around(how.selected, ground.ink, 2);
}
