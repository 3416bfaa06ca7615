import { hash } from "node:crypto";
import { CHANNEL_ROWS, type Channel, isChannel } from "@belfry/contracts/channels";
import { canonicalLocale } from "@belfry/contracts/locale";
import type { EmailFormat } from "@belfry/templates/source";

/**
 * Files by path, such as `order.confirmed/EMAIL.de.md`: a folder for each event type, a file for each channel and
 * language.
 */
export type TextFiles = Readonly<Record<string, string>>;

export const MAX_FILES = 10_000;
/** Enough for a content of 256 KiB, sample values of 64 Ki characters and all settings. */
export const MAX_FILE_BYTES = 1024 * 1024;
export const MAX_BYTES = 64 * 1024 * 1024;

/** Most bytes of a request with a whole bundle. */
export const MAX_BUNDLE_BYTES = 16 * 1024 * 1024;

/** Returns the fault of a set of files as a whole. */
export function filesFault(files: unknown): string | undefined {
  if (typeof files !== "object" || files === null || Array.isArray(files)) {
    return "must be an object of texts by path";
  }
  let bytes = 0;
  const entries = Object.entries(files);
  if (entries.length > MAX_FILES) return `holds over ${MAX_FILES} files`;
  for (const [path, text] of entries) {
    if (typeof text !== "string") return "must be an object of texts by path";
    const size = Buffer.byteLength(text);
    if (size > MAX_FILE_BYTES) return `${path.slice(0, 300)} is larger than 1 MiB`;
    bytes += size;
    if (bytes > MAX_BYTES) return `holds more than ${MAX_BYTES / 1024 / 1024} MiB`;
  }
  return undefined;
}

/** Longest name of a folder, far below the limit of every file system. */
const MAX_FOLDER_CHARACTERS = 120;
const CUT_CHARACTERS = 90;
/** Precedes the hash in a folder's name. Names without a hash do not contain it. */
const HASH_MARK = "~";
/** Files of a bundle that are in no folder. */
export const LAYOUT_CONTENT = "layout.mjml";
export const LAYOUT_SETTINGS = "layout.json";
export const CATEGORIES = "categories.json";
export const BUNDLE_FILES = [LAYOUT_CONTENT, LAYOUT_SETTINGS, CATEGORIES] as const;

/** Names that Windows reserves, also with an extension. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/**
 * Returns the folder of each event type. Its name has only letters, digits and `_ - . %`; other characters are
 * percent-encoded. A name that is too long, or differs from another only in case, is cut and gets a hash. Then only the
 * files contain the event type.
 */
export function folderNames(eventTypes: readonly string[]): Map<string, string> {
  const types = [...new Set(eventTypes)];
  const names = Map.groupBy(types, (type) => plainFolder(type).toLowerCase());
  return new Map(
    types.map((type) => {
      const plain = plainFolder(type);
      const isAlone = names.get(plain.toLowerCase())?.length === 1;
      if (isAlone && plain.length <= MAX_FOLDER_CHARACTERS) return [type, plain];
      const digest = hash("sha256", type).slice(0, 12);
      return [type, `${plain.slice(0, CUT_CHARACTERS)}${HASH_MARK}${digest}`];
    }),
  );
}

/** Returns the event type of a folder; null if only its files contain it, undefined if the name is malformed. */
export function eventTypeOf(folder: string): string | null | undefined {
  if (folder.includes(HASH_MARK)) return null;
  try {
    return decodeURIComponent(folder);
  } catch {
    return undefined;
  }
}

function plainFolder(eventType: string): string {
  const encoded = encodeURIComponent(eventType).replace(
    /[!'()*~]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const edged = encoded.replace(/^\.|\.$/g, "%2E");
  const isFile = BUNDLE_FILES.some((file) => file === edged.toLowerCase());
  if (!isFile && !RESERVED.test(edged)) return edged;
  return `%${edged.charCodeAt(0).toString(16).toUpperCase()}${edged.slice(1)}`;
}

const ENDINGS = {
  markdown: "md",
  mjml: "mjml",
  html: "html",
  text: "txt",
} as const satisfies Record<EmailFormat, string>;

export interface VariantPath {
  channel: Channel;
  /** Empty: the default variant. */
  locale: string;
  /** Format of a mail. */
  format: EmailFormat | undefined;
}

export function variantFileName({ channel, locale, format = "text" }: VariantPath): string {
  return [channel, ...(locale === "" ? [] : [locale]), ENDINGS[format]].join(".");
}

/** Parses a file name. Returns undefined if it is not the name of a variant. */
export function readVariantFileName(name: string): VariantPath | undefined {
  const [channel, ...rest] = name.split(".");
  const ending = rest.pop();
  const [locale = "", ...more] = rest;
  if (!isChannel(channel) || more.length > 0) return undefined;
  if (rest.length > 0 && canonicalLocale(locale) !== locale) return undefined;
  const [format] = (Object.entries(ENDINGS) as [EmailFormat, string][]).find(
    ([, known]) => known === ending,
  ) ?? [undefined];
  if (format === undefined) return undefined;
  if (CHANNEL_ROWS[channel].content === "email") return { channel, locale, format };
  return format === "text" ? { channel, locale, format: undefined } : undefined;
}
