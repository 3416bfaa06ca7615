/** Computes with colours in the form `#rrggbb`, so that texts have enough contrast with their background. */

const WHITE = "#ffffff";
const BLACK = "#000000";

/** The least contrast of readable text (WCAG 2, 1.4.3). */
export const READABLE = 4.5;

export function isColor(text: string): boolean {
  return /^#[0-9a-f]{6}$/i.test(text);
}

/** Returns the contrast ratio of two colours, from 1 to 21 (WCAG 2). */
export function contrast(one: string, other: string): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return ((light ?? 0) + 0.05) / ((dark ?? 0) + 0.05);
}

/** Returns white if it is readable on a colour, else white or black, whichever has more contrast. */
export function textOn(background: string): string {
  if (contrast(WHITE, background) >= READABLE) return WHITE;
  return contrast(WHITE, background) > contrast(BLACK, background) ? WHITE : BLACK;
}

/** Makes a colour lighter or darker until it has enough contrast with a background. */
export function withContrast(color: string, background: string, least = READABLE): string {
  const towards = luminance(background) < 0.18 ? WHITE : BLACK;
  for (let share = 0; share < 1; share += 0.1) {
    const mixed = mix(color, towards, share);
    if (contrast(mixed, background) >= least) return mixed;
  }
  return towards;
}

function mix(one: string, other: string, share: number): string {
  const parts = channels(one).map((value, at) => {
    const mixed = Math.round(value + ((channels(other)[at] ?? 0) - value) * share);
    return mixed.toString(16).padStart(2, "0");
  });
  return `#${parts.join("")}`;
}

function channels(color: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = channels(color).map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
