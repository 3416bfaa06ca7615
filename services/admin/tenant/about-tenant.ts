import { readProviders } from "@belfry/administration/providers/providers";
import { showTenant, type Tenant } from "@belfry/administration/tenants/tenants";
import { CHANNEL_ROWS, CHANNELS, type Channel } from "@belfry/contracts/channels";
import type { Database } from "@belfry/database/connection";
import { keptDays } from "@belfry/database/kept-days";
import { quotaUsed } from "./activity-buckets.ts";

/** What a tenant's people may know of it: who it is to programs, what it may do, and how much of that is used. */
export async function aboutTenant(db: Database, tenantId: string) {
  const [found, used, kept, providers] = await Promise.all([
    showTenant(db, tenantId),
    quotaUsed(db, tenantId),
    keptDays(db, tenantId),
    readProviders(db, tenantId),
  ]);
  const active = providers.filter((one) => one.active);
  const channelStates = CHANNELS.map((channel) => {
    const names = active.filter((one) => one.channel === channel).map(({ name }) => name);
    return { channel, ...stateOf(found, channel, names) };
  });
  return { found, used, kept, channelStates };
}

function stateOf({ deliveryChannels }: Tenant, channel: Channel, providers: readonly string[]) {
  if (deliveryChannels.length > 0 && !deliveryChannels.includes(channel)) {
    return { tone: "quiet", state: "not allowed", text: "Nothing is sent here." };
  }
  if (CHANNEL_ROWS[channel].sender === null) {
    return { tone: "good", state: "allowed", text: "Needs no provider." };
  }
  if (providers.length === 0) {
    return { tone: "busy", state: "no provider", text: "No provider is active: this is skipped." };
  }
  return { tone: "good", state: "allowed", text: `Sent by ${providers.join(", then ")}.` };
}
