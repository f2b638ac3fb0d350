// One finding with its proof: what causes it and what it causes, its numbers against their limits, who, the change,
// the figures that show it, what comes next, and its query.

import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { useAsk } from "../ask";
import { paint } from "../classes";
import { amountOf, queryOf, roleOf, shareOf, whose } from "../examination";
import { useKeys } from "../keys";
import { useBoard } from "../parts/board";
import { CauseTree, Task } from "../parts/cause";
import { Command } from "../parts/command";
import { EmptyFigure, Figure, Pending } from "../parts/figure";
import { Key } from "../parts/key";
import { To } from "../parts/link";
import { Quantity, Severity } from "../parts/quantity";
import { Fact, Section } from "../parts/section";
import { Loading } from "../parts/states";
import type { ExaminationDocument, Finding, FindingGroup, TaskShare } from "../source/documents";
import type { FigureInfo, Frame, Mark, Span } from "../source/source";
import { address, go, isLive, marks, setWindow, source, span, state, view } from "../store";
import {
  counted,
  duration,
  glue,
  harmless,
  middle,
  quantity,
  share,
  time,
  windowText,
  withUnit,
} from "../text";
import { useWidth } from "../width";
import { stepsOf } from "./area";

/** Frames of a figure, where none is of the subject. */
const MOST_FRAMES = 2;
const MOST_TASKS = 8;
const MOST_WINDOWS = 12;
const GAP = 36;

interface Seen {
  examination: ExaminationDocument;
  finding: Finding;
  span: Span;
}

export function FindingPage() {
  const key = address.value.what;
  const seen = view.value;
  const last = useRef<Seen | null>(null);
  if (!seen) return <Loading isLate height={400} />;
  const group = seen.examination.groups.find((one) => one.key === key);
  const own = group?.members[0] ?? key;
  const finding = seen.examination.findings.find((one) => one.key === own);
  if (finding) last.current = { examination: seen.examination, finding, span: seen.span };
  // While live a finding may end: it stays as it was last.
  const shown = finding || (isLive.value && last.current?.finding.key === own) ? last.current : null;
  if (!shown) return <NotHere wanted={own} examination={seen.examination} />;
  return <Page key={own} {...shown} isOver={!finding} />;
}

/** A finding that this window does not have, with the windows that have it. */
function NotHere({ wanted, examination }: { wanted: string; examination: ExaminationDocument }) {
  const [id = wanted, subject = ""] = wanted.split("/").length > 1 ? splitKey(wanted) : [wanted, ""];
  const found = marksOf(marks.value, wanted, id);
  return (
    <>
      <Trail id={id} subject={subject} />
      <h1 class="lead">This window does not have this finding.</h1>
      <WhyNot id={id} examination={examination} />
      {found.length > 0 ? (
        <>
          <p class="dim gap">It is in {found.length === 1 ? "this window" : "these windows"}:</p>
          <ul class="windows">
            {found.slice(0, MOST_WINDOWS).map((mark) => (
              <li key={mark.span.since_ms}>
                <button type="button" class="l" onClick={() => setWindow(mark.span)}>
                  {windowText(mark.span, span.value?.since_ms ?? null)}
                </button>{" "}
                <span class="dim bidi">{glue(mark.title)}</span>
              </li>
            ))}
          </ul>
          {found.length > MOST_WINDOWS ? (
            <p class="dim">{counted(found.length - MOST_WINDOWS, "more window")}</p>
          ) : null}
        </>
      ) : (
        <p class="dim gap">No window on the strip has it either.</p>
      )}
    </>
  );
}

/** What this window says of the rule. */
function WhyNot({ id, examination }: { id: string; examination: ExaminationDocument }) {
  const ruledOut = examination.ruled_out.find((rule) => rule.id === id);
  const unchecked = examination.not_checked.find((rule) => rule.id === id);
  const others = examination.findings.filter((finding) => finding.id === id);
  return (
    <>
      {ruledOut ? <p class="dim gap">Ruled out: {glue(ruledOut.why)}</p> : null}
      {unchecked ? (
        <p class="dim gap">
          Not checked: {glue(unchecked.missing)}. {glue(unchecked.how)}
        </p>
      ) : null}
      {others.length > 0 ? (
        <ul class="windows">
          {others.slice(0, MOST_TASKS).map((finding) => (
            <li key={finding.key}>
              <To to={{ what: finding.key }} class="l bidi">
                {glue(finding.title)}
              </To>
            </li>
          ))}
        </ul>
      ) : null}
    </>
  );
}

