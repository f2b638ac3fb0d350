// Bars of the whole window, in the order of the frame: the longest first.

import { paint } from "../classes";
import { Quantity } from "../parts/quantity";
import type { Frame } from "../source/source";
import { middle } from "../text";
import { nameOf, size } from "./read";

export function Bars({ frame }: { frame: Frame }) {
  const greatest = Math.max(0, ...frame.series.map(size));
  return (
    <ol class="bars">
      {frame.series.map((series) => (
        <li key={series.name}>
          <bdi class="name" title={nameOf(series)}>
            {middle(nameOf(series), 32)}
          </bdi>
          <span class="track" aria-hidden="true">
            <i
              style={{
                width: `${greatest > 0 ? (size(series) / greatest) * 100 : 0}%`,
                background: paint(series.colour),
              }}
            />
          </span>
          <span class="num">
            <Quantity value={amount(series)} unit={frame.unit} />
          </span>
        </li>
      ))}
    </ol>
  );
}

const amount = ({ summary }: Frame["series"][number]): number | null => summary.total ?? summary.mean;
