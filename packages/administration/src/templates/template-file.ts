import type { StoredAction } from "@belfry/database/schema";
import type { InputFault } from "../input-error.ts";
import type { TemplateSettingsInput } from "./template-input.ts";
import { TIMING_KEYS, timingLines } from "./timing-lines.ts";

/**
 * A variant of a template as a file: between two lines of `---` what is set, a line each, as the command
 * line names it; below that the content, to the last byte.
 *
 *     ---
 *     subject: Your order {{ id }}
 *     required-variables: id, name
 *     sample-variables:
 *       {"id": "A-1001"}
 *     ---
 *     # Thank you
 */
export interface TemplateFile extends TemplateSettingsInput {
  /** Only where the folder's name does not say it. */
  eventType?: string | undefined;
  content: string;
  subject?: string | undefined;
  title?: string | undefined;
  url?: string | undefined;
  actions?: StoredAction[] | undefined;
  active?: boolean | undefined;
}

const EDGE = "---";
const INDENT = "  ";

export function writeTemplateFile(file: TemplateFile): string {
  const lines: string[] = [];
  const add = (key: Key, value: string | undefined) => {
    if (value !== undefined) lines.push(`${key}: ${value}`);
  };
  add("event-type", file.eventType && lineOf(file.eventType));
  add("subject", file.subject && lineOf(file.subject));
  add("title", file.title && lineOf(file.title));
  add("url", file.url && lineOf(file.url));
  for (const action of file.actions ?? []) add("action", actionLine(action));
  if (file.active === false) add("active", "no");
  if (file.sensitive === true) add("sensitive", "yes");
  if (file.atMostOnce === true) add("at-most-once", "yes");
  if (file.plainCharacters === true) add("plain-characters", "yes");
  add("expires-after-seconds", file.expiresAfterSeconds?.toString());
  for (const [key, value] of timingLines(file)) add(key, value);
  add("target-channel", file.targetChannel);
  const required = file.requiredVariables ?? [];
  if (required.length > 0) add("required-variables", namesLine(required));
  if (file.sampleVariables !== undefined) {
    lines.push("sample-variables:");
    const rows = file.sampleVariables.replaceAll("\r", "").trimEnd().split("\n");
    lines.push(...rows.map((row) => `${INDENT}${row}`));
  }
  return [EDGE, ...lines, EDGE, ""].join("\n") + file.content;
}

/** Faults name a key, or the file. */
export function readTemplateFile(
  text: string,
): { ok: true; file: TemplateFile } | { ok: false; faults: InputFault[] } {
  // Some editors begin a file with a mark; git may have written all line ends anew.
  const whole = text.startsWith("\ufeff") ? text.slice(1) : text;
  const unix = whole.startsWith(`${EDGE}\r\n`) ? whole.replaceAll("\r\n", "\n") : whole;
  const end = unix.indexOf(`\n${EDGE}\n`, EDGE.length - 1);
  if (!unix.startsWith(`${EDGE}\n`) || end === -1) {
    const message = `must begin with what is set, between two lines of ${EDGE}`;
    return { ok: false, faults: [{ field: "file", message }] };
  }
  const file: TemplateFile = { content: unix.slice(end + EDGE.length + 2) };
  const faults: InputFault[] = [];
  for (const { key, value, line } of headOf(unix.slice(EDGE.length + 1, end + 1))) {
    const message = isKey(key) ? KEYS[key](file, value) : "is not known here";
    if (message !== undefined) faults.push({ field: key, message: `(line ${line}) ${message}` });
  }
  return faults.length > 0 ? { ok: false, faults } : { ok: true, file };
}

interface HeadLine {
  key: string;
  value: string;
  /** In the file, from 1. */
  line: number;
}

/** `key: value`, and lines that are indented below a key without a value. */
function headOf(head: string): HeadLine[] {
  const found: HeadLine[] = [];
  const rows = new Map<HeadLine, string[]>();
  head.split("\n").forEach((text, index) => {
    const last = found.at(-1);
    if (text.startsWith(INDENT) && last !== undefined) {
      const more = rows.get(last) ?? [];
      more.push(text.slice(INDENT.length));
      rows.set(last, more);
      return;
    }
    if (text.trim() === "") return;
    const colon = text.indexOf(":");
    const key = colon === -1 ? text.trim() : text.slice(0, colon).trim();
    found.push({ key, value: colon === -1 ? "" : text.slice(colon + 1).trim(), line: index + 2 });
  });
  for (const [line, more] of rows) line.value = [line.value, ...more].join("\n").trim();
  return found;
}

