// What changed: this window against another one.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useAsk } from "../ask";
import { classOf, classPaint } from "../classes";
import { Dumbbell, Interval } from "../marks/pair";
import { To } from "../parts/link";
import { Quantity, Severity, Swatch } from "../parts/quantity";
import { Failed, Loading } from "../parts/states";
import type { ComparisonDocument } from "../source/documents";
import type { Span } from "../source/source";
import { address, go, source, span, state } from "../store";
import {
  type Column,
  column,
  count,
  counted,
  duration,
  glue,
  harmless,
  inColumn,
  isSameDay,
  middle,
  moment,
  number,
  quantity,
  share,
  windowText,
} from "../text";

const MARKED = "heldup-marked";
/** Classes with less time on both sides are left out, unless they differ. */
const LEAST_RATE = 0.005;
/** Rows of a list before the others are asked for. */
const MOST_ROWS = 12;
const DAY = 86_400_000;

function marked(): Span | null {
  try {
    const found = JSON.parse(sessionStorage.getItem(MARKED) ?? "null");
    return typeof found?.since_ms === "number" && typeof found?.until_ms === "number" ? found : null;
  } catch {
    return null;
  }
}

const isSame = (a: Span | null, b: Span | null) =>
  a !== null &&
  b !== null &&
  Math.abs(a.since_ms - b.since_ms) < 1000 &&
  Math.abs(a.until_ms - b.until_ms) < 1000;

export function Compare() {
  const window = span.value;
  const all = state.value?.all ?? null;
  const [mark, setMark] = useState(marked);
  const length = window ? window.until_ms - window.since_ms : 0;
  const shifted = (by: number): Span | null =>
    window ? { since_ms: window.since_ms - by, until_ms: window.until_ms - by } : null;
  const isRecorded = (one: Span | null) =>
    one !== null && (all === null || one.since_ms >= all.since_ms - 1000);
  const first = shifted(length);
  const before = address.value.with ?? (isRecorded(first) ? first : null);
  const from = source.value;
  const asked = useAsk(from && window && before ? (signal) => from.compare(window, before, signal) : null, [
    window?.since_ms,
    window?.until_ms,
    before?.since_ms,
    before?.until_ms,
  ]);
  const keep = (one: Span) => {
    try {
      sessionStorage.setItem(MARKED, JSON.stringify(one));
    } catch {
      // It is kept for this view.
    }
    setMark(one);
  };
  if (!window) return <Loading isLate={false} height={320} />;
  const choices: [string, Span | null][] = [
    ["the window before", first],
    ["the same time yesterday", shifted(DAY)],
  ];
  if (mark && !isSame(mark, window)) choices.push([`marked: ${windowText(mark, window.since_ms)}`, mark]);
  const found = asked.value;
  return (
    <>
      <h1 class="hidden">What changed</h1>
      <div class="sides">
        <Side letter="A" name="before" window={before} near={window.since_ms} side={found?.first ?? null} />
        <Side
          letter="B"
          name="this window"
          window={window}
          near={window.since_ms}
          side={found?.second ?? null}
        />
      </div>
      <nav class="seg against" aria-label="compare with">
        <span class="dim3">compare with</span>
        {choices.map(([label, one]) =>
          isRecorded(one) ? (
            <To
              key={label}
              to={{ with: one }}
              class="choice"
              aria-current={isSame(one, before) ? "true" : undefined}
            >
              {label}
            </To>
          ) : (
            <span key={label} class="dim3" title="not recorded">
              {label}: not recorded
            </span>
          ),
        )}
        {before && !choices.some(([, one]) => isSame(one, before)) ? (
          <span class="choice" aria-current="true">
            {windowText(before, window.since_ms)}
          </span>
        ) : null}
        <button type="button" class="choice" onClick={() => keep(window)}>
          {isSame(mark, window) ? "this window is marked" : "mark this window"}
        </button>
        {before ? (
          <button
            type="button"
            class="choice"
            onClick={() => go({ since: before.since_ms, until: before.until_ms, with: window })}
          >
            swap A and B
          </button>
        ) : null}
      </nav>
      {before ? null : (
        <div class="note">
          <p>Nothing is recorded before this window.</p>
          <p class="dim">Choose a later window, or drag another one on the strip with Shift held.</p>
        </div>
      )}
      {asked.error ? <Failed error={asked.error} /> : null}
      {before && !found && !asked.error ? <Loading isLate={asked.isLate} height={320} /> : null}
      {found ? <Found found={found} /> : null}
    </>
  );
}

