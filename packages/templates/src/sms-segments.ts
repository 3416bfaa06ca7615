/** Counts the segments that an SMS is billed for (GSM 03.38, GSM 03.40). */

import { characterName } from "./language/characters.ts";

const GSM_7 =
  "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?" +
  "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà";
/** Characters that are written as an escape and a second character. Each takes two septets of a segment. */
const GSM_7_EXTENSION = "^{}\\[~]|€";

const SEPTETS = new Map<string, number>([
  ...[...GSM_7].map((character): [string, number] => [character, 1]),
  ...[...GSM_7_EXTENSION].map((character): [string, number] => [character, 2]),
]);

/** Septets (GSM-7) or UTF-16 units (UCS-2) that fit into a single segment, and into each segment of several. */
const SIZES = {
  "GSM-7": { single: 160, joined: 153 },
  "UCS-2": { single: 70, joined: 67 },
} as const;

export type SmsEncoding = keyof typeof SIZES;

/** Returns the first character outside GSM-7, which makes the whole text UCS-2; undefined if there is none. */
export function notGsm7(text: string): { offset: number; name: string } | undefined {
  let offset = 0;
  for (const character of text) {
    if (!SEPTETS.has(character)) {
      return { offset, name: `“${character}” (${characterName(character)})` };
    }
    offset += character.length;
  }
  return undefined;
}

/** Returns a text about the additional segments because of characters outside GSM-7; undefined if there are none. */
export function encodingPrice(text: string): string | undefined {
  const found = notGsm7(text);
  if (found === undefined) return undefined;
  const without = Array.from(text, (one) => (SEPTETS.has(one) ? one : "?")).join("");
  const [dear, cheap] = [smsSegments(text).segments, smsSegments(without).segments];
  if (dear === cheap) return undefined;
  return `${found.name} is not in GSM-7: ${dear} segments instead of ${cheap}`;
}

/**
 * Returns the encoding and the number of segments of a text. It is GSM-7 if every character is in its alphabet, or else
 * UCS-2 for the whole text. No segment ends inside an extension character or a surrogate pair.
 */
export function smsSegments(text: string): { encoding: SmsEncoding; segments: number } {
  const encoding: SmsEncoding = notGsm7(text) === undefined ? "GSM-7" : "UCS-2";
  const { single, joined } = SIZES[encoding];
  let total = 0;
  let segments = 1;
  let used = 0;
  for (const character of text) {
    const size = encoding === "GSM-7" ? (SEPTETS.get(character) ?? 1) : character.length;
    total += size;
    if (used + size > joined) {
      segments++;
      used = 0;
    }
    used += size;
  }
  return { encoding, segments: total <= single ? 1 : segments };
}
