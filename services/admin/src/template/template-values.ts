import type { TemplateDraft } from "@belfry/administration/templates/drafts";
import type { PreviewInput } from "@belfry/administration/templates/preview-template";
import type {
  TemplateInput,
  TemplateSourceInput,
} from "@belfry/administration/templates/template-input";
import {
  SETTING_NAMES,
  SETTINGS,
  type SettingName,
  type TemplateSettings,
  type TemplateSettingsInput,
} from "@belfry/administration/templates/template-settings";
import type { Template } from "@belfry/administration/templates/templates";
import {
  CHANNEL_ROWS,
  CHANNELS,
  type Channel,
  IN_APP,
  isChannel,
  isProviderChannel,
  TO_DEVICES,
} from "@belfry/contracts/channels";
import type { EmailFormat } from "@belfry/templates/source";
import {
  expiryInput,
  type TimingFaults,
  type TimingValues,
  timingFaults,
  timingInput,
  timingOfForm,
  timingValues,
} from "./timing-values.ts";

/** The settings that are checkboxes of the form; `active` has a button of its own. */
const SWITCHES = SETTING_NAMES.filter(
  (name) => name !== "active" && typeof SETTINGS[name].none === "boolean",
) as Switch[];
type Switch = {
  [K in SettingName]: TemplateSettings[K] extends boolean ? K : never;
}[Exclude<SettingName, "active">];

function switches(isOn: (name: Switch) => boolean) {
  return Object.fromEntries(SWITCHES.map((name) => [name, isOn(name)])) as Record<Switch, boolean>;
}

/** A template's form: texts as they were typed. */
export interface TemplateValues extends TimingValues, Record<Switch, boolean> {
  eventType: string;
  channel: Channel;
  /** Empty for the default variant. */
  locale: string;
  subject: string;
  title: string;
  content: string;
  /** Format of a mail; empty if it is derived from the text. */
  format: EmailFormat | "";
  url: string;
  /** Buttons; empty ones are added up to the number that a push may have. */
  actions: { label: string; url: string }[];
  targetChannel: string;
  /** For mails only, like `replyTo`, `cc` and `bcc`. Commas separate the addresses in `cc` and in `bcc`. */
  fromName: string;
  replyTo: string;
  /** For devices only, like `collapseKey` and `data`, which has a line for each value. */
  image: string;
  collapseKey: string;
  data: string;
  cc: string;
  bcc: string;
  /** A JSON object as text. */
  sampleVariables: string;
  /** False if the sample values are of a real event, and so of a user: they are shown but never saved. */
  usesTypedSamples: boolean;
  requiredVariables: string[];
  /** 0 if nothing is published. */
  basedOnVersion: number;
  /** Revision of the draft; empty if there is none. */
  revision: string;
}

const MOST_ACTIONS = 2;

export const FORMATS: readonly (readonly [EmailFormat, string])[] = [
  ["markdown", "Simple"],
  ["mjml", "MJML"],
  ["html", "HTML"],
  ["text", "Plain text"],
];

function isFormat(text: string | null): text is EmailFormat {
  return FORMATS.some(([format]) => format === text);
}

function paddedActions(actions: readonly { label: string; url: string }[]) {
  const none = { label: "", url: "" };
  return Array.from({ length: MOST_ACTIONS }, (_, index) => ({ ...none, ...actions[index] }));
}

export function valuesOfForm(form: URLSearchParams): TemplateValues {
  const channel = form.get("channel");
  const format = form.get("format");
  const text = (name: string) => form.get(name) ?? "";
  const addresses = form.getAll("actionUrl");
  const actions = form
    .getAll("actionLabel")
    .map((label, index) => ({ label: label.trim(), url: (addresses[index] ?? "").trim() }));
  return {
    ...timingOfForm(form),
    eventType: text("eventType").trim(),
    channel: isChannel(channel) ? channel : CHANNELS[0],
    locale: text("locale").trim(),
    subject: text("subject"),
    title: text("title"),
    // Forms send line ends as CR LF.
    content: text("content").replaceAll("\r\n", "\n"),
    format: isFormat(format) ? format : "",
    url: text("url").trim(),
    actions: paddedActions(actions),
    targetChannel: text("targetChannel").trim(),
    fromName: text("fromName"),
    replyTo: text("replyTo"),
    cc: text("cc"),
    bcc: text("bcc"),
    image: text("image"),
    collapseKey: text("collapseKey"),
    data: text("data").replaceAll("\r\n", "\n"),
    ...switches((name) => form.has(name)),
    sampleVariables: text("sampleVariables").replaceAll("\r\n", "\n"),
    usesTypedSamples: form.get("samplesOf") !== "event" || form.has("keepSamples"),
    requiredVariables: form.getAll("requiredVariables"),
    basedOnVersion: Number(form.get("basedOnVersion") ?? 0) || 0,
    revision: text("revision"),
  };
}

