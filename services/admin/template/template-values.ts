import type { TemplateInput } from "@belfry/administration/templates/template-input";
import type { Template } from "@belfry/administration/templates/templates";
import {
  CHANNEL_ROWS,
  CHANNELS,
  type Channel,
  IN_APP,
  isChannel,
} from "@belfry/contracts/channels";

/** A template as its form holds it: text as it was typed. */
export interface TemplateValues {
  eventType: string;
  channel: Channel;
  subject: string;
  title: string;
  content: string;
  targetChannel: string;
  sensitive: boolean;
  atMostOnce: boolean;
  expiresAfterSeconds: string;
  sampleVariables: string;
  /** 0: the template is new. */
  basedOnVersion: number;
}

export const NO_VALUES: TemplateValues = {
  eventType: "",
  channel: CHANNELS[0],
  subject: "",
  title: "",
  content: "",
  targetChannel: "",
  sensitive: false,
  atMostOnce: false,
  expiresAfterSeconds: "",
  sampleVariables: "{}",
  basedOnVersion: 0,
};

export function valuesOfForm(form: URLSearchParams): TemplateValues {
  const channel = form.get("channel");
  const text = (name: string) => form.get(name) ?? "";
  return {
    eventType: text("eventType").trim(),
    channel: isChannel(channel) ? channel : CHANNELS[0],
    subject: text("subject"),
    title: text("title"),
    // A form sends line ends as CR LF, whatever was typed.
    content: text("content").replaceAll("\r\n", "\n"),
    targetChannel: text("targetChannel").trim(),
    sensitive: form.has("sensitive"),
    atMostOnce: form.has("atMostOnce"),
    expiresAfterSeconds: text("expiresAfterSeconds").trim(),
    sampleVariables: text("sampleVariables").replaceAll("\r\n", "\n"),
    basedOnVersion: Number(form.get("basedOnVersion") ?? 0) || 0,
  };
}

export function valuesOfTemplate(template: Template): TemplateValues {
  return {
    eventType: template.eventType,
    channel: template.channel,
    subject: template.subject ?? "",
    title: template.title ?? "",
    content: template.content,
    targetChannel: template.targetChannel ?? "",
    sensitive: template.sensitive,
    atMostOnce: template.atMostOnce,
    expiresAfterSeconds: String(template.expiresAfterSeconds ?? ""),
    sampleVariables: template.sampleVariables ?? suggestedSamples(template.variables),
    basedOnVersion: template.version,
  };
}

function suggestedSamples(names: readonly string[]): string {
  const samples = Object.fromEntries(names.map((name) => [name, `Sample ${name}`]));
  return JSON.stringify(samples, null, 2);
}

/** What is rendered of it. */
export function sourceOf({ channel, content, subject, title }: TemplateValues) {
  const { content: kind } = CHANNEL_ROWS[channel];
  return {
    channel,
    content,
    ...(kind === "email" ? { subject } : {}),
    ...(kind === "notification" ? { title } : {}),
  };
}

/** What is stored of it. */
export function inputOf(values: TemplateValues): Omit<TemplateInput, "tenantId"> {
  const { targetChannel, expiresAfterSeconds, sampleVariables } = values;
  return {
    ...sourceOf(values),
    eventType: values.eventType,
    targetChannel: values.channel === IN_APP && targetChannel !== "" ? targetChannel : undefined,
    sensitive: values.sensitive,
    atMostOnce: values.atMostOnce,
    expiresAfterSeconds: expiresAfterSeconds === "" ? undefined : Number(expiresAfterSeconds),
    sampleVariables: sampleVariables.trim() === "" ? undefined : sampleVariables,
    basedOnVersion: values.basedOnVersion,
  };
}
