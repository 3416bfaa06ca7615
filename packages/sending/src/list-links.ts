import type { ProviderChannel } from "@belfry/contracts/channels";
import { ANY } from "@belfry/contracts/preferences";
import type { ListHeaders } from "@belfry/contracts/sending";
import type { ClaimedDelivery } from "@belfry/database/functions/claim-deliveries";
import type { MessageLinks } from "./message-links.ts";

/** What one message says of how its reader leaves; each address is made when it is first asked for. */
export interface ListLinks {
  /** Names of the template's system, each with its value. */
  system: Readonly<Record<string, unknown>>;
  /** Of a message with header fields, where its event's type has a category. */
  headers(): ListHeaders | undefined;
}

/** Undefined where there is nothing to leave: the category is required, the event is gone. */
export function listLinks(
  links: MessageLinks,
  channel: ProviderChannel,
  { tenantId, userId, category }: ClaimedDelivery,
): ListLinks | undefined {
  if (userId === null || category?.required) return undefined;
  const message = { tenantId, userId, category: category?.key ?? ANY, channel };
  const made: { unsubscribe?: string; preferences?: string } = {};
  const system = {
    get $unsubscribe_url() {
      made.unsubscribe ??= links.unsubscribeUrl(message);
      return made.unsubscribe;
    },
    get $preferences_url() {
      made.preferences ??= links.preferencesUrl(message, new Date());
      return made.preferences;
    },
  };
  return {
    system,
    headers: () =>
      category === undefined ? undefined : links.listHeaders(message, system.$unsubscribe_url),
  };
}
