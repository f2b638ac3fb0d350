// The figures of one resource. Those without numbers come last, with what would supply them.

import { useEffect, useRef } from "preact/hooks";
import { capital, nameOf } from "../marks/read";
import { useBoard } from "../parts/board";
import { EmptyFigure, Figure, Pending } from "../parts/figure";
import { Key } from "../parts/key";
import { To } from "../parts/link";
import { Section } from "../parts/section";
import type { FigureInfo, Frame, PageView } from "../source/source";
import { address, go, span, state, view } from "../store";
import { counted, middle, number, share, withUnit } from "../text";
import { useWidth } from "../width";

/** Keys of areas, as in the keymap. */
const KEYS: Record<string, string> = { cpu: "c", disk: "d", memory: "m", net: "n", groups: "g" };
/** Things of one kind that have a chart of a figure; the others on request. */
const MOST_SUBJECTS = 6;
const COLUMN_GAP = 48;

/** Charts in a row. */
export function columnsOf(width: number): number {
  if (width >= 1500) return 3;
  return width >= 760 ? 2 : 1;
}

/** Steps of charts of a width, in few different numbers: a window that grows a little asks nothing. */
export function stepsOf(width: number): number {
  const wanted = width / 2;
  return Math.max(60, Math.min(960, Math.ceil(wanted / 60) * 60));
}

export function Area() {
  const given = state.value;
  const area = address.value.what;
  if (!given) return null;
  const known = given.areas.find((one) => one.id === area);
  const figures = given.figures.filter((figure) => figure.area === area);
  return (
    <>
      <h1 class="ear">{known?.title ?? area}</h1>
      <nav class="sect areas" aria-label="Areas">
        <ul class="seg">
          {given.areas.map((one) => {
            const to = { view: "area" as const, what: one.id, choices: {} };
            return (
              <li key={one.id}>
                <To to={to} aria-current={one.id === area ? "true" : undefined}>
                  {one.title}
                  {KEYS[one.id] ? <Key name={KEYS[one.id] ?? ""} /> : null}
                </To>
              </li>
            );
          })}
        </ul>
      </nav>
      {figures.length === 0 ? (
        <p class="note">There is no area of this name.</p>
      ) : (
        <Figures key={area} area={area} figures={figures} />
      )}
    </>
  );
}

function Figures({ area, figures }: { area: string; figures: FigureInfo[] }) {
  const element = useRef<HTMLDivElement>(null);
  const width = useWidth(element);
  const columns = columnsOf(width);
  const steps = stepsOf((width - (columns - 1) * COLUMN_GAP) / columns);
  const focus = address.value.focus;
  const board = useBoard(
    figures.map((figure) => figure.id),
    width > 0 ? span.value : null,
    steps,
    focus,
  );
  const missing = figures.filter(({ id }) => {
    const { isDone, frames, error } = board.of(id);
    return isDone && frames.length === 0 && !error;
  });
  // What is zero all the time is one line; what was not for once stays a chart, so that nothing jumps while live.
  const loud = useRef(new Set<string>());
  const quiet = figures.filter(({ id }) => {
    const { isDone, frames } = board.of(id);
    if (frames.some((frame) => !isQuiet(frame)) || address.value.choices.figure === id) loud.current.add(id);
    return isDone && frames.length > 0 && !loud.current.has(id);
  });
  const others = figures.filter((figure) => !missing.includes(figure) && !quiet.includes(figure));
  return (
    <>
      <p class="dim lede">{sentenceOf(area, view.value)}</p>
      <div ref={element} class="figs" style={{ "--columns": columns }}>
        {others.map((info) => (
          <Place key={info.id} info={info} board={board} focus={focus} />
        ))}
      </div>
      {quiet.length > 0 ? (
        <Section class="absent" title="Zero throughout" said={counted(quiet.length, "figure")}>
          <dl class="missing">
            {quiet.map((info) => (
              <div key={info.id} ref={board.place(info.id)}>
                <dt>{capital(info.title)}</dt>
                <dd>
                  {quietText(board.of(info.id).frames)}{" "}
                  <To to={{ choices: { ...address.value.choices, figure: info.id } }} class="l">
                    chart
                  </To>
                </dd>
              </div>
            ))}
          </dl>
        </Section>
      ) : null}
      {missing.length > 0 ? (
        <Section class="absent" title="Not measured here" said={counted(missing.length, "figure")}>
          <dl class="missing">
            {missing.map((info) => (
              <div key={info.id}>
                <dt>{capital(info.title)}</dt>
                <dd>{info.supplied_by ? `supplied by ${info.supplied_by}` : "no rows in this window"}</dd>
              </div>
            ))}
          </dl>
        </Section>
      ) : null}
    </>
  );
}

