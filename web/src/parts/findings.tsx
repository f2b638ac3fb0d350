// What is wrong, as cards: how much, what, why, who, what to do.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { paint } from "../classes";
import {
  amountOf,
  byName,
  type Calm,
  calm,
  causes,
  details,
  information,
  membersOf,
  type Numbered,
  OTHERS,
  queryOf,
  RULE_AREAS,
  reasons,
  roleOf,
  rulesOf,
  shareOf,
  titleOf,
  troubles,
  whose,
} from "../examination";
import type { ExaminationDocument, Finding, FindingGroup, TaskShare } from "../source/documents";
import { isLive, state } from "../store";
import { count, counted, glue, harmless, middle, number, quantity, seconds, share, withUnit } from "../text";
import { Command } from "./command";
import { To } from "./link";
import { Quantity, SEVERITIES, Severity } from "./quantity";
import { Fact } from "./section";

const MOST_SMALL = 6;
const MOST_WHO = 3;
const MOST_NUMBERS = 3;
/** A command that is longer is no line of a card. */
const LONGEST_COMMAND = 400;

interface Props {
  examination: ExaminationDocument;
  /** What has to be said before. */
  before?: ComponentChildren;
}

export function Findings({ examination, before }: Props) {
  const [isAll, setAll] = useState(false);
  const found = troubles(examination);
  const info = information(examination);
  const number = (of: string) => found.filter(({ group }) => group.severity === of).length;
  const said = [
    number("critical") > 0 ? `${count(number("critical"))}\u00a0critical` : "",
    number("warning") > 0 ? counted(number("warning"), "warning") : "",
  ].filter(Boolean);
  const [first, ...others] = found;
  const small = isAll ? others : others.slice(0, MOST_SMALL);
  return (
    <>
      <div class="answer">
        <h1>What is wrong</h1>
        <span>{said.join(", ")}</span>
      </div>
      <Spoken examination={examination} />
      {before}
      {first ? <Card examination={examination} numbered={first} /> : <Quiet of={calm(examination)} />}
      {small.map((one) => (
        <Small key={one.group.key} examination={examination} numbered={one} />
      ))}
      {small.length < others.length ? (
        <p class="more-findings">
          <button type="button" class="l" onClick={() => setAll(true)}>
            {count(others.length - small.length)} more
          </button>
        </p>
      ) : null}
      {info.length > 0 ? <Information examination={examination} all={info} /> : null}
      <Checked examination={examination} isOpen={found.length === 0} />
    </>
  );
}

/** While live the ear hears what comes and what ends, and nothing else. */
function Spoken({ examination }: { examination: ExaminationDocument }) {
  const known = useRef<Map<string, string> | null>(null);
  const [said, setSaid] = useState("");
  useEffect(() => {
    const before = known.current;
    const now = new Map(troubles(examination).map(({ group }) => [group.key, titleOf(examination, group)]));
    known.current = now;
    if (!before || !isLive.value) return;
    const only = (some: Map<string, string>, others: Map<string, string>, word: string) =>
      [...some].filter(([key]) => !others.has(key)).map(([, title]) => `${word}: ${harmless(title)}.`);
    const all = [...only(now, before, "New"), ...only(before, now, "Ended")];
    if (all.length > 0) setSaid(all.join(" "));
  }, [examination]);
  return (
    <p class="ear" role="status">
      {said}
    </p>
  );
}

function Quiet({ of }: { of: Calm }) {
  return (
    <div class="quiet">
      <p class="lead">{of.title}</p>
      {of.text ? <p class="dim">{glue(of.text)}</p> : null}
    </div>
  );
}

interface CardProps {
  examination: ExaminationDocument;
  numbered: Numbered;
}

/** The place of a group's first finding. */
function linkOf(group: FindingGroup, members: Finding[]) {
  return { view: "finding" as const, what: members[0]?.key ?? group.key };
}

