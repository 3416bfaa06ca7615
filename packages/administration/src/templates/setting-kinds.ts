import { field } from "@belfry/contracts/fields";
import { shownName, unknownFault } from "@belfry/contracts/unknown-fields";
import type { TUnsafe } from "@sinclair/typebox";
import { daysText, readDays } from "./template-timing.ts";

/** A kind of value, with its form in JSON and its form as text, in a line of a file or in a flag. */
export interface Kind<T> {
  keywords: { type: string } & Record<string, unknown>;
  /**
   * Returns the fault of a value that cannot be stored. Accepts everything that a draft may contain; publishing is
   * stricter.
   */
  fault(value: unknown): string | undefined;
  /** Parses the text form. Returns undefined if the text does not have this form. */
  read(text: string): T | undefined;
  write(value: T): string;
  /** Describes the text form, worded to follow "must be". */
  form: string;
}

const MAX_LINE_BYTES = 8192;
const MAX_NAMES = 1000;

/** Returns the fault of a text that the database cannot hold or that is too large. */
export function writtenFault(value: unknown, maxBytes: number): string | undefined {
  if (typeof value !== "string") return "must be a text";
  if (Buffer.byteLength(value) > maxBytes) return `is larger than ${maxBytes} bytes`;
  return value.includes("\u0000") || !value.isWellFormed()
    ? "must not contain NUL or lone surrogates"
    : undefined;
}

/**
 * Returns the input field of a template's text. Accepts texts that only publishing refuses, because a draft may have
 * them.
 */
export function written(description: string, maxBytes = MAX_LINE_BYTES): TUnsafe<string> {
  return field({ type: "string", description }, (value) => writtenFault(value, maxBytes));
}

export const yesOrNo: Kind<boolean> = {
  keywords: { type: "boolean" },
  fault: (value) => (typeof value === "boolean" ? undefined : "must be true or false"),
  read: (text) => (text === "yes" || text === "no" ? text === "yes" : undefined),
  write: (value) => (value ? "yes" : "no"),
  form: "yes or no",
};
export const yes: Kind<boolean> = {
  ...yesOrNo,
  read: (text) => (text === "yes" ? true : undefined),
  form: "yes, or left out",
};
export const whole: Kind<number> = {
  keywords: { type: "integer" },
  // A form can produce NaN, which cannot be stored.
  fault: (value) => (Number.isFinite(value) ? undefined : "must be a number"),
  read: (text) => (/^\d{1,15}$/.test(text) ? Number(text) : undefined),
  write: String,
  form: "a whole number",
};
export function text(form: string, maxBytes = MAX_LINE_BYTES): Kind<string> {
  return {
    keywords: { type: "string" },
    fault: (value) => writtenFault(value, maxBytes),
    read: (text) => text || undefined,
    write: (text) => text,
    form,
  };
}
/**
 * A text in one line. It is written as JSON if it has blanks at an end, which would be lost, or begins with a quote,
 * which marks JSON.
 */
export const line: Kind<string> = {
  ...text("a text"),
  read(text) {
    const read = text.startsWith('"') ? jsonOf(text) : text;
    return typeof read === "string" && read !== "" ? read : undefined;
  },
  write: (text) => (text.trim() === text && !text.startsWith('"') ? text : JSON.stringify(text)),
};
export const names: Kind<string[]> = {
  keywords: { type: "array", items: { type: "string" }, maxItems: MAX_NAMES },
  fault(value) {
    if (!Array.isArray(value)) return "must be a list of names";
    if (value.length > MAX_NAMES) return `must be at most ${MAX_NAMES}`;
    return value.map((name) => writtenFault(name, MAX_LINE_BYTES)).find(Boolean);
  },
  read(text) {
    const read = text.startsWith("[") ? jsonOf(text) : text.split(",").map((name) => name.trim());
    return Array.isArray(read) && read.every((name) => typeof name === "string") ? read : undefined;
  },
  write(list) {
    const isPlain = list.every((name) => name.trim() === name && !/[,[]/.test(name));
    return isPlain ? list.join(", ") : JSON.stringify(list);
  },
  form: "names with commas between them",
};
export const addresses: Kind<string[]> = { ...names, form: "addresses with commas between them" };
export const days: Kind<number[]> = {
  keywords: { type: "array", items: { type: "integer" }, maxItems: 7 },
  fault: (value) =>
    Array.isArray(value) && value.length <= 7 && value.every(Number.isInteger)
      ? undefined
      : "must be of 1 (Monday) to 7 (Sunday)",
  read: readDays,
  write: daysText,
  form: "days such as mon,thu",
};

export interface Part {
  // biome-ignore lint/suspicious/noExplicitAny: of whatever kind
  kind: Kind<any>;
  description: string;
}

/** Returns the kind of an object that has no parts other than these. */
export function partsOf<T extends object>(
  parts: Readonly<Record<string, Part>>,
  { read, write, form }: Pick<Kind<T>, "read" | "write" | "form">,
): Kind<T> {
  const properties = Object.entries(parts).map(([name, { kind, description }]) => [
    name,
    { ...kind.keywords, description },
  ]);
  return {
    keywords: { type: "object", properties: Object.fromEntries(properties) },
    fault(value) {
      if (typeof value !== "object" || value === null) return "must be an object";
      for (const [name, part] of Object.entries(value)) {
        const known = Object.hasOwn(parts, name) ? parts[name] : undefined;
        const fault =
          known === undefined ? unknownFault(name, Object.keys(parts)) : known.kind.fault(part);
        if (fault !== undefined) return `${shownName(name)} ${fault}`;
      }
      return undefined;
    },
    read,
    write,
    form,
  };
}

export function jsonOf(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}
