import type { StoredAction, StoredFormat } from "@belfry/database/schema";
import type { TemplateSourceInput } from "./template-input.ts";

/** What a person writes of one variant of a template, as it is stored. */
export interface TemplateText {
  content: string;
  /** Of a mail. */
  subject: string | null;
  /** Of a notification. */
  title: string | null;
  /** Of a mail; null: found out from the text. */
  format: StoredFormat | null;
  /** Of a notification: what it opens. */
  url: string | null;
  /** Of a notification; null: none. */
  actions: StoredAction[] | null;
}

/** Its columns. */
export const TEXT_COLUMNS = ["content", "subject", "title", "format", "url", "actions"] as const;

export function textColumns(text: TemplateText) {
  const { actions } = text;
  return { ...textOf(text), actions: actions === null ? null : JSON.stringify(actions) };
}

/** Without what else the row holds. */
export function textOf(row: TemplateText): TemplateText {
  return Object.fromEntries(TEXT_COLUMNS.map((name) => [name, row[name]])) as never;
}

/** As an input has it: what the text does not have is left out. */
export function textInput(text: TemplateText): Omit<TemplateSourceInput, "channel"> {
  return Object.fromEntries(TEXT_COLUMNS.map((name) => [name, text[name] ?? undefined])) as never;
}

/** The other way round. */
export function inputText(input: TemplateSourceInput): TemplateText {
  const text = Object.fromEntries(TEXT_COLUMNS.map((name) => [name, input[name] ?? null]));
  const actions = input.actions?.map(({ label, url }) => ({ label, url })) ?? null;
  return { ...text, actions } as TemplateText;
}
