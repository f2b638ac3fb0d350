// A figure: what it shows of what, in which unit, the drawing, and one sentence of what is seen. It is also a table, a
// file, an address and a query.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { paint } from "../classes";
import { Bars } from "../marks/bars";
import { HeatChart, LinesChart } from "../marks/chart";
import { Hang } from "../marks/hang";
import { heatHeight } from "../marks/heat";
import { capital, short, size, titleOf } from "../marks/read";
import { scaleOf, unitWords } from "../marks/scale";
import { sentence } from "../marks/sentence";
import { StepTable } from "../marks/stepped";
import { SeriesTable } from "../marks/table";
import type { AskError, FigureInfo, Frame } from "../source/source";
import { address, asAskError, asTables, copy, isLive, link, say, source } from "../store";
import { counted } from "../text";
import { useWidth } from "../width";
import { Key } from "./key";
import { To } from "./link";
import { Swatch } from "./quantity";
import { Failed, Loading } from "./states";

export { asTables as areTables } from "../store";

const HEIGHT = 160;
const HUNG = 200;
/** A stack has its names at its end from this width on. */
const NAMED_FROM = 440;
const MOST_NAMED = 6;

export function figureHeight(frame: Frame): number {
  if (frame.kind === "heat") return heatHeight(frame, HEIGHT);
  return frame.kind === "stack" ? HUNG : HEIGHT;
}

/** The unit as it stands beside the title. */
function unitOf(frame: Frame): string {
  if (frame.kind === "lines") {
    const { unit, isLog } = scaleOf(frame);
    return isLog ? [unit, "log"].filter(Boolean).join(", ") : unit;
  }
  if (["s", "bytes", "bytes/s"].includes(frame.unit)) return "";
  if (frame.kind === "heat" && frame.unit === "ratio") return "share of each step";
  return unitWords(frame.unit);
}

interface FigureProps {
  frame: Frame;
  focus?: string | null;
  heading?: Heading;
}

/** Of what stands alone on a view; of what is part of a section. */
type Heading = "h2" | "h3";

export function Figure({ frame, focus = null, heading: Title = "h3" }: FigureProps) {
  const element = useRef<HTMLElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  const width = useWidth(inner);
  const [isOwn, setOwn] = useState(false);
  const isTable = isOwn !== asTables.value;
  const title = titleOf(frame);
  const isMeant = [frame.id, placeName(frame)].includes(address.value.choices.figure ?? "");
  useEffect(() => {
    if (isMeant) element.current?.scrollIntoView({ block: "nearest" });
  }, [isMeant]);
  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.key === ".") setOwn(!isOwn);
    else if (event.key === "y") copyLink(frame);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <figure ref={element} class={isMeant ? "figure meant" : "figure"} onKeyDown={onKey}>
      <figcaption class="cap">
        <Title>
          <span class="bidi">{title}</span> <small>{unitOf(frame)}</small>
        </Title>
        <span class="tools">
          {frame.kind === "bars" ? null : (
            <button type="button" aria-pressed={isTable} onClick={() => setOwn(!isOwn)}>
              <Key name="." /> {isTable ? "chart" : "table"}
            </button>
          )}
          <More frame={frame} />
        </span>
      </figcaption>
      <div ref={inner}>
        {isTable && frame.kind !== "bars" ? (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keys.
          <section class="tables" tabIndex={0} aria-label={`${title} as a table`}>
            <SeriesTable frame={frame} />
            <StepTable frame={frame} />
          </section>
        ) : width > 0 ? (
          <Drawing frame={frame} width={width} focus={focus} />
        ) : (
          <div style={{ height: `${figureHeight(frame)}px` }} />
        )}
      </div>
      <p class="say">{sentence(frame)}</p>
    </figure>
  );
}