function splitKey(key: string): [string, string] {
  const at = key.indexOf("/");
  const subject = key.slice(at + 1);
  return [key.slice(0, at), subject.slice(subject.indexOf(":") + 1)];
}

/** Windows with a finding; those that follow each other are one. */
function marksOf(all: Mark[], key: string, id: string): { span: Span; title: string }[] {
  const found: { span: Span; title: string }[] = [];
  for (const mark of all) {
    const one = mark.findings.find((each) => (each.key ? each.key === key : each.id === id));
    if (!one) continue;
    const before = found.at(-1);
    if (before && mark.span.since_ms - before.span.until_ms < 1000)
      before.span = { since_ms: before.span.since_ms, until_ms: mark.span.until_ms };
    else found.push({ span: { ...mark.span }, title: one.title });
  }
  return found;
}

function Trail({ id, subject }: { id: string; subject: string }) {
  return (
    <p class="dim trail">
      <To to={{ view: "overview", what: "" }} class="l">
        What is wrong
      </To>{" "}
      › {harmless(id)}
      {subject ? (
        <>
          {" › "}
          <span class="bidi">{middle(subject, 60)}</span>
        </>
      ) : null}
    </p>
  );
}

/** One finding as a group of its own. */
const asGroup = (finding: Finding): FindingGroup => ({
  key: finding.key,
  id: finding.id,
  severity: finding.severity,
  cost: finding.cost,
  impact: finding.impact,
  members: [finding.key],
});

function Page({ examination, finding, span: window, isOver }: Seen & { isOver: boolean }) {
  const keys = examination.findings.map((one) => one.key);
  const step = (by: number) => {
    const next = keys[keys.indexOf(finding.key) + by];
    if (next !== undefined) go({ what: next });
  };
  useKeys({ "[": () => step(-1), "]": () => step(1) }, [finding.key, keys.join(" ")]);
  const at = keys.indexOf(finding.key);
  return (
    <article class="proof">
      <header>
        <Trail id={finding.id} subject={finding.subject.name} />
        <Headline examination={examination} finding={finding} window={window}>
          <span class="id">
            <button type="button" disabled={at <= 0} onClick={() => step(-1)}>
              <Key name="[" /> previous
            </button>
            {" · "}
            <button type="button" disabled={at >= keys.length - 1} onClick={() => step(1)}>
              next <Key name="]" />
            </button>
          </span>
        </Headline>
        <h1 class="lead bidi">{glue(finding.title.trim())}</h1>
        <Members examination={examination} finding={finding} />
        {isOver ? (
          <p class="note gap">
            This finding is over; it is shown as it was at {time(window.until_ms)}.{" "}
            <button type="button" class="l" onClick={() => setWindow(window)}>
              Stay at that window
            </button>
          </p>
        ) : null}
      </header>
      <CauseTree examination={examination} finding={finding} />
      <div class="side">
        <Numbers finding={finding} />
        <Who finding={finding} />
        <Changes finding={finding} examination={examination} />
        <Doubt finding={finding} />
      </div>
      <div class="main">
        <EvidenceFigures finding={finding} window={window} />
        <Next finding={finding} />
      </div>
    </article>
  );
}

interface HeadlineProps extends Seen {
  children: ComponentChildren;
}

function Headline({
  examination,
  finding,
  window,
  children,
}: Omit<HeadlineProps, "span"> & { window: Span }) {
  const group = asGroup(finding);
  const part = shareOf(examination, group);
  const { impact } = finding;
  const length = duration(window.until_ms - window.since_ms);
  const facts: string[] = [];
  if (part !== null) facts.push(whose(examination, group));
  if (part !== null && impact.kind === "time")
    facts.push(`${withUnit(impact.amount, impact.unit)} in ${length}`);
  if (finding.confidence < 0.995) facts.push(`confidence ${share(finding.confidence)}`);
  return (
    <p class="headline">
      <Severity severity={finding.severity} size={16} />
      <b>{part === null ? amountOf(group) : share(part)}</b>
      <span class="dim">{facts.join(" · ")}</span>
      {children}
    </p>
  );
}

/** The others of its kind: one finding for each subject. */
function Members({ examination, finding }: { examination: ExaminationDocument; finding: Finding }) {
  const group = examination.groups.find((one) => one.members.includes(finding.key));
  const others = (group?.members ?? []).filter((key) => key !== finding.key);
  if (others.length === 0) return null;
  return (
    <p class="dim">
      also:{" "}
      {others.slice(0, MOST_TASKS).map((key, at) => {
        const other = examination.findings.find((one) => one.key === key);
        return (
          <>
            {at > 0 ? ", " : ""}
            <To key={key} to={{ what: key }} class="l bidi">
              {middle(other?.subject.name ?? splitKey(key)[1], 32)}
            </To>
          </>
        );
      })}
      {others.length > MOST_TASKS ? ` and ${others.length - MOST_TASKS} more` : ""}
    </p>
  );
}

