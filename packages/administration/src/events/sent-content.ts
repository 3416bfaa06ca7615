import { type Channel, isProviderChannel } from "@belfry/contracts/channels";
import { UUID } from "@belfry/contracts/identifiers";
import type { Database } from "@belfry/database/connection";
import type { CompiledTemplate } from "@belfry/templates/compiled-template";
import { parseVariables } from "@belfry/templates/parse-variables";
import { NotFound } from "../input-error.ts";
import { type Preview, renderSettings } from "../templates/preview-template.ts";
import { notificationContent } from "./notification-rows.ts";
import { eventVariables, sentVersion } from "./sent-content-rows.ts";

export type SentContent =
  | { shown: true; content: Preview }
  /** Why it cannot be seen, in words. */
  | { shown: false; why: string };

/**
 * What an event became on a channel, rendered again from the version and the variables that were
 * used; never of a sensitive template. Throws `NotFound` when the channel has nothing.
 */
export async function sentContent(
  db: Database,
  tenantId: string,
  eventId: string,
  channel: Channel,
): Promise<SentContent> {
  if (!UUID.test(eventId)) throw nothing(channel);
  if (!isProviderChannel(channel)) {
    const push = await notificationContent(db, tenantId, eventId);
    if (push === undefined) throw nothing(channel);
    if (push.sensitive) return { shown: false, why: SENSITIVE };
    const { sensitive: _, ...shown } = push;
    return { shown: true, content: { channel, kind: "notification", ...shown, missing: [] } };
  }
  const version = await sentVersion(db, tenantId, eventId, channel);
  if (version === undefined) throw nothing(channel);
  if (version.sensitive === null) return { shown: false, why: "The template is deleted." };
  if (version.sensitive) return { shown: false, why: SENSITIVE };
  const variables = await eventVariables(db, tenantId, eventId);
  const { createRenderer } = await import("@belfry/templates/render");
  const rendered = createRenderer(version.compiled as CompiledTemplate)(
    parseVariables(variables ?? "{}") ?? {},
    await renderSettings(db, tenantId),
  );
  if (!rendered.ok) return { shown: false, why: rendered.reason };
  const { ok: _, ...content } = rendered;
  return { shown: true, content: { channel, ...content } };
}

const SENSITIVE = "The template is sensitive: its content is never shown.";

function nothing(channel: Channel): NotFound {
  return new NotFound("channel", `the event has nothing on ${channel}`);
}
