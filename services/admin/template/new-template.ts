import { auditedAfter } from "@belfry/administration/audited";
import { Conflict, type InvalidInput, invalid } from "@belfry/administration/input-error";
import { saveDraft } from "@belfry/administration/templates/drafts";
import { previewSource } from "@belfry/administration/templates/preview-template";
import { listTemplates } from "@belfry/administration/templates/templates";
import { CHANNEL_ROWS, CHANNELS, type Channel, isChannel } from "@belfry/contracts/channels";
import { PLATFORM } from "@belfry/contracts/identifiers";
import { STARTERS, type Starter } from "@belfry/templates/starters";
import { MAIL_HEADERS } from "../door/security-headers.ts";
import {
  type Answer,
  documentAnswer,
  type Faults,
  orFaults,
  page,
  redirect,
} from "../drawing/answer.ts";
import type { PageDeps } from "../page-deps.ts";
import type { InTenant } from "../router.ts";
import { createStarterPictures } from "./starter-pictures.ts";

interface NewValues {
  eventType: string;
  channels: Channel[];
  /** Empty: from nothing. */
  starter: string;
}

/** A new message: what it begins with is seen before it is chosen, and becomes a draft on each channel. */
export function newTemplatePages({ route, db }: PageDeps): void {
  const pictures = createStarterPictures(db);

  const show = async (
    { tenant }: InTenant,
    values: NewValues,
    faults: Faults = {},
  ): Promise<Answer> => {
    const templates = await listTemplates(db, tenant.id);
    return page("template-new", "New message", {
      ...{ values, faults, channels: CHANNELS },
      eventTypes: [...new Set(templates.map(({ eventType }) => eventType))],
      starters: await Promise.all(STARTERS.map((starter) => shown(starter))),
    });
  };

  route("GET /tenants/:tenantId/templates/new", async (context) => {
    const { query } = context;
    const channel = query.get("channel");
    return await show(context, {
      eventType: query.get("eventType") ?? "",
      channels: isChannel(channel) ? [channel] : [CHANNELS[0]],
      starter: query.get("starter") ?? "",
    });
  });

  route("GET /tenants/:tenantId/templates/starter", async ({ tenant, query }) => {
    const html = await pictures.of(tenant.id, query.get("key") ?? "");
    return documentAnswer(html, MAIL_HEADERS);
  });

  route("POST /tenants/:tenantId/templates", async (context) => {
    const { tenant, form, actor, person, base } = context;
    const starter = STARTERS.find(({ key }) => key === form.get("starter"));
    const channels = form.getAll("channel").filter(isChannel);
    const typed = (form.get("eventType") ?? "").trim();
    const values: NewValues = {
      ...{ channels, starter: starter?.key ?? "" },
      eventType: typed === "" ? (starter?.eventType ?? "") : typed,
    };
    return await orFaults(
      async () => {
        if (channels.length === 0) {
          throw invalid("channel", "must include at least one");
        }
        const { eventType } = values;
        const ids = await auditedAfter(
          db,
          actor,
          () => createDrafts(tenant.id, { eventType, channels, starter, createdBy: person.email }),
          () => ({
            tenantId: tenant.id,
            action: "template.draft",
            target: `${eventType} ${channels.join(" ")}`,
          }),
        );
        return redirect(`${base}/templates/${ids[0]}`);
      },
      (faults) => show(context, values, faults),
    );
  });

  const createDrafts = async (
    tenantId: string,
    given: {
      eventType: string;
      channels: Channel[];
      starter: Starter | undefined;
      createdBy: string;
    },
  ): Promise<string[]> => {
    const { eventType, channels, starter, createdBy } = given;
    const there = (await listTemplates(db, tenantId))
      .filter((one) => one.eventType === eventType && channels.includes(one.channel))
      .map(({ channel }) => CHANNEL_ROWS[channel].words.inSentence);
    if (there.length > 0) throw alreadyThere(there);
    try {
      return await db.transaction().execute(async (transaction) => {
        const ids: string[] = [];
        for (const channel of channels) {
          const text = textOf(starter, channel);
          const { templateId } = await saveDraft(transaction, {
            ...{ tenantId, eventType, channel, createdBy, ...text, revision: 0 },
            sensitive: starter?.sensitive ?? false,
            ...(starter && { sampleVariables: JSON.stringify(starter.sampleVariables, null, 2) }),
          });
          ids.push(templateId);
        }
        return ids;
      });
    } catch (error) {
      if (error instanceof Conflict) throw alreadyThere(channels);
      throw error;
    }
  };

  /** With what it says on the channels that are text alone: the mail is a picture. */
  const shown = async (starter: Starter) => {
    const { key, label, description, eventType } = starter;
    const texts = [];
    for (const channel of CHANNELS.filter((one) => CHANNEL_ROWS[one].content !== "email")) {
      const source = { channel, ...textOf(starter, channel) };
      const preview = await previewSource(undefined, PLATFORM, source, {
        ...starter.sampleVariables,
      });
      if (preview.kind === "text") texts.push({ channel, title: "", text: preview.text });
      if (preview.kind === "notification") {
        texts.push({ channel, title: preview.title, text: preview.body });
      }
    }
    return { key, label, description, eventType, texts };
  };
}

function alreadyThere(names: readonly string[]): InvalidInput {
  const message = `has a template for ${names.join(", ")} already: open that one, or choose another`;
  return invalid("eventType", message);
}

function textOf(starter: Starter | undefined, channel: Channel) {
  switch (CHANNEL_ROWS[channel].content) {
    case "email":
      return { format: "markdown" as const, ...(starter?.email ?? { subject: "", content: "" }) };
    case "text":
      return starter?.text ?? { content: "" };
    case "notification":
      return starter?.notification ?? { title: "", content: "" };
  }
}
