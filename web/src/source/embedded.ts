// Answers out of the file itself: a report holds the window that it was written of, and nothing else. What it does not
// hold is said with the command that does.

import { windowWords, word } from "../commands";
import { windowText } from "../text";
import type { BreakdownDocument, ComparisonDocument, ExperimentAnswer, RecordAnswer } from "./documents";
import { FrameReader } from "./frames";
import type { ExplainedRule, Frame, Mark, PageView, Source, Span, State, Who } from "./source";
import { AskError } from "./source";

/** The element that holds the data of a report. */
const DATA = "heldup-data";
/** The version of its data that this page reads. */
const FORMAT = 1;

interface Answers {
  /** What commands name the source: `@41`, a path; none where the names in it are replaced. */
  source: string | null;
  state: State;
  view: PageView | null;
  who: Who | null;
  marks?: Mark[];
  breakdown?: BreakdownDocument | null;
  breakdowns?: Record<string, BreakdownDocument>;
  comparison?: ComparisonDocument | null;
  experiment?: ExperimentAnswer | null;
  record?: RecordAnswer | null;
  rules?: ExplainedRule[];
}

/** Whether this document is a report. */
export function isReport(): boolean {
  return document.getElementById(DATA) !== null;
}

/** The source of a report; none where the page comes from a server. */
export async function embedded(): Promise<EmbeddedSource | null> {
  const element = document.getElementById(DATA);
  if (!element) return null;
  const data = JSON.parse(element.textContent ?? "");
  if (data.format !== FORMAT) throw new AskError("The data of this report cannot be read by this page.");
  const answers: Answers = JSON.parse(new TextDecoder().decode(await unpacked(data.answers)));
  const reader = new FrameReader();
  const frames = data.frames ? reader.push(await unpacked(data.frames)) : [];
  return new EmbeddedSource(answers, frames);
}

