import type { Channel, ProviderChannel } from "@belfry/contracts/channels";
import type { SendOutcome } from "@belfry/contracts/sending";
import { sql } from "kysely";
import type pg from "pg";
import { callFunction, type Database } from "../connection.ts";

/** A user's entry in the directory, and whether the user has preferences. */
export interface Recipient {
  email: string | null;
  phone: string | null;
  /** Canonical BCP 47. */
  locale: string | null;
  /** IANA name, the tenant's if the user has none; null means UTC. */
  timezone: string | null;
  /** The end of the current quiet hours; null if it is not quiet. */
  quietUntil: Date | null;
  /** `quietUntil` by the user's clock, as text for the timeline. */
  quietEnd: string | null;
  /** The event's category is always sent, even if the user has turned it off, and at any hour. */
  required: boolean;
  /** The user may have turned the category off: the caller must call `preferencesOf`. */
  chooses: boolean;
  /** JSON text; null if the user has none, or they were not asked for. */
  attributes: string | null;
}

/**
 * Reads a batch in one statement. Returns a row per event, in order; for an unknown user, the tenant's defaults. Reads
 * the attributes for events with `readsUser`.
 */
export async function recipientsOf(
  pool: pg.Pool,
  events: readonly { tenantId: string; userId: string; eventType: string; readsUser?: boolean }[],
): Promise<Recipient[]> {
  const types = new Map<string, { place: number; tenantId: string; eventType: string }>();
  const typeOf = ({ tenantId, eventType }: { tenantId: string; eventType: string }) => {
    const key = `${tenantId} ${eventType}`;
    const known = types.get(key);
    if (known !== undefined) return known.place;
    types.set(key, { place: types.size + 1, tenantId, eventType });
    return types.size;
  };
  const rows = await callFunction<Recipient & { place: number }>(
    pool,
    "recipients_with_attributes",
    {
      p_tenants: events.map((event) => event.tenantId),
      p_users: events.map((event) => event.userId),
      p_types: events.map(typeOf),
      p_type_tenants: [...types.values()].map((type) => type.tenantId),
      p_type_names: [...types.values()].map((type) => type.eventType),
      p_reads: events.some((event) => event.readsUser)
        ? events.map((event) => event.readsUser === true)
        : null,
    },
  );
  const recipients = new Array<Recipient>(events.length);
  for (const { place, ...recipient } of rows) recipients[place - 1] = recipient;
  return recipients;
}

/**
 * Returns the suppression reason of each address, in the order of the batch; undefined for an address that is not
 * suppressed. Runs one statement.
 */
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

/** Asks whether an event of this type is sent to the user on these channels. */
export interface PreferenceQuestion {
  tenantId: string;
  userId: string;
  eventType: string;
  channels: readonly Channel[];
}

export interface PreferenceVerdict {
  sends: boolean;
  /** The reason code of a skipped message; null if the message is sent. */
  reason: string | null;
  /** The category of the event type; null if it has none. */
  category: string | null;
  /** The category is always sent, even if the user has turned it off, and at any hour. */
  required: boolean;
  /** The most specific cell that is off, such as `offers/*`; null if no cell is off. */
  cell: string | null;
}

/** Applies the preference rule to a batch in one statement. Returns verdicts by channel, in the batch's order. */
export async function preferencesOf(
  pool: pg.Pool,
  batch: readonly PreferenceQuestion[],
): Promise<Map<Channel, PreferenceVerdict>[]> {
  /** A row without a channel holds for all requested channels. */
  type Row = PreferenceVerdict & { place: number; channel: Channel | null };
  const rows = await callFunction<Row>(pool, "preferences_of", {
    p_tenants: batch.map((one) => one.tenantId),
    p_users: batch.map((one) => one.userId),
    p_event_types: batch.map((one) => one.eventType),
    p_channels: batch.map((one) => one.channels.join(" ")),
  });
  const verdicts = batch.map(() => new Map<Channel, PreferenceVerdict>());
  for (const { place, channel, ...verdict } of rows) {
    const channels = channel === null ? batch[place - 1]!.channels : [channel];
    for (const one of channels) verdicts[place - 1]!.set(one, verdict);
  }
  return verdicts;
}

interface AddressToSuppress {
  tenantId: string;
  channel: ProviderChannel;
  /** The address in the form of its delivery. */
  address: string;
  reason: NonNullable<SendOutcome["suppress"]>;
  /** The kind of the provider that reported the reason. */
  source: string;
}

/** Suppresses the address: nothing is sent to it from now on. Safe to repeat. */
export async function suppressAddress(db: Database, given: AddressToSuppress): Promise<void> {
  const { tenantId, channel, address, reason, source } = given;
  await sql`
    insert into suppressions (tenant_id, channel, address, reason, source)
    select t.id, ${channel}, lower(${address} collate "C"), ${reason}, ${source}
    from tenants t where t.id = ${tenantId}
    on conflict do nothing`.execute(db);
}
