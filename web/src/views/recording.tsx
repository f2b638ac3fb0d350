// Is it recorded: the recorder, what it costs, its gaps and sizes.

import type { ComponentChildren } from "preact";
import { useAsk, useFigures } from "../ask";
import { Command } from "../parts/command";
import { Figure } from "../parts/figure";
import { To } from "../parts/link";
import { Listing } from "../parts/listing";
import { Quantity } from "../parts/quantity";
import { Fact, Section } from "../parts/section";
import { Failed, Loading } from "../parts/states";
import type { RecordAnswer } from "../source/documents";
import { source, state } from "../store";
import { bytes, count, counted, duration, harmless, moment, quantity, share } from "../text";

const DAY = 86_400_000;
const AROUND = 300_000;
const MOST_TABLES = 12;

const WHY: Record<string, string> = {
  restarted: "the machine was started again",
  slept: "the machine slept",
  not_recorded: "nobody recorded",
  not_written: "could not be written",
  late: "late: the recorder got no CPU",
};
const METHODS: Record<string, string> = {
  ebpf: "eBPF: every switch of every task",
  sampling: "counters of the kernel, waits by sampling of threads",
  delays: "counters of the kernel: CPU and run queue; no waits",
};

const at = (text: string) => moment(Date.parse(text));
const range = (first: string, last: string) => `${at(first)} – ${at(last)}`;

export function Recording() {
  const from = source.value;
  const asked = useAsk(from ? (signal) => from.record(signal) : null, []);
  const found = asked.value;
  if (!found && !asked.error) return <Loading isLate={asked.isLate} height={320} />;
  if (!found || (found.first === null && !found.running)) {
    return (
      <>
        <Head />
        {asked.error ? <Failed error={asked.error} /> : <p class="lead">Nobody records this machine</p>}
        <HowToRecord />
      </>
    );
  }
  return (
    <>
      <Head found={found} />
      <Numbers found={found} />
      <Figures />
      <div class="record-columns">
        <div>
          <Gaps found={found} />
          <What found={found} />
        </div>
        <div>
          <Sizes found={found} />
          {found.running ? null : <HowToRecord />}
        </div>
      </div>
    </>
  );
}

function Head({ found }: { found?: RecordAnswer }) {
  const facts: string[] = [];
  if (found) {
    if (found.since) {
      facts.push(
        found.running || !found.until ? `since ${at(found.since)}` : range(found.since, found.until),
      );
    }
    if (found.interval_s !== null) facts.push(`every ${duration(found.interval_s * 1000)}`);
    if (found.processes !== null) facts.push(counted(found.processes, "process", "processes"));
    if (found.tasks !== null) facts.push(counted(found.tasks, "task"));
  }
  return (
    <div class="sect record-head">
      <h1>Recording</h1>
      {found ? (
        <span class={found.running ? "live" : "frozen"}>
          <i aria-hidden="true" />
          {found.running ? "running" : "not running"}
        </span>
      ) : null}
      <span class="dim">{facts.join(" · ")}</span>
      {found ? <code class="r any bidi">{harmless(found.archive)}</code> : null}
    </div>
  );
}

function Big({ parts, children }: { parts: readonly [string, string]; children: ComponentChildren }) {
  return (
    <section>
      <p class="big">
        {parts[0]}
        <span class="u">{parts[1]}</span>
      </p>
      <p class="dim">{children}</p>
    </section>
  );
}

/** What a recorder costs of one CPU: its own time, and that of its eBPF programs. */
function costOf(cost: RecordAnswer["cost"]): number | null {
  return cost === null ? null : cost.cpu_ratio + (cost.bpf_ratio ?? 0);
}

function Numbers({ found }: { found: RecordAnswer }) {
  const cost = costOf(found.cost);
  const last = costOf(found.overhead_last_minute);
  const [costText] = quantity(cost, "ratio");
  const perDay = found.bytes_per_day ?? found.journal_bytes_per_day;
  const [sizeText, sizeUnit] = quantity(perDay, "bytes");
  const kept = [
    found.max_bytes === null
      ? `${bytes(found.archive_bytes)} kept`
      : `${bytes(found.archive_bytes)} of ${bytes(found.max_bytes)} kept`,
    found.retention_s === null ? "" : duration(found.retention_s * 1000),
  ];
  return (
    <div class="record-numbers">
      <Big parts={[costText, cost === null ? "" : "% of a CPU"]}>
        overhead{last === null ? "" : `, ${share(last)} in the last minute`}
        {found.cpu_budget === null ? "" : `; the budget is ${share(found.cpu_budget)}`}
        {found.resident_bytes === null ? "" : `; ${bytes(found.resident_bytes)} of memory`}
      </Big>
      <Big parts={[sizeText, perDay === null ? "" : `${sizeUnit} a day`]}>
        {kept.filter(Boolean).join("; ")}
        {found.bytes_per_day === null && perDay !== null ? "; not sealed yet, which makes it smaller" : ""}
      </Big>
      <Big parts={[count(found.gaps.length), found.gaps.length === 1 ? "gap" : "gaps"]}>
        in the last 24 h
        {found.lost_samples ? `; ${counted(found.lost_samples, "sample")} could not be written` : ""}
      </Big>
    </div>
  );
}