async function unpacked(text: string): Promise<Uint8Array> {
  const packed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

const isSame = (a: Span, b: Span) =>
  Math.abs(a.since_ms - b.since_ms) < 1000 && Math.abs(a.until_ms - b.until_ms) < 1000;

export class EmbeddedSource implements Source {
  readonly kind = "embedded";

  constructor(
    private readonly held: Answers,
    private readonly frames: Frame[],
  ) {}

  /** The view that the file is of. */
  get first(): {
    view: "overview" | "stacks" | "compare" | "try";
    what: string;
    choices: Record<string, string>;
  } {
    const { comparison, experiment, breakdown } = this.held;
    if (experiment) return { view: "try", what: "1", choices: {} };
    if (comparison) return { view: "compare", what: "", choices: {} };
    if (breakdown) return { view: "stacks", what: "", choices: { kind: breakdown.kind } };
    return { view: "overview", what: "", choices: {} };
  }

  private get span(): Span {
    return this.held.state.all;
  }

  /** That something is not here, and which command has it. `$` stands for the source. */
  private missing(what: string, command: string): AskError {
    const { source } = this.held;
    if (source === null) {
      return new AskError(`${what} not in this file.`, "The source of this report is not named in it.");
    }
    const said = command.replace("$", () => word(source));
    return new AskError(`${what} not in this file.`, "This command has it:", 0, said);
  }

  private times(span: Span = this.span): string {
    return windowWords(span);
  }

  private other(span: Span): AskError {
    return this.missing(
      `The file holds ${windowText(this.span)}; other windows are`,
      `heldup serve $ ${this.times(span)}`,
    );
  }

  state = async (): Promise<State> => this.held.state;

  view = async (span: Span | null): Promise<PageView> => {
    const { view } = this.held;
    if (span && !isSame(span, view?.span ?? this.span)) throw this.other(span);
    if (!view) throw this.missing("The examination is", `heldup examine $ ${this.times()}`);
    return view;
  };

  who = async (span: Span): Promise<Who> => {
    if (!this.held.who) throw this.missing("Processes are", `heldup serve $ ${this.times(span)}`);
    if (!isSame(span, this.held.who.span)) throw this.other(span);
    return this.held.who;
  };

  now = async (): Promise<never> => {
    throw this.missing("What happens now is", "heldup serve");
  };

  rule: Source["rule"] = async (id) => {
    const rule = this.held.rules?.find((one) => one.id === id);
    if (!rule) throw this.missing("The rule is", `heldup explain ${id}`);
    return rule;
  };

  life = async (pid: number, _start: number | null, span: Span): Promise<never> => {
    throw this.missing(`The life of process ${pid} is`, `heldup serve $ ${this.times(span)}`);
  };

  figures: Source["figures"] = async (ask, each) => {
    const { focus } = ask;
    if (focus) throw this.missing(`Figures of ${focus} alone are`, `heldup plot $ --focus ${word(focus)}`);
    const area = (id: string) => id.split(".")[0] ?? id;
    for (const frame of this.frames) {
      if (ask.figures.includes(frame.id) || ask.figures.includes(area(frame.id))) each(frame);
    }
  };

  marks = async (): Promise<Mark[]> => this.held.marks ?? [];

  breakdown: Source["breakdown"] = async (kind, span, focus) => {
    const { breakdown, breakdowns } = this.held;
    const found = breakdowns?.[kind] ?? (breakdown?.kind === kind ? breakdown : null);
    if (found && !focus && isSame(span, this.span)) return found;
    const more = focus ? ` --focus ${word(focus)}` : "";
    const named = kind === "memory" ? "mem" : kind;
    throw this.missing(
      "These stacks are",
      `heldup breakdown ${named} $ ${this.times(span)}${more} -o ${named}.html`,
    );
  };

  compare: Source["compare"] = async (span, before) => {
    if (this.held.comparison) return this.held.comparison;
    const { source } = this.held;
    const side = ({ since_ms, until_ms }: Span) =>
      `${new Date(since_ms).toISOString()}..${new Date(until_ms).toISOString()}`;
    throw this.missing(
      "A comparison is",
      `heldup compare ${word(`${source}@${side(before)}`)} ${word(`${source}@${side(span)}`)}`,
    );
  };

  experiments: Source["experiments"] = async () => {
    const { experiment } = this.held;
    if (!experiment) throw this.missing("Experiments are", "heldup serve $");
    const change = experiment.changes[0];
    const title = change ? `${change.setting} ${change.before} → ${change.asked}` : "no change was tested";
    const verdict = change?.verdict ?? "";
    return [{ id: "1", time_ms: Date.parse(experiment.to), title, verdict }];
  };

  experiment: Source["experiment"] = async () => {
    if (this.held.experiment) return this.held.experiment;
    throw this.missing("Experiments are", "heldup serve $");
  };

  tables: Source["tables"] = async () => {
    throw this.missing("Tables are", `heldup sql -s $`);
  };

  sql: Source["sql"] = async (query, span) => {
    throw this.missing("Rows are", `heldup sql -s $ ${this.times(span)} ${word(query)}`);
  };

  record: Source["record"] = async () => {
    if (this.held.record) return this.held.record;
    throw this.missing("What the recorder did is", "heldup status");
  };

  time: Source["time"] = async () => {
    throw this.other(this.span);
  };

  /** A file does not grow. */
  live: Source["live"] = (_after, signal) =>
    new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
    });

  file: Source["file"] = async (what, _span, figure) => {
    if (what === "csv" && figure) return new Blob([csvOf(figure)], { type: "text/csv" });
    if (what === "report") throw new AskError("This is the report: the browser saves it.");
    const id = figure ? ` ${word(figure.id)}` : "";
    throw this.missing("Figures as files are", `heldup plot $${id} ${this.times()} -o figure.${what}`);
  };
}

function csvOf(frame: Frame): string {
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const head = ["from", "to", ...frame.series.map((series) => quoted(series.name))].join(",");
  const at = (ms: number | undefined) => (ms === undefined ? "" : new Date(ms).toISOString());
  const lines = Array.from(frame.steps.since, (since, step) =>
    [
      at(since),
      at(frame.steps.until[step]),
      ...frame.series.map(({ mean }) => (Number.isNaN(mean[step]) ? "" : String(mean[step]))),
    ].join(","),
  );
  return `${head}\n${lines.join("\n")}\n`;
}
