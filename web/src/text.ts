// Numbers, times and names as people read them. A value that was not measured is "–", zero is "0", what is too small
// to print is "< 0.1". The words and the digits are those of the command line.

/** A number and its unit, which stands apart and lighter. */
export type Parts = readonly [number: string, unit: string];

/** What was not measured. */
export const NONE = "–";
/** Joins a number and its unit: no line ends between them. */
const NBSP = "\u00a0";

type Value = number | null | undefined;

function isMissing(value: Value): value is null | undefined {
  return value === null || value === undefined || Number.isNaN(value);
}

/** With `decimals` digits behind the point, thousands set apart. */
export function fixed(value: number, decimals: number): string {
  if (!Number.isFinite(value)) return value > 0 ? "∞" : value < 0 ? "−∞" : NONE;
  if (Math.abs(value) >= 1e15) return value.toExponential(1).replace("-", "−");
  const [whole = "0", rest] = Math.abs(value).toFixed(decimals).split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  const text = rest ? `${grouped}.${rest}` : grouped;
  return value < 0 && /[1-9]/.test(text) ? `−${text}` : text;
}

function cutZeros(text: string): string {
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** A whole number: 1,204,311. */
export function count(value: Value): string {
  return isMissing(value) ? NONE : fixed(value, 0);
}

/** About three digits that count: 0.043, 1.25, 18.4, 1,204. */
export function number(value: Value): string {
  if (isMissing(value)) return NONE;
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size >= 99.95 || Number.isInteger(value)) return fixed(value, 0);
  if (size >= 9.995) return cutZeros(fixed(value, 1));
  if (size >= 0.9995) return cutZeros(fixed(value, 2));
  if (size >= 0.0095) return cutZeros(fixed(value, 3));
  return size >= 1e-6 ? cutZeros(fixed(value, 2 - Math.floor(Math.log10(size)))) : "< 0.000001";
}

/** Two or three digits, of a number that its unit has brought below 1,000. */
function short(value: number): string {
  const size = Math.abs(value);
  if (size >= 99.95 || Number.isInteger(value)) return fixed(value, 0);
  return cutZeros(fixed(value, size >= 9.995 ? 1 : 2));
}

/** 850 ns, 4.3 ms, 18.4 s, 1,204 s. */
function secondsParts(value: number): Parts {
  const size = Math.abs(value);
  if (size === 0 || size >= 0.9995) return [short(value), "s"];
  if (size >= 0.0009995) return [short(value * 1e3), "ms"];
  if (size >= 9.995e-7) return [short(value * 1e6), "µs"];
  return [short(value * 1e9), "ns"];
}

/** A length that may be long, in seconds: 40 s, 12 min, 3.5 h, 9 d. */
function lengthParts(value: number): Parts {
  const size = Math.abs(value);
  if (size < 119.5) return secondsParts(value);
  if (size < 7_170) return [short(Math.round(value / 6) / 10), "min"];
  if (size < 172_000) return [short(Math.round(value / 360) / 10), "h"];
  return [short(Math.round(value / 8640) / 10), "d"];
}

const SIZES = ["B", "kB", "MB", "GB", "TB", "PB", "EB"];

function bytesParts(value: number): Parts {
  let scaled = value;
  let at = 0;
  while (Math.abs(scaled) >= 999.5 && at + 1 < SIZES.length) {
    scaled /= 1000;
    at += 1;
  }
  return [short(scaled), SIZES[at] ?? ""];
}

/** A share of one. What is not all never reads 100 %, what is not nothing never reads 0 %. */
function shareParts(value: number): Parts {
  const percent = value * 100;
  if (percent === 0) return ["0", "%"];
  if (percent > 0 && percent < 0.05) return ["< 0.1", "%"];
  if (percent < 0 && percent > -0.05) return ["> −0.1", "%"];
  if (Math.abs(percent) < 9.95) return [cutZeros(fixed(percent, 1)), "%"];
  if (percent >= 99.95 && percent < 100) return ["> 99.9", "%"];
  return [fixed(percent, percent >= 99.5 && percent < 100 ? 1 : 0), "%"];
}

const ENDS = [" at one moment", " since boot", " since mount", " since start", " of the recording"];

