// Anything else: a query on the tables of the window.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useAsk } from "../ask";
import { windowWords, word } from "../commands";
import { useKeys } from "../keys";
import { LinesChart } from "../marks/chart";
import { Rows } from "../parts/sql-rows";
import { Tables } from "../parts/sql-tables";
import { Failed, Loading } from "../parts/states";
import type { AskError, Span, SqlAnswer } from "../source/source";
import { chartOf, csv, json, placeOf, tokens } from "../sql";
import { address, asAskError, copy, go, isLive, source, span, state } from "../store";
import { count, counted, harmless, seconds, windowText } from "../text";
import { useWidth } from "../width";

const FIRST = `select time, process_name, class_name,
       sum(seconds) as seconds, sum(waits) as waits
from task_time
where group_name = 'waiting'
group by 1, 2, 3
order by seconds desc`;

interface Asked {
  query: string;
  span: Span;
}

export function Sql() {
  const from = source.value;
  const inAddress = address.value.choices.query ?? "";
  const [text, setText] = useState(inAddress || FIRST);
  const [asked, setAsked] = useState<Asked | null>(null);
  const [answer, setAnswer] = useState<SqlAnswer | null>(null);
  const [error, setError] = useState<AskError | null>(null);
  const [isRunning, setRunning] = useState(false);
  const editor = useRef<HTMLTextAreaElement>(null);
  const filter = useRef<HTMLInputElement>(null);
  const window = span.value;

  const run = (query = editor.current?.value ?? text) => {
    if (!span.value || query.trim() === "") return;
    setAsked({ query, span: span.value });
    if (query !== address.value.choices.query) go({ choices: { ...address.value.choices, query } });
  };
  // What the address asks for is asked, also after back and ahead.
  useEffect(() => {
    if (!inAddress || inAddress === asked?.query) return;
    setText(inAddress);
    if (span.value) setAsked({ query: inAddress, span: span.value });
  }, [inAddress, window === null]);
  // Another window is asked again; a running clock is not.
  useEffect(() => {
    if (asked && window && !isLive.value) setAsked({ query: asked.query, span: window });
  }, [window?.since_ms, window?.until_ms]);
  useEffect(() => {
    if (!from || !asked) return undefined;
    const asking = new AbortController();
    setRunning(true);
    from
      .sql(asked.query, asked.span, 0, asking.signal)
      .then(
        (rows) => {
          setAnswer(rows);
          setError(null);
        },
        (failed) => {
          if (!asking.signal.aborted) setError(asAskError(failed));
        },
      )
      .finally(() => {
        if (!asking.signal.aborted) setRunning(false);
      });
    return () => asking.abort();
  }, [asked]);
  useKeys({ "/": () => filter.current?.focus(), Enter: () => editor.current?.focus() }, []);
  const more = async () => {
    if (!from || !asked || !answer) return;
    setRunning(true);
    try {
      const next = await from.sql(asked.query, asked.span, answer.rows.length);
      setAnswer({ ...next, rows: [...answer.rows, ...next.rows], offset: 0, took_ms: answer.took_ms });
    } catch (failed) {
      setError(asAskError(failed));
    }
    setRunning(false);
  };
  const insert = (name: string) => {
    const element = editor.current;
    if (!element) return;
    element.setRangeText(name, element.selectionStart, element.selectionEnd, "end");
    setText(element.value);
    element.focus();
  };
  const start = (name: string) => {
    const query = `select *\nfrom ${name}\nlimit 200`;
    setText(query);
    run(query);
  };
  const tables = useAsk(from ? (signal) => from.tables(signal) : null, []);
  return (
    <div class="sql">
      <h1 class="ear">SQL</h1>
      <Tables
        document={tables.value}
        error={tables.error}
        filter={filter}
        onInsert={insert}
        onStart={start}
      />
      <section class="sql-main">
        <Editor text={text} area={editor} onText={setText} onRun={() => run()} />
        <div class="sql-bar">
          <button type="button" class="btn primary" onClick={() => run()}>
            Run
          </button>
          <kbd>Ctrl-Enter</kbd>
          <span class="dim" role="status">
            {said(answer, error, isRunning)}
            {answer && asked && !isRunning && isLive.value
              ? ` of ${windowText(asked.span, asked.span.since_ms)}`
              : ""}
          </span>
          <span class="r">
            <button
              type="button"
              class="l"
              onClick={() => void copy(command(text, window), "The command is copied.")}
            >
              copy as command
            </button>
            {answer && !error ? (
              <>
                {" · "}
                <button type="button" class="l" onClick={() => void copy(csv(answer), rowsCopied(answer))}>
                  CSV
                </button>
                {" · "}
                <button type="button" class="l" onClick={() => void copy(json(answer), rowsCopied(answer))}>
                  JSON
                </button>
              </>
            ) : null}
          </span>
        </div>
        {error?.command ? <Failed error={error} /> : null}
        {error && !error.command ? <Wrong error={error} query={asked?.query ?? text} area={editor} /> : null}
        {answer && !error ? <Chart answer={answer} /> : null}
        {answer && !error ? <Rows answer={answer} isRunning={isRunning} onMore={() => void more()} /> : null}
        {!answer && isRunning ? <Loading isLate height={240} /> : null}
      </section>
    </div>
  );
}

