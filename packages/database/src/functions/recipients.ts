import type { ProviderChannel } from "@belfry/contracts/channels";
import type pg from "pg";
import { callFunction } from "./call-function.ts";

/** What a tenant has said of a user, and when it is quiet for the user. */
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
}

interface Row {
  place: number;
  email: string | null;
  phone: string | null;
  locale: string | null;
  timezone: string | null;
  quiet_until: Date | null;
  quiet_end: string | null;
}

/** Reads a batch in one statement. Answers come in its order; of a user nobody has named the tenant's defaults. */
export async function recipientsOf(
  pool: pg.Pool,
  users: readonly { tenantId: string; userId: string }[],
): Promise<Recipient[]> {
  const rows = await callFunction<Row>(pool, "recipients_of", {
    p_tenants: users.map((user) => user.tenantId),
    p_users: users.map((user) => user.userId),
  });
  const recipients = new Array<Recipient>(users.length);
  for (const { place, quiet_until: quietUntil, quiet_end: quietEnd, ...said } of rows) {
    recipients[place - 1] = { ...said, quietUntil, quietEnd };
  }
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