/** A value in the unit that figures and evidence name: `s`, `bytes`, `bytes/s`, `ratio`, `/s`, or any other word. */
export function quantity(value: Value, unit: string): Parts {
  if (isMissing(value)) return [NONE, ""];
  for (const end of ENDS) {
    if (unit.endsWith(end)) {
      const [text, inner] = quantity(value, unit.slice(0, -end.length));
      return [text, inner + end];
    }
  }
  switch (unit.trim()) {
    case "s":
    case "seconds":
      return secondsParts(value);
    case "ms":
      return secondsParts(value / 1e3);
    case "us":
    case "µs":
      return secondsParts(value / 1e6);
    case "ns":
      return secondsParts(value / 1e9);
    case "min":
      return lengthParts(value * 60);
    case "h":
    case "hours":
      return lengthParts(value * 3600);
    case "days":
      return lengthParts(value * 86_400);
    case "bytes":
    case "B":
      return bytesParts(value);
    case "bytes/s":
    case "B/s":
    case "bytes_per_s": {
      const [text, size] = bytesParts(value);
      return [text, `${size}/s`];
    }
    case "bit/s":
    case "bits/s":
      return [short(value / 1e6), "Mbit/s"];
    case "ratio":
    case "share":
      return shareParts(value);
    case "%":
      return shareParts(value / 100);
    case "":
    case "count":
      return [number(value), ""];
    default:
      return [number(value), harmless(unit.trim())];
  }
}

/** A number and its unit as one text. Rates and nothing stand without a space: 142/s. */
export function join([text, unit]: Parts): string {
  if (unit === "" || unit.startsWith("/")) return text + unit;
  return `${text}${NBSP}${unit.replaceAll(" ", NBSP)}`;
}

/** A value in its unit, as one text. */
export const withUnit = (value: Value, unit: string): string => join(quantity(value, unit));
export const seconds = (value: Value): string => withUnit(value, "s");
export const bytes = (value: Value): string => withUnit(value, "bytes");
export const share = (value: Value): string => withUnit(value, "ratio");
/** A length of time, in milliseconds: 40 s, 2.3 min, 3.5 h, 2 d. */
export const duration = (ms: Value): string => (isMissing(ms) ? NONE : join(lengthParts(ms / 1000)));

/** A unit and a precision for a whole column. */
export interface Column {
  unit: string;
  /** Unit of the values is this many of the column's. */
  factor: number;
  decimals: number;
}

/** How a column prints whose greatest value is that: one unit, one precision. */
export function column(greatest: Value, unit: string): Column {
  const most = isMissing(greatest) ? 0 : Math.abs(greatest);
  const decimals = (value: number) => (value >= 999.5 ? 0 : value >= 9.995 ? 1 : 2);
  if (unit === "ratio") return { unit: "%", factor: 100, decimals: most * 100 >= 999.5 ? 0 : 1 };
  if (unit !== "s" && !unit.startsWith("bytes")) return { unit, factor: 1, decimals: decimals(most) };
  const [, shown] = quantity(most, unit);
  const factors: Record<string, number> = { ms: 1e3, µs: 1e6, ns: 1e9 };
  const size = SIZES.indexOf(shown.replace("/s", ""));
  const factor = factors[shown] ?? (size > 0 ? 1000 ** -size : 1);
  return { unit: shown, factor, decimals: shown.startsWith("B") ? 0 : decimals(most * factor) };
}

/** One value of a column, without its unit. */
export function inColumn(value: Value, { factor, decimals }: Column): string {
  if (isMissing(value)) return NONE;
  if (value === 0) return "0";
  const scaled = value * factor;
  const least = 10 ** -decimals;
  if (Math.abs(scaled) < least / 2) return `< ${fixed(least, decimals)}`;
  return fixed(scaled, decimals);
}

/** `one` or `many` with its number: 1 process, 106 processes. */
export function counted(n: number, one: string, many = `${one}s`): string {
  return `${count(n)}${NBSP}${n === 1 ? one : many}`;
}

// ---- times

let shown: string | null = null;

/** The zone that times are shown in: of the source; none for the reader's. */
export function showTimesIn(zone: string | null): void {
  shown = zone;
}

const formats = new Map<string, Intl.DateTimeFormat | null>();
const offsets = new Map<string, number>();
const QUARTER = 900_000;

/** What the zone's clock shows more than UTC's, in milliseconds. */
export function offset(ms: number, zone: string | null = shown): number {
  if (zone === "UTC") return 0;
  if (zone === null) return -new Date(ms).getTimezoneOffset() * 60_000;
  const quarter = Math.floor(ms / QUARTER) * QUARTER;
  const key = `${zone} ${quarter}`;
  const known = offsets.get(key);
  if (known !== undefined) return known;
  let format = formats.get(zone);
  if (format === undefined) {
    try {
      format = new Intl.DateTimeFormat("en-GB", {
        timeZone: zone,
        hourCycle: "h23",
        year: "numeric",
        month: "numeric",
        day: "numeric",
        hour: "numeric",
        minute: "numeric",
      });
    } catch {
      // A zone that the browser does not know: UTC.
      format = null;
    }
    formats.set(zone, format);
  }
  let found = 0;
  if (format) {
    const part: Record<string, number> = {};
    for (const { type, value } of format.formatToParts(quarter)) part[type] = Number(value);
    const { year = 1970, month = 1, day = 1, hour = 0, minute = 0 } = part;
    found = Date.UTC(year, month - 1, day, hour, minute) - Math.floor(quarter / 60_000) * 60_000;
  }
  if (offsets.size > 5000) offsets.clear();
  offsets.set(key, found);
  return found;
}

