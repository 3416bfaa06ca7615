import type { Channel } from "@belfry/contracts/channels";
import type { ChatBlock } from "@belfry/contracts/chat";
import { field, oneOf } from "@belfry/contracts/fields";
import { PLATFORM } from "@belfry/contracts/identifiers";
import { DEAD_LINKS, DEAD_LIST_LINKS } from "@belfry/contracts/message-links";
import { REASONS } from "@belfry/contracts/reasons";
import type { Database } from "@belfry/database/connection";
import { sampleEvents, withEventItems } from "@belfry/templates/language/event-variables";
import type { Rendered, RenderSettings } from "@belfry/templates/render";
import type { CompiledTemplate } from "@belfry/templates/source";
import { Type } from "@sinclair/typebox";
import { defineRead, LOOK, optional } from "../act.ts";
import { type InputFault, InvalidInput, invalid, NotFound } from "../input-error.ts";
import { tenantById } from "../tenants/tenant-rows.ts";
import { compileInput } from "./compile-source.ts";
import type { LayoutInForce } from "./layout-rows.ts";
import { categoryOf } from "./template-envelope.ts";
import {
  ADDRESS,
  CONTENT,
  LOCALE,
  localeOf,
  TEXTS,
  type TemplateSourceInput,
  writtenTexts,
} from "./template-input.ts";
import { SETTING_FIELDS, type TemplateSettingsInput } from "./template-settings.ts";
import { ORDER, requireTemplate, type TemplateAddress, type TemplateWarning } from "./templates.ts";

type WithoutVerdict<T> = T extends unknown ? Omit<T, "ok"> : never;

/** The message that would be sent. `missing` lists names that the variables lack. */
export type Preview = { channel: Channel } & WithoutVerdict<Extract<Rendered, { ok: true }>>;

/** A text with the settings that change how a message looks. With a digest, the message shows several events. */
export type PreviewInput = TemplateSourceInput &
  Pick<TemplateSettingsInput, "plainCharacters" | "digest"> & {
    /** The event type's category decides whether the mail has the links to unsubscribe of a layout. */
    eventType?: string | undefined;
  };

type Variables = Record<string, unknown>;

export const VARIABLES = optional(
  field<Variables>(
    {
      type: "object",
      description: "values for its tags; default: none. In $items those of a digest's events",
    },
    (value) =>
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? undefined
        : "must be an object",
  ),
);

export const previewTemplate = defineRead({
  name: "template preview",
  http: "POST /template-previews",
  access: LOOK,
  tool: true,
  summary: "Render a saved template, or with --content-file one that is not saved",
  description:
    "The flags of its text go with --content-file. Of a template with a digest it shows the events of $items in the variables, else three alike.",
  input: Type.Object({
    ...ADDRESS,
    eventType: optional(ADDRESS.eventType),
    ...LOCALE,
    ...TEXTS,
    content: optional(CONTENT.content),
    plainCharacters: SETTING_FIELDS.plainCharacters,
    digest: SETTING_FIELDS.digest,
    variables: VARIABLES,
  }),
  output: Type.Unsafe<Preview>(
    Type.Object(
      {
        channel: ADDRESS.channel,
        kind: oneOf(["email", "text", "notification", "chat"]),
        subject: optional(Type.String()),
        html: optional(Type.String()),
        text: optional(Type.String()),
        segments: optional(Type.Integer(), "Segments of a short message"),
        encoding: optional(Type.String()),
        title: optional(Type.String()),
        body: optional(Type.String()),
        blocks: optional(Type.Unsafe<ChatBlock[]>({ type: "array", items: { type: "object" } })),
        url: optional(Type.String()),
        missing: Type.Array(Type.String(), { description: "Names that have no value" }),
        warnings: optional(Type.Array(Type.String())),
      },
      { title: "Preview" },
    ),
  ),
  example: {
    input: { channel: ORDER.channel, content: "Order {{ id }}", variables: { id: 7 } },
    output: {
      channel: ORDER.channel,
      kind: "text",
      text: "Order 7",
      segments: 1,
      encoding: "GSM-7",
      missing: [],
    },
  },
  async run({ db, tenantId }, { variables = {}, content, eventType, ...input }) {
    if (content !== undefined) {
      return await previewSource(db, tenantId, { ...input, eventType, content }, variables);
    }
    if (eventType === undefined) throw invalid("eventType", "is required without content");
    const { channel } = input;
    const stray = (["subject", "title", "format", "url", "actions", "digest"] as const).find(
      (name) => input[name] !== undefined,
    );
    if (stray !== undefined) throw invalid(stray, "needs content");
    const address = { tenantId, eventType, channel };
    return await renderTemplate(db, address, variables, localeOf(input));
  },
});

