// Did it help: experiments, and one of them.

import { useRef, useState } from "preact/hooks";
import { useAsk } from "../ask";
import { classOf, classPaint } from "../classes";
import { word } from "../commands";
import { useKeys } from "../keys";
import { Narrowing, type Pair, Runs } from "../marks/trial";
import { Command } from "../parts/command";
import { areTables } from "../parts/figure";
import { To } from "../parts/link";
import { Listing } from "../parts/listing";
import { Quantity, Swatch } from "../parts/quantity";
import { Head } from "../parts/section";
import { Failed, Loading } from "../parts/states";
import type { ExperimentAnswer, ExperimentDocument } from "../source/documents";
import { address, go, source } from "../store";
import {
  count,
  counted,
  duration,
  glue,
  harmless,
  moment,
  quantity,
  seconds,
  share,
  withUnit,
} from "../text";
import { useWidth } from "../width";

type Change = ExperimentDocument["changes"][number];

const WORDS: Record<string, string> = {
  helped: "helped",
  harmed: "harmed",
  no_effect: "no effect",
  undecided: "undecided",
};
const ENDS: Record<string, string> = {
  interrupted: "Interrupted",
  guard_breached: "Guard exceeded",
  failed: "Failed",
};
const KINDS: Record<string, string> = {
  warm_up: "warm-up",
  search: "search",
  noise: "noise",
  without: "without",
  with: "with the change",
};

export function Experiments() {
  return address.value.what ? <One id={address.value.what} /> : <List />;
}