function Card({ examination, numbered: { group } }: CardProps) {
  const members = membersOf(examination, group);
  const [first] = members;
  const of = shareOf(examination, group);
  const title = glue(titleOf(examination, group));
  return (
    <article class="finding" aria-label={`${SEVERITIES[group.severity]}: ${title}`}>
      <div class="f-cost">
        <Severity severity={group.severity} size={16} />
        <HowMuch of={of} examination={examination} group={group} />
        <span class="id">{group.id}</span>
      </div>
      <h2>
        <To class="bidi" to={linkOf(group, members)}>
          {title}
        </To>
      </h2>
      {of === null ? null : (
        <div class="sharebar" aria-hidden="true">
          <i style={{ width: `${(of * 100).toFixed(2)}%`, background: paint(roleOf(group.id)) }} />
        </div>
      )}
      {first ? (
        <dl class="spine">
          <Why examination={examination} group={group} first={first} />
          <WhoIn first={first} />
          <Do examination={examination} first={first} isAlone={troubles(examination).length === 1} />
        </dl>
      ) : null}
    </article>
  );
}

/** The only large number; beside it of what it is a share or a part. */
function HowMuch({
  of,
  examination,
  group,
}: {
  of: number | null;
  examination: ExaminationDocument;
  group: FindingGroup;
}) {
  if (of !== null) {
    return (
      <>
        <b>
          <Quantity value={of} unit="ratio" />
        </b>
        <span class="of">{whose(examination, group)}</span>
      </>
    );
  }
  const { impact } = group;
  if (impact.kind !== "time" && impact.kind !== "waste") return <b>{amountOf(group)}</b>;
  const [amount, unit] = quantity(impact.amount, impact.unit);
  const [first = "", ...rest] = unit.split(" ");
  return (
    <>
      <b>
        <Quantity parts={[amount, first]} />
      </b>
      <span class="of">{rest.join(" ")}</span>
    </>
  );
}

function Small({ examination, numbered: { group } }: CardProps) {
  const members = membersOf(examination, group);
  const of = shareOf(examination, group);
  const title = glue(titleOf(examination, group));
  const first = members[0];
  const because = causes(examination, group);
  const who = first ? whoOf(first).slice(0, 2) : [];
  return (
    <article class="finding small" aria-label={`${SEVERITIES[group.severity]}: ${title}`}>
      <Severity severity={group.severity} />
      <h2>
        <To class="bidi" to={linkOf(group, members)}>
          {title}
        </To>
      </h2>
      <span class="pc">{of === null ? amountOf(group) : share(of)}</span>
      <p>
        <span class="bidi">
          {because.length > 0
            ? `follows from ${because.map(({ group: other }) => other.id).join(", ")}`
            : who
                .map(({ name, seconds: spent }) =>
                  [middle(name, 24), spent ? seconds(spent) : ""].filter(Boolean).join(" "),
                )
                .join(", ")}
        </span>{" "}
        <span class="id">{group.id}</span>
      </p>
    </article>
  );
}

function Information({ examination, all }: { examination: ExaminationDocument; all: Numbered[] }) {
  const [first] = all;
  const line = ({ group }: Numbered) => (
    <>
      <Severity severity="info" />{" "}
      <To class="bidi" to={linkOf(group, membersOf(examination, group))}>
        {glue(titleOf(examination, group))}
      </To>
    </>
  );
  if (all.length === 1 && first) return <p class="info">{line(first)}</p>;
  return (
    <details class="info">
      <summary>
        <Severity severity="info" /> {counted(all.length, "fact")} for information
      </summary>
      <ul>
        {all.map((one) => (
          <li key={one.group.key}>{line(one)}</li>
        ))}
      </ul>
    </details>
  );
}

/** What it follows from, what says more about it, and the numbers that show it. */
function Why({
  examination,
  group,
  first,
}: {
  examination: ExaminationDocument;
  group: FindingGroup;
  first: Finding;
}) {
  const because = causes(examination, group);
  const more = details(examination, group);
  const numbers = [...first.evidence]
    .sort((a, b) => Number((b.limit ?? null) !== null) - Number((a.limit ?? null) !== null))
    .slice(0, MOST_NUMBERS)
    .map(numberInWords);
  if (because.length + more.length + numbers.length === 0) return null;
  return (
    <Fact name="why">
      {because.map(({ group: other }) => (
        <p key={other.key}>
          follows from{" "}
          <To class="l" to={linkOf(other, membersOf(examination, other))}>
            {other.id}
          </To>
        </p>
      ))}
      {more.map((finding) => (
        <p key={finding.key} class="bidi">
          {glue(finding.title)}
        </p>
      ))}
      {numbers.length > 0 ? <p class="bidi">{numbers.join(" · ")}</p> : null}
    </Fact>
  );
}

