import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { DeletedTenantData } from "@belfry/administration/erasure/delete-tenant";
import { NOTHING_ERASED } from "@belfry/administration/erasure/erasure-report";
import { RANGES } from "@belfry/administration/health/activity-sums";
import { TENANT_ROLES } from "@belfry/administration/people/person-rows";
import { ADDRESSES } from "@belfry/contracts/addresses";
import { CHANNEL_ROWS, CHANNELS } from "@belfry/contracts/channels";
import { DELIVERY_STATUSES } from "@belfry/contracts/delivery";
import { KEY_ROLE_WORDS } from "@belfry/contracts/key-roles";
import { PREFERENCE_SOURCES } from "@belfry/contracts/preferences";
import { REASONS } from "@belfry/contracts/reasons";
import { RECEIPT_KINDS, SUPPRESSION_REASONS } from "@belfry/contracts/sending";
import { PROVIDER_KINDS } from "@belfry/providers/kinds";
import { STARTERS } from "@belfry/templates/starters";
import { OWN_REASONS } from "../src/event/own-reasons.ts";
import { TIMELINE_SENTENCES, TIMELINE_STATES } from "../src/event/timeline-words.ts";
import { MAIL_STATUS, SMTP_REPLIES, VENDOR_CODES } from "../src/event/vendor-codes.ts";
import { LITERAL, messagesOfScript, messagesOfView, VALUE } from "../src/page/translate-source.ts";
import { fieldName, titleNote } from "../src/page/words.ts";
import { AUDIT_TARGETS } from "../src/platform/audit-pages.ts";

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

/** Returns the texts of the tables of reasons and codes, and sentences of places only, which a language punctuates. */
function tableTexts(): string[] {
  const codes = [MAIL_STATUS, SMTP_REPLIES, ...Object.values(VENDOR_CODES)];
  const rows = [...codes.flatMap((table) => Object.values(table)), ...Object.values(OWN_REASONS)];
  return [
    "{0}: {1}.",
    ...Object.values(REASONS),
    ...rows.map(({ says }) => says).filter((says) => typeof says === "string"),
    ...PREFERENCE_SOURCES,
    ...Object.values(KEY_ROLE_WORDS),
    ...CHANNELS.flatMap((channel) => {
      const { label, inSentence } = CHANNEL_ROWS[channel].words;
      return [label, inSentence];
    }),
    ...STARTERS.flatMap(({ label, description }) => [label, description]),
    ...[...TIMELINE_SENTENCES, ...TIMELINE_STATES, ...DELIVERY_STATUSES],
    ...Object.values(ADDRESSES).map(({ label }) => label),
    ...TENANT_ROLES,
    ...RECEIPT_KINDS,
    ...SUPPRESSION_REASONS,
    ...Object.keys({ ...NOTHING_ERASED, ...DeletedTenantData.properties }).map(fieldName),
    ...Object.values(AUDIT_TARGETS).flat(),
    ...OTHER_TERMS,
  ];
}

/** Terms of views that look them up by a name. */
const OTHER_TERMS = [
  ...["and", "or", "no settings", "open", "closed", "running", "done", "published"],
  ...[
    "in the digest",
    "replay",
    "replayed",
    "discard",
    "sent by itself",
    "left out: read in the inbox",
    "left out: cancelled",
  ],
  ...["seconds", "minutes", "hours", "days", "Simple", "Plain text"],
  ...["none", "default", ...Object.values(RANGES).map(({ title }) => title)],
];

/** Returns the texts of providers' forms. */
function settingsTexts(): string[] {
  return Object.values(PROVIDER_KINDS)
    .flat()
    .flatMap(({ title, settings, receipts }) => {
      const fields = Object.values(settings.properties).flatMap(({ title, description, anyOf }) => [
        ...[title, description],
        ...((anyOf as { title: string }[] | undefined) ?? []).map((choice) => choice.title),
      ]);
      return [...fields, titleNote(title), receipts?.setUp?.text].filter(
        (text): text is string => typeof text === "string" && text !== "",
      );
    });
}

function messagesOf(file: string, source: string): string[] {
  if (file.endsWith(".eta")) return messagesOfView(source);
  return file.endsWith(".js") ? messagesOfScript(source) : saidMessages(source);
}

/** Returns the keys of say`…` and phrase("…"), in the form that their functions make. */
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

/** Returns the nouns of counted(n, "event", "events"). */
function countedNouns(source: string): string[] {
  const calls = source.matchAll(/\bcounted\([^;]*?,\s*"([a-z -]+)"(?:,\s*"([a-z -]+)")?\s*\)/g);
  return [...calls].flatMap(([, one = "", many = `${one}s`]) => [`{0} ${one}`, `{0} ${many}`]);
}

