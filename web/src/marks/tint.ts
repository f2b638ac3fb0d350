// Tints of a colour on the paper, so light that ink on them can be read. What a canvas needs of the style sheet.

type Rgb = [number, number, number];

/** Contrast of text on a fill, at least. */
const READABLE = 4.5;

export interface Ground {
  paper: string;
  ink: string;
  second: string;
  third: string;
  grey: string;
  /** The value of a colour by its name in the style sheet, without its dashes. */
  colour: (name: string) => string;
}

/** The colours that are in force where an element is. */
export function groundOf(element: Element): Ground {
  const style = getComputedStyle(element);
  const known = new Map<string, string>();
  const colour = (name: string) => {
    let found = known.get(name);
    if (found === undefined) {
      found = style.getPropertyValue(`--${name}`).trim();
      known.set(name, found);
    }
    return found;
  };
  return {
    paper: colour("paper"),
    ink: colour("ink"),
    second: colour("ink2"),
    third: colour("ink3"),
    grey: colour("hair"),
    colour,
  };
}

function parse(hex: string): Rgb {
  const digits = /^#[0-9a-f]{3}$/i.test(hex) ? hex.replace(/[0-9a-f]/gi, "$&$&") : hex;
  const value = Number.parseInt(digits.slice(1), 16);
  return Number.isNaN(value) ? [128, 128, 128] : [value >> 16, (value >> 8) & 255, value & 255];
}

function luminance(rgb: Rgb): number {
  const [red, green, blue] = rgb.map((part) => {
    const light = part / 255;
    return light <= 0.04045 ? light / 12.92 : ((light + 0.055) / 1.055) ** 2.4;
  }) as Rgb;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Contrast of two colours, from 1 to 21. */
export function contrast(a: string, b: string): number {
  const [one, other] = [luminance(parse(a)), luminance(parse(b))];
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}

/** So much of a colour over a ground. */
export function mixed(ground: string, over: string, share: number): string {
  const [below, above] = [parse(ground), parse(over)];
  const parts = below.map((part, at) => Math.round(part * (1 - share) + (above[at] ?? 0) * share));
  return `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}

/** A colour laid over the paper with this share of it, or less where ink would not be read on it. */
export function readable(
  ground: Pick<Ground, "paper" | "ink" | "grey">,
  colour: string,
  share: number,
): string {
  for (let step = 20; step > 0; step -= 1) {
    const tint = mixed(ground.paper, colour, (share * step) / 20);
    if (contrast(tint, ground.ink) >= READABLE) return tint;
  }
  return ground.grey;
}