function List() {
  const from = source.value;
  const asked = useAsk(from ? (signal) => from.experiments(signal) : null, []);
  const [at, setAt] = useState(0);
  const list = asked.value ?? [];
  const down = () => setAt(Math.min(list.length - 1, at + 1));
  const up = () => setAt(Math.max(0, at - 1));
  const enter = () => {
    const chosen = list[at];
    if (!chosen) return false;
    return go({ view: "try", what: chosen.id });
  };
  useKeys({ ArrowDown: down, j: down, ArrowUp: up, k: up, Enter: enter }, [list, at]);
  if (asked.error) return <Failed error={asked.error} />;
  if (!asked.value) return <Loading isLate={asked.isLate} height={200} />;
  return (
    <>
      <div class="sect">
        <h1>Experiments</h1>
        <span class="dim">{list.length === 0 ? "none yet" : counted(list.length, "experiment")}</span>
      </div>
      {list.length === 0 ? null : (
        <table>
          <thead>
            <tr>
              <th>when</th>
              <th>verdict</th>
              <th>change</th>
            </tr>
          </thead>
          <tbody>
            {list.map((one, place) => (
              <tr key={one.id} aria-selected={place === at}>
                <td class="nowrap">{one.time_ms === null ? "–" : moment(one.time_ms)}</td>
                <td class="nowrap strong">{harmless(WORDS[one.verdict] ?? one.verdict)}</td>
                <td class="any">
                  <To class="l" to={{ view: "try", what: one.id }}>
                    {harmless(one.title)}
                  </To>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <section class="block trial-how">
        <h2>{list.length === 0 ? "Change one setting, and see whether it helps" : "Another one"}</h2>
        <p class="dim">
          Runs with and without the change alternate in an order drawn by a coin, until the effect is known
          with 99 % confidence. The change is undone at the end.
        </p>
        <Command command={'sudo heldup try vm.dirty_bytes=268435456 --workload "./job.sh"'} />
        <Command command="sudo heldup try" />
        <p class="dim">Without a setting it tests what the worst finding proposes.</p>
      </section>
    </>
  );
}

function One({ id }: { id: string }) {
  const from = source.value;
  const asked = useAsk(from ? (signal) => from.experiment(id, signal) : null, [id]);
  useKeys({ Escape: () => go({ view: "try", what: "" }) }, []);
  if (asked.error) return <Failed error={asked.error} />;
  if (!asked.value) return <Loading isLate={asked.isLate} height={400} />;
  return <Shown found={asked.value} />;
}

/** Effects and measures of one experiment in words. */
function words(found: ExperimentDocument) {
  const { is_ratio: isRatio, unit } = found.asked;
  const measure = (value: number) => withUnit(value, unit ?? "");
  const size = (value: number) => (isRatio ? share(value) : measure(value));
  const effect = (value: number) => `${value < 0 ? "−" : "+"}${size(Math.abs(value))}`;
  const worth = isRatio ? found.asked.worth : found.asked.worth * Math.abs(found.noise?.figure ?? 0);
  return { measure, size, effect, worth };
}

/** In two digits, rounded up: what it is made of is known no better. */
function about(number: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(number)) - 1);
  return Math.ceil(number / unit) * unit;
}

/** What the pairs say, in a sentence. */
function sentenceOf(found: ExperimentDocument, change: Change): string {
  const { size, effect, worth } = words(found);
  const what = found.asked.figure === "wall" ? "The run" : "The measure";
  const range = () => {
    const ends = [change.ci_low, change.ci_high].map((end) => (end === null ? "∞" : size(Math.abs(end))));
    // The end that is nearer to nothing first.
    if ((change.ci_high ?? 0) <= 0 && (change.ci_low ?? 0) <= 0) ends.reverse();
    return `${ends[0]} to ${ends[1]}`;
  };
  if ((change.verdict === "helped" || change.verdict === "harmed") && change.effect !== null) {
    const amount = size(Math.abs(change.effect));
    if (found.asked.figure === "wall") {
      return `${what} takes ${amount} ${change.effect < 0 ? "less" : "more"} time (${range()})`;
    }
    return `${what} is ${amount} ${change.effect < 0 ? "lower" : "higher"} (${range()})`;
  }
  if (change.verdict === "no_effect" && change.detection_limit !== null) {
    return `No effect: less than ±${size(change.detection_limit)}`;
  }
  if (change.verdict === "undecided") {
    if (change.ci_low === null || change.ci_high === null) {
      return `${counted(change.pairs, "pair")} are too few to detect an effect`;
    }
    const needed = change.pairs_needed
      ? `; detecting ±${size(worth)} needs about ${count(about(change.pairs_needed))} pairs`
      : "";
    return `The effect is between ${effect(change.ci_low)} and ${effect(change.ci_high)}${needed}`;
  }
  return "No verdict";
}

/** The pairs of a change: as the server reckoned them, or the effects alone. */
function pairsOf(found: ExperimentAnswer, at: number): Pair[] {
  if (found.pairs) return found.pairs.filter((pair) => pair.change === at);
  const runs = found.blocks.filter(
    (block) => block.change === at && (block.kind === "with" || block.kind === "without"),
  );
  const pairs: Pair[] = [];
  for (let one = 0; one + 1 < runs.length; one += 2) {
    const [a, b] = [runs[one], runs[one + 1]];
    if (!a || !b) break;
    const [first, second] = a.kind === "with" ? [b.figure, a.figure] : [a.figure, b.figure];
    pairs.push({
      change: at,
      pair: pairs.length + 1,
      with_first: a.kind === "with",
      without: first,
      with: second,
      effect: found.asked.is_ratio ? second / first - 1 : second - first,
      low: null,
      high: null,
    });
  }
  // How it narrowed is not known, but where it ended.
  const [last, change] = [pairs.at(-1), found.changes[at]];
  if (last && change) Object.assign(last, { low: change.ci_low, high: change.ci_high });
  return pairs;
}

function Shown({ found }: { found: ExperimentAnswer }) {
  const begun = Date.parse(found.from);
  const length = Date.parse(found.to) - begun;
  return (
    <>
      <p class="dim crumb">
        <To class="l" to={{ view: "try", what: "" }}>
          Experiments
        </To>{" "}
        › {moment(begun)} › {counted(found.blocks.length, "run")} in {duration(length)}
      </p>
      {found.end === "done" ? null : (
        <div class="note">
          <p class="sev-critical">{ENDS[found.end] ?? "Ended early"}</p>
          {found.reason ? <p class="bidi">{harmless(found.reason)}</p> : null}
        </div>
      )}
      {found.changes.length === 0 ? <p class="lead">No change was tested</p> : null}
      {found.changes.map((change, at) => (
        <Tried key={`${change.setting}=${change.asked}`} found={found} change={change} at={at} />
      ))}
      {found.searched && found.searched.length > 0 ? <Searched found={found} /> : null}
      {found.notes.length > 0 ? (
        <section class="block">
          <h2>Notes</h2>
          <ul>
            {found.notes.map((note) => (
              <li key={note}>{glue(note)}</li>
            ))}
          </ul>
        </section>
      ) : null}
    </>
  );
}

function Tried({ found, change, at }: { found: ExperimentAnswer; change: Change; at: number }) {
  const { measure, effect, worth } = words(found);
  const pairs = pairsOf(found, at);
  const own = found.blocks.filter((block) => block.change === null || block.change === at);
  const last = pairs.at(-1);
  const ends =
    last && last.low !== null && last.high !== null ? `${effect(last.low)} to ${effect(last.high)}` : "";
  const Heading = at === 0 ? "h1" : "h2";
  const narrowed = `The effect of ${counted(pairs.length, "pair")}; the interval after the last one: ${ends || "none yet"}.`;
  const runs = `${counted(own.length, "run")} in order of time, filled with the change, hollow without.`;
  return (
    <article class="trial">
      <p class="trial-verdict">
        <b>{change.verdict ? (WORDS[change.verdict] ?? change.verdict) : "no verdict"}</b>
        <code class="any">
          {harmless(change.setting)} {harmless(change.before)} → {harmless(change.asked)}
        </code>
      </p>
      <Heading class="lead">{sentenceOf(found, change)}</Heading>
      <p class="dim trial-how-sure">
        {share(1 - found.asked.error)} confidence · {counted(change.pairs, "pair")} · order drawn by a coin,
        seed {found.asked.seed} · {found.asked.workload === null ? "live traffic" : "workload "}
        {found.asked.workload === null ? null : <code class="any">{harmless(found.asked.workload)}</code>}
      </p>
      <div class="trial-columns">
        <section>
          {pairs.length > 0 ? (
            <Chart
              title="Effect"
              said={
                found.pairs
                  ? "the interval that holds it with 99 %, after each pair"
                  : "of each pair, and the interval at the end"
              }
              draw={(width) => (
                <Narrowing
                  pairs={pairs}
                  worth={worth}
                  width={width}
                  effect={effect}
                  last={change.effect === null ? ends : `${effect(change.effect)}${ends ? ` (${ends})` : ""}`}
                  found={change.effect}
                  sentence={narrowed}
                />
              )}
              table={<PairsTable pairs={pairs} measure={measure} effect={effect} />}
            />
          ) : null}
          {own.length > 0 ? (
            <Chart
              title="Every run in order"
              said={found.asked.unit ? harmless(found.asked.unit) : ""}
              draw={(width) => <Runs blocks={own} width={width} value={measure} sentence={runs} />}
              table={<RunsTable blocks={own} measure={measure} />}
            />
          ) : null}
        </section>
        <section>
          <Why found={found} change={change} />
          <h2>Guards</h2>
          {found.asked.guards.length === 0 ? (
            <p class="dim">none given</p>
          ) : (
            <ul>
              {found.asked.guards.map((guard) => (
                <li key={guard}>
                  <code class="any">{harmless(guard)}</code>
                </li>
              ))}
            </ul>
          )}
          <InEffect change={change} />
          {found.noise ? (
            <>
              <h2>Noise</h2>
              <p class="dim">
                {found.asked.figure === "wall" ? "A run takes" : "The measure is"}{" "}
                {measure(found.noise.figure)}; two runs without a change differ by{" "}
                {words(found).size(found.noise.spread)}.
                {found.noise.detectable === null
                  ? ""
                  : ` ${counted(found.asked.most_pairs, "pair")} detect ${words(found).size(found.noise.detectable)} or more.`}
              </p>
            </>
          ) : null}
          {found.proposed_by ? (
            <>
              <h2>Proposed by</h2>
              <p class="any">{glue(found.proposed_by.title)}</p>
            </>
          ) : null}
        </section>
      </div>
    </article>
  );
}

function Why({ found, change }: { found: ExperimentDocument; change: Change }) {
  const judged: Record<string, string> = {
    differs: "differs",
    no_difference_seen: "no difference seen",
    not_judged: "not judged",
  };
  return (
    <>
      <Head title="Why" said={`task-seconds of a ${found.asked.workload === null ? "second" : "run"}`} />
      {change.why.length === 0 ? (
        <p class="dim">Time was not accounted for in this experiment.</p>
      ) : (
        <Listing
          heads={[["class", "nowrap"], ["without", "num"], ["with", "num"], "judged"]}
          rows={change.why.slice(0, 12).map((one) => [
            one.class,
            <>
              <Swatch paint={classPaint(one.class)} />
              {classOf(one.class).label}
            </>,
            <Quantity value={one.first} unit="s" />,
            <Quantity value={one.second} unit="s" />,
            <span class={one.judgement === "differs" ? "" : "dim3"}>{judged[one.judgement]}</span>,
          ])}
        />
      )}
    </>
  );
}

function InEffect({ change }: { change: Change }) {
  return (
    <>
      <h2>In effect now</h2>
      {change.now === null ? (
        <p class="dim">It was never set.</p>
      ) : change.kept ? (
        <>
          <p>
            Kept: <code class="any">{`${harmless(change.setting)} = ${harmless(change.now)}`}</code>
          </p>
          <p class="dim">to undo it:</p>
          <Command command={`sudo heldup tune undo ${word(change.setting)}`} />
        </>
      ) : (
        <>
          <p>
            Undone: <code class="any">{`${harmless(change.setting)} = ${harmless(change.before)}`}</code>
          </p>
          {change.verdict === "helped" ? (
            <>
              <p class="dim">to set it, undone again unless confirmed:</p>
              <Command
                command={`sudo heldup tune apply ${word(`${change.setting}=${change.asked}`)} --confirm 5m`}
              />
            </>
          ) : null}
        </>
      )}
      {change.now !== null && change.now !== change.asked ? (
        <p class="dim">
          The kernel set {harmless(change.now)} instead of {harmless(change.asked)}.
        </p>
      ) : null}
      {change.moved.map((moved) => (
        <p class="dim" key={moved.setting}>
          Changed with it: <code class="any">{harmless(moved.setting)}</code> {harmless(moved.before)} →{" "}
          {harmless(moved.now)}
        </p>
      ))}
    </>
  );
}

function Chart({
  title,
  said,
  draw,
  table,
}: {
  title: string;
  said: string;
  draw: (width: number) => preact.JSX.Element;
  table: preact.JSX.Element;
}) {
  const holder = useRef<HTMLDivElement>(null);
  const width = useWidth(holder);
  const [isOwn, setOwn] = useState(false);
  const isTable = isOwn !== areTables.value;
  return (
    <figure class="trial-figure">
      <div class="sect">
        <h2>
          {title} <small>{said}</small>
        </h2>
        <button type="button" class="as-table" aria-pressed={isTable} onClick={() => setOwn(!isOwn)}>
          <kbd>.</kbd> {isTable ? "chart" : "table"}
        </button>
      </div>
      <div ref={holder}>{isTable ? table : width > 0 ? draw(width) : null}</div>
    </figure>
  );
}

function PairsTable({
  pairs,
  measure,
  effect,
}: {
  pairs: Pair[];
  measure: (value: number) => string;
  effect: (value: number) => string;
}) {
  const end = (value: number | null) => (value === null ? "∞" : effect(value));
  return (
    <Listing
      heads={[
        ["pair", "num"],
        "first",
        ["without", "num"],
        ["with", "num"],
        ["effect", "num"],
        "interval after it",
      ]}
      rows={pairs.map((pair) => [
        pair.pair,
        pair.pair,
        pair.with_first ? "with" : "without",
        measure(pair.without),
        measure(pair.with),
        effect(pair.effect),
        pair.low === null && pair.high === null ? (
          <span class="dim3">none yet</span>
        ) : (
          `${end(pair.low)} to ${end(pair.high)}`
        ),
      ])}
    />
  );
}

function RunsTable({
  blocks,
  measure,
}: {
  blocks: ExperimentDocument["blocks"];
  measure: (value: number) => string;
}) {
  return (
    <Listing
      heads={[["run", "num"], "purpose", ["measure", "num"], ["elapsed", "num"]]}
      rows={blocks.map((block, at) => [
        at,
        at + 1,
        KINDS[block.kind] ?? block.kind,
        measure(block.figure),
        seconds(block.seconds),
      ])}
    />
  );
}

function Searched({ found }: { found: ExperimentDocument }) {
  return (
    <section class="block">
      <h2>Values that were searched</h2>
      <Listing
        heads={[["value", "mono any"], ["median", "num"], ["runs", "num"], "guards"]}
        rows={(found.searched ?? []).map((one) => [
          one.value,
          harmless(one.value),
          <Quantity parts={quantity(one.figure, found.asked.unit ?? "")} />,
          count(one.blocks),
          one.beyond_guard ? "exceeded" : "",
        ])}
      />
    </section>
  );
}
