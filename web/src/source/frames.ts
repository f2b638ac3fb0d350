// Frames as they come over the wire: a head in JSON and columns of numbers, which are not copied.

import type { Frame, FrameSeries } from "./source";

interface Column {
  at: number;
  n: number;
}

/** Bytes of a frame's two lengths. */
const LENGTHS = 8;

/** Takes whole frames off the front of what has arrived. */
export class FrameReader {
  private held: Uint8Array = new Uint8Array(0);

  push(part: Uint8Array): Frame[] {
    const joined = new Uint8Array(this.held.length + part.length);
    joined.set(this.held);
    joined.set(part, this.held.length);
    const frames: Frame[] = [];
    let from = 0;
    while (joined.length - from >= LENGTHS) {
      const lengths = new DataView(joined.buffer, from, LENGTHS);
      const head = lengths.getUint32(0, true);
      const whole = LENGTHS + head + 8 * lengths.getUint32(4, true);
      if (joined.length - from < whole) break;
      frames.push(decode(joined.slice(from, from + whole)));
      from += whole;
    }
    this.held = joined.slice(from);
    return frames;
  }

  get isDone(): boolean {
    return this.held.length === 0;
  }
}

/** One frame, from its first byte to its last. */
export function decode(bytes: Uint8Array): Frame {
  const lengths = new DataView(bytes.buffer, bytes.byteOffset, LENGTHS);
  const headLength = lengths.getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(bytes.subarray(LENGTHS, LENGTHS + headLength)));
  const start = bytes.byteOffset + LENGTHS + headLength;
  const column = (place: Column | null | undefined): Float64Array =>
    place ? new Float64Array(bytes.buffer, start + 8 * place.at, place.n) : new Float64Array(0);
  return {
    ...head,
    steps: { since: column(head.steps?.since), until: column(head.steps?.until) },
    peaks: head.peaks ? { above: column(head.peaks.above), below: column(head.peaks.below) } : null,
    series: (head.series ?? []).map((series: Record<string, unknown>) => ({
      ...series,
      mean: column(series.mean as Column),
      least: column(series.least as Column),
      greatest: column(series.greatest as Column),
    })) as FrameSeries[],
  };
}
