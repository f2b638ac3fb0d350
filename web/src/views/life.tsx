// The life of one process over the window: what it ran and waited for, CPU, memory, I/O, who woke it.

import { useState } from "preact/hooks";
import { useAsk } from "../ask";
import { classOf, paint } from "../classes";
import { Hang } from "../marks/hang";
import { Figure } from "../parts/figure";
import { To } from "../parts/link";
import { Quantity, Severity, Swatch } from "../parts/quantity";
import { Failed, Loading } from "../parts/states";
import { WhoTable } from "../parts/who";
import type { Finding } from "../source/documents";
import type { Life, SeenProcess, Span } from "../source/source";
import { address, asTables, isLive, source, span, view } from "../store";
import { bytes, count, counted, duration, glue, harmless, middle, moment, time } from "../text";
import { flat, homeOf, rowsOf } from "../who";

const MOST = 12;
const NOBODY = new Map<number, string>();

/** `PID@START`, in milliseconds: ids are used again, so that the start belongs to it. */
export function parseLife(what: string): { pid: number; startMs: number | null } | null {
  const found = /^(\d+)(?:@(\d+))?$/.exec(what);
  if (!found) return null;
  return { pid: Number(found[1]), startMs: found[2] === undefined ? null : Number(found[2]) };
}

export function LifePage() {
  const wanted = parseLife(address.value.what);
  const shown = span.value;
  const { value, error, isLate } = useAsk(
    wanted && shown && source.value
      ? (signal) => source.value?.life(wanted.pid, wanted.startMs, shown, signal) ?? Promise.reject()
      : null,
    [address.value.what, shown?.since_ms, shown?.until_ms, address.value.host],
  );
  if (!wanted) {
    return <p>{harmless(address.value.what)} is no process: an address is /who/PID or /who/PID@START.</p>;
  }
  if (error) return <Failed error={error} />;
  if (!value) return <Loading isLate={isLate} height={420} />;
  return <Shown life={value} />;
}

function Shown({ life }: { life: Life }) {
  const { process } = life;
  const home = homeOf(process);
  const classes = life.frames.find((frame) => frame.kind === "stack");
  const others = life.frames.filter((frame) => frame !== classes);
  const known = [
    process.threads === null ? "" : counted(process.threads, "thread"),
    process.resident_bytes === null ? "" : `${bytes(process.resident_bytes)} resident`,
    process.start_ms === null ? "" : since(process.start_ms),
    process.ended ? "ended in this window" : "",
  ].filter(Boolean);
  return (
    <>
      <p class="dim crumbs">
        <To class="l" to={{ view: "who", what: "" }}>
          Who
        </To>{" "}
        › <span class="bidi">{home ? `${middle(home, 40)} › ` : ""}</span>
        <span class="bidi">
          {middle(process.name, 40)} {process.pid}
        </span>
      </p>
      <div class="life-head">
        <h1 class="lead bidi">
          {middle(process.name, 48)} {process.pid}
        </h1>
        {process.command ? (
          <span class="mono dim bidi" title={harmless(process.command)}>
            {middle(process.command, 160)}
          </span>
        ) : null}
        <span class="dim known">{known.join(" · ")}</span>
      </div>
      <div class="life">
        <div>
          {classes ? (
            <section>
              <h2>Active time by class</h2>
              <Hang
                frame={classes}
                height={210}
                isLive={isLive.value}
                asTable={asTables.value}
                gap={(gap) => gapWords(process, gap, classes.until_ms)}
                wheel
              />
            </section>
          ) : (
            <p class="dim">Time by class is not measured here.</p>
          )}
          <div class="figs">
            {others.map((frame) => (
              <Figure key={`${frame.id} ${frame.subject ?? ""}`} frame={frame} />
            ))}
          </div>
          <Threads life={life} />
        </div>
        <div>
          <Waits life={life} />
          <Wakers life={life} />
          <InFindings pid={process.pid} />
          <p>
            <To class="l" to={{ view: "stacks", what: "", focus: `pid:${process.pid}` }}>
              stacks of this process
            </To>
          </p>
        </div>
      </div>
    </>
  );
}

/** Before it began and after it ended there is nothing to record. */
function gapWords({ start_ms, ended }: SeenProcess, gap: Span, end: number): string {
  if (start_ms !== null && gap.until_ms <= start_ms + 2000) return "not started";
  return ended && gap.until_ms >= end - 1 ? "ended" : "not recorded";
}

function since(ms: number): string {
  const now = span.value?.until_ms ?? Date.now();
  const age = now - ms;
  return age < 86_400_000 ? `since ${time(ms)}` : `since ${moment(ms)}, ${duration(age)}`;
}

