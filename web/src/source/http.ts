// Answers of a server. The token comes in the address's fragment and is never sent but as a header.

import { FrameReader } from "./frames";
import { AskError, type FiguresAsk, type Frame, type Source, type Span } from "./source";

const TOKEN = "heldup-token";

/** The token of this tab: from the address, where it is removed, or kept from before. */
export function takeToken(): string | null {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given) {
    keepToken(given);
    history.replaceState(null, "", location.pathname + location.search);
  }
  try {
    return sessionStorage.getItem(TOKEN) ?? given;
  } catch {
    return given;
  }
}

/** Keeps it for this tab. */
export function keepToken(token: string): void {
  try {
    sessionStorage.setItem(TOKEN, token);
  } catch {
    // Without storage it is asked for again after a reload.
  }
}

type Words = Record<string, string | number | null | undefined>;

export class HttpSource implements Source {
  readonly kind = "http";

  /** Of which host every question is. */
  host: string | null = null;

  constructor(public token: string) {}

  private async ask(
    path: string,
    words: Words,
    signal?: AbortSignal,
    body?: unknown,
    accept?: string,
  ): Promise<Response> {
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries({ host: this.host, ...words })) {
      if (value !== null && value !== undefined && value !== "") search.set(name, String(value));
    }
    const question = search.toString();
    let answer: Response;
    try {
      answer = await fetch(`/api/${path}${question ? `?${question}` : ""}`, {
        method: body === undefined ? "GET" : "POST",
        headers: {
          Authorization: `Bearer ${this.token}`,
          ...(body === undefined ? {} : { "Content-Type": "application/json" }),
          ...(accept ? { Accept: accept } : {}),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(signal ? { signal } : {}),
        cache: "no-store",
        credentials: "omit",
      });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new AskError(
        "heldup serve does not answer.",
        "Start it again, and open the address that it prints.",
      );
    }
    if (!answer.ok) {
      const said = await answer.json().catch(() => null);
      throw new AskError(
        said?.error ?? `The server answers ${answer.status}.`,
        said?.do ?? null,
        answer.status,
      );
    }
    return answer;
  }

  private async json<T>(path: string, words: Words, signal?: AbortSignal, body?: unknown): Promise<T> {
    return (await this.ask(path, words, signal, body)).json() as Promise<T>;
  }

  state: Source["state"] = (host, signal) => {
    this.host = host;
    return this.json("state", {}, signal);
  };
  view: Source["view"] = (span, signal) => this.json("view", { ...span }, signal);
  who: Source["who"] = (span, by, signal, over) => this.json("who", { ...span, by, ...over }, signal);
  life: Source["life"] = async (pid, start_ms, span, signal) => {
    const life = await this.json<Awaited<ReturnType<Source["life"]>>>(
      "life",
      { pid, start_ms, ...span },
      signal,
    );
    return { ...life, frames: life.frames.map(fromJson) };
  };
  figures = async (ask: FiguresAsk, each: (frame: Frame) => void, signal?: AbortSignal): Promise<void> => {
    const answer = await this.ask("figures", {}, signal, ask);
    const stream = answer.body?.getReader();
    const frames = new FrameReader();
    while (stream) {
      const { done, value } = await stream.read();
      if (done) break;
      for (const frame of frames.push(value)) each(frame);
    }
    if (!frames.isDone) throw new AskError("The answer ended in the middle of a figure.");
  };
  marks: Source["marks"] = (span, signal) => this.json("marks", { ...span }, signal);
  breakdown: Source["breakdown"] = (kind, span, focus, signal) =>
    this.json("breakdown", { kind, ...span, focus }, signal);
  compare: Source["compare"] = (span, before, signal) =>
    this.json(
      "compare",
      { ...span, before_since_ms: before.since_ms, before_until_ms: before.until_ms },
      signal,
    );
  experiments: Source["experiments"] = (signal) => this.json("experiments", {}, signal);
  experiment: Source["experiment"] = (id, signal) => this.json("experiment", { id }, signal);
  tables: Source["tables"] = (signal) => this.json("tables", {}, signal);
  sql: Source["sql"] = (query, span, offset, signal) =>
    this.json("sql", {}, signal, { query, ...span, offset });
  record: Source["record"] = (signal) => this.json("record", {}, signal);
  rule: Source["rule"] = (id, signal) => this.json("rule", { id }, signal);
  time: Source["time"] = async (words, signal) =>
    (await this.json<{ ms: number }>("time", { words }, signal)).ms;
  live: Source["live"] = (after_ms, signal) => this.json("live", { after_ms }, signal);
  now: Source["now"] = (signal) => this.json("now", {}, signal);
  file: Source["file"] = async (what, span, figure) => {
    const words = { ...span, id: figure?.id, subject: figure?.subject };
    const answer =
      what === "report"
        ? await this.ask("report", words)
        : await this.ask("figure", { ...words, format: what });
    return answer.blob();
  };
}

type JsonFrame = Omit<Frame, "steps" | "series" | "peaks"> & {
  steps: Span[];
  series: (Omit<Frame["series"][number], "mean" | "least" | "greatest"> &
    Record<"mean" | "least" | "greatest", (number | null)[]>)[];
  peaks?: { above: (number | null)[]; below: (number | null)[] } | null;
};

/** A frame that came as JSON. */
export function fromJson(frame: unknown): Frame {
  const given = frame as JsonFrame;
  const column = (values: (number | null)[]) => Float64Array.from(values, (value) => value ?? Number.NaN);
  return {
    ...given,
    steps: {
      since: column(given.steps.map((step) => step.since_ms)),
      until: column(given.steps.map((step) => step.until_ms)),
    },
    series: given.series.map((series) => ({
      ...series,
      mean: column(series.mean),
      least: column(series.least),
      greatest: column(series.greatest),
    })),
    peaks: given.peaks ? { above: column(given.peaks.above), below: column(given.peaks.below) } : null,
  };
}