/** The recorder's own figures, over its last day. */
function Figures() {
  const known = state.value;
  const ids = known?.figures.filter((figure) => figure.area === "recorder").map((figure) => figure.id) ?? [];
  const all = known?.all ?? null;
  const day = all ? { since_ms: Math.max(all.since_ms, all.until_ms - DAY), until_ms: all.until_ms } : null;
  const { frames } = useFigures(ids, day, 240);
  if (frames.length === 0) return null;
  return (
    <div class="record-columns record-figures">
      <h2 class="ear">The last day</h2>
      {frames.map((frame) => (
        <Figure key={frame.id} frame={frame} />
      ))}
    </div>
  );
}

function Gaps({ found }: { found: RecordAnswer }) {
  const steps = found.clock_steps;
  return (
    <Section class="block" title="Gaps" said="last 24 h">
      {found.gaps.length === 0 ? (
        <p class="dim">None: there is a sample for each {found.interval_s === 1 ? "second" : "interval"}.</p>
      ) : (
        <Listing
          heads={[["from", "nowrap"], ["to", "nowrap hide-s"], ["length", "num"], "reason"]}
          rows={found.gaps.map((gap) => {
            const [since, until] = [Date.parse(gap.after), Date.parse(gap.until)];
            return [
              since,
              <To class="l" to={{ view: "overview", what: "", since: since - AROUND, until: until + AROUND }}>
                {moment(since)}
              </To>,
              moment(until),
              duration(gap.seconds * 1000),
              gap.why === null ? <span class="dim3">not known</span> : (WHY[gap.why] ?? harmless(gap.why)),
            ];
          })}
        />
      )}
      <p class="dim">
        {steps.length === 0
          ? "The clock was not set in this time."
          : steps
              .map(
                (step) =>
                  `The clock was set ${step.seconds < 0 ? "back" : "ahead"} by ${duration(Math.abs(step.seconds) * 1000)} at ${at(step.after)}.`,
              )
              .join(" ")}
      </p>
    </Section>
  );
}

/** What is recorded by which method, and what went wrong. */
function What({ found }: { found: RecordAnswer }) {
  return (
    <Section class="block" title="What is recorded">
      <dl class="kv">
        <Fact name="time of tasks">
          {found.method === null ? (
            <span class="dim3">not known</span>
          ) : (
            (METHODS[found.method] ?? harmless(found.method))
          )}
        </Fact>
        <Fact name="read less often">
          {found.thinned ? (
            <>
              {harmless(found.thinned)}
              <span class="dim">, to stay within the CPU budget</span>
            </>
          ) : null}
        </Fact>
        <Fact name="samples">{found.first && found.last ? range(found.first, found.last) : null}</Fact>
        <Fact name="last error">
          {found.last_error ? (
            <>
              {harmless(found.last_error)}
              {found.last_error_at ? <span class="dim">, {at(found.last_error_at)}</span> : null}
            </>
          ) : null}
        </Fact>
        <Fact name="changes of settings">
          {found.changes === null ? (
            <span class="dim3">not permitted to read</span>
          ) : (
            `${counted(found.changes, "change")} in effect${
              found.changes_waiting ? `, ${counted(found.changes_waiting, "change")} to be confirmed` : ""
            }`
          )}
        </Fact>
        <Fact name="sources">
          <To class="l" to={{ view: "sql", what: "", choices: { query: SOURCES } }}>
            all, with the reason where one is not read
          </To>
        </Fact>
      </dl>
      {found.changes_waiting ? <Command command="sudo heldup tune confirm" /> : null}
      {found.changes ? <Command command="sudo heldup tune status" /> : null}
    </Section>
  );
}

const SOURCES = `select source_name, status, detail, sum(reads) as reads,
       sum(cpu_s) as cpu_s, sum(rows_read) as rows_read
from source_cost
group by 1, 2, 3
order by cpu_s desc`;

function Sizes({ found }: { found: RecordAnswer }) {
  const tables = [...(found.tables ?? [])].sort((a, b) => b.bytes - a.bytes);
  if (tables.length === 0) return null;
  const most = tables[0]?.bytes ?? 1;
  const rest = tables.slice(MOST_TABLES).reduce((sum, table) => sum + table.bytes, 0);
  const rows = tables.slice(0, MOST_TABLES);
  return (
    <Section class="block" title="Size by table" said={bytes(found.archive_bytes)}>
      <table class="sizes">
        <tbody>
          {rows.map((table) => (
            <tr key={table.name}>
              <td class="mono">{harmless(table.name)}</td>
              <td class="num">
                <Quantity value={table.bytes} unit="bytes" />
              </td>
              <td>
                <svg width={160} height={8} aria-hidden="true">
                  <rect
                    width={Math.min(160, (160 * table.bytes) / most)}
                    height={8}
                    style={{ fill: "var(--ink3)" }}
                  />
                </svg>
              </td>
            </tr>
          ))}
          {rest > 0 ? (
            <tr>
              <td class="dim">{counted(tables.length - MOST_TABLES, "other table")}</td>
              <td class="num">
                <Quantity value={rest} unit="bytes" />
              </td>
              <td />
            </tr>
          ) : null}
        </tbody>
      </table>
    </Section>
  );
}

function HowToRecord() {
  return (
    <section class="block record-how">
      <h2>Record it</h2>
      <p class="dim">
        Every second, every process and its waits, for about 1 % of one CPU; 30 days are kept.
      </p>
      <Command command="sudo heldup record" />
      <p class="dim">as a service, from each boot on:</p>
      <Command command="sudo systemctl enable --now heldup-record" />
    </section>
  );
}