/** `average queue depth 2.7 requests`; with its limit where it has one. */
export function numberInWords({ name, value, unit, limit }: Finding["evidence"][number]): string {
  const called = name.replace(new RegExp(`_${unit.replace(/\W/g, "\\$&")}$`), "").replaceAll("_", " ");
  const shown =
    typeof value === "string"
      ? harmless(value)
      : called.split(" ").includes(unit)
        ? number(value)
        : withUnit(value, unit);
  const least = limit === null || limit === undefined ? "" : ` (limit\u00a0${withUnit(limit, unit)})`;
  return `${harmless(called)}\u00a0${shown}${least}`;
}

interface Named {
  name: string;
  pid: number | null;
  tasks: number;
  role: string;
  seconds: number;
}

/** Culprits, then those who suffer and are no culprits; tasks of one name together. */
function whoOf(finding: Finding): Named[] {
  const named = (tasks: TaskShare[], role: string): Named[] =>
    byName(tasks)
      .filter(({ name }) => name !== OTHERS)
      .map((one) => {
        const members = tasks.filter((task) => task.name === one.name);
        const roles = new Set(members.map((task) => task.role ?? ""));
        const [only] = roles;
        return {
          ...one,
          pid: members.length === 1 && one.tasks === 1 ? (members[0]?.pid ?? null) : null,
          role: roles.size === 1 && only ? only : role,
        };
      });
  const culprits = named(finding.culprits, "culprit");
  const victims = named(finding.victims, "victim");
  return [...culprits, ...victims.filter(({ name }) => !culprits.some((one) => one.name === name))];
}

/** Who causes it and who suffers, as rows: name, role, seconds. */
export function WhoIn({ first, most = MOST_WHO }: { first: Finding; most?: number }) {
  const all = whoOf(first);
  if (all.length === 0) return null;
  return (
    <Fact name="who">
      <div class="whoin">
        {all.slice(0, most).map((one) => (
          <>
            <span class="nowrap">
              <span class="bidi">{middle(one.name, 22)}</span>
              {one.tasks > 1 ? <span class="dim3"> × {count(one.tasks)}</span> : null}
              {one.pid === null ? null : <span class="dim3"> {one.pid}</span>}
            </span>
            <span class="role bidi">{harmless(one.role)}</span>
            <span class="num">{one.seconds > 0 ? <Quantity value={one.seconds} unit="s" /> : null}</span>
          </>
        ))}
      </div>
      {all.length > most ? <p class="dim3">{count(all.length - most)} more</p> : null}
    </Fact>
  );
}

/** A command as this reader has to type it. */
export function withSudo(command: string): string {
  const text = command.trim();
  return state.value?.sudo && text.startsWith("heldup ") ? `sudo ${text}` : text;
}

/** The change, or the next step. */
function Do({
  examination,
  first,
  isAlone,
}: {
  examination: ExaminationDocument;
  first: Finding;
  isAlone: boolean;
}) {
  const [change] = first.changes;
  if (change) {
    const worse = change.worsens ?? [];
    const short: Record<string, string> = { cpu: "CPU time", disk: "disk throughput", memory: "memory" };
    const harms = worse.map(
      ({ finding, resource }) =>
        `makes ${finding.split("/")[0]} worse: uses ${short[resource] ?? resource}, which is short`,
    );
    const inWords = `${change.tunable}${change.from ? ` ${change.from}` : ""} → ${change.to}`;
    const text = [change.expect, change.risk, ...harms]
      .map((one) => one.trim().replace(/\.$/, ""))
      .filter(Boolean);
    const isLater = worse.length > 0 && !isAlone;
    return (
      <Fact name="do">
        <p class="bidi">
          {isLater ? `Nothing yet: ${glue(inWords)} ${harms.join("; ")}.` : glue(`${text.join("; ")}.`)}
        </p>
        {isLater ? null : change.command ? (
          <Command command={withSudo(change.command)} />
        ) : (
          <p>{harmless(inWords)}</p>
        )}
        {change.undo && !isLater ? <p class="dim3">undo: {harmless(change.undo)}</p> : null}
      </Fact>
    );
  }
  const fits = first.next.filter(({ command }) => command.length <= LONGEST_COMMAND);
  const step = fits.find(({ command }) => queryOf(command) === null) ?? fits[0];
  const asked = first.next.find(({ command }) => queryOf(command) !== null);
  if (!step && !asked) {
    const at = examination.groups.findIndex((group) => group.members.includes(first.key));
    return (
      <Fact name="next">
        <Command command={withSudo(`heldup explain ${at + 1}`)} />
      </Fact>
    );
  }
  const query = asked ? queryOf(asked.command) : null;
  return (
    <Fact name="next">
      {asked && query !== null ? (
        <p>
          <To class="l" to={{ view: "sql", what: "", choices: { query } }}>
            {glue(asked.text)}
          </To>
        </p>
      ) : null}
      {step && step !== asked ? (
        <>
          <p>{glue(step.text)}</p>
          {step.command ? <Command command={withSudo(step.command)} /> : null}
        </>
      ) : null}
    </Fact>
  );
}

