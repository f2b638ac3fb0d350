// Where active time went: the chart of classes with its table, or of programs, or of units.

import { useFigures } from "../ask";
import { classOf, paint } from "../classes";
import { byName, OTHERS } from "../examination";
import { aboveOf } from "../marks/above";
import { Hang } from "../marks/hang";
import type { ClassTotal, ExaminationDocument } from "../source/documents";
import type { Frame, Span } from "../source/source";
import { address, asTables, go, isLive, marks } from "../store";
import { column, count, harmless, inColumn, middle, seconds, share } from "../text";
import { Figure } from "./figure";
import { Swatch } from "./quantity";
import { Segments } from "./segments";
import { Failed, Loading } from "./states";

const KINDS = ["class", "program", "unit"] as const;
/** Classes with less than this share are one row, and the programs that a row names. */
const LEAST_SHARE = 0.005;
const MOST_CLASSES = 6;
const MOST_NAMES = 3;
const HEIGHT = 250;
/** Seconds below this are not shown beside the active time. */
const LEAST_BESIDE = 0.005;

const FIGURES: Record<string, string[]> = {
  class: ["time.classes"],
  program: ["time.running-programs", "time.waiting-programs"],
  unit: ["time.units"],
};

/** Steps of a chart beside the findings: two pixels each. */
export function stepsOf(): number {
  const width = window.innerWidth;
  const beside = width < 1000 ? 80 : width < 1700 ? 740 : 830;
  return Math.max(100, Math.min(800, Math.floor((width - beside) / 2)));
}

/** What runs and what waits, as one frame. */
function joined(frames: Frame[], ids: string[]): Frame | null {
  const all = ids.map((id) => frames.find((frame) => frame.id === id)).filter((frame) => frame !== undefined);
  const [first, second] = all;
  if (!first || !second || first.steps.since.length !== second.steps.since.length) return first ?? null;
  return { ...first, unit: "tasks", peaks: null, series: [...first.series, ...second.series] };
}

/** What is shown of a recording without waits. */
const WITHOUT = ["cpu.states", "disk.queue", "disk.latency"];

interface Props {
  /** None while the window is being judged. */
  examination: ExaminationDocument | null;
  span: Span;
}

export function ActiveTime({ examination, span }: Props) {
  const method = examination?.host.method;
  const asked = address.value.choices.kind ?? "";
  const kind = KINDS.find((one) => one === asked) ?? "class";
  // The chart does not wait for the judgement.
  const hasTime = !examination || examination.ledger.classes.length > 0;
  const ids = hasTime ? (FIGURES[kind] ?? []) : WITHOUT;
  const { frames, error, isLate, isDone } = useFigures(ids, span, stepsOf(), address.value.focus);
  const frame = hasTime ? joined(frames, ids) : (frames.find(({ id }) => id === WITHOUT[0]) ?? null);
  const others = hasTime ? [] : WITHOUT.slice(1).flatMap((id) => frames.find((one) => one.id === id) ?? []);
  const isSampled = method === "sampling" || method === "delays";
  const above = aboveOf(marks.value).filter(
    (one) => one.until_ms > span.since_ms && one.since_ms < span.until_ms,
  );
  return (
    <>
      <div class="sect">
        <h2>{examination ? heading(examination) : "Active time"}</h2>
        {hasTime && !isSampled ? (
          <Segments
            class="r"
            label="by"
            all={KINDS}
            chosen={kind}
            onChoose={(one) =>
              go({ choices: { ...address.value.choices, kind: one === "class" ? "" : one } })
            }
          />
        ) : (
          <span class="r">{hasTime ? "only the run queue is known" : "share of the CPUs’ time"}</span>
        )}
      </div>
      {error ? (
        <Failed error={error} />
      ) : frame ? (
        <Hang
          frame={frame}
          height={HEIGHT}
          above={above}
          isLive={isLive.value}
          asTable={asTables.value}
          wheel
        />
      ) : isDone ? (
        <p class="dim">
          {kind === "unit" && hasTime ? "No task belongs to a systemd unit here." : "Not measured here."}
        </p>
      ) : (
        <Loading isLate={isLate} height={HEIGHT} />
      )}
      {others.length > 0 ? (
        <div class="figs later">
          {others.map((one) => (
            <Figure key={one.id} frame={one} />
          ))}
        </div>
      ) : null}
      {address.value.focus ? (
        <p class="dim below">
          The chart is of <span class="bidi">{harmless(address.value.focus)}</span> alone; all else here is of
          all tasks.
        </p>
      ) : null}
      {isSampled ? (
        <p class="dim below">
          Below the line hangs the run queue alone. An empty space there is not the absence of waits.
        </p>
      ) : null}
      {hasTime && examination ? <ClassTable examination={examination} /> : null}
    </>
  );
}

function heading({ ledger, host }: ExaminationDocument): string {
  if (ledger.classes.length === 0) return "What the CPUs did";
  if (host.method === "sampling" || host.method === "delays") return "Running, and waiting for a CPU";
  const active = ledger.active_seconds;
  if (active <= 0) return "No task was active";
  const waiting = ledger.waiting_seconds / active;
  const seen = host.coverage < 0.9995 ? ` (${share(host.coverage)} seen)` : "";
  return `Active time ${seconds(active)}: ${share(1 - waiting)} running, ${share(waiting)} waiting${seen}`;
}

