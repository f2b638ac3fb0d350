// Where answers come from: a server, or the file itself. Views know this interface only.

import type {
  BreakdownDocument,
  ComparisonDocument,
  ExaminationDocument,
  ExperimentAnswer,
  RecordAnswer,
  TablesDocument,
} from "./documents";

/** Milliseconds since 1970, UTC. */
export interface Span {
  since_ms: number;
  until_ms: number;
}

export interface FigureInfo {
  id: string;
  area: string;
  title: string;
  question: string;
  kind: FrameKind;
  unit: string;
  supplied_by: string | null;
}

export interface State {
  version: string;
  source: { name: string | null; kind: "live" | "archive" | "capture" | "recording" };
  live: boolean;
  host: string;
  hosts: string[];
  /** One line about the machine. */
  system: string;
  cpus: number | null;
  /** IANA name of the zone of the recording; none where that is the reader's. */
  zone: string | null;
  all: Span;
  first: Span;
  note: string | null;
  /** Rights are missing. */
  sudo: boolean;
  figures: FigureInfo[];
  areas: { id: string; title: string }[];
  recorder: { overhead_share: number | null; bytes: number | null; bytes_per_day: number | null } | null;
}

export interface PageView {
  span: Span;
  examination: ExaminationDocument;
  judged_ms?: number | null;
}

export interface BriefFinding {
  id: string;
  title: string;
  severity: string;
  key?: string;
}

export interface Mark {
  span: Span;
  findings: BriefFinding[];
}

export interface SeenTask {
  tid: number;
  pid: number | null;
  name: string;
  times: [string, number][];
}

export interface SeenProcess {
  pid: number;
  name: string;
  command: string | null;
  parent: number | null;
  uid: number | null;
  state: string | null;
  is_kernel: boolean;
  cgroup: string | null;
  unit: string | null;
  container: string | null;
  nice: number | null;
  threads: number | null;
  start_ms: number | null;
  ended: boolean;
  cpu_s: number | null;
  resident_bytes: number | null;
  growth_bytes: number | null;
  swap_bytes: number | null;
  major_faults: number | null;
  read_bytes: number | null;
  write_bytes: number | null;
}

export interface Who {
  span: Span;
  tasks: SeenTask[];
  processes: SeenProcess[];
  /** Tasks by class, step by step, of the processes that waited and ran most. */
  over_time?: {
    steps: Span[];
    processes: { pid: number; classes: { class: string; tasks: (number | null)[] }[] }[];
  } | null;
}

export interface Life {
  span: Span;
  process: SeenProcess;
  threads: SeenTask[];
  frames: Frame[];
  waited_for: {
    class: string;
    object: string | null;
    seconds: number;
    waits?: number | null;
    /** The stack with most of it: from the outermost function to the innermost, with `;` between them. */
    stack: { syscall: string | null; kernel_stack: string | null; user_stack: string | null } | null;
  }[];
  woken_by: { name: string; pid: number | null; seconds: number | null; count: number | null }[];
}

export type FrameKind = "lines" | "stack" | "heat" | "bars";

/** A figure's data, reduced to the width that it is drawn at. NaN is: not measured. */
export interface Frame {
  id: string;
  subject: string | null;
  title: string;
  question: string;
  kind: FrameKind;
  /** s, bytes/s, ratio, /s… */
  unit: string;
  scale: "linear" | "log";
  since_ms: number;
  until_ms: number;
  /** Start and end of each step; none where values are of the whole window. */
  steps: { since: Float64Array; until: Float64Array };
  series: FrameSeries[];
  peaks: { above: Float64Array; below: Float64Array } | null;
  limit: { name: string; value: number } | null;
  sql: string;
  /** Of a figure that failed: what, and what to do. It has no series. */
  error?: string;
  do?: string | null;
}

export interface FrameSeries {
  name: string;
  letter: string;
  colour: { role: string; step: number };
  /** Hangs below the line. */
  below: boolean;
  bounds: [number, number | null] | null;
  mean: Float64Array;
  least: Float64Array;
  greatest: Float64Array;
  summary: {
    mean: number | null;
    least: number | null;
    greatest: number | null;
    greatest_ms: number | null;
    total: number | null;
  };
}

export interface FiguresAsk extends Span {
  steps: number;
  /** Ids and areas. */
  figures: string[];
  focus?: string | null;
  /** Only the end of the window: what came since the last answer. */
  tail_ms?: number;
}

export interface SqlAnswer {
  columns: { name: string; unit: string | null; kind: string }[];
  rows: (string | number | boolean | null)[][];
  offset: number;
  more: boolean;
  took_ms: number;
}

export interface ExperimentBrief {
  id: string;
  time_ms: number;
  title: string;
  verdict: string;
}

/** A rule in words. */
export interface ExplainedRule {
  id: string;
  meaning: string;
  decided: string;
  when_wrong: string;
  references: string[];
}

/** What cannot be answered, with what to do. */
export class AskError extends Error {
  constructor(
    message: string,
    readonly advice: string | null = null,
    readonly status = 0,
    /** A command that has it. */
    readonly command: string | null = null,
  ) {
    super(message);
  }
}

export interface Source {
  /** Whether further windows can be asked for. */
  readonly kind: "http" | "embedded";
  state(host: string | null, signal?: AbortSignal): Promise<State>;
  /** Of live without a span: the window of now. */
  view(span: Span | null, signal?: AbortSignal): Promise<PageView>;
  /** `over`: of how many processes also step by step, in how many steps. */
  who(
    span: Span,
    by: string,
    signal?: AbortSignal,
    over?: { processes: number; steps: number },
  ): Promise<Who>;
  life(pid: number, startMs: number | null, span: Span, signal?: AbortSignal): Promise<Life>;
  /** Frames arrive each as soon as it is ready. */
  figures(ask: FiguresAsk, each: (frame: Frame) => void, signal?: AbortSignal): Promise<void>;
  marks(span: Span, signal?: AbortSignal): Promise<Mark[]>;
  breakdown(kind: string, span: Span, focus: string | null, signal?: AbortSignal): Promise<BreakdownDocument>;
  compare(span: Span, before: Span, signal?: AbortSignal): Promise<ComparisonDocument>;
  experiments(signal?: AbortSignal): Promise<ExperimentBrief[]>;
  experiment(id: string, signal?: AbortSignal): Promise<ExperimentAnswer>;
  tables(signal?: AbortSignal): Promise<TablesDocument>;
  sql(query: string, span: Span, offset: number, signal?: AbortSignal): Promise<SqlAnswer>;
  record(signal?: AbortSignal): Promise<RecordAnswer>;
  rule(id: string, signal?: AbortSignal): Promise<ExplainedRule>;
  time(words: string, signal?: AbortSignal): Promise<number>;
  /** Waits for a sample later than that. */
  live(
    afterMs: number,
    signal: AbortSignal,
  ): Promise<{ until_ms: number; all: Span; judged_ms: number | null }>;
  /** Vital signs of the last samples. */
  now(signal?: AbortSignal): Promise<{ span: Span; vitals: ExaminationDocument["vitals"] }>;
  /** The window as a file: a report, or one figure. */
  file(what: "report" | "svg" | "png" | "csv", span: Span, figure?: Frame): Promise<Blob>;
}
