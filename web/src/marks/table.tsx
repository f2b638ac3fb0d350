import { paint } from "../classes";
import { Quantity, Swatch } from "../parts/quantity";
import type { Frame } from "../source/source";
import { column, inColumn, middle, time } from "../text";
import { nameOf } from "./read";

/** A chart as numbers: each series over the whole window. */
export function SeriesTable({ frame }: { frame: Frame }) {
  const most = Math.max(0, ...frame.series.map(({ summary }) => summary.greatest ?? summary.mean ?? 0));
  const shown = column(most, frame.unit);
  const hasTotal = frame.series.some(({ summary }) => summary.total !== null);
  const unit = shown.unit ? `, ${shown.unit}` : "";
  return (
    <table class="numbers">
      <caption>
        {frame.title}
        {unit}
      </caption>
      <thead>
        <tr>
          <th scope="col">series</th>
          <th scope="col" class="num">
            mean
          </th>
          <th scope="col" class="num">
            least
          </th>
          <th scope="col" class="num">
            greatest
          </th>
          <th scope="col" class="num">
            at
          </th>
          {hasTotal ? (
            <th scope="col" class="num">
              total
            </th>
          ) : null}
        </tr>
      </thead>
      <tbody>
        {frame.series.map((series) => {
          const { name, colour, summary } = series;
          return (
            <tr key={name}>
              <th scope="row">
                <Swatch paint={paint(colour)} />
                <span class="bidi">{middle(nameOf(series), 32)}</span>
              </th>
              <td class="num">{inColumn(summary.mean, shown)}</td>
              <td class="num">{inColumn(summary.least, shown)}</td>
              <td class="num">{inColumn(summary.greatest, shown)}</td>
              <td class="num dim">{summary.greatest_ms === null ? "" : time(summary.greatest_ms)}</td>
              {hasTotal ? (
                <td class="num">
                  <Quantity
                    value={summary.total}
                    unit={frame.unit === "tasks" ? "s" : totalUnit(frame.unit)}
                  />
                </td>
              ) : null}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** What a rate adds up to: bytes/s to bytes, /s to a number. */
function totalUnit(unit: string): string {
  if (unit === "CPUs" || unit === "ratio") return "s";
  return unit.endsWith("/s") ? unit.slice(0, -2) : unit;
}
