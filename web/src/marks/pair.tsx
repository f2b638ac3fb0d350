// Two values side by side, and the interval of their difference.

const HEIGHT = 16;

/** Hollow: before; filled: after. */
export function Dumbbell({
  before,
  after,
  greatest,
  colour,
  width,
}: {
  before: number;
  after: number;
  greatest: number;
  colour: string;
  width: number;
}) {
  const x = (value: number) => 4 + (greatest > 0 ? value / greatest : 0) * (width - 9);
  const middle = HEIGHT / 2;
  return (
    <svg width={width} height={HEIGHT} aria-hidden="true">
      <path d={`M4 ${middle}H${width - 4}`} style={{ stroke: "var(--hair)" }} />
      <path d={`M${x(before)} ${middle}H${x(after)}`} style={{ stroke: colour, strokeWidth: 2 }} />
      <circle
        cx={x(before)}
        cy={middle}
        r={3.2}
        style={{ fill: "var(--paper)", stroke: colour, strokeWidth: 1.5 }}
      />
      <circle cx={x(after)} cy={middle} r={4} style={{ fill: colour }} />
    </svg>
  );
}

/** An interval around nothing: left of the line is less, right of it more. */
export function Interval({
  low,
  high,
  middle,
  greatest,
  width,
}: {
  low: number | null;
  high: number | null;
  middle: number;
  greatest: number;
  width: number;
}) {
  const centre = width / 2;
  const x = (value: number) =>
    centre + (greatest > 0 ? Math.max(-1, Math.min(1, value / greatest)) : 0) * (centre - 6);
  const line = HEIGHT / 2;
  const colour =
    low !== null && low > 0 ? "var(--more)" : high !== null && high < 0 ? "var(--less)" : "var(--ink3)";
  const hasInterval = low !== null && high !== null;
  return (
    <svg width={width} height={HEIGHT} aria-hidden="true">
      <path d={`M4 ${line}H${width - 4}`} style={{ stroke: "var(--hair)" }} />
      <path d={`M${centre} -6V${HEIGHT + 6}`} style={{ stroke: "var(--ink)" }} />
      {hasInterval ? (
        <path d={`M${x(low)} ${line}H${x(high)}`} style={{ stroke: colour, strokeWidth: 3 }} />
      ) : null}
      {hasInterval ? <circle cx={x(middle)} cy={line} r={3.6} style={{ fill: colour }} /> : null}
    </svg>
  );
}
