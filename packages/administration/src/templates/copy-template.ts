import {
  CHANNEL_ROWS,
  CHANNELS,
  type Channel,
  channelsWith,
  IN_APP,
  isProviderChannel,
  listed,
} from "@belfry/contracts/channels";
import { field, text } from "@belfry/contracts/fields";
import { STARTERS, type Starter } from "@belfry/templates/starters";
import { Type } from "@sinclair/typebox";
import { choice, defineAct, EDIT, NotAllowed, note, OPERATE, optional } from "../act.ts";
import { emailOf } from "../audited.ts";
import { Conflict, invalid } from "../input-error.ts";
import { refuseLocked } from "../tenants/tenant-rows.ts";
import { saveDraft } from "./drafts.ts";
import { ADDRESS, settingsFaults } from "./template-input.ts";
import { textInput } from "./template-rows.ts";
import { settingsOf } from "./template-settings.ts";
import {
  ORDER,
  ORDER_TEMPLATE,
  readTemplate,
  readTemplates,
  requireTemplate,
  Template,
  targetOf,
} from "./templates.ts";
import { findDraft, localesOfTemplates } from "./variant-rows.ts";

export const copyTemplate = defineAct({
  name: "template copy",
  http: "POST /templates/:eventType/:channel/copy",
  access: EDIT,
  summary: "Copy a template to another event type, channel or tenant, in all languages, as drafts",
  description:
    "What is being written where there is a draft, else what is published. Where the other template has drafts already nothing is changed.",
  input: Type.Object({
    ...ADDRESS,
    toEventType: text({ description: "event type of the copy" }),
    toChannel: optional(
      choice(CHANNELS, "channel of the copy, with the same parts; default: the same channel"),
    ),
    toTenant: optional(
      text(),
      "tenant that gets the copy, for operators only; default: the same tenant",
    ),
  }),
  output: Template,
  example: { input: { ...ORDER, toEventType: "order.sent" }, output: ORDER_TEMPLATE },
  async run(
    { db, tenantId, actor, may },
    { toEventType, toChannel, toTenant = tenantId, ...input },
  ) {
    if (toTenant !== tenantId && !may(OPERATE)) throw new NotAllowed("template copy", OPERATE);
    await refuseLocked(db, toTenant);
    const row = await requireTemplate(db, { ...input, tenantId });
    const channel = toChannel ?? row.channel;
    const { content } = CHANNEL_ROWS[row.channel];
    if (CHANNEL_ROWS[channel].content !== content) {
      throw invalid("toChannel", `must be ${listed(channelsWith(content), "or")}`);
    }
    const to = { tenantId: toTenant, eventType: toEventType, channel };
    const locales = await localesOfTemplates(db, { tenantId, templateId: row.id });
    for (const { locale } of locales) {
      const draft = await findDraft(db, row.id, locale);
      const variant = await requireTemplate(db, row, locale);
      if (draft === undefined && variant.versionId === null) continue;
      const { actions, ...texts } = textInput(draft ?? variant);
      const settings = {
        ...(locale === "" ? settingsOf(row) : {}),
        // If the template was never published, only its draft has the setting `sensitive`.
        ...draft?.settings,
      };
      // The other channel may lack some of the settings.
      for (const fault of settingsFaults(channel, settings)) {
        if (fault !== undefined) delete settings[fault.field as keyof typeof settings];
      }
      await saveDraft(db, {
        ...settings,
        ...texts,
        ...(channel === IN_APP && { actions }),
        ...to,
        locale,
        revision: 0,
        createdBy: emailOf(actor),
      });
    }
    return { output: await readTemplate(db, to), from: row.id, fromTenant: tenantId };
  },
  audit: (_, { output, from, fromTenant }) =>
    note("template.copy", targetOf(output), {
      tenantId: output.tenantId,
      after: { from, fromTenant },
    }),
});

const starterKeys = STARTERS.map(({ key }) => key);

export const createTemplates = defineAct({
  name: "template create",
  http: "POST /templates",
  access: EDIT,
  inBundle: true,
  summary: "Create drafts of an event type's templates, empty or from an example",
  input: Type.Object({
    eventType: text({ description: "as the tenant's events name it" }),
    channels: field<Channel[]>(
      {
        type: "array",
        items: { type: "string", enum: [...CHANNELS] },
        description: `on which, as ${CHANNELS.join(",")}`,
      },
      channelsFault,
    ),
    starter: optional(
      field<string>(
        { type: "string", enum: starterKeys, description: `one of ${starterKeys.join(", ")}` },
        (value) =>
          starterKeys.includes(value as string)
            ? undefined
            : `must be one of ${starterKeys.join(", ")}`,
      ),
    ),
  }),
  output: Type.Array(Template),
  example: {
    input: { eventType: ORDER.eventType, channels: [ORDER.channel] },
    output: [{ ...ORDER_TEMPLATE, version: 0, hasDraft: true, content: "" }],
  },
  async run({ db, tenantId, actor }, { eventType, channels, starter: key }) {
    const starter = STARTERS.find((one) => one.key === key);
    const there = (await readTemplates(db, tenantId))
      .filter((one) => one.eventType === eventType && channels.includes(one.channel))
      .map(({ channel }) => channel);
    if (there.length > 0) throw alreadyThere(there);
    const output: Template[] = [];
    for (const channel of new Set(channels)) {
      const { templateId: id } = await saveDraft(db, {
        ...starterDraft(starter, channel),
        tenantId,
        eventType,
        channel,
        createdBy: emailOf(actor),
        revision: 0,
        sensitive: starter?.sensitive ?? false,
        sampleVariables: starter && JSON.stringify(starter.sampleVariables, null, 2),
      }).catch((error) => {
        throw error instanceof Conflict ? alreadyThere([channel]) : error;
      });
      output.push(await readTemplate(db, { id, tenantId }));
    }
    return { output };
  },
  audit: (_, { output }) => output.map((template) => note("template.draft", targetOf(template))),
});

/** Returns the initial text of a new template on a channel, and its digest where the channel has providers. */
export function starterDraft(starter: Starter | undefined, channel: Channel) {
  const digest = isProviderChannel(channel) ? starter?.digest : undefined;
  switch (CHANNEL_ROWS[channel].content) {
    case "email":
      return {
        digest,
        format: "markdown" as const,
        ...(starter?.email ?? { subject: "", content: "" }),
      };
    case "text":
    case "chat":
      return { digest, ...(starter?.text ?? { content: "" }) };
    case "notification":
      return { digest, ...(starter?.notification ?? { title: "", content: "" }) };
  }
}

function channelsFault(value: unknown): string | undefined {
  if (!Array.isArray(value) || value.some((one) => !CHANNELS.includes(one))) {
    return `must be a list of ${CHANNELS.join(", ")}`;
  }
  return value.length === 0 ? "must include at least one" : undefined;
}

function alreadyThere(channels: readonly Channel[]) {
  const names = channels.map((channel) => CHANNEL_ROWS[channel].words.inSentence).join(", ");
  const message = `has a template for ${names} already: open that one, or choose another`;
  return invalid("eventType", message);
}