/**
 * Renders the published variant of a language. Throws `NotFound`, and `InvalidInput` if the result is too large or
 * takes too long.
 */
export async function renderTemplate(
  db: Database,
  address: TemplateAddress,
  variables: Variables,
  locale = "",
): Promise<Preview> {
  const row = await requireTemplate(db, address, locale);
  if (row.versionId === null) {
    throw new NotFound("locale", "nothing of the template is published here");
  }
  const settings = await renderSettings(db, row.tenantId, row);
  const events = sampleEvents(variables, row.digest !== null);
  return await preview(row.channel, row.compiled as CompiledTemplate, events, settings);
}

/**
 * Renders a template that is not saved, Markdown with `inForce` or the tenant's layout. Without a database, it is
 * rendered like the platform's templates. Throws `InvalidInput` also for faults of the template.
 */
export async function previewSource(
  db: Database | undefined,
  tenantId: string,
  input: PreviewInput,
  variables: Variables,
  inForce?: LayoutInForce,
  links?: Readonly<Record<string, string>>,
): Promise<Preview> {
  const { compiled } = await compileInput(db, tenantId, input, inForce);
  const settings = await renderSettings(db, tenantId, input);
  if (links !== undefined) settings.system = links;
  const events = sampleEvents(variables, input.digest != null);
  return await preview(input.channel, compiled, events, settings);
}

/** A variable that a text uses, and the kind of its value as far as the text shows it. */
interface SourceVariable {
  name: string;
  /** `flag`: it is used in conditions only. */
  kind: "text" | "list" | "object" | "flag";
  /** Fields of an object, or of the items of a list. */
  fields?: string[];
  /** False if the variable had no value in a place where the message shows it. */
  filled: boolean;
}

type SourceCheck =
  | {
      ok: true;
      /** The message in which `mark(name)` replaces each name without a value. */
      preview: Preview;
      /** The message that would be sent. */
      plain: Preview;
      variables: SourceVariable[];
      warnings: TemplateWarning[];
    }
  | { ok: false; faults: readonly InputFault[] };

/**
 * Checks a source while a person types. Returns the rendered message, or every fault with its position. Does not throw
 * for faults.
 */
export async function checkSource(
  db: Database,
  tenantId: string,
  input: PreviewInput,
  variables: Variables,
  mark = (name: string): string => `‹${name}›`,
): Promise<SourceCheck> {
  try {
    const { compiled, warnings } = await compileInput(db, tenantId, input);
    const settings = await renderSettings(db, tenantId, input);
    const events = sampleEvents(variables, input.digest != null);
    const plain = await preview(input.channel, compiled, events, settings);
    const shown = await marked(plain, compiled, events, { ...settings, mark });
    const named = await sourceVariables(input, compiled, plain.missing);
    return { ok: true, preview: shown, plain, variables: named, warnings };
  } catch (error) {
    if (error instanceof InvalidInput) return { ok: false, faults: error.faults };
    throw error;
  }
}

/**
 * Renders the message again with the marks of names without a value. Segments are those of the message without marks.
 */
