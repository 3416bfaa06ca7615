/**
 * Why something waits, as data: a code with its arguments. It is stored so, and put into words where it is read.
 * `{until}` stands for the argument of this name.
 */
export const REASONS = {
  quiet: "quiet hours until {until}",
  gathered: "gathered until {until}",
  "gathered-quiet": "gathered, quiet hours until {until}",
  unread: "sent unless it is read by {until}",
} as const;
export type ReasonCode = keyof typeof REASONS;

export interface Reason {
  code: ReasonCode;
  args: Readonly<Record<string, string>>;
}

/** As the column of a delivery has it, and `coded_reason` of the database writes it: `#code {"until":"…"}`. */
export function storedReason(code: ReasonCode, args: Reason["args"]): string {
  return `#${code} ${JSON.stringify(args)}`;
}

/** Undefined: it is in words, a vendor's or those of a version before. */
export function reasonOf(stored: string | null | undefined): Reason | undefined {
  if (!stored?.startsWith("#")) return undefined;
  const at = stored.indexOf(" ");
  const code = stored.slice(1, at);
  if (at === -1 || !Object.hasOwn(REASONS, code)) return undefined;
  try {
    return { code: code as ReasonCode, args: JSON.parse(stored.slice(at + 1)) };
  } catch {
    return undefined;
  }
}

/** What is in words stays as it is. */
export function reasonWords<T extends string | null>(stored: T): T | string {
  const reason = reasonOf(stored);
  if (reason === undefined) return stored;
  let words: string = REASONS[reason.code];
  for (const [name, value] of Object.entries(reason.args)) {
    // A function: `$&` in a value is no pattern.
    words = words.replace(`{${name}}`, () => String(value));
  }
  return words;
}