function Drawing({ frame, width, focus }: { frame: Frame; width: number; focus: string | null }) {
  const height = figureHeight(frame);
  if (frame.kind === "bars") return <Bars frame={frame} />;
  if (frame.kind === "stack")
    return (
      <>
        <Hang frame={frame} height={height} isLive={isLive.value} />
        {width > NAMED_FROM ? null : <Legend frame={frame} />}
      </>
    );
  if (frame.kind === "heat") return <HeatChart frame={frame} width={width} height={height} focus={focus} />;
  return <LinesChart frame={frame} width={width} height={height} focus={focus} />;
}

/** Names of a stack that has no room for them at its end. */
function Legend({ frame }: { frame: Frame }) {
  const series = [...frame.series].filter((one) => size(one) > 0).sort((a, b) => size(b) - size(a));
  return (
    <ul class="legend">
      {series.slice(0, MOST_NAMED).map((one) => (
        <li key={one.name}>
          <Swatch paint={paint(one.colour)} />
          <span class="bidi">{short(one.name, 24)}</span>
        </li>
      ))}
      {series.length > MOST_NAMED ? (
        <li class="dim">{counted(series.length - MOST_NAMED, "other")}</li>
      ) : null}
    </ul>
  );
}

/** How an address names one figure of a view. */
function placeName(frame: Frame): string {
  return frame.subject ? `${frame.id}:${frame.subject}` : frame.id;
}

function copyLink(frame: Frame): void {
  const choices = { ...address.value.choices, figure: placeName(frame) };
  void copy(link({ choices }), "The address of this figure is copied, with its times.");
}

/** What else a figure is: files, an address, a query. */
function More({ frame }: { frame: Frame }) {
  const details = useRef<HTMLDetailsElement>(null);
  const close = () => {
    if (details.current) details.current.open = false;
  };
  const save = async (kind: "svg" | "png" | "csv") => {
    close();
    try {
      const from = source.value;
      if (from)
        offer(await from.file(kind, frame, frame), `${placeName(frame).replace(/[^\w.-]+/g, "-")}.${kind}`);
    } catch (error) {
      const { message, advice } = asAskError(error);
      say([message, advice].filter(Boolean).join(" "));
    }
  };
  return (
    <details
      ref={details}
      class="further"
      onFocusOut={(event) => {
        if (!details.current?.contains(event.relatedTarget as Node | null)) close();
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !details.current?.open) return;
        close();
        details.current.querySelector("summary")?.focus();
        event.stopPropagation();
        event.preventDefault();
      }}
    >
      <summary>more</summary>
      <div class="pop menu">
        {(["svg", "png", "csv"] as const).map((kind) => (
          <button key={kind} type="button" onClick={() => void save(kind)}>
            save as {kind.toUpperCase()}
          </button>
        ))}
        <button
          type="button"
          onClick={() => {
            close();
            copyLink(frame);
          }}
        >
          copy the address <Key name="y" />
        </button>
        {frame.sql ? <To to={{ view: "sql", what: "", choices: { query: frame.sql } }}>its SQL</To> : null}
      </div>
    </details>
  );
}

/** Lets the browser save a file. */
export function offer(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const anchor = document.createElement("a");
  anchor.href = url;
  anchor.download = name;
  anchor.click();
  window.setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

interface EmptyProps {
  info: FigureInfo;
  heading?: Heading;
  /** What there is in its place. */
  children: ComponentChildren;
  isBusy?: boolean;
}

/** The place of a figure that is not there: asked for, failed, not measured. */
export function EmptyFigure({ info, heading: Title = "h3", children, isBusy = false }: EmptyProps) {
  return (
    <figure class="figure" aria-busy={isBusy}>
      <figcaption class="cap">
        <Title class="dim">{capital(info.title)}</Title>
      </figcaption>
      {children}
    </figure>
  );
}

/** What stands there until it comes, or why it does not. */
export function Pending({ isLate, error }: { isLate: boolean; error: AskError | null }) {
  return error ? <Failed error={error} /> : <Loading isLate={isLate} height={HEIGHT} />;
}