/** Rows with a time are lines too. */
function Chart({ answer }: { answer: SqlAnswer }) {
  const holder = useRef<HTMLDivElement>(null);
  const width = useWidth(holder);
  const frame = useMemo(() => chartOf(answer), [answer]);
  if (!frame) return null;
  const by = answer.columns.find(({ name }) => frame.subject === name)?.name;
  return (
    <figure class="figure">
      <figcaption class="cap">
        <h3>
          <span class="bidi">{harmless(frame.title)}</span>{" "}
          <small>
            {[frame.unit, by && frame.series.length > 1 ? `by ${by}` : ""]
              .filter(Boolean)
              .map(harmless)
              .join(", ")}
          </small>
        </h3>
      </figcaption>
      <div ref={holder}>
        {width > 0 ? <LinesChart frame={frame} width={width} height={160} focus={null} /> : null}
      </div>
    </figure>
  );
}

function said(answer: SqlAnswer | null, error: AskError | null, isRunning: boolean): string {
  if (isRunning) return "running…";
  if (error || !answer) return "";
  const rows = answer.more ? `first ${count(answer.rows.length)} rows` : counted(answer.rows.length, "row");
  return `${rows} in ${seconds(answer.took_ms / 1000)}`;
}

function rowsCopied(answer: SqlAnswer): string {
  return `${counted(answer.rows.length, "row")} copied${answer.more ? "; there are more: load them first" : ""}.`;
}

/** The command that answers the same. */
function command(query: string, window: Span | null): string {
  const name = state.value?.source.name;
  if (!name || !window) return `heldup sql --for 10s ${word(query)}`;
  return `heldup sql -s ${word(name)} ${windowWords(window)} ${word(query)}`;
}

/** A field whose words are coloured: the colours lie below a text that cannot be seen. */
function Editor({
  text,
  area,
  onText,
  onRun,
}: {
  text: string;
  area: preact.RefObject<HTMLTextAreaElement | null>;
  onText: (text: string) => void;
  onRun: () => void;
}) {
  const pieces = useMemo(() => tokens(text), [text]);
  return (
    <div class="ed">
      <pre aria-hidden="true">
        {pieces.map(({ kind, text: piece }, at) =>
          kind === "plain" ? (
            piece
          ) : (
            <span key={at} class={`sql-${kind}`}>
              {piece}
            </span>
          ),
        )}
        {"\n"}
      </pre>
      <textarea
        ref={area}
        value={text}
        aria-label="Query"
        spellcheck={false}
        autocomplete="off"
        autocapitalize="off"
        onInput={(event) => onText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
            event.preventDefault();
            onRun();
          } else if (event.key === "Escape") {
            event.stopPropagation();
            event.currentTarget.blur();
          }
        }}
      />
    </div>
  );
}

/** What is wrong, and where. */
function Wrong({
  error,
  query,
  area,
}: {
  error: AskError;
  query: string;
  area: preact.RefObject<HTMLTextAreaElement | null>;
}) {
  const place = placeOf(error.message);
  const line = place ? query.split("\n")[place.line - 1] : undefined;
  const show = () => {
    if (!place || line === undefined || !area.current) return;
    const before =
      query
        .split("\n")
        .slice(0, place.line - 1)
        .join("\n").length + (place.line > 1 ? 1 : 0);
    const at = before + place.column - 1;
    area.current.focus();
    area.current.setSelectionRange(at, Math.min(query.length, at + 1));
  };
  return (
    <div class="note failed" role="alert">
      <h2>Query failed</h2>
      <p class="any">{harmless(error.message)}</p>
      {place && line !== undefined ? (
        <button type="button" class="place" onClick={show} aria-label="go to the place in the query">
          <code>
            {harmless(line)}
            {"\n"}
            {" ".repeat(Math.max(0, place.column - 1))}^
          </code>
        </button>
      ) : null}
      {error.advice ? <p class="dim">{harmless(error.advice)}</p> : null}
    </div>
  );
}
