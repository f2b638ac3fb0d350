// What two windows differ in: headlines, classes of time, settings, findings, programs, metrics.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { classOf, classPaint } from "../classes";
import { Dumbbell, Interval } from "../marks/pair";
import type { ComparisonDocument } from "../source/documents";
import {
  type Column,
  column,
  count,
  counted,
  glue,
  harmless,
  inColumn,
  isolated,
  middle,
  number,
  quantity,
  share,
} from "../text";
import { To } from "./link";
import { Listing } from "./listing";
import { Quantity, Severity, Swatch } from "./quantity";
import { Section } from "./section";

/** Classes with less time on both sides are left out, unless they differ. */
const LEAST_RATE = 0.005;
/** Rows of a list before the others are asked for. */
const MOST_ROWS = 12;

export function Found({ found }: { found: ComparisonDocument }) {
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
        <Section class="block" title="Not read">
          <ul>
            {found.errors.map((error) => (
              <li key={error.where + error.what} class="any">
                <code class="bidi">{harmless(error.where)}</code> {harmless(error.what)}
              </li>
            ))}
          </ul>
        </Section>
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
        <li key={note} class="any">
          {harmless(note)}
        </li>
      ))}
    </ul>
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
      <Section class="block" title="Active time by class">
        <p class="dim">No difference.</p>
      </Section>
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
      <Listing
        class="ledger-difference"
        heads={[
          ["class", "nowrap"],
          ["A", "num"],
          ["B", "num"],
          ["A to B", "wide"],
          ["change", "num"],
          ["less ← → more", "mid centre"],
          ["99 % interval", "mid nowrap"],
          ["where it comes from", "wide bidi"],
        ]}
        rows={shown.map((one) => {
          const change = one.second - one.first;
          const paint = classPaint(one.class);
          return [
            one.class,
            <>
              <Swatch paint={paint} />
              {classOf(one.class).label}
            </>,
            inColumn(one.first, how),
            inColumn(one.second, how),
            <Dumbbell before={one.first} after={one.second} greatest={greatest} colour={paint} width={190} />,
            <span class={one.judgement === "differs" ? "strong" : "dim"}>{signed(change, changes)}</span>,
            <Interval
              low={one.change_low}
              high={one.change_high}
              middle={change}
              greatest={widest}
              width={170}
            />,
            <span class="dim">{interval(one, changes)}</span>,
            <span class="dim">{origins(one, changes)}</span>,
          ];
        })}
      />
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
    .map(({ name, change }) => `${isolated(middle(name, 24))} ${signed(change, how)}`)
    .join(", ");
}

function Settings({ found }: { found: ComparisonDocument }) {
  const [rows, rest] = useRows(found.settings);
  if (found.settings.length === 0) {
    return (
      <Section class="block" title="Settings" said="none differ">
        <p class="dim">All settings are the same on both sides.</p>
      </Section>
    );
  }
  const name = (one: ComparisonDocument["settings"][number]) =>
    one.table === "setting" ? one.subject : [one.table, one.subject, one.column].filter(Boolean).join(" ");
  return (
    <Section class="block" title="Settings" said={`${count(found.settings.length)} differ`}>
      <Listing
        heads={[
          ["setting", "mono any"],
          ["A", "any"],
          ["B", "any"],
        ]}
        rows={rows.map((one) => [
          `${one.table} ${one.subject} ${one.column}`,
          harmless(name(one)),
          one.first === null ? <span class="dim3">absent</span> : harmless(one.first),
          one.second === null ? <span class="dim3">absent</span> : harmless(one.second),
        ])}
      />
      {rest}
    </Section>
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
    <Section class="block" title="Findings" said={all.length === 0 ? "none differ" : "share of active time"}>
      {all.length === 0 ? (
        <p class="dim">The same findings on both sides, or none.</p>
      ) : (
        <Listing
          heads={[
            ["finding", "any"],
            ["A", "num"],
            ["B", "num"],
          ]}
          rows={all.map((one) => [
            one.key,
            <>
              {one.second ? (
                <To class="l" to={{ view: "finding", what: one.key, with: null }}>
                  {harmless(one.id)}
                </To>
              ) : (
                harmless(one.id)
              )}{" "}
              <span class="dim bidi">{middle(one.subject, 40)}</span>
              {one.judgement === "not_judged" ? <span class="dim3"> (not judged)</span> : null}
            </>,
            side(one.first, one.first_cost),
            side(one.second, one.second_cost),
          ])}
        />
      )}
    </Section>
  );
}

function Programs({ found }: { found: ComparisonDocument }) {
  const all = found.programs.filter((one) => (one.first ?? one.second ?? 0) >= LEAST_RATE);
  const [rows, rest] = useRows(all);
  if (all.length === 0) {
    return (
      <Section class="block" title="Programs" said="on one side only">
        <p class="dim">None: the same programs are active on both sides.</p>
      </Section>
    );
  }
  const how = column(Math.max(...all.map((one) => one.first ?? one.second ?? 0)), "tasks");
  return (
    <Section class="block" title="Programs" said="on one side only">
      <Listing
        heads={[
          ["program, active tasks", "bidi any"],
          ["A", "num"],
          ["B", "num"],
        ]}
        rows={rows.map((one) => [
          one.name,
          middle(one.name, 48),
          inColumn(one.first, how),
          inColumn(one.second, how),
        ])}
      />
      {rest}
    </Section>
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
    <Section class="block" title="Metrics" said={judged}>
      {found.metrics.length === 0 ? (
        <p class="dim">
          {found.metrics_judged === 0
            ? `Not judged: too few samples for ${counted(found.metrics_too_short, "metric")}.`
            : "No metric differs beyond noise."}
        </p>
      ) : (
        <Listing
          heads={[
            ["metric", "any"],
            ["A", "num"],
            ["B", "num"],
            ["change", "num"],
          ]}
          rows={rows.map((one) => [
            `${one.table}.${one.column} ${one.entity}`,
            <>
              <code>
                {one.table}.{one.column}
              </code>{" "}
              <span class="dim bidi">{middle(one.entity, 40)}</span>
            </>,
            value(one.unit, one.first),
            value(one.unit, one.second),
            times(one),
          ])}
        />
      )}
      {rest}
    </Section>
  );
}

function times({ first, second, constant }: ComparisonDocument["metrics"][number]): string {
  if (constant) return "constant";
  if (first === 0 || second / first < 0) return signed(second - first);
  const ratio = second / first;
  return ratio >= 0.01 && ratio < 10_000 ? `× ${number(ratio)}` : signed(second - first);
}
