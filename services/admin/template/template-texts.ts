import { FORMATS } from "./template-values.ts";

/** All that is text of a template, by the name of its field, for people and for comparisons. */
export interface Texts {
  content: string;
  subject?: string | null | undefined;
  title?: string | null | undefined;
  format?: string | null | undefined;
  url?: string | null | undefined;
  actions?: readonly { label: string; url: string }[] | null | undefined;
}

const PARTS: readonly (readonly [string, (texts: Texts) => string])[] = [
  ["Subject", ({ subject }) => subject ?? ""],
  ["Title", ({ title }) => title ?? ""],
  ["Written as", ({ format }) => FORMATS.find(([one]) => one === format)?.[1] ?? ""],
  ["Content", ({ content }) => content],
  ["Opens", ({ url }) => url ?? ""],
  ["Buttons", ({ actions }) => (actions ?? []).map(buttonText).filter(Boolean).join("\n")],
];

function buttonText({ label, url }: { label: string; url: string }): string {
  return label === "" && url === "" ? "" : `${label}: ${url}`;
}

/** Those that one of the two has. */
export function textParts(from: Texts, to: Texts): { name: string; from: string; to: string }[] {
  return PARTS.map(([name, of]) => ({ name, from: of(from), to: of(to) })).filter(
    (part) => part.from !== "" || part.to !== "",
  );
}

/** For one comparison of everything. */
export function wholeText(texts: Texts): string {
  return PARTS.map(([, of]) => of(texts))
    .filter(Boolean)
    .join("\n");
}

/** Why a template reaches nobody, as administration says it, for people. */
export function leftOutSentence(reason: string): string {
  return `This is currently not sent: ${reason}.`;
}