function Side({
  letter,
  name,
  window,
  near,
  side,
}: {
  letter: string;
  name: string;
  window: Span | null;
  near: number;
  side: ComparisonDocument["first"] | null;
}) {
  if (!window) return <div />;
  const length = duration(window.until_ms - window.since_ms);
  return (
    <section>
      <p class="dim3">
        {letter} · {name}
      </p>
      <h2>
        {isSameDay(window.since_ms, near) ? windowText(window, near) : `${moment(window.since_ms)} – …`}{" "}
        <span class="dim plain">
          {length}
          {side ? `, ${counted(side.samples, "sample")}` : ""}
        </span>
      </h2>
    </section>
  );
}

function Found({ found }: { found: ComparisonDocument }) {
  return (
    <>
      <Headlines found={found} />
      <Ledger found={found} />
      <div class="compare-columns">
        <div>
          <Settings found={found} />
          <Findings found={found} />
          <Programs found={found} />
        </div>
        <Metrics found={found} />
      </div>
      {found.errors.length > 0 ? (
        <Part title="Not read">
          <ul>
            {found.errors.map((error) => (
              <li key={error.where + error.what}>
                <code class="bidi">{harmless(error.where)}</code> {harmless(error.what)}
              </li>
            ))}
          </ul>
        </Part>
      ) : null}
    </>
  );
}

function verdict({ verdict, first, second, metrics_judged }: ComparisonDocument): string {
  const samples = Math.min(first.samples, second.samples);
  if (verdict === "undecided" || metrics_judged === 0) {
    return `Not judged: ${counted(samples, "sample")} on the shorter side. Choose longer windows.`;
  }
  return "No difference beyond noise";
}

function Headlines({ found }: { found: ComparisonDocument }) {
  if (found.headlines.length === 0) {
    return (
      <>
        <p class="lead headlines">{verdict(found)}</p>
        <Notes notes={found.notes} />
      </>
    );
  }
  return (
    <>
      <ol class="headlines">
        {found.headlines.map((line) => (
          <li key={line.text} class="lead">
            <span class="at">
              {line.severity ? (
                <Severity severity={line.severity} />
              ) : (
                <span class="dim3" aria-hidden="true">
                  ·
                </span>
              )}
            </span>
            <span class="bidi">
              {glue(line.text)}
              {line.judgement === "not_judged" ? <span class="dim plain"> (not judged)</span> : null}
            </span>
          </li>
        ))}
      </ol>
      {found.verdict === "undecided" ? <p class="dim">{verdict(found)}</p> : null}
      <Notes notes={found.notes} />
    </>
  );
}

function Notes({ notes }: { notes: string[] }) {
  if (notes.length === 0) return null;
  return (
    <ul class="dim notes">
      {notes.map((note) => (
        <li key={note}>{harmless(note)}</li>
      ))}
    </ul>
  );
}

function Part({ title, said, children }: { title: string; said?: string; children?: ComponentChildren }) {
  return (
    <section class="block">
      <div class="sect">
        <h2>{title}</h2>
        {said ? <span class="dim">{said}</span> : null}
      </div>
      {children}
    </section>
  );
}

/** With its sign; of a column with the column's precision. */
function signed(value: number, how?: Column): string {
  if (value === 0) return "0";
  const size = how ? inColumn(Math.abs(value), how) : number(Math.abs(value));
  if (size.startsWith("<")) return size;
  return value > 0 ? `+${size}` : `−${size}`;
}