/** Takes a value over; returns what is wrong with it, behind the key. */
type Taker = (file: TemplateFile, value: string) => string | undefined;

const text =
  (name: "eventType" | "subject" | "title" | "url" | "targetChannel"): Taker =>
  (file, value) => {
    if (file[name] !== undefined) return TWICE;
    const read = value.startsWith('"') ? jsonOf(value) : value;
    if (typeof read !== "string" || read === "") return "must be a text";
    file[name] = read;
    return undefined;
  };

const flag =
  (name: "active" | "sensitive" | "atMostOnce" | "plainCharacters"): Taker =>
  (file, value) => {
    if (file[name] !== undefined) return TWICE;
    if (value !== "yes" && value !== "no") return "must be yes or no";
    file[name] = value === "yes";
    return undefined;
  };

const TWICE = "is there twice";

const KEYS = {
  "event-type": text("eventType"),
  subject: text("subject"),
  title: text("title"),
  url: text("url"),
  action: takeAction,
  active: flag("active"),
  sensitive: flag("sensitive"),
  "at-most-once": flag("atMostOnce"),
  "plain-characters": flag("plainCharacters"),
  "expires-after-seconds": takeSeconds,
  ...TIMING_KEYS,
  "target-channel": text("targetChannel"),
  "required-variables": takeNames,
  "sample-variables": takeSamples,
} as const satisfies Record<string, Taker>;

type Key = keyof typeof KEYS;

function isKey(key: string): key is Key {
  return Object.hasOwn(KEYS, key);
}

function takeAction(file: TemplateFile, value: string): string | undefined {
  const action = readAction(value);
  if (action === undefined) return "must be Label=URL";
  file.actions ??= [];
  file.actions.push(action);
  return undefined;
}

function takeSeconds(file: TemplateFile, value: string): string | undefined {
  if (file.expiresAfterSeconds !== undefined) return TWICE;
  if (!/^\d{1,15}$/.test(value)) return "must be a whole number";
  file.expiresAfterSeconds = Number(value);
  return undefined;
}

function takeNames(file: TemplateFile, value: string): string | undefined {
  if (file.requiredVariables !== undefined) return TWICE;
  const names = value.startsWith("[") ? jsonOf(value) : value.split(",").map((name) => name.trim());
  if (!Array.isArray(names) || !names.every((name) => typeof name === "string")) {
    return "must be names with commas between them";
  }
  file.requiredVariables = names;
  return undefined;
}

function takeSamples(file: TemplateFile, value: string): string | undefined {
  if (file.sampleVariables !== undefined) return TWICE;
  file.sampleVariables = value;
  return undefined;
}

/** As the command line takes it: `Label=URL`, or JSON of both. Undefined: it is neither. */
export function readAction(value: string): StoredAction | undefined {
  if (value.startsWith('{"')) {
    const action = jsonOf(value) as Partial<StoredAction> | null | undefined;
    const { label, url } = action ?? {};
    return typeof label === "string" && typeof url === "string" ? { label, url } : undefined;
  }
  const at = value.indexOf("=");
  if (at < 1) return undefined;
  return { label: value.slice(0, at).trim(), url: value.slice(at + 1).trim() };
}

function actionLine(action: StoredAction): string {
  const line = `${action.label}=${action.url}`;
  const read = readAction(line);
  const isSame = read?.label === action.label && read.url === action.url;
  const { label, url } = action;
  return isSame && lineOf(line) === line ? line : JSON.stringify({ label, url });
}

/** Blanks at the ends would be lost, and a quote at the beginning says that it is JSON. */
function lineOf(value: string): string {
  return value.trim() === value && !value.startsWith('"') ? value : JSON.stringify(value);
}

function namesLine(names: readonly string[]): string {
  const isPlain = names.every((name) => name.trim() === name && !/[,[]/.test(name));
  return isPlain ? names.join(", ") : JSON.stringify(names);
}

function jsonOf(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}
