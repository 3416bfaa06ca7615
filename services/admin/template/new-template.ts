import { createTemplates, starterText } from "@belfry/administration/templates/copy-template";
import { previewSource } from "@belfry/administration/templates/preview-template";
import { readTemplates } from "@belfry/administration/templates/templates";
import { CHANNEL_ROWS, CHANNELS, type Channel, isChannel } from "@belfry/contracts/channels";
import { PLATFORM } from "@belfry/contracts/identifiers";
import { STARTERS, type Starter } from "@belfry/templates/starters";
import {
  type Answer,
  documentAnswer,
  type Faults,
  orFaults,
  page,
  redirect,
} from "../page/answer.ts";
import type { PageDeps } from "../page/page-deps.ts";
import type { InTenant } from "../page/router.ts";
import { MAIL_HEADERS } from "../page/security-headers.ts";
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
    const templates = await readTemplates(db, tenant.id);
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
    const { form, run, base } = context;
    const starter = STARTERS.find(({ key }) => key === form.get("starter"));
    const channels = form.getAll("channel").filter(isChannel);
    const typed = (form.get("eventType") ?? "").trim();
    const values: NewValues = {
      channels,
      starter: starter?.key ?? "",
      eventType: typed === "" ? (starter?.eventType ?? "") : typed,
    };
    return await orFaults(
      async () => {
        const { eventType } = values;
        const made = await run(createTemplates, { eventType, channels, starter: starter?.key });
        return redirect(`${base}/templates/${made[0]?.id}`);
      },
      ({ channels: channel, ...faults }) =>
        show(context, values, channel ? { ...faults, channel } : faults),
    );
  });

  /** With what it says on the channels that are text alone: the mail is a picture. */
  const shown = async (starter: Starter) => {
    const { key, label, description, eventType } = starter;
    const texts = [];
    for (const channel of CHANNELS.filter((one) => CHANNEL_ROWS[one].content !== "email")) {
      const source = { channel, ...starterText(starter, channel) };
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
