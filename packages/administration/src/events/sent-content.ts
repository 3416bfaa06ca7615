import { type Channel, isProviderChannel } from "@belfry/contracts/channels";
import { UUID } from "@belfry/contracts/identifiers";
import { CONCEALED } from "@belfry/contracts/notification";
import type { Database } from "@belfry/database/connection";
import { digestContent } from "@belfry/database/functions/claim-deliveries";
import {
  parseVariables,
  storedEvent,
  withGathered,
} from "@belfry/templates/language/event-variables";
import type { CompiledTemplate } from "@belfry/templates/source";
import { NotFound } from "../input-error.ts";
import { type Preview, renderSettings } from "../templates/preview-template.ts";
import { notificationContent } from "./notification-rows.ts";
import { eventContent, sentVersion } from "./sent-content-rows.ts";

export type SentContent =
  | { shown: true; content: Preview }
  /** Why it cannot be seen, in words. */
  | { shown: false; why: string };

/**
 * What an event, or a digest, became on a channel, rendered again from the version and the variables that
 * were used; never of a sensitive template. Throws `NotFound` when the channel has nothing.
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
    if (push.sensitive) return { shown: false, why: CONCEALED };
    const { sensitive: _, ...shown } = push;
    return { shown: true, content: { channel, kind: "notification", ...shown, missing: [] } };
  }
  const version = await sentVersion(db, tenantId, eventId, channel);
  if (version === undefined) throw nothing(channel);
  if (version.sensitive === null) return { shown: false, why: "The template is deleted." };
  if (version.sensitive) return { shown: false, why: CONCEALED };
  const { variables, settings } = await renderedOf(db, tenantId, eventId, version.digestId);
  const { createRenderer } = await import("@belfry/templates/render");
  const plainCharacters = version.plainCharacters === true;
  const renderer = createRenderer(version.compiled as CompiledTemplate);
  const rendered = renderer(variables, { ...settings, plainCharacters });
  if (!rendered.ok) return { shown: false, why: rendered.reason };
  const { ok: _, ...content } = rendered;
  return { shown: true, content: { channel, ...content } };
}

/** As the sender has it: of one event, or of all that a digest has gathered. */
async function renderedOf(
  db: Database,
  tenantId: string,
  eventId: string,
  digestId: string | null,
) {
  const settings = await renderSettings(db, tenantId);
  if (digestId !== null) {
    const { newest, count, items } = await digestContent(db, tenantId, digestId);
    const system = withGathered(settings.system, count, () => items.map(storedEvent));
    return { variables: parsed(newest), settings: { ...settings, system } };
  }
  const event = await eventContent(db, tenantId, eventId);
  const variables = parsed(event?.variables ?? null);
  const own = [{ id: eventId, at: event?.at ?? new Date(), variables }];
  const system = withGathered(settings.system, 1, () => own);
  return { variables, settings: { ...settings, system } };
}

function parsed(variables: string | null): Record<string, unknown> {
  return parseVariables(variables ?? "{}") ?? {};
}

function nothing(channel: Channel): NotFound {
  return new NotFound("channel", `the event has nothing on ${channel}`);
}
