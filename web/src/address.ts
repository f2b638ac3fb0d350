// The address of the page is the view: what is shown, of which window, with which choices. docs/page.md documents it.

import type { Span } from "./source/source";

export type ViewName =
  | "overview"
  | "finding"
  | "who"
  | "life"
  | "area"
  | "stacks"
  | "compare"
  | "try"
  | "sql"
  | "record";

export interface Address {
  view: ViewName;
  /** Key of a finding, `PID@START` of a process, an area, the id of an experiment. */
  what: string;
  /** Absolute; none while live. */
  since: number | null;
  until: number | null;
  /** The window that is compared with. */
  with: Span | null;
  host: string | null;
  /** One unit, program or process: `unit:db.service`. */
  focus: string | null;
  /** Further choices of a view: `by`, `sort`, `filter`, `kind`, `query`… */
  choices: Record<string, string>;
}

const PATHS: Record<ViewName, string> = {
  overview: "/",
  finding: "/finding/",
  who: "/who",
  life: "/who/",
  area: "/on/",
  stacks: "/stacks",
  compare: "/compare",
  try: "/try",
  sql: "/sql",
  record: "/record",
};

const CHOICES = ["by", "sort", "filter", "kind", "query", "pid", "figure", "tree", "at"];

function millis(text: string | null): number | null {
  if (text === null) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : at;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** What an address shows. `dropped` names what is not understood. */
export function parse(path: string, search: string): { address: Address; dropped: string[] } {
  const dropped: string[] = [];
  const words = new URLSearchParams(search);
  const [, first = "", ...rest] = path.split("/");
  const what = decode(rest.join("/"));
  let view: ViewName = "overview";
  if (first === "finding" && what) view = "finding";
  else if (first === "who") view = what ? "life" : "who";
  else if (first === "on" && what) view = "area";
  else if (["stacks", "compare", "try", "sql", "record"].includes(first)) view = first as ViewName;
  else if (first !== "") dropped.push(path);
  const times = ["since", "until", "with-since", "with-until"].map((name) => {
    const at = millis(words.get(name));
    if (words.has(name) && at === null) dropped.push(`${name}=${words.get(name)}`);
    return at;
  });
  let [since = null, until = null] = times;
  const [, , from = null, to = null] = times;
  if (since === null || until === null || since >= until) {
    if (since !== null && until !== null) dropped.push("since is not before until");
    since = null;
    until = null;
  }
  const choices: Record<string, string> = {};
  for (const name of CHOICES) {
    const value = words.get(name);
    if (value !== null) choices[name] = value;
  }
  const address: Address = {
    view,
    what: view === "overview" ? "" : what,
    since,
    until,
    with: from !== null && to !== null && from < to ? { since_ms: from, until_ms: to } : null,
    host: words.get("host"),
    focus: words.get("focus"),
    choices,
  };
  return { address, dropped };
}

/** The address of a view. */
export function format(address: Address): string {
  const words = new URLSearchParams();
  const time = (name: string, at: number | null | undefined) => {
    if (at !== null && at !== undefined) words.set(name, new Date(at).toISOString());
  };
  if (address.host) words.set("host", address.host);
  time("since", address.since);
  time("until", address.until);
  time("with-since", address.with?.since_ms);
  time("with-until", address.with?.until_ms);
  if (address.focus) words.set("focus", address.focus);
  for (const name of CHOICES) {
    const value = address.choices[name];
    if (value) words.set(name, value);
  }
  const what = address.what.split("/").map(encodeURIComponent).join("/");
  const path =
    PATHS[address.view] +
    (address.view === "overview" ? "" : PATHS[address.view].endsWith("/") ? what : what && `/${what}`);
  const search = words.toString().replaceAll("%3A", ":");
  return search ? `${path}?${search}` : path;
}

/** The address after a change. Choices are those of a view: another one begins without. */
export function moved(before: Address, change: Partial<Address>): Address {
  const isOther = change.view !== undefined && change.view !== before.view;
  return { ...before, ...(isOther ? { choices: {} } : {}), ...change };
}