function sourceOf(values: TemplateValues): TemplateSourceInput {
  const { channel, locale, content, subject, title, format, url } = values;
  const { content: kind } = CHANNEL_ROWS[channel];
  const actions = values.actions.filter((action) => action.label !== "" || action.url !== "");
  return {
    channel,
    content,
    locale,
    ...(kind === "email" ? { subject } : {}),
    ...(kind === "email" && format !== "" ? { format } : {}),
    ...(kind === "notification" ? { title, actions } : {}),
    ...((kind === "notification" || kind === "chat") && url !== "" ? { url } : {}),
  };
}

/** Returns the input of a preview. */
export function previewInputOf(values: TemplateValues): PreviewInput {
  const { eventType, plainCharacters, digestKind } = values;
  // A preview only checks whether there is a digest, so its settings do not matter.
  const digest = digestKind === "" ? null : {};
  return { ...sourceOf(values), eventType, plainCharacters, digest };
}

/** Returns the input of a draft. Only the default variant has settings; they apply to all languages. */
export function draftInputOf(values: TemplateValues): Omit<TemplateInput, "tenantId"> {
  const { targetChannel, sampleVariables, usesTypedSamples } = values;
  const { eventType, basedOnVersion } = values;
  const text = { ...sourceOf(values), eventType, basedOnVersion };
  if (values.locale !== "") return text;
  const isInApp = values.channel === IN_APP;
  const { fromName, replyTo, cc, bcc } = values;
  const envelope = { fromName, replyTo, cc: addressesOf(cc), bcc: addressesOf(bcc) };
  return {
    ...text,
    targetChannel: isInApp && targetChannel !== "" ? targetChannel : undefined,
    ...switches((name) => values[name]),
    expiresAfterSeconds: expiryInput(values),
    ...(sampleVariables.trim() === "" || !usesTypedSamples ? {} : { sampleVariables }),
    requiredVariables: values.requiredVariables,
    ...(CHANNEL_ROWS[values.channel].content === "email" ? envelope : {}),
    ...(values.channel === TO_DEVICES ? deviceInput(values) : {}),
    ...(isProviderChannel(values.channel) ? timingInput(values) : {}),
  };
}

/** Reads the values for the app from lines such as `order = {{orderId}}`. */
function deviceInput({ image, collapseKey, data }: TemplateValues) {
  const fields = data
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [name = "", ...rest] = line.split("=");
      return [name.trim(), rest.join("=").trim()];
    });
  return { image, collapseKey, data: Object.fromEntries(fields) };
}

function dataLines(data: Record<string, string> | null | undefined): string {
  return Object.entries(data ?? {})
    .map(([name, text]) => `${name} = ${text}`)
    .join("\n");
}

function addressesOf(text: string): string[] {
  return text.split(/[,;\s]+/).filter((address) => address !== "");
}

/** The texts and drafts from which the form's values come. A draft takes precedence over the published text. */
interface ValueSources {
  locale: string;
  /** The published text, or the text that a new translation begins with. */
  text: Template | TemplateDraft;
  draft: TemplateDraft | undefined;
  /** The draft of the default variant. */
  source: TemplateDraft | undefined;
}

/** Returns the faults of the settings by field. Only the default variant has settings. */
export function settingFaultsOf(values: TemplateValues): TimingFaults {
  return values.locale === "" ? timingFaults(values) : {};
}

/** Returns the form's values. The settings come from the draft of the default variant if there is one. */
export function valuesOfTemplate(template: Template, sources: ValueSources): TemplateValues {
  const { locale, draft, source } = sources;
  const text = draft ?? sources.text;
  const isPublished = "version" in sources.text && sources.text.version > 0;
  const settings: TemplateSettingsInput = source === undefined ? template : source.settings;
  const samples = source?.settings.sampleVariables ?? template.sampleVariables;
  return {
    ...timingValues(settings),
    eventType: template.eventType,
    channel: template.channel,
    locale,
    subject: text.subject ?? "",
    title: text.title ?? "",
    content: text.content,
    format: text.format ?? "",
    url: text.url ?? "",
    actions: paddedActions(text.actions ?? []),
    targetChannel: settings.targetChannel ?? "",
    fromName: settings.fromName ?? "",
    replyTo: settings.replyTo ?? "",
    cc: settings.cc?.join(", ") ?? "",
    bcc: settings.bcc?.join(", ") ?? "",
    image: settings.image ?? "",
    collapseKey: settings.collapseKey ?? "",
    data: dataLines(settings.data),
    ...switches((name) => settings[name] ?? false),
    sampleVariables: samples ?? "{}",
    usesTypedSamples: samples !== null,
    requiredVariables: [...(source?.settings.requiredVariables ?? template.requiredVariables)],
    basedOnVersion:
      draft?.basedOnVersion ??
      (isPublished && "version" in sources.text ? sources.text.version : 0),
    revision: String(draft?.revision ?? ""),
  };
}
