import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { PREFERENCE_SOURCES } from "@belfry/contracts/preferences";
import { REASONS } from "@belfry/contracts/reasons";
import { PROVIDER_KINDS } from "@belfry/providers/kinds";
import { OWN_REASONS } from "../src/event/own-reasons.ts";
import { MAIL_STATUS, SMTP_REPLIES, VENDOR_CODES } from "../src/event/vendor-codes.ts";
import { messagesOfScript, messagesOfView } from "../src/page/translate-source.ts";

const SOURCES = join(import.meta.dirname, "../src");

/** Every English text of the Admin UI that a catalogue translates, with the file that says it. */
export async function allMessages(): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for await (const file of glob("**/*.{eta,js,ts}", { cwd: SOURCES })) {
    if (/\.test\.ts$|under-test|^test-/.test(file)) continue;
    const source = await readFile(join(SOURCES, file), "utf8");
    for (const message of [...messagesOf(file, source), ...countedNouns(source)]) {
      if (!found.has(message)) found.set(message, file);
    }
  }
  for (const message of tableTexts()) found.set(message, "a table");
  for (const message of settingsTexts()) found.set(message, "the settings of providers");
  return found;
}

/** What tables of reasons and codes say, and the sentences of nothing but places that a language punctuates. */
function tableTexts(): string[] {
  const codes = [MAIL_STATUS, SMTP_REPLIES, ...Object.values(VENDOR_CODES)];
  const rows = [...codes.flatMap((table) => Object.values(table)), ...Object.values(OWN_REASONS)];
  return [
    "{0}: {1}.",
    ...Object.values(REASONS),
    ...rows.map(({ says }) => says).filter((says) => typeof says === "string"),
    ...PREFERENCE_SOURCES,
  ];
}

/** What the form of a provider is drawn from. */
function settingsTexts(): string[] {
  return Object.values(PROVIDER_KINDS)
    .flat()
    .flatMap(({ settings, receipts }) => {
      const fields = Object.values(settings.properties).flatMap(({ title, description, anyOf }) => [
        ...[title, description],
        ...((anyOf as { title: string }[] | undefined) ?? []).map((choice) => choice.title),
      ]);
      return [...fields, receipts?.setUp?.text].filter((text) => typeof text === "string");
    });
}

function messagesOf(file: string, source: string): string[] {
  if (file.endsWith(".eta")) return messagesOfView(source);
  return file.endsWith(".js") ? messagesOfScript(source) : saidMessages(source);
}

/** Of say`…` and phrase("…"), as their functions make the keys. */
function saidMessages(source: string): string[] {
  const said = [...source.matchAll(/\bsay`((?:[^`\\$]|\\.|\$\{(?:[^{}`]|`[^`]*`)*\})*)`/g)].map(
    ([, text = ""]) => {
      let places = 0;
      return text.replaceAll(/\$\{(?:[^{}`]|`[^`]*`)*\}/g, () => `{${places++}}`);
    },
  );
  const phrases = [...source.matchAll(/\bphrase\(\s*"((?:[^"\\]|\\.)*)"/g)].map(
    ([, text = ""]) => text,
  );
  return [...said, ...phrases].filter((text) => /\p{L}/u.test(text.replaceAll(/\{\d+\}/g, "")));
}

/** Of counted(n, "event", "events"). */
function countedNouns(source: string): string[] {
  const calls = source.matchAll(/\bcounted\([^;]*?,\s*"([a-z -]+)"(?:,\s*"([a-z -]+)")?\s*\)/g);
  return [...calls].flatMap(([, one = "", many = `${one}s`]) => [`{0} ${one}`, `{0} ${many}`]);
}

const ROOT = join(import.meta.dirname, "../../..");
const FAULT_SOURCES =
  "{packages/{contracts,administration,providers}/src,services/admin/src}/**/*.ts";
/** Files of faults that no page shows: of the command line, of the management API alone, of other calls of the API. */
const NO_PAGE =
  /(?:bundle(?:-files)?|template-(?:file|folder)|bootstrap|erasure-report|rotate-secrets|act-http|outbox|trigger|cancel-events|notification|mcp|config)\.ts$/;
/** What holds no faults, though it reads so: reasons, the timeline, vendors' answers. */
const NO_FAULTS =
  /(?:reasons|own-reasons|vendor-codes|alerts|event-timeline|event-example|event-evidence|send-outcome|smtp-failure|sandbox|webhook-payload|webhook-rows)\.ts$/;
const LITERAL =
  /\/\/.*|\/\*[\s\S]*?\*\/|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\$]|\\.|\$(?!\{)|\$\{(?:[^{}`]|`[^`]*`|\{[^{}]*\})*\})*)`/g;
const VALUE = /\$\{(?:[^{}`]|`[^`]*`|\{[^{}]*\})*\}/g;
/** Where a literal is a fault, whatever it says. */
const GIVEN_AS_FAULT =
  /(?:\b(?:message|fault):\s*(?:[^,;{}]*[?:]\s*)?|\b(?:invalid|faultAt)\((?:[^;]{0,80},)\s*|\bnew (?:TooLate|Locked)\(\s*)$/;
/** Where it is one if it reads like one: it follows the name of its field. */
const MAY_BE_FAULT = /(?:return|\?|:|\(|=|,)\s*$/;
const READS_LIKE_FAULT =
  /^(?:must|is|are|has|have|needs?|was|belongs?|does|do|would|takes?|cannot|may|it is|should|goes?|differs?|begins?|stands) /;
const DESCRIBES =
  /(?:\b(?:description|summary|consequence|when|words|title)\b|say`|NotFound\()[^;\n]{0,80}$/;

/** What is told only with more behind it, and a label. */
const NO_WHOLE = ["must be", "must be at", "is not", "message id"];

/** Every English fault that a form may show, with places for its values. */
export async function faultMessages(): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for await (const file of glob(FAULT_SOURCES, { cwd: ROOT })) {
    if (/\.test\.ts$|under-test|\/test-/.test(file)) continue;
    if (NO_PAGE.test(file) || NO_FAULTS.test(file)) continue;
    const source = await readFile(join(ROOT, file), "utf8");
    for (const { 1: plain, 2: template, index } of source.matchAll(LITERAL)) {
      const raw = plain ?? template;
      if (raw === undefined || !raw.includes(" ") || NO_WHOLE.includes(raw)) continue;
      const before = source.slice(Math.max(0, index - 160), index);
      let places = 0;
      const text = raw.replaceAll(VALUE, () => `{${places++}}`).replaceAll(/\\(["`])/g, "$1");
      // What is wrong with a whole request is no fault of a field.
      const isGiven = GIVEN_AS_FAULT.test(before) && !file.endsWith("/problems.ts");
      const isFault =
        isGiven ||
        (READS_LIKE_FAULT.test(text) && MAY_BE_FAULT.test(before) && !DESCRIBES.test(before));
      if (isFault && /\p{L}{2}/u.test(text) && !found.has(text)) found.set(text, file);
    }
  }
  return found;
}
