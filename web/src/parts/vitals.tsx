import { useEffect, useRef, useState } from "preact/hooks";
import type { ExaminationDocument } from "../source/documents";
import { address, isLive, now, source, state, view } from "../store";
import { bytes, count, fixed, harmless, middle, seconds, share } from "../text";
import { Key } from "./key";
import { To } from "./link";

interface Vital {
  name: string;
  text: string;
  /** The area that it leads to, and its key. */
  area: string;
  key: string;
}

/** Live they are asked for this often at most. */
const NOW_MS = 2000;
/** A state of the CPUs from this share on is printed. */
const LEAST_STATE = 0.005;
const whole = (of: number) => `${fixed(100 * of, 0)}\u00a0%`;
const short = (value: number) => fixed(value, value < 10 ? 1 : 0);

/** One number for each resource, in the order of the command line. */
export function vitalsOf({ vitals, cpu_use: use }: Pick<ExaminationDocument, "vitals" | "cpu_use">): Vital[] {
  const all: Vital[] = [];
  const add = (name: string, text: string, area: string, key: string) => all.push({ name, text, area, key });
  if (vitals.cpu_busy !== null) {
    const states = (use?.states ?? []).filter((one) => one.share >= LEAST_STATE && one.state !== "idle");
    const parts = states.map((one) => `${harmless(one.state)} ${fixed(one.share * 100, 0)}`).join(", ");
    add("CPU", `${whole(vitals.cpu_busy)}${parts ? `: ${parts}` : ""}`, "cpu", "c");
  }
  if (vitals.queue !== null) add("run queue", fixed(vitals.queue, 1), "cpu", "c");
  if (vitals.runnable !== null) add("runnable", short(vitals.runnable), "cpu", "c");
  const { load } = vitals;
  if (load) {
    const others = [load.five, load.fifteen].filter((one) => one !== null).map(short);
    const text =
      load.most !== null
        ? `${short(load.one)} (at most ${short(load.most)})`
        : [short(load.one), ...others].join(" ");
    add("load", text, "cpu", "c");
  }
  if ((vitals.blocked ?? 0) >= 0.5) add("blocked", short(vitals.blocked ?? 0), "cpu", "c");
  const largest = vitals.largest
    ? `${middle(vitals.largest.name, 20)} ${bytes(vitals.largest.resident_bytes)}`
    : "";
  if (vitals.memory_used !== null) {
    add("memory", `${whole(vitals.memory_used)}${largest ? ` (${largest})` : ""}`, "memory", "m");
  } else if (largest) add("memory", largest, "memory", "m");
  if ((vitals.swap_used ?? 0) >= 0.1) add("swap", whole(vitals.swap_used ?? 0), "memory", "m");
  const { disk, network, pressure } = vitals;
  if (disk && (disk.latency_s !== null || disk.depth !== null)) {
    const parts = [
      disk.latency_s === null ? "" : seconds(disk.latency_s),
      disk.depth === null ? "" : `depth ${short(disk.depth)}`,
    ];
    add(middle(disk.device, 16), parts.filter(Boolean).join(", "), "disk", "d");
  }
  if (network) {
    const packets =
      (network.packets_per_s ?? 0) >= 50_000 ? `, ${count(network.packets_per_s)} packets/s` : "";
    add(middle(network.interface, 16), `${bytes(network.bytes_per_s)}/s${packets}`, "net", "n");
  }
  const stalls = [
    ["CPU", pressure.cpu],
    ["I/O", pressure.io],
    ["memory", pressure.memory],
  ] as const;
  const known = stalls.filter(([, of]) => of !== null).map(([name, of]) => `${name} ${whole(of ?? 0)}`);
  if (known.length > 0) add("PSI", known.join(", "), "cpu", "");
  const { database } = vitals;
  if (database) {
    const parts = [
      database.db_time_s === null ? "" : `DB time ${seconds(database.db_time_s)}`,
      database.average_active_sessions === null ? "" : `AAS ${short(database.average_active_sessions)}`,
      ...database.events.slice(0, 2).map((one) => `${middle(one.event, 32)} ${share(one.share)}`),
    ];
    add(middle(database.instance ?? "database", 20), parts.filter(Boolean).join(", "), "db", "");
  }
  return all;
}

/** While live: of the last samples, more often than findings are judged. */
function useNow(): ExaminationDocument["vitals"] | null {
  const [vitals, setVitals] = useState<ExaminationDocument["vitals"] | null>(null);
  const asked = useRef(0);
  const at = isLive.value ? now.value : null;
  useEffect(() => {
    const from = source.value;
    if (at === null) setVitals(null);
    if (!from || at === null || at - asked.current < NOW_MS || document.hidden) return;
    asked.current = at;
    from.now().then(
      (answer) => setVitals(answer.vitals),
      // Those of the last judgement stay.
      () => undefined,
    );
  }, [at]);
  return at === null ? null : vitals;
}

/** The vital signs; each leads to its area. */
export function Vitals() {
  const latest = useNow();
  const examination = view.value?.examination;
  if (!state.value || ["try", "record", "compare"].includes(address.value.view)) return null;
  const all = latest ? vitalsOf({ vitals: latest }) : examination ? vitalsOf(examination) : [];
  return (
    <nav class="vitals" aria-label="Vitals, means over the window">
      {all.map(({ name, text, area, key }) => (
        <To key={name} to={{ view: "area", what: area }}>
          <span class="dim3">{name}</span> {text}
          {key ? <Key name={key} /> : null}
        </To>
      ))}
    </nav>
  );
}