/** Every class: what it is on both sides, and the change with its interval. */
function Ledger({ found }: { found: ComparisonDocument }) {
  const shown = found.ledger.filter(
    (one) =>
      one.judgement === "differs" ||
      (Math.max(one.first, one.second) >= LEAST_RATE && !["idle", "other"].includes(one.group)),
  );
  if (shown.length === 0) {
    return (
      <Part title="Active time by class">
        <p class="dim">No difference.</p>
      </Part>
    );
  }
  const greatest = Math.max(...shown.flatMap((one) => [one.first, one.second]));
  const widest = Math.max(
    0,
    ...shown.flatMap((one) => [Math.abs(one.change_low ?? 0), Math.abs(one.change_high ?? 0)]),
  );
  const how = column(greatest, "tasks");
  const changes = column(Math.max(...shown.map((one) => Math.abs(one.second - one.first))), "tasks");
  // What is idle is not held up: last.
  shown.sort((a, b) => Number(a.group === "idle") - Number(b.group === "idle"));
  return (
    <section class="block">
      <div class="sect">
        <h2>Active time by class</h2>
        <span class="dim">tasks; the change with its 99 % interval</span>
        <span class="r key">
          <svg width={12} height={12} aria-hidden="true">
            <circle
              cx={6}
              cy={6}
              r={3.2}
              style={{ fill: "var(--paper)", stroke: "var(--ink)", strokeWidth: 1.5 }}
            />
          </svg>
          A
          <svg width={12} height={12} aria-hidden="true">
            <circle cx={6} cy={6} r={4} style={{ fill: "var(--ink)" }} />
          </svg>
          B
        </span>
      </div>
      <table class="ledger-difference">
        <thead>
          <tr>
            <th>class</th>
            <th class="num">A</th>
            <th class="num">B</th>
            <th class="wide">A to B</th>
            <th class="num">change</th>
            <th class="mid centre">less ← → more</th>
            <th class="mid">99 % interval</th>
            <th class="wide">where it comes from</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((one) => {
            const change = one.second - one.first;
            const isKnown = one.judgement === "differs";
            return (
              <tr key={one.class}>
                <td class="nowrap">
                  <Swatch paint={classPaint(one.class)} />
                  {classOf(one.class).label}
                </td>
                <td class="num">{inColumn(one.first, how)}</td>
                <td class="num">{inColumn(one.second, how)}</td>
                <td class="wide">
                  <Dumbbell
                    before={one.first}
                    after={one.second}
                    greatest={greatest}
                    colour={classPaint(one.class)}
                    width={190}
                  />
                </td>
                <td class={isKnown ? "num strong" : "num dim"}>{signed(change, changes)}</td>
                <td class="mid centre">
                  <Interval
                    low={one.change_low}
                    high={one.change_high}
                    middle={change}
                    greatest={widest}
                    width={170}
                  />
                </td>
                <td class="mid dim nowrap">{interval(one, changes)}</td>
                <td class="wide dim bidi">{origins(one, changes)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

function interval(one: ComparisonDocument["ledger"][number], how: Column): string {
  if (one.judgement === "not_judged") return "not judged";
  if (one.judgement === "no_difference_seen") return "no difference seen";
  if (one.change_low === null || one.change_high === null) return "differs";
  return `${signed(one.change_low, how)} to ${signed(one.change_high, how)}`;
}

/** Programs whose time of the class changed, most first. */
function origins(one: ComparisonDocument["ledger"][number], how: Column): string {
  return one.programs
    .map((program) => ({ name: program.name, change: program.second - program.first }))
    .filter(({ change }) => Math.abs(change) >= LEAST_RATE)
    .sort((a, b) => Math.abs(b.change) - Math.abs(a.change))
    .slice(0, 3)
    .map(({ name, change }) => `${middle(name, 24)} ${signed(change, how)}`)
    .join(", ");
}

function Settings({ found }: { found: ComparisonDocument }) {
  const [rows, rest] = useRows(found.settings);
  if (found.settings.length === 0) {
    return (
      <Part title="Settings" said="none differ">
        <p class="dim">All settings are the same on both sides.</p>
      </Part>
    );
  }
  const name = (one: ComparisonDocument["settings"][number]) =>
    one.table === "setting" ? one.subject : [one.table, one.subject, one.column].filter(Boolean).join(" ");
  return (
    <Part title="Settings" said={`${count(found.settings.length)} differ`}>
      <table>
        <thead>
          <tr>
            <th>setting</th>
            <th>A</th>
            <th>B</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((one) => (
            <tr key={`${one.table} ${one.subject} ${one.column}`}>
              <td class="mono any">{harmless(name(one))}</td>
              <td class="any">
                {one.first === null ? <span class="dim3">absent</span> : harmless(one.first)}
              </td>
              <td class="any">
                {one.second === null ? <span class="dim3">absent</span> : harmless(one.second)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {rest}
    </Part>
  );
}

/** The first rows, and a button for the others. */
function useRows<T>(all: T[]): [T[], ComponentChildren] {
  const [isWhole, setWhole] = useState(false);
  if (all.length <= MOST_ROWS) return [all, null];
  return [
    isWhole ? all : all.slice(0, MOST_ROWS),
    <button key="rest" type="button" class="l rest" onClick={() => setWhole(!isWhole)}>
      {isWhole ? `the first ${MOST_ROWS} only` : `all ${count(all.length)}`}
    </button>,
  ];
}

function Findings({ found }: { found: ComparisonDocument }) {
  const all = found.findings.filter((one) => one.judgement !== "no_difference_seen");
  const side = (severity: string | null, cost: number | null) => {
    if (severity === null) return <span class="dim3">none</span>;
    return (
      <span class="nowrap">
        <Severity severity={severity} /> {cost === null ? "" : share(cost)}
      </span>
    );
  };
  return (
    <Part title="Findings" said={all.length === 0 ? "none differ" : "share of active time"}>
      {all.length === 0 ? (
        <p class="dim">The same findings on both sides, or none.</p>
      ) : (
        <table>
          <thead>
            <tr>
              <th>finding</th>
              <th class="num">A</th>
              <th class="num">B</th>
            </tr>
          </thead>
          <tbody>
            {all.map((one) => (
              <tr key={one.key}>
                <td class="any">
                  {one.second ? (
                    <To class="l" to={{ view: "finding", what: one.key, with: null }}>
                      {harmless(one.id)}
                    </To>
                  ) : (
                    harmless(one.id)
                  )}{" "}
                  <span class="dim bidi">{middle(one.subject, 40)}</span>
                  {one.judgement === "not_judged" ? <span class="dim3"> (not judged)</span> : null}
                </td>
                <td class="num">{side(one.first, one.first_cost)}</td>
                <td class="num">{side(one.second, one.second_cost)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Part>
  );
}

function Programs({ found }: { found: ComparisonDocument }) {
  const all = found.programs.filter((one) => (one.first ?? one.second ?? 0) >= LEAST_RATE);
  const [rows, rest] = useRows(all);
  if (all.length === 0) {
    return (
      <Part title="Programs" said="on one side only">
        <p class="dim">None: the same programs are active on both sides.</p>
      </Part>
    );
  }
  const how = column(Math.max(...all.map((one) => one.first ?? one.second ?? 0)), "tasks");
  return (
    <Part title="Programs" said="on one side only">
      <table>
        <thead>
          <tr>
            <th>program, active tasks</th>
            <th class="num">A</th>
            <th class="num">B</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((one) => (
            <tr key={one.name}>
              <td class="bidi any">{middle(one.name, 48)}</td>
              <td class="num">{inColumn(one.first, how)}</td>
              <td class="num">{inColumn(one.second, how)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {rest}
    </Part>
  );
}

function Metrics({ found }: { found: ComparisonDocument }) {
  const [rows, rest] = useRows(found.metrics);
  const judged = `${count(found.metrics.length)} of ${count(found.metrics_judged)} differ`;
  const value = (unit: string, amount: number) => {
    if (unit === "s/s") return <>{number(amount)}</>;
    if (unit === "count/s") return <Quantity parts={[number(amount), "/s"]} />;
    return <Quantity parts={quantity(amount, unit)} />;
  };
  return (
    <Part title="Metrics" said={judged}>
      {found.metrics.length === 0 ? (
        <p class="dim">
          {found.metrics_judged === 0
            ? `Not judged: too few samples for ${counted(found.metrics_too_short, "metric")}.`
            : "No metric differs beyond noise."}
        </p>
      ) : (
        <table>
          <thead>
            <tr>
              <th>metric</th>
              <th class="num">A</th>
              <th class="num">B</th>
              <th class="num">change</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((one) => (
              <tr key={`${one.table}.${one.column} ${one.entity}`}>
                <td class="any">
                  <code>
                    {one.table}.{one.column}
                  </code>{" "}
                  <span class="dim bidi">{middle(one.entity, 40)}</span>
                </td>
                <td class="num">{value(one.unit, one.first)}</td>
                <td class="num">{value(one.unit, one.second)}</td>
                <td class="num">{times(one)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {rest}
    </Part>
  );
}

function times({ first, second, constant }: ComparisonDocument["metrics"][number]): string {
  if (constant) return "constant";
  if (first === 0 || second / first < 0) return signed(second - first);
  const ratio = second / first;
  return ratio >= 0.01 && ratio < 10_000 ? `× ${number(ratio)}` : signed(second - first);
}