function Waits({ life }: { life: Life }) {
  const shown = life.waited_for.slice(0, MOST);
  const isCounted = shown.some((wait) => (wait.waits ?? null) !== null);
  return (
    <section>
      <h2>What it waited for</h2>
      {shown.length === 0 ? <p class="dim">It waited for nothing that was measured here.</p> : null}
      {shown.length > 0 ? (
        <table>
          <thead>
            <tr>
              <th scope="col">class</th>
              <th scope="col">object</th>
              {isCounted ? (
                <>
                  <th scope="col" class="num">
                    waits
                  </th>
                  <th scope="col" class="num">
                    each
                  </th>
                </>
              ) : null}
              <th scope="col" class="num">
                time
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((wait, at) => (
              <tr key={`${wait.class} ${wait.object} ${at}`}>
                <td class="nowrap">
                  <Swatch paint={paint(classOf(wait.class).colour)} />
                  {classOf(wait.class).label}
                </td>
                <ObjectOf wait={wait} />
                {isCounted ? (
                  <>
                    <td class="num">{count(wait.waits)}</td>
                    <td class="num">
                      <Quantity value={wait.waits ? wait.seconds / wait.waits : null} unit="s" />
                    </td>
                  </>
                ) : null}
                <td class="num">
                  <Quantity value={wait.seconds} unit="s" />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : null}
    </section>
  );
}

/** The object of a wait; of one without it the innermost function. */
function ObjectOf({ wait: { object, stack } }: { wait: Life["waited_for"][number] }) {
  const calls = [stack?.user_stack, stack?.kernel_stack].flatMap((part) => part?.split(";") ?? []).reverse();
  const innermost = calls[0] ?? stack?.syscall;
  return (
    <td class="bidi any" title={calls.length > 0 ? harmless(calls.join(" ← ")) : undefined}>
      {object ? middle(object, 34) : ""}
      {!object && innermost ? <span class="mono dim">{middle(innermost, 28)}</span> : null}
    </td>
  );
}

function Wakers({ life }: { life: Life }) {
  const shown = life.woken_by.slice(0, MOST);
  if (shown.length === 0) return null;
  const hasSeconds = shown.some((waker) => waker.seconds !== null);
  return (
    <section>
      <h2>Who woke it</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">process</th>
            <th scope="col" class="num">
              times
            </th>
            {hasSeconds ? (
              <th scope="col" class="num">
                after
              </th>
            ) : null}
          </tr>
        </thead>
        <tbody>
          {shown.map((waker) => (
            <tr key={`${waker.pid} ${waker.name}`}>
              <td>
                {waker.pid === null ? (
                  <span class="bidi">{middle(waker.name, 28)}</span>
                ) : (
                  <To class="bidi" to={{ view: "life", what: String(waker.pid) }}>
                    {middle(waker.name, 28)} <span class="dim3">{waker.pid}</span>
                  </To>
                )}
              </td>
              <td class="num">{count(waker.count)}</td>
              {hasSeconds ? (
                <td class="num">
                  <Quantity value={waker.seconds} unit="s" />
                </td>
              ) : null}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Threads({ life }: { life: Life }) {
  const [sort, setSort] = useState("active");
  if (life.threads.length < 2) return null;
  const rows = rowsOf({ span: life.span, tasks: life.threads, processes: [life.process] }, "threads", true);
  return (
    <section>
      <h2>Threads</h2>
      <WhoTable
        branches={flat(rows, sort, "")}
        sort={sort}
        onSort={setSort}
        seconds={(life.span.until_ms - life.span.since_ms) / 1000}
        called="thread"
        label="threads"
        blame={NOBODY}
        hasUnit={false}
        isBrief
      />
    </section>
  );
}

function InFindings({ pid }: { pid: number }) {
  const findings = view.value?.examination.findings ?? [];
  const has = (tasks: Finding["culprits"]) => tasks.some((task) => task.pid === pid);
  const found = findings
    .map((finding) => ({
      finding,
      role: has(finding.culprits) ? "culprit" : has(finding.victims) ? "victim" : "",
    }))
    .filter(({ role }) => role !== "");
  if (found.length === 0) return null;
  return (
    <section>
      <h2>In findings</h2>
      {found.map(({ finding, role }) => (
        <p key={finding.key}>
          <Severity severity={finding.severity} /> {role} of{" "}
          <To class="l bidi" to={{ view: "finding", what: finding.key }}>
            {glue(finding.title)}
          </To>
        </p>
      ))}
    </section>
  );
}