/** How much was checked; opens lists. Where nothing is wrong, by area at once. */
function Checked({ examination, isOpen }: { examination: ExaminationDocument; isOpen: boolean }) {
  const [shown, setShown] = useState<"ruled" | "not" | null>(null);
  const { ruled_out, not_checked } = examination;
  const toggle = (which: "ruled" | "not") => () => setShown(shown === which ? null : which);
  return (
    <>
      <p class="ruled">
        {ruled_out.length > 0 ? (
          <button type="button" class="l" aria-expanded={shown === "ruled"} onClick={toggle("ruled")}>
            {count(ruled_out.length)} ruled out
          </button>
        ) : (
          <span>0 ruled out</span>
        )}
        {not_checked.length > 0 ? (
          <button type="button" class="l" aria-expanded={shown === "not"} onClick={toggle("not")}>
            {count(not_checked.length)} not checked
          </button>
        ) : null}
        <span class="dim3">of {counted(rulesOf(examination), "rule")}</span>
      </p>
      {shown === null ? null : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keys.
        <section class="scrolls" tabIndex={0} aria-label={shown === "ruled" ? "ruled out" : "not checked"}>
          {shown === "ruled" ? (
            <RuledOut examination={examination} />
          ) : (
            <NotChecked examination={examination} />
          )}
        </section>
      )}
      {isOpen && shown === null ? <ByArea examination={examination} /> : null}
    </>
  );
}

const areaOf = (id: string) =>
  RULE_AREAS.find(({ prefixes }) => prefixes.includes(id.split(".")[0] ?? ""))?.title ?? "others";

function ByArea({ examination }: { examination: ExaminationDocument }) {
  const titles = [...RULE_AREAS.map(({ title }) => title), "others"];
  const rows = titles
    .map((title) => ({
      title,
      out: examination.ruled_out.filter(({ id }) => areaOf(id) === title).length,
      not: examination.not_checked.filter(({ id }) => areaOf(id) === title),
    }))
    .filter(({ out, not }) => out + not.length > 0);
  return (
    <table class="byarea">
      <thead>
        <tr>
          <th scope="col">
            <span class="ear">area</span>
          </th>
          <th scope="col" class="num">
            ruled out
          </th>
          <th scope="col" class="num">
            not checked
          </th>
          <th scope="col">why not</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ title, out, not }) => (
          <tr key={title}>
            <td>{title}</td>
            <td class={out === 0 ? "num dim3" : "num"}>{count(out)}</td>
            <td class={not.length === 0 ? "num dim3" : "num"}>{count(not.length)}</td>
            <td class="dim bidi" title={harmless(not[0]?.missing ?? "")}>
              {middle(not[0]?.missing ?? "", 60)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function RuledOut({ examination }: { examination: ExaminationDocument }) {
  return (
    <table class="checked">
      <thead>
        <tr>
          <th scope="col">rule</th>
          <th scope="col">what was checked</th>
        </tr>
      </thead>
      <tbody>
        {examination.ruled_out.map(({ id, why }) => (
          <tr key={id}>
            <td class="nowrap">{id}</td>
            <td class="dim bidi">{harmless(why)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function NotChecked({ examination }: { examination: ExaminationDocument }) {
  return (
    <dl class="notchecked">
      {reasons(examination).map(({ missing, how, ids }) => (
        <div key={`${missing} ${how}`}>
          <dt class="bidi">{harmless(missing)}</dt>
          <dd class="dim bidi">{harmless(how)}</dd>
          <dd class="dim3">{ids.join(", ")}</dd>
        </div>
      ))}
    </dl>
  );
}