const two = (value: number) => String(value).padStart(2, "0");
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

function at(ms: number, zone: string | null): Date {
  return new Date(ms + offset(ms, zone));
}

/** 05:30. */
export function minute(ms: number, zone: string | null = shown): string {
  const date = at(ms, zone);
  return `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}`;
}

/** 05:30:38. */
export function time(ms: number, zone: string | null = shown): string {
  return `${minute(ms, zone)}:${two(at(ms, zone).getUTCSeconds())}`;
}

/** 24 Nov, with the year where it is not this one. */
export function date(ms: number, zone: string | null = shown): string {
  const day = at(ms, zone);
  const year = day.getUTCFullYear();
  const isThisYear = year === at(Date.now(), zone).getUTCFullYear();
  return `${day.getUTCDate()}${NBSP}${MONTHS[day.getUTCMonth()]}${isThisYear ? "" : `${NBSP}${year}`}`;
}

/** 24 Nov, 05:30:38. */
export function moment(ms: number, zone: string | null = shown): string {
  return `${date(ms, zone)}, ${time(ms, zone)}`;
}

/** Whether both are on one day. */
export function isSameDay(a: number, b: number, zone: string | null = shown): boolean {
  return date(a, zone) === date(b, zone);
}

/** A window: 05:30:00 – 05:32:20, with days where `near` is not on the same one. */
export function windowText(
  window: { since_ms: number; until_ms: number },
  near: number | null = null,
  zone: string | null = shown,
): string {
  const { since_ms: since, until_ms: until } = window;
  const clock = since % 60_000 || until % 60_000 ? time : minute;
  const isOneDay = isSameDay(since, until - 1, zone);
  const end = isOneDay && !isSameDay(since, until, zone) ? clock(until, zone).replace("00:", "24:") : null;
  if (!isOneDay) {
    return `${date(since, zone)}, ${clock(since, zone)} – ${date(until, zone)}, ${clock(until, zone)}`;
  }
  const text = `${clock(since, zone)} – ${end ?? clock(until, zone)}`;
  return near !== null && isSameDay(since, near, zone) ? text : `${date(since, zone)}, ${text}`;
}

const LENGTHS = [
  0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400,
].map((length) => length * 1000);
const DAY = 86_400_000;

/** Round times of the zone within a window, at most one in `most`-th of it. */
export function ticks(
  since: number,
  until: number,
  most: number,
  zone: string | null = shown,
): { ms: number; text: string }[] {
  const least = Math.max(1, (until - since) / Math.max(1, most));
  const length = LENGTHS.find((each) => each >= least) ?? Math.ceil(least / DAY) * DAY;
  const found: { ms: number; text: string }[] = [];
  const shift = offset(since, zone);
  const isLong = until - since > 2 * DAY;
  for (let local = Math.ceil((since + shift) / length) * length; local - shift <= until; local += length) {
    // What the clock says, also behind a change of the zone's offset.
    const ms = local - offset(local - shift, zone);
    if (ms < since || ms > until) continue;
    let text = time(ms, zone);
    if (length >= DAY || (local % DAY === 0 && (isLong || local - shift > since))) text = date(ms, zone);
    else if (length >= 60_000) text = minute(ms, zone);
    else if (length < 1000) text += `.${Math.floor((ms % 1000) / 100)}`;
    found.push({ ms, text });
  }
  return found;
}

// ---- names

// Controls, and invisible characters that reorder or hide what stands beside them.
const STEERS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A text of the machine, where nothing steers what is around it: controls are written out. */
export function harmless(text: string): string {
  return text.replace(STEERS, (found) => {
    if (found === "\n") return "\\n";
    if (found === "\t") return "\\t";
    if (found === "\r") return "\\r";
    const code = found.codePointAt(0) ?? 0;
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u{${code.toString(16)}}`;
  });
}

/** A name of at most `most` characters: cut in the middle, since both ends tell more. */
export function middle(name: string, most: number): string {
  const safe = harmless(name);
  const characters = [...safe];
  if (characters.length <= most) return safe;
  const tail = Math.floor((most - 1) / 2);
  return `${characters.slice(0, most - 1 - tail).join("")}…${characters.slice(characters.length - tail).join("")}`;
}

/** A name between other words: its direction of writing is its own. */
export function isolated(name: string): string {
  return `\u2068${name}\u2069`;
}

/** Numbers of a sentence keep their units: no line ends between 345 and s. */
export function glue(sentence: string): string {
  return harmless(sentence).replace(
    /(\d) (?=(?:s|ms|µs|ns|min|h|d|days|B|kB|MB|GB|TB|%)(?:\b|$|[^\w]))/g,
    `$1${NBSP}`,
  );
}