/** Matches code before a literal that is the target of an audit entry. */
const GIVEN_AS_TARGET =
  /(?:\btarget:|\bconst target =|\bnote\(\s*"[\w.-]+",)(?:[^;,{]{0,80}(?:\?|:|\|\|))?\s*\(?$/;

/** Every target of the audit log that is no name, with its file. */
export async function auditTargets(): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for await (const file of glob("packages/administration/src/**/*.ts", { cwd: ROOT })) {
    if (/\.test\.ts$/.test(file)) continue;
    const source = await readFile(join(ROOT, file), "utf8");
    for (const { text, index } of literalsOf(source)) {
      const isTarget = GIVEN_AS_TARGET.test(source.slice(Math.max(0, index - 120), index));
      if (isTarget && /\p{L}{2}/u.test(text)) found.set(text, file);
    }
  }
  return found;
}

/** Returns the sentences and states in the code of the timeline, such as `{0}: begun`, and the warnings of senders. */
export async function timelineTexts(): Promise<string[]> {
  const file = join(ROOT, "packages/administration/src/events/event-timeline.ts");
  const source = await readFile(file, "utf8");
  const own = literalsOf(source)
    .filter(({ text, index }) => {
      const isName = /(?:from|===|\[)\s*$/.test(source.slice(0, index));
      return /\p{L}{2}/u.test(text) && !isName && source[index + text.length + 2] !== ":";
    })
    .map(({ text }) => text);
  const warnings = ["mail-envelope", "attachment-warnings"].map(async (name) => {
    const sender = await readFile(join(ROOT, `packages/sending/src/${name}.ts`), "utf8");
    return literalsOf(sender).flatMap(({ text }) => (/\p{L}{2}.* /u.test(text) ? [text] : []));
  });
  return [...own, ...(await Promise.all(warnings)).flat()];
}

const ROOT = join(import.meta.dirname, "../../..");
const FAULT_SOURCES =
  "{packages/{contracts,administration,providers}/src,services/admin/src}/**/*.ts";
/** Files of faults that no page shows: of the command line, of the management API alone, of other calls of the API. */
const NO_PAGE =
  /(?:bundle(?:-files)?|template-(?:file|folder)|bootstrap|erasure-report|rotate-secrets|act-http|outbox|trigger|cancel-events|notification|mcp|config)\.ts$/;
/** Files whose texts read like faults but are none: reasons, the timeline, vendors' answers. */
const NO_FAULTS =
  /(?:reasons|own-reasons|vendor-codes|alerts|event-timeline|event-example|event-evidence|send-outcome|smtp-failure|sandbox|webhook-payload|webhook-rows)\.ts$/;
/** Matches code before a literal that is always a fault. */
const GIVEN_AS_FAULT =
  /(?:\b(?:message|fault):\s*(?:[^,;{}]*[?:]\s*)?|\b(?:invalid|faultAt)\((?:[^;]{0,80},)\s*|\bnew (?:TooLate|Locked)\(\s*|\breasons\.push\(\s*|\brefuse\((?:row\.)?id,\s*)$/;
/** Matches code before a literal that is a fault if it reads like one, after its field's name. */
const MAY_BE_FAULT = /(?:return|\?|:|\(|=|,)\s*$/;
const READS_LIKE_FAULT =
  /^(?:must|is|are|has|have|needs?|was|belongs?|does|do|would|takes?|can|cannot|may|it is|should|goes?|differs?|begins?|stands) /;
const DESCRIBES =
  /(?:\b(?:description|summary|consequence|when|words|title)\b|say`|NotFound\()[^;\n]{0,80}$/;

/** Beginnings of messages, and a label. */
const NO_WHOLE = ["must be", "must be at", "is not", "message id"];

/** Every English fault that a form may show, with places for its values. */
export async function faultMessages(): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for await (const file of glob(FAULT_SOURCES, { cwd: ROOT })) {
    if (/\.test\.ts$|under-test|\/test-/.test(file)) continue;
    if (NO_PAGE.test(file) || NO_FAULTS.test(file)) continue;
    const source = await readFile(join(ROOT, file), "utf8");
    for (const { text, index } of literalsOf(source)) {
      if (!text.includes(" ") || NO_WHOLE.includes(text)) continue;
      const before = source.slice(Math.max(0, index - 160), index);
      // A problem of a whole request is no fault of a field.
      const isGiven = GIVEN_AS_FAULT.test(before) && !file.endsWith("/problems.ts");
      const isFault =
        isGiven ||
        (READS_LIKE_FAULT.test(text) && MAY_BE_FAULT.test(before) && !DESCRIBES.test(before));
      if (isFault && /\p{L}{2}/u.test(text) && !found.has(text)) found.set(text, file);
    }
    // A query words why a dead letter cannot be replayed.
    if (!file.endsWith("/dead-letter-rows.ts")) continue;
    for (const [, text = ""] of source.matchAll(/ then '([a-z]+ [a-z ,:]+[a-z])'/g)) {
      found.set(text, file);
    }
  }
  return found;
}

/** Returns the string literals of a source, with places for their values, and where each stands. */
export function literalsOf(source: string): { text: string; index: number }[] {
  return [...source.matchAll(LITERAL)].flatMap(({ 1: plain, 2: template, index }) => {
    const raw = plain ?? template;
    let places = 0;
    const text = raw?.replaceAll(VALUE, () => `{${places++}}`).replaceAll(/\\(["`])/g, "$1");
    return text === undefined ? [] : [{ text, index }];
  });
}

/** Files whose sentences are for operators, programs and logs. */
const NO_READER =
  /(?:^|\/)(?:config|oidc-settings|main|manage-api|mcp|access|router|views|translate-source)\.ts$/;
/** Matches a title or a sentence. A path, a name of a constant, and a person with an address are none. */
const SENTENCE = /^(?=.*\p{Ll}{2})(?:[A-Z][a-z’']*|\{\w+\}),?(?: [^\s<]+)+$/su;
/** A sample of a value, and the name of an account in an authenticator app. */
const NO_SENTENCE = ["Sample {0}", "Belfry ({0})"];

/** Every title and sentence in the code of the pages, with its file. Keys of tables are none. */
export async function codeSentences(): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for await (const file of glob("**/*.ts", { cwd: SOURCES })) {
    if (/\.test\.ts$|under-test|(?:^|\/)test-/.test(file) || NO_READER.test(file)) continue;
    const source = await readFile(join(SOURCES, file), "utf8");
    for (const { text, index } of literalsOf(source)) {
      const isKey = source.startsWith(`${JSON.stringify(text)}:`, index);
      if (SENTENCE.test(text) && !isKey && !NO_SENTENCE.includes(text)) found.set(text, file);
    }
  }
  return found;
}
