import type { Frame, FrameSeries } from "../source/source";
import { column, inColumn, middle, moment, time } from "../text";
import { nameOf, size } from "./read";

/** Columns of the table; the others are in the one of series. */
const MOST_COLUMNS = 6;

/** A chart as numbers: the mean of each step. */
export function StepTable({ frame }: { frame: Frame }) {
  const { since } = frame.steps;
  if (since.length < 2) return null;
  const series: FrameSeries[] = [...frame.series].sort((a, b) => size(b) - size(a)).slice(0, MOST_COLUMNS);
  const shown = column(Math.max(0, ...series.map(({ summary }) => summary.greatest ?? 0)), frame.unit);
  const at = frame.until_ms - frame.since_ms > 86_400_000 ? moment : time;
  const unit = shown.unit ? `, ${shown.unit}` : "";
  return (
    <table class="numbers">
      <caption>mean of each step{unit}</caption>
      <thead>
        <tr>
          <th scope="col">from</th>
          {series.map((one) => (
            <th key={one.name} scope="col" class="num bidi">
              {middle(nameOf(one), 16)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {Array.from(since, (ms, index) => (
          <tr key={ms}>
            <th scope="row">{at(ms)}</th>
            {series.map((one) => (
              <td key={one.name} class="num">
                {inColumn(one.mean[index], shown)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
