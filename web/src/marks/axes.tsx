// What stands around values over time: ticks, times, gaps, names at the end of what they name.

import { paint } from "../classes";
import type { Plot } from "./brush";
import { short } from "./read";
import type { Scale } from "./scale";
import { apart } from "./steps";

/** A letter is about this wide. */
export const LETTER = 6.6;
/** Names stand this far apart. */
const LINE = 15;

export function Values({ scale, plot }: { scale: Scale; plot: Plot }) {
  return (
    <g>
      {scale.ticks.map(({ value, text }) => {
        const y = plot.top + plot.height * (1 - scale.place(value));
        const isFoot = y > plot.top + plot.height - 0.5;
        return (
          <g key={text}>
            <path d={`M${plot.left} ${y}h${plot.width}`} class={isFoot ? "footline" : "hairline"} />
            <text x={plot.left - 8} y={y + 4} text-anchor="end" class="t3">
              {text}
            </text>
          </g>
        );
      })}
      {scale.ticks.some(({ value }) => scale.place(value) < 0.001) ? null : (
        <path d={`M${plot.left} ${plot.top + plot.height}h${plot.width}`} class="footline" />
      )}
    </g>
  );
}

export interface Label {
  /** Where it belongs. */
  y: number;
  name: string;
  /** None of a limit. */
  colour: { role: string; step: number } | null;
}

/** Space that names need at the right. */
export function labelSpace(names: string[], most = 150): number {
  const longest = Math.max(0, ...names.map((name) => Math.min([...name].length, 20)));
  return longest === 0 ? 12 : Math.min(most, 34 + LETTER * longest);
}

/** Names as near to their places as they fit. */
export function Labels({ labels, plot, space }: { labels: Label[]; plot: Plot; space: number }) {
  const sorted = [...labels].sort((a, b) => a.y - b.y);
  const foot = Math.max(plot.top + plot.height, plot.top + LINE * (labels.length - 1));
  const places = apart(
    sorted.map((label) => label.y),
    LINE,
    plot.top,
    foot,
  );
  const letters = Math.max(4, Math.floor((space - 24) / LETTER));
  const left = plot.left + plot.width;
  return (
    <g>
      {sorted.map((label, index) => {
        const y = places[index] as number;
        return (
          <g key={label.name}>
            {label.colour ? (
              <rect
                x={left + 8}
                y={y - 4.5}
                width={9}
                height={9}
                rx={2}
                style={{ fill: paint(label.colour) }}
              />
            ) : (
              <path d={`M${left + 7} ${y}h11`} class="limit" />
            )}
            <text x={left + 22} y={y + 4} class="t1">
              {short(label.name, Math.min(20, letters))}
            </text>
          </g>
        );
      })}
    </g>
  );
}
