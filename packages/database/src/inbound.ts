import type { ProviderChannel } from "@belfry/contracts/channels";
import { PHONE } from "@belfry/contracts/identifiers";
import { type InboundText, optKeyword } from "@belfry/contracts/inbound";
import { sql } from "kysely";
import { uuidv7 } from "uuidv7";
import type { Database } from "./connection.ts";

export interface InboundOrigin {
  tenantId: string;
  providerKind: string;
  /** The channels that the provider serves. */
  channels: readonly ProviderChannel[];
}

/** The result of a text: `kept` for people, `stopped` or `started` messages to its sender, or `repeated`. */
export type InboundOutcome = "kept" | "stopped" | "started" | "repeated";

/**
 * Stores a person's message once, even if the vendor sends it again. A keyword only suppresses its sender's number as
 * opted out, or deletes such a suppression. Any other text is stored for the tenant's people.
 */
export async function storeInbound(
  db: Database,
  { tenantId, providerKind, channels }: InboundOrigin,
  message: InboundText,
): Promise<InboundOutcome> {
  const keyword = message.keyword ?? optKeyword(message.text);
  // Messages are only sent to phone numbers, so there is nothing to suppress for any other sender.
  const word = PHONE.test(message.sender) ? keyword : undefined;
  const [sender, recipient, text] =
    word === undefined ? [message.sender, message.recipient, message.text] : [null, null, null];
  const { rows } = await sql<{ is_new: boolean }>`
    with stored as (
      insert into inbound_messages (id, tenant_id, provider_kind, vendor_id, sender, recipient, text)
      select ${uuidv7()}::uuid, t.id, ${providerKind}, ${message.vendorId}, ${sender}, ${recipient}, ${text}
      from tenants t where t.id = ${tenantId}
      on conflict do nothing
      returning tenant_id
    ),
    stopped as (
      insert into suppressions (tenant_id, channel, address, reason, source)
      select s.tenant_id, c.channel, ${message.sender}, 'opted out', ${providerKind}
      from stored s cross join unnest(${channels}::text[]) c (channel)
      where ${word === "stop"}
      order by c.channel
      on conflict do nothing
    ),
    started as (
      delete from suppressions p using stored s
      where ${word === "start"} and p.tenant_id = s.tenant_id and p.channel = any (${channels}::text[])
        and p.address = ${message.sender} and p.reason = 'opted out'
    )
    select exists (select from stored) as is_new`.execute(db);
  if (rows[0]?.is_new !== true) return "repeated";
  if (word === undefined) return "kept";
  return word === "stop" ? "stopped" : "started";
}

/** Returns how many texts these senders have sent to the tenant. */
export async function countInbound(
  db: Database,
  tenantId: string,
  senders: readonly string[],
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from inbound_messages
    where tenant_id = ${tenantId} and sender = any (${senders}::text[])
      and text is not null`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Deletes what these senders have written to the tenant; returns the number of deleted texts. */
export async function deleteInbound(db: Database, tenantId: string, senders: readonly string[]) {
  const result = await sql`
    with locked as materialized (
      select id from inbound_messages
      where tenant_id = ${tenantId} and sender = any (${senders}::text[]) and text is not null
      order by id for update
    )
    delete from inbound_messages where id = any (array(select id from locked))`.execute(db);
  return Number(result.numAffectedRows ?? 0n);
}

export interface InboundFilter {
  limit: number;
  /** Only texts from this number. */
  sender?: string | undefined;
  /** Only messages older than this one: the last of the page before. */
  before?: string | undefined;
}

/** Returns the texts that people have sent to a tenant, newest first. */
export async function inboundOfTenant(db: Database, tenantId: string, filter: InboundFilter) {
  let query = db
    .selectFrom("inbound_messages")
    .select(["id", "provider_kind", "sender", "recipient", "text", "received_at"])
    .where("tenant_id", "=", tenantId)
    .where("text", "is not", null);
  if (filter.sender !== undefined) query = query.where("sender", "=", filter.sender);
  if (filter.before !== undefined) query = query.where("id", "<", filter.before);
  const rows = await query.orderBy("id", "desc").limit(filter.limit).execute();
  return rows.map((row) => ({
    id: row.id,
    provider: row.provider_kind,
    sender: row.sender ?? "",
    recipient: row.recipient ?? "",
    text: row.text ?? "",
    receivedAt: row.received_at.toISOString(),
  }));
}