/** Whether every sample of every series is zero. */
function isQuiet(frame: Frame): boolean {
  return frame.series.every(({ summary }) => summary.greatest === 0 || summary.greatest === null);
}

/** Of what it is zero. */
function quietText(frames: Frame[]): string {
  const subjects = frames.flatMap((frame) => (frame.subject === null ? [] : [middle(frame.subject, 24)]));
  const series = [...new Set(frames.flatMap((frame) => frame.series.map(nameOf)))];
  const parts = [subjects, series].filter((names) => names.length > 0);
  return parts
    .map((names) => (names.length > 5 ? counted(names.length, "series", "series") : names.join(", ")))
    .join(": ");
}

interface PlaceProps {
  info: FigureInfo;
  board: ReturnType<typeof useBoard>;
  focus: string | null;
}

/** The charts of one figure: one, or one for each thing that it is of. */
export function Place({ info, board, focus }: PlaceProps) {
  const { frames, error } = board.of(info.id);
  const ref = board.place(info.id);
  const wanted = address.value.choices.figure ?? "";
  const isMeant = wanted === info.id || wanted.startsWith(`${info.id}:`);
  useEffect(() => {
    if (isMeant) document.getElementById(info.id)?.scrollIntoView({ block: "center" });
  }, [isMeant]);
  const isAll = wanted === `${info.id}:` || frames.length <= MOST_SUBJECTS + 1;
  const shown = isAll
    ? frames
    : frames.filter((frame, at) => at < MOST_SUBJECTS || wanted === `${info.id}:${frame.subject}`);
  if (error || frames.length === 0)
    return (
      <div ref={ref} id={info.id}>
        <EmptyFigure info={info} heading="h2" isBusy={!error}>
          <Pending isLate={board.isLate} error={error} />
        </EmptyFigure>
      </div>
    );
  return (
    <>
      {shown.map((frame, at) => (
        <div key={frame.subject ?? ""} {...(at === 0 ? { ref, id: info.id } : {})}>
          <Figure frame={frame} focus={focus} heading="h2" />
        </div>
      ))}
      {shown.length < frames.length ? (
        <p class="dim">
          {info.title}: {counted(frames.length - shown.length, "other")} with less.{" "}
          <button
            type="button"
            class="l"
            onClick={() => go({ choices: { ...address.value.choices, figure: `${info.id}:` } })}
          >
            show all
          </button>
        </p>
      ) : null}
    </>
  );
}

/** The vital signs of an area. */
function sentenceOf(area: string, seen: PageView | null): string {
  const given = seen?.examination;
  if (!given) return "";
  const { vitals, host } = given;
  const parts: string[] = [];
  const add = (value: number | null | undefined, words: (value: number) => string) => {
    if (value !== null && value !== undefined) parts.push(words(value));
  };
  if (area === "cpu" || area === "time") {
    add(host.cpus, (n) => counted(n, "CPU"));
    add(vitals.cpu_busy, (busy) => `${share(busy)} busy`);
    add(vitals.queue, (tasks) => `${number(round(tasks))} tasks in the run queue on average`);
    add(vitals.runnable, (tasks) => `${number(round(tasks))} tasks running or in the run queue on average`);
    add(vitals.pressure.cpu, (part) => `PSI CPU ${share(part)}`);
  } else if (area === "disk" || area === "fs") {
    const disk = vitals.disk;
    add(disk?.latency_s, (latency) => `${disk?.device}: ${withUnit(latency, "s")} per request`);
    add(disk?.depth, (depth) => `queue depth ${number(round(depth))}`);
    add(vitals.pressure.io, (part) => `PSI I/O ${share(part)}`);
  } else if (area === "memory") {
    add(vitals.memory_used, (used) => `${share(used)} of ${withUnit(host.memory_bytes, "bytes")} used`);
    add(vitals.swap_used, (used) => `${share(used)} of swap used`);
    add(vitals.pressure.memory, (part) => `PSI memory ${share(part)}`);
  } else if (area === "net") {
    const net = vitals.network;
    add(net?.bytes_per_s, (rate) => `${net?.interface}: ${withUnit(rate, "bytes/s")}`);
    add(net?.packets_per_s, (rate) => `${number(Math.round(rate))} packets/s`);
  }
  return parts.length > 0 ? `${parts.join(", ")}.` : "";
}

const round = (value: number) => Math.round(value * 100) / 100;