function Numbers({ finding }: { finding: Finding }) {
  if (finding.evidence.length === 0) return null;
  return (
    <Section title="Numbers">
      <table class="evidence" aria-label="Numbers, and the limits that they are compared with">
        <tbody>
          {finding.evidence.map(({ name, value, unit, limit }) => {
            const isNumber = typeof value === "number";
            const has = isNumber && limit !== null && limit !== undefined;
            return (
              <tr key={name}>
                <th scope="row" class="dim">
                  {harmless(name)}
                </th>
                <td class={isNumber ? "num" : "text bidi"}>
                  {isNumber ? (
                    <Quantity parts={quantity(value, unit)} />
                  ) : (
                    middle(`${value}${unit ? ` ${unit}` : ""}`, 120)
                  )}
                </td>
                <td class="bullet">
                  {has ? <Bullet value={value} limit={limit} colour={paint(roleOf(finding.id))} /> : null}
                </td>
                <td class="dim3 nowrap">{has ? `limit ${withUnit(limit, unit)}` : ""}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </Section>
  );
}

const BULLET = 72;

/** A number against its limit. */
function Bullet({ value, limit, colour }: { value: number; limit: number; colour: string }) {
  const unit = BULLET / Math.max(1e-12, value, limit * 1.25);
  const at = Math.max(0, Math.min(BULLET, limit * unit));
  return (
    <svg width={BULLET} height={14} aria-hidden="true">
      <rect x={0} y={5} width={BULLET} height={4} class="track" />
      <rect x={0} y={4} width={Math.max(1, value * unit)} height={6} style={{ fill: colour }} />
      <path d={`M${at} 0v14`} class="tick" />
    </svg>
  );
}

function Who({ finding: { culprits, victims } }: { finding: Finding }) {
  if (culprits.length + victims.length === 0) return null;
  return (
    <Section title="Who">
      <Tasks label="causes it" tasks={culprits} />
      <Tasks label="waits" tasks={victims} />
    </Section>
  );
}

function Tasks({ label, tasks }: { label: string; tasks: TaskShare[] }) {
  if (tasks.length === 0) return null;
  const left = tasks.length - MOST_TASKS;
  return (
    <div class="whom">
      <h3 class="dim">{label}</h3>
      <ul>
        {tasks.slice(0, MOST_TASKS).map((task) => (
          <li key={`${task.name} ${task.pid} ${task.tid}`}>
            <Task task={task} />
            <span class="num">{task.seconds ? <Quantity value={task.seconds} unit="s" /> : null}</span>
          </li>
        ))}
      </ul>
      {left > 0 ? <p class="dim">{left} more</p> : null}
    </div>
  );
}

function Changes({ finding, examination }: { finding: Finding; examination: ExaminationDocument }) {
  if (finding.changes.length === 0) return null;
  const worse = (key: string) => {
    const other = examination.findings.find((one) => one.key === key);
    return other ? `${other.id} · ${middle(other.subject.name, 32)}` : harmless(key);
  };
  return (
    <Section title="Change">
      {finding.changes.map((change) => (
        <div key={change.command} class="change">
          <p>
            <b class="bidi">{harmless(change.tunable)}</b>: {harmless(change.from ?? "not known")} →{" "}
            {harmless(change.to)}
          </p>
          <dl class="terms">
            <Fact name="expect">{glue(change.expect.trim())}</Fact>
            <Fact name="risk">{glue(change.risk.trim())}</Fact>
            <Fact name="but">
              {(change.worsens ?? [])
                .map((one) => `more ${one.resource}: ${worse(one.finding)} gets worse`)
                .join("; ")}
            </Fact>
            <Fact name="undo">{change.undo ? <code>{harmless(change.undo)}</code> : ""}</Fact>
          </dl>
          <Command command={change.command} />
        </div>
      ))}
    </Section>
  );
}

/** The kind of stacks that show what a rule is about. */
function stacksOf(id: string): string {
  const area = id.split(".")[0] ?? "";
  const kinds: Record<string, string> = { disk: "io", fs: "io", lock: "lock", mem: "memory" };
  return kinds[area] ?? "";
}

/** The subject as a focus, where it is one. */
function focusOf({ subject, culprits }: Finding): string | null {
  if (["device", "mount", "cgroup"].includes(subject.kind)) return `${subject.kind}:${subject.name}`;
  const pid = subject.pid ?? (subject.kind === "process" ? culprits[0]?.pid : null);
  return pid ? `pid:${pid}` : address.value.focus;
}

/** What it means, and when not to believe it, is the rule's; its query and its stacks are here. */
function Doubt({ finding }: { finding: Finding }) {
  const query = finding.query.trim();
  const stacks = { kind: stacksOf(finding.id) };
  const { value: rule } = useAsk(
    (signal) => source.value?.rule(finding.id, signal) ?? Promise.reject(),
    [finding.id],
  );
  return (
    <Section title="When not to believe it">
      {rule ? <p>{rule.when_wrong}</p> : <Command command={`heldup explain ${finding.id}`} />}
      {rule ? (
        <details class="gap">
          <summary>what it means, and how it is decided</summary>
          <p>{rule.meaning}</p>
          <p class="gap">{rule.decided}</p>
        </details>
      ) : null}
      <p class="gap">
        {query ? (
          <>
            <To to={{ view: "sql", what: "", choices: { query } }} class="l">
              SQL of the rule
            </To>
            {" · "}
          </>
        ) : null}
        <To to={{ view: "stacks", what: "", focus: focusOf(finding), choices: stacks }} class="l">
          stacks
        </To>
      </p>
    </Section>
  );
}

function Next({ finding }: { finding: Finding }) {
  if (finding.next.length === 0) return null;
  return (
    <Section title="Next">
      {finding.next.map((step) => {
        const query = queryOf(step.command);
        return (
          <div key={step.command} class="next">
            <p>
              {glue(step.text)}
              {query ? (
                <>
                  {" · "}
                  <To to={{ view: "sql", what: "", choices: { query } }} class="l">
                    ask it here
                  </To>
                </>
              ) : null}
            </p>
            <Command command={step.command} />
          </div>
        );
      })}
    </Section>
  );
}

/** Of figures with a chart for each device that of the finding's, else the first ones. */
function ofSubject(frames: Frame[], finding: Finding): Frame[] {
  const names = new Set([
    finding.subject.name,
    ...[...finding.because, ...finding.explains].map((key) => splitKey(key)[1]),
    ...finding.evidence.flatMap(({ value }) => (typeof value === "string" ? [value] : [])),
  ]);
  const own = frames.filter((frame) => frame.subject !== null && names.has(frame.subject));
  return own.length > 0 ? own : frames.slice(0, MOST_FRAMES);
}

function EvidenceFigures({ finding, window }: { finding: Finding; window: Span }) {
  const element = useRef<HTMLDivElement>(null);
  const width = useWidth(element);
  const ids = finding.figures ?? [];
  const columns = width >= 1240 ? 3 : width >= 600 ? 2 : 1;
  const steps = stepsOf((width - (columns - 1) * GAP) / columns);
  const board = useBoard(ids, width > 0 ? window : null, steps, address.value.focus);
  if (ids.length === 0) return null;
  const info = (id: string): FigureInfo | null => state.value?.figures.find((one) => one.id === id) ?? null;
  return (
    <Section title="Evidence" said={<FigureLinks ids={ids} />}>
      <div ref={element} class="figs" style={{ "--columns": columns }}>
        {ids.map((id) => {
          const { frames, isDone, error } = board.of(id);
          const one = info(id);
          if (!one) return null;
          if (frames.length === 0)
            return (
              <div key={id} ref={board.place(id)}>
                <EmptyFigure info={one} isBusy={!isDone}>
                  {isDone && !error ? (
                    <p class="note dim">
                      Not measured in this window.
                      {one.supplied_by ? ` It is supplied by ${one.supplied_by}.` : ""}
                    </p>
                  ) : (
                    <Pending isLate={board.isLate} error={error} />
                  )}
                </EmptyFigure>
              </div>
            );
          return ofSubject(frames, finding).map((frame, at) => (
            <div key={`${id} ${frame.subject ?? ""}`} ref={at === 0 ? board.place(id) : null}>
              <Figure frame={frame} focus={address.value.focus} />
            </div>
          ));
        })}
      </div>
    </Section>
  );
}

function FigureLinks({ ids }: { ids: string[] }) {
  return (
    <>
      {ids.length === 1 ? "figure" : "figures"}{" "}
      {ids.map((id, at) => (
        <>
          {at > 0 ? ", " : ""}
          <To
            key={id}
            to={{ view: "area", what: id.split(".")[0] ?? id, choices: { figure: id } }}
            class="mono"
          >
            {id}
          </To>
        </>
      ))}
    </>
  );
}
