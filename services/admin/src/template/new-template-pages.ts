import { NotFound } from "@belfry/administration/input-error";
import { createTemplates, starterDraft } from "@belfry/administration/templates/copy-template";
import { readLayout } from "@belfry/administration/templates/layouts";
import { previewSource } from "@belfry/administration/templates/preview-template";
import { readTemplates } from "@belfry/administration/templates/templates";
import { CHANNELS, type Channel, channelsWith, isChannel } from "@belfry/contracts/channels";
import { PLATFORM } from "@belfry/contracts/identifiers";
import type { Database } from "@belfry/database/connection";
import { STARTERS, type Starter } from "@belfry/templates/starters";
import {
  type Answer,
  documentAnswer,
  type Faults,
  orFaults,
  page,
  redirect,
} from "../page/answer.ts";
import { say } from "../page/language.ts";
import type { PageDeps } from "../page/page-deps.ts";
import type { InTenant } from "../page/router.ts";
import { mailHeaders } from "../page/security-headers.ts";

interface NewValues {
  eventType: string;
  channels: Channel[];
  /** Key of the chosen starter; empty if the message begins without one. */
  starter: string;
}

/** Registers the pages for a new message. They show the starters; the chosen one becomes a draft on each channel. */
export function newTemplatePages({ route, db, config }: PageDeps): void {
  const pictures = createStarterPictures(db);

  const show = async (
    { tenant }: InTenant,
    values: NewValues,
    faults: Faults = {},
  ): Promise<Answer> => {
    const templates = await readTemplates(db, tenant.id);
    return page("template-new", say`New message`, {
      values,
      faults,
      channels: CHANNELS,
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
    return documentAnswer(html, mailHeaders(config.apiUrl));
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

  /** Returns a starter with its texts on the channels without mails. The page shows its mail as a picture. */
  const shown = async (starter: Starter) => {
    const { key, label, description, eventType } = starter;
    const texts = [];
    // A tenant has few places in the queue of the compiler of Markdown, which mails and chat messages need.
    for (const channel of [...channelsWith("text"), ...channelsWith("notification")]) {
      const source = { channel, ...starterDraft(starter, channel) };
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

/** The number of tenants whose pictures are stored. Each has at most one picture for each starter. */
const MOST_TENANTS = 50;

/** Renders the starters' mails in a tenant's layout, once for each version of the layout. */
function createStarterPictures(db: Database) {
  /** Pictures by tenant: the layout's version, the pictures made so far, and the last one that was begun. */
  const kept = new Map<
    string,
    { version: number; made: Map<string, Promise<string>>; last: Promise<unknown> }
  >();

  const [channel] = channelsWith("email");
  if (channel === undefined) throw new Error("no channel sends mails");
  const of = async (tenantId: string, key: string): Promise<string> => {
    const starter = STARTERS.find((one) => one.key === key);
    if (starter === undefined) throw new NotFound("path", "no such example");
    const { version } = tenantId === PLATFORM ? { version: 0 } : await readLayout(db, tenantId);
    const known = kept.get(tenantId);
    const own =
      known?.version === version
        ? known
        : {
            version,
            made: new Map<string, Promise<string>>(),
            last: Promise.resolve<unknown>(undefined),
          };
    // Moves the tenant to the end, so that the tenant that was used longest ago is deleted first.
    kept.delete(tenantId);
    kept.set(tenantId, own);
    if (kept.size > MOST_TENANTS) kept.delete(kept.keys().next().value ?? "");
    const found = own.made.get(key);
    if (found !== undefined) return await found;
    const input = { channel, ...starterDraft(starter, channel) };
    // Rendered one after another, because a tenant has few places in the queue of the compiler.
    const making = own.last.then(async () => {
      const preview = await previewSource(db, tenantId, input, { ...starter.sampleVariables });
      return preview.kind === "email" ? preview.html : "";
    });
    own.last = making.catch(() => undefined);
    own.made.set(key, making);
    making.catch(() => own.made.delete(key));
    return await making;
  };
  return { of };
}