/** Interrupts belong to the host, not to a task. */
const isActive = ({ class: name, group }: ClassTotal) =>
  name !== "irq" && (group === "running" || group === "waiting");

function ClassTable({ examination }: { examination: ExaminationDocument }) {
  const { ledger } = examination;
  const active = ledger.active_seconds;
  if (active <= 0) return null;
  const all = ledger.classes.filter((one) => isActive(one) && one.seconds > 0);
  all.sort((a, b) => b.seconds - a.seconds);
  const most = all[0]?.seconds ?? 0;
  const shown = column(active, "s");
  const of = (group: string) => all.filter((one) => one.group === group);
  const sum = (some: ClassTotal[]) => some.reduce((total, one) => total + one.seconds, 0);
  const group = (name: "waiting" | "running") => {
    const members = of(name);
    const large = members.filter(({ seconds: spent }) => spent >= LEAST_SHARE * active).length;
    let number = Math.max(1, Math.min(MOST_CLASSES, large));
    // One that is left over takes no less room than a row that says so.
    if (members.length - number === 1) number += 1;
    const rest = members.slice(number);
    return (
      <>
        <tr class="sum">
          <th scope="row">{name}</th>
          <td class="num">
            {inColumn(sum(members), shown)}
            <span class="u">s</span>
          </td>
          <td class="num">{share(sum(members) / active)}</td>
          <td class="hide-s" />
          <td class="tasks" />
        </tr>
        {members.slice(0, number).map((one) => (
          <tr key={one.class}>
            <td class="nowrap">
              <Swatch paint={paint(classOf(one.class).colour)} />
              {classOf(one.class).label}
            </td>
            <td class="num">
              {inColumn(one.seconds, shown)}
              <span class="u">s</span>
            </td>
            <td class="num dim">{share(one.seconds / active)}</td>
            <td class="hide-s">
              <svg width={120} height={8} aria-hidden="true">
                <rect
                  width={Math.max(0.8, (one.seconds / most) * 120)}
                  height={8}
                  fill={paint(classOf(one.class).colour)}
                />
              </svg>
            </td>
            <td class="tasks bidi">{namesIn(one, (value) => inColumn(value, shown))}</td>
          </tr>
        ))}
        {rest.length > 0 ? (
          <tr class="quiet">
            <td>{count(rest.length)} more</td>
            <td class="num">
              {inColumn(sum(rest), shown)}
              <span class="u">s</span>
            </td>
            <td class="num">{share(sum(rest) / active)}</td>
            <td class="hide-s" />
            <td class="tasks">{rest.map((one) => classOf(one.class).label).join(", ")}</td>
          </tr>
        ) : null}
      </>
    );
  };
  const beside = besideIt(examination);
  return (
    <>
      <table class="classes" aria-label="Active time by class; shares are of all active time">
        <thead class="hide-s">
          <tr>
            <th scope="col">class</th>
            <th scope="col" class="num">
              time
            </th>
            <th scope="col" class="num">
              of active
            </th>
            <th scope="col">
              <span class="ear">as a bar</span>
            </th>
            <th scope="col">most of it, s</th>
          </tr>
        </thead>
        <tbody>
          {group("waiting")}
          {group("running")}
        </tbody>
      </table>
      {beside.length > 0 ? <p class="dim beside">not counted: {beside.join(" · ")}</p> : null}
    </>
  );
}

/** The programs of a class that have a fiftieth of it at least. */
function namesIn(one: ClassTotal, shown: (value: number) => string): string {
  return byName(one.tasks)
    .filter(({ name, seconds: spent }) => name !== OTHERS && spent > 0.02 * one.seconds)
    .slice(0, MOST_NAMES)
    .map(({ name, seconds: spent }) => `${middle(name, 20)}\u00a0${shown(spent)}`)
    .join(", ");
}

/** What is not active time, and threads of the kernel. */
function besideIt({ ledger }: ExaminationDocument): string[] {
  const found: string[] = [];
  const add = (called: string, members: ClassTotal[], isDetailed: boolean) => {
    const sorted = [...members].sort((a, b) => b.seconds - a.seconds);
    const sum = sorted.reduce((total, one) => total + one.seconds, 0);
    if (sum < LEAST_BESIDE) return;
    const parts = sorted.slice(0, 3).map((one) => `${classOf(one.class).label} ${seconds(one.seconds)}`);
    found.push(`${called} ${seconds(sum)}${isDetailed && sorted.length > 1 ? ` (${parts.join(", ")})` : ""}`);
  };
  const of = (group: string) => ledger.classes.filter((one) => one.group === group);
  add("idle", of("idle"), true);
  add("remote peer", of("peer"), false);
  for (const one of ledger.classes) {
    if (one.class === "irq" || one.group === "other") add(classOf(one.class).label, [one], false);
  }
  const kernel = (["running", "waiting"] as const)
    .map((group) => {
      const sum = ledger.kernel_threads
        .filter((one) => one.group === group)
        .reduce((total, one) => total + one.seconds, 0);
      return sum >= LEAST_BESIDE ? `${seconds(sum)} ${group}` : "";
    })
    .filter(Boolean);
  if (kernel.length > 0) found.push(`kernel threads ${kernel.join(", ")}`);
  return found;
}
