import { type Parts, quantity } from "../text";

/** A number with its unit apart and lighter. */
export function Quantity({ value, unit, parts }: { value?: number | null; unit?: string; parts?: Parts }) {
  const [text, of] = parts ?? quantity(value ?? null, unit ?? "");
  if (of === "") return <>{text}</>;
  // A rate stands close: 142/s.
  const isClose = of.startsWith("/");
  return (
    <span class="q">
      {text}
      <span class={isClose ? "u close" : "u"}>{of}</span>
    </span>
  );
}

/** The swatch of a class or a series. */
export function Swatch({ paint }: { paint: string }) {
  return <i class="sw" style={{ background: paint }} aria-hidden="true" />;
}

export const SEVERITIES: Record<string, string> = {
  critical: "critical",
  warning: "warning",
  info: "information",
};

/** A shape of a severity, drawn so that every font shows the same: filled, hollow, round. */
export function severityPath(severity: string, x: number, y: number, r = 5) {
  if (severity === "critical") {
    return <path class="sv" d={`M${x} ${y - r}L${x + r * 1.05} ${y + r * 0.85}H${x - r * 1.05}Z`} />;
  }
  if (severity === "warning") {
    return <path class="sv hollow" d={`M${x} ${y - r + 0.7}L${x + r} ${y + r * 0.8}H${x - r}Z`} />;
  }
  return <circle class="sv round" cx={x} cy={y} r={r - 1.4} />;
}

export function Severity({ severity, size = 13 }: { severity: string; size?: number }) {
  return (
    <svg
      class="sevicon"
      width={size}
      height={size}
      viewBox="-7 -7 14 14"
      role="img"
      aria-label={SEVERITIES[severity] ?? severity}
    >
      {severityPath(severity, 0, 0, 6)}
    </svg>
  );
}