async function marked(
  plain: Preview,
  compiled: CompiledTemplate,
  events: SampleEvents,
  settings: RenderSettings,
): Promise<Preview> {
  if (plain.missing.length === 0) return plain;
  const { createRenderer } = await import("@belfry/templates/render");
  const shown = createRenderer(compiled)(events.newest, withEvents(settings, events));
  if (!shown.ok) return plain;
  const { ok: _, missing: __, ...parts } = shown;
  const counted =
    plain.kind === "text" ? { segments: plain.segments, encoding: plain.encoding } : {};
  return { ...plain, ...parts, ...counted } as Preview;
}

async function sourceVariables(
  input: TemplateSourceInput,
  compiled: CompiledTemplate,
  missing: readonly string[],
): Promise<SourceVariable[]> {
  const { templateVariables } = await import("@belfry/templates/language/template-variables");
  const found = templateVariables(writtenTexts(input));
  // The shape of variables that only the layout uses is unknown, so they count as text.
  const known = new Set(found.map(({ name }) => name));
  const others = compiled.variables.filter((name) => {
    const [first = ""] = name.split(".");
    return !name.startsWith("$") && !known.has(name) && !known.has(first);
  });
  const all = [...found, ...others.map((name) => ({ name, kind: "text" as const }))];
  return all.map((variable) => {
    const { name } = variable;
    const isMissing = missing.some((one) => one === name || one.startsWith(`${name}.`));
    return { ...variable, filled: !isMissing };
  });
}

/** Returns the settings for rendering a tenant's messages, with dead links to unsubscribe. */
export async function renderSettings(
  db: Database | undefined,
  tenantId: string,
  { eventType, plainCharacters }: Pick<PreviewInput, "eventType" | "plainCharacters">,
): Promise<RenderSettings> {
  if (db === undefined || tenantId === PLATFORM) return { system: DEAD_LINKS, plainCharacters };
  const tenant = await tenantById(db, tenantId);
  const category = eventType === undefined ? undefined : await categoryOf(db, tenantId, eventType);
  return {
    locale: tenant?.defaultLocale,
    timeZone: tenant?.timezone ?? undefined,
    linkSchemes: tenant?.linkSchemes,
    plainCharacters,
    // Users can turn off only a category that is not required.
    system: category?.required === false ? DEAD_LIST_LINKS : DEAD_LINKS,
  };
}

type SampleEvents = ReturnType<typeof sampleEvents>;

/** Adds these events to the settings, as if they were accepted now. */
function withEvents(settings: RenderSettings, { events }: SampleEvents): RenderSettings {
  const items = () =>
    events.map((variables) => ({ id: PREVIEWED_EVENT, at: new Date(), variables }));
  return { ...settings, system: withEventItems(settings.system, events.length, items) };
}

const PREVIEWED_EVENT = "00000000-0000-7000-8000-000000000000";

async function preview(
  channel: Channel,
  compiled: CompiledTemplate,
  events: SampleEvents,
  settings: RenderSettings,
): Promise<Preview> {
  const { createRenderer, saysNothing } = await import("@belfry/templates/render");
  const { encodingPrice } = await import("@belfry/templates/sms-segments");
  const rendered = createRenderer(compiled)(events.newest, withEvents(settings, events));
  if (!rendered.ok) throw invalid("variables", `do not render: ${rendered.reason}`);
  const { ok: _, ...shown } = rendered;
  const warnings = [...(shown.warnings ?? [])];
  const price = shown.kind === "text" ? encodingPrice(shown.text) : undefined;
  if (price !== undefined) warnings.push(price);
  // If a value is missing, an empty message is expected.
  if (rendered.missing.length === 0 && saysNothing(rendered)) {
    warnings.push(`${REASONS["nothing-to-say"]}: it would not be sent`);
  }
  return { channel, ...shown, ...(warnings.length > 0 && { warnings }) };
}
