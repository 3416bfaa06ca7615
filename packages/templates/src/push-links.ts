/** A push's link and buttons: checked when a template is saved, and again when it is rendered. */

import { isParameter, parameterValue, urlRest, withoutInvisible } from "./html/url-value.ts";
import {
  MAX_PUSH_ACTIONS,
  MAX_PUSH_ADDRESS_CHARACTERS,
  MAX_PUSH_LABEL_CHARACTERS,
  MAX_SUBJECT_CHARACTERS,
  MAX_URL_CHARACTERS,
} from "./language/bounds.ts";
import { cleanLine, countCharacters } from "./language/characters.ts";
import { parseTemplate } from "./language/parse-template.ts";
import { isTooCostly, type Rendering, type Slot } from "./language/rendering.ts";
import { breaksLines, scanTags, type Tag, type TagFault } from "./language/tags.ts";
import { createWriter } from "./language/writer.ts";
import { type PushAction, type PushLinks, placeFaults, type TemplateFault } from "./source.ts";

export interface RenderedLinks extends PushLinks {
  /** Describes the links that were left out, with the reason. It never quotes a value. */
  leftOut: string[];
}

interface CheckedLinks {
  links: PushLinks;
  faults: TemplateFault[];
}

/** Checks a template's links. For actions, `line` is the position in their list, from 1. */
export function checkLinks({ url, actions = [] }: PushLinks): CheckedLinks {
  const faults: TemplateFault[] = [];
  const check = (field: "url" | "actions", at: number, part: string, text: string) => {
    const found = part === "label" ? checkLabel(text) : checkAddress(text);
    for (const fault of placeFaults(field, text, found)) {
      const message = field === "url" ? fault.message : `${part}: ${fault.message}`;
      faults.push({ ...fault, line: at, message });
    }
  };
  if (url !== undefined) check("url", 1, "url", url);
  for (const [index, action] of actions.slice(0, MAX_PUSH_ACTIONS).entries()) {
    check("actions", index + 1, "label", action.label);
    check("actions", index + 1, "url", action.url);
  }
  if (actions.length > MAX_PUSH_ACTIONS) {
    const message = `at most ${MAX_PUSH_ACTIONS} actions`;
    faults.push({ field: "actions", line: MAX_PUSH_ACTIONS + 1, column: 1, message });
  }
  const links = {
    ...(url !== undefined && { url }),
    ...(actions.length > 0 && { actions: actions.map(({ label, url }) => ({ label, url })) }),
  };
  return { links, faults };
}

/** Returns the texts of the links, which may contain tags. */
export function linkTexts({ url, actions = [] }: PushLinks): string[] {
  const texts = actions.flatMap((action) => [action.label, action.url]);
  return url === undefined ? texts : [url, ...texts];
}

/** Renders links. Returns undefined only if the message is too costly to render. */
export type LinksWriter = (
  variables: Record<string, unknown>,
  rendering: Rendering,
) => RenderedLinks | undefined;

/** Returns a writer of links; undefined if there are no links. */
export function linksWriter({ url, actions = [] }: PushLinks): LinksWriter | undefined {
  if (url === undefined && actions.length === 0) return undefined;
  const main = url === undefined ? undefined : addressWriter(url);
  const buttons = actions.map((action) => ({
    label: labelWriter(action.label),
    address: addressWriter(action.url),
  }));
  return (variables, rendering) => {
    const made: { url?: string; actions?: PushAction[]; leftOut: string[] } = { leftOut: [] };
    const address = main?.(variables, rendering);
    if (typeof address === "string") made.url = address;
    else if (address !== undefined) made.leftOut.push(`url (${address.fault})`);
    for (const [index, button] of buttons.entries()) {
      const label = button.label(variables, rendering);
      const to = button.address(variables, rendering);
      if (typeof label === "string" && typeof to === "string") {
        made.actions = [...(made.actions ?? []), { label, url: to }];
        continue;
      }
      const why = [label, to].find((part) => typeof part === "object");
      made.leftOut.push(`action ${index + 1} (${why?.fault ?? "empty"})`);
    }
    return isTooCostly(rendering) ? undefined : made;
  };
}

/** Returns a text, undefined if it is empty, or why it is left out. */
type LinkWriter = (
  variables: Record<string, unknown>,
  rendering: Rendering,
) => string | undefined | { fault: string };

function addressWriter(template: string): LinkWriter {
  const options = { ...oneLine(MAX_PUSH_ADDRESS_CHARACTERS), slots: addressSlots };
  const write = createWriter(template, options);
  if (write === undefined) return () => UNREADABLE;
  return (variables, rendering) => {
    const text = write(variables, rendering);
    if (text === undefined) return TOO_LONG;
    return text === "" ? undefined : pushAddress(text);
  };
}

function labelWriter(template: string): LinkWriter {
  const most = MAX_PUSH_LABEL_CHARACTERS;
  const write = createWriter(template, oneLine(most));
  if (write === undefined) return () => UNREADABLE;
  return (variables, rendering) => {
    const text = write(variables, rendering);
    if (text === undefined) return { fault: `a label longer than ${most} characters` };
    return text.trim() || undefined;
  };
}

