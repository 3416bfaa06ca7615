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
  const { content, subject, title, format, url, actions } = text;
  return {
    ...{ content, subject, title, format, url },
    actions: actions === null ? null : JSON.stringify(actions),
  };
}

/** Without what else the row holds. */
export function textOf({
  content,
  subject,
  title,
  format,
  url,
  actions,
}: TemplateText): TemplateText {
  return { content, subject, title, format, url, actions };
}

/** As an input has it: what the text does not have is left out. */
export function textInput({ content, subject, title, format, url, actions }: TemplateText) {
  return {
    content,
    subject: subject ?? undefined,
    title: title ?? undefined,
    format: format ?? undefined,
    url: url ?? undefined,
    actions: actions ?? undefined,
  };
}

/** The other way round. */
export function inputText(input: TemplateSourceInput): TemplateText {
  return {
    content: input.content,
    subject: input.subject ?? null,
    title: input.title ?? null,
    format: input.format ?? null,
    url: input.url ?? null,
    actions: input.actions?.map(({ label, url }) => ({ label, url })) ?? null,
  };
}
