import type { ProviderChannel } from "@belfry/contracts/channels";
import type pg from "pg";
import { callFunction } from "./call-function.ts";

/** What is known of a user: what the tenant has said, and whether the user has. */
export interface Recipient {
  email: string | null;
  phone: string | null;
  /** Canonical BCP 47. */
  locale: string | null;
  /** An IANA name, the tenant's where the user has none; null: UTC. */
  timezone: string | null;
  /** When the quiet hours end that last now; null: it is not quiet. */
  quietUntil: Date | null;
  /** The same by the user's clock, as the timeline names it. */
  quietEnd: string | null;
  /** The event's category is sent whatever is turned off, and at any hour. */
  required: boolean;
  /** The user may have said no: `preferencesOf` has to be asked. */
  chooses: boolean;
}

/** Reads a batch in one statement. Answers come in its order; of a user nobody has named the tenant's defaults. */
export async function recipientsOf(
  pool: pg.Pool,
  events: readonly { tenantId: string; userId: string; eventType: string }[],
): Promise<Recipient[]> {
  const types = new Map<string, { place: number; tenantId: string; eventType: string }>();
  const typeOf = ({ tenantId, eventType }: { tenantId: string; eventType: string }) => {
    const key = `${tenantId} ${eventType}`;
    const known = types.get(key);
    if (known !== undefined) return known.place;
    types.set(key, { place: types.size + 1, tenantId, eventType });
    return types.size;
  };
  const rows = await callFunction<Recipient & { place: number }>(pool, "wishes_of", {
    p_tenants: events.map((event) => event.tenantId),
    p_users: events.map((event) => event.userId),
    p_types: events.map(typeOf),
    p_type_tenants: [...types.values()].map((type) => type.tenantId),
    p_type_names: [...types.values()].map((type) => type.eventType),
  });
  const recipients = new Array<Recipient>(events.length);
  for (const { place, ...recipient } of rows) recipients[place - 1] = recipient;
  return recipients;
}

/** Why addresses are suppressed, in one statement; undefined: they are not. Answers come in the order of the batch. */
export async function suppressionsOf(
  pool: pg.Pool,
  batch: readonly { tenantId: string; channel: ProviderChannel; recipient: string | null }[],
): Promise<(string | undefined)[]> {
  const rows = await callFunction<{ place: number; reason: string }>(pool, "suppressions_of", {
    p_tenants: batch.map((one) => one.tenantId),
    p_channels: batch.map((one) => one.channel),
    p_addresses: batch.map((one) => one.recipient),
  });
  const reasons = new Array<string | undefined>(batch.length).fill(undefined);
  for (const { place, reason } of rows) reasons[place - 1] = reason;
  return reasons;
}