/** For an invalid template: it was not checked, but changed in the database. */
const UNREADABLE = { fault: "cannot be read" };

function oneLine(limit: number) {
  return { clean: cleanLine, measure: countCharacters, limit };
}

function checkLabel(text: string): TagFault[] {
  const { tags, faults } = checkLine(text, MAX_SUBJECT_CHARACTERS);
  if (faults.length > 0 || ownCharacters(text, tags) <= MAX_PUSH_LABEL_CHARACTERS) return faults;
  return [{ offset: 0, message: `longer than ${MAX_PUSH_LABEL_CHARACTERS} characters` }];
}

function checkAddress(text: string): TagFault[] {
  const { tags, faults } = checkLine(text, MAX_PUSH_ADDRESS_CHARACTERS);
  if (faults.length > 0) return faults;
  const block = tags.find(({ kind }) => kind === "block");
  if (block !== undefined) {
    const message = "an address holds no blocks: {{ … }} with filters may stand in it";
    return [{ offset: block.start, message }];
  }
  const fault = addressFault(text, tags);
  return fault === undefined ? [] : [fault];
}

function checkLine(text: string, most: number): { tags: Tag[]; faults: TagFault[] } {
  if (text.trim() === "") return { tags: [], faults: [{ offset: 0, message: "is empty" }] };
  if (text.length > most) {
    return { tags: [], faults: [{ offset: 0, message: `longer than ${most} characters` }] };
  }
  if (cleanLine(text) !== text) {
    const message = "a line end or control character cannot stand here";
    return { tags: [], faults: [{ offset: 0, message }] };
  }
  const { tags, faults } = scanTags(text);
  if (faults.length > 0) return { tags, faults };
  const broken = tags
    .filter(breaksLines)
    .map(({ start }) => ({ offset: start, message: NO_BREAKS }));
  return { tags, faults: [...parseTemplate(text, tags).faults, ...broken] };
}

const NO_BREAKS = "newline_to_br is for HTML";

function ownCharacters(text: string, tags: readonly Tag[]): number {
  return countCharacters(text) - tags.reduce((sum, { start, end }) => sum + end - start, 0);
}

/** An https URL or a path. Browsers read `//host` and `/\host` as another site. */
const ALLOWED = /^(?:https:\/\/|\/(?![/\\]))/i;
/** The part of an address in which a browser reads a backslash as a slash. */
const HEAD = /^(?:https:\/\/[^/?#]*|\/)/i;
const NO_ADDRESS_CHARACTER = /[\p{Cc}\p{Z}"<>\\^`|]/u;

const BEGINNING: Slot = {
  write: (value) => encoded(withoutInvisible(value)),
  longest: MAX_URL_CHARACTERS,
};
const INSIDE: Slot = { write: encoded, longest: MAX_URL_CHARACTERS };
const PARAMETER: Slot = {
  write: (value) => parameterValue(encoded(value)),
  longest: MAX_URL_CHARACTERS,
};

export function addressSlots(text: string, tags: readonly Tag[]): Slot[] {
  return tags.map((tag, index) => {
    if (index === 0 && text.startsWith("{{")) return BEGINNING;
    return isParameter(text, tag) ? PARAMETER : INSIDE;
  });
}

/** Returns why a template's own text can never be an address; undefined if it can. */
export function addressFault(text: string, tags: readonly Tag[]): TagFault | undefined {
  const first = tags[0]?.start ?? text.length;
  if (first > 0 && !ALLOWED.test(text.slice(0, first))) {
    const ways = "https://, one / (a path of the page's own site) or a variable";
    return { offset: 0, message: `an address begins with ${ways}` };
  }
  let at = 0;
  for (const part of [...tags, { start: text.length, end: text.length }]) {
    const character = NO_ADDRESS_CHARACTER.exec(text.slice(at, part.start));
    if (character !== null) {
      const message = "spaces, quotes, backslashes and brackets < > cannot stand in an address";
      return { offset: at + character.index, message };
    }
    at = part.end;
  }
  const address = tags.length === 0 ? pushAddress(text) : text;
  if (typeof address === "string") return undefined;
  return { offset: 0, message: address === TOO_LONG ? TOO_LONG.fault : "this is no address" };
}

/** Returns a rendered address in the form to publish, or why it is left out. */
export function pushAddress(rendered: string): string | { fault: string } {
  const head = HEAD.exec(rendered)?.[0];
  if (head === undefined || head.includes("\\") || !ALLOWED.test(rendered)) return NEITHER;
  // Makes the address ASCII, so that its length in bytes is its length in characters.
  const address = urlRest(rendered).replace(/[^\u0021-\u007e]+/g, encodeURIComponent);
  if (address.length > MAX_PUSH_ADDRESS_CHARACTERS) return TOO_LONG;
  return address.startsWith("/") || URL.canParse(address) ? address : NEITHER;
}

const NEITHER = { fault: "neither https nor a path" };
export const TOO_LONG = { fault: `longer than ${MAX_PUSH_ADDRESS_CHARACTERS} characters` };

/** Encodes a value for an address. Keeps backslashes, because `pushAddress` checks them. */
function encoded(value: string): string {
  return value.split("\\").map(urlRest).join("\\");
}
