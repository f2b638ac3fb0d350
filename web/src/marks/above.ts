import type { Mark } from "../source/source";
import { counted } from "../text";
import type { Above } from "./axis";

/** Findings of neighbouring parts that are the same are one. */
export function aboveOf(all: Mark[]): Above[] {
  const found: Above[] = [];
  for (const { span: part, findings } of all) {
    const [worst] = findings;
    if (!worst) continue;
    const name = findings.length === 1 ? worst.id : counted(findings.length, "finding");
    const last = found[found.length - 1];
    if (
      last &&
      last.name === name &&
      last.severity === worst.severity &&
      part.since_ms - last.until_ms < 1000
    ) {
      last.until_ms = part.until_ms;
    } else {
      found.push({ ...part, severity: worst.severity, name });
    }
  }
  return found;
}
