import type { PushAction } from "@belfry/contracts/notification";
import { fileText } from "../file-text.ts";
import type { InputFault } from "../input-error.ts";
import { jsonOf, type Kind, line } from "./setting-kinds.ts";
import { lineName, SETTING_LINES, type TemplateSettingsInput } from "./template-settings.ts";

/**
 * A variant of a template as a file: the settings between two lines of `---`, one per line and named as on the command
 * line, and below them the content.
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
  /** Set only if the folder's name does not contain it. */
  eventType?: string | undefined;
  content: string;
  subject?: string | undefined;
  title?: string | undefined;
  url?: string | undefined;
  actions?: PushAction[] | undefined;
}

const EDGE = "---";
const INDENT = "  ";
const TEXTS = ["eventType", "subject", "title", "url"] as const;

export function writeTemplateFile(file: TemplateFile): string {
  const lines: string[] = [];
  for (const key of TEXTS) {
    if (file[key]) lines.push(`${lineName(key)}: ${line.write(file[key])}`);
  }
  for (const action of file.actions ?? []) lines.push(`action: ${actionLine(action)}`);
  for (const { key, none, kind, ...place } of SETTING_LINES) {
    const holder = (place.isOfDigest ? file.digest : file) as Record<string, unknown> | null;
    const value = holder?.[place.name];
    const isSet = value !== undefined && value !== null && value !== none;
    const isEmpty = Array.isArray(value) && value.length === 0;
    if (isSet && !isEmpty) lines.push(...headLines(key, kind.write(value)));
  }
  return [EDGE, ...lines, EDGE, ""].join("\n") + file.content;
}

/** Returns one line, or several lines for sample variables, which are JSON. */
function headLines(key: string, value: string): string[] {
  if (key !== "sample-variables") return [`${key}: ${value}`];
  const rows = value.replaceAll("\r", "").trimEnd().split("\n");
  return [`${key}:`, ...rows.map((row) => INDENT + row)];
}

/** Parses a file. The field of a fault is a key, or `file`. */
export function readTemplateFile(
  text: string,
): { ok: true; file: TemplateFile } | { ok: false; faults: InputFault[] } {
  const unix = fileText(text);
  const end = unix.indexOf(`\n${EDGE}\n`, EDGE.length - 1);
  if (!unix.startsWith(`${EDGE}\n`) || end === -1) {
    const message = `must begin with what is set, between two lines of ${EDGE}`;
    return { ok: false, faults: [{ field: "file", message }] };
  }
  const file: TemplateFile = { content: unix.slice(end + EDGE.length + 2) };
  const faults: InputFault[] = [];
  for (const { key, value, line } of headOf(unix.slice(EDGE.length + 1, end + 1))) {
    const take = KEYS.get(key);
    const message = take === undefined ? "is not known here" : take(file, value);
    if (message !== undefined) faults.push({ field: key, message: `(line ${line}) ${message}` });
  }
  return faults.length > 0 ? { ok: false, faults } : { ok: true, file };
}

interface HeadLine {
  key: string;
  value: string;
  /** Line number in the file, from 1. */
  line: number;
}

/** Parses lines of the form `key: value`. Indented lines continue the value of the key above them. */
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

/** Stores a value in `file`, or returns its fault, worded to follow the key. */
type Taker = (file: TemplateFile, value: string) => string | undefined;

function taker<T>(
  { read, form }: Kind<T>,
  { name, isOfDigest = false }: { name: string; isOfDigest?: boolean },
): Taker {
  return (file, value) => {
    if (isOfDigest) file.digest ??= {};
    const holder = (isOfDigest ? file.digest : file) as Record<string, unknown>;
    if (holder[name] !== undefined) return "is there twice";
    const taken = read(value);
    if (taken === undefined) return `must be ${form}`;
    holder[name] = taken;
    return undefined;
  };
}

const KEYS = new Map<string, Taker>([
  ["action", takeAction],
  ...TEXTS.map((name): [string, Taker] => [lineName(name), taker(line, { name })]),
  ...SETTING_LINES.map(({ key, kind, ...place }): [string, Taker] => [key, taker(kind, place)]),
]);

function takeAction(file: TemplateFile, value: string): string | undefined {
  const action = readAction(value);
  if (action === undefined) return "must be Label=URL";
  file.actions ??= [];
  file.actions.push(action);
  return undefined;
}

/** Parses a button in the command line's form: `Label=URL`, or JSON with both. Returns undefined for any other text. */
export function readAction(value: string): PushAction | undefined {
  if (value.startsWith('{"')) {
    const action = jsonOf(value) as Partial<PushAction> | null | undefined;
    const { label, url } = action ?? {};
    return typeof label === "string" && typeof url === "string" ? { label, url } : undefined;
  }
  const at = value.indexOf("=");
  if (at < 1) return undefined;
  return { label: value.slice(0, at).trim(), url: value.slice(at + 1).trim() };
}

function actionLine(action: PushAction): string {
  const text = `${action.label}=${action.url}`;
  const read = readAction(text);
  const isSame = read?.label === action.label && read.url === action.url;
  const { label, url } = action;
  return isSame && line.write(text) === text ? text : JSON.stringify({ label, url });
}
