import { randomBytes } from "node:crypto";
import type { OWN_MAIL } from "@belfry/contracts/alerts";
import {
  type AddressChannel,
  addressOfChannel,
  channelMask,
  MAIL,
} from "@belfry/contracts/channels";
import { PLATFORM } from "@belfry/contracts/identifiers";
import { KEYS_THAT_MAY } from "@belfry/contracts/key-roles";
import { type Database, runnerOf } from "@belfry/database/connection";
import { acceptEvents } from "@belfry/database/functions/accept-events";
import { sql } from "kysely";
import { uuidv7 } from "uuidv7";

/**
 * Belfry's own mail: alerts, invitations, reset links. They are events of a tenant that an operator has chosen. Alerts
 * in chats are events, too, of that tenant or of an owner's.
 */

/** The reasons why Belfry cannot send its own mail, by code. */
export const MAIL_FAULTS = {
  "no-tenant": "No tenant is chosen to send it.",
  inactive: "The tenant is not active.",
  "no-provider": "The tenant has no active provider for email.",
  "read-by-others":
    "The tenant has members who are not operators, or API keys for management: they could read password reset links.",
} as const;
export type MailFault = keyof typeof MAIL_FAULTS;

/** The chosen tenant. If it cannot send, `cause` is the code of the reason and `fault` its text; else both are null. */
interface MailTenant {
  tenantId: string | null;
  tenantName: string | null;
  cause: MailFault | null;
  fault: string | null;
}

interface Found {
  id: string;
  name: string;
  active: boolean;
  hasEmail: boolean;
  othersCanRead: boolean;
}

export async function mailTenant(db: Database): Promise<MailTenant> {
  const { rows } = await sql<Found>`
    select t.id, t.name, t.active,
      (t.delivery_channels = '{}' or ${MAIL} = any (t.delivery_channels)) and exists (
        select from providers p where p.tenant_id = t.id and p.channel = ${MAIL} and p.active) as "hasEmail",
      exists (
        select from memberships m join people p on p.id = m.person_id
        where m.tenant_id = t.id and not p.operator
      ) or exists (
        select from api_keys k where k.tenant_id = t.id and k.role = any (${[...KEYS_THAT_MAY.manage]}::text[])
      ) as "othersCanRead"
    from configuration_version v join tenants t on t.id = v.mail_tenant_id`.execute(db);
  const [found] = rows;
  const cause = found === undefined ? "no-tenant" : causeOf(found);
  return {
    tenantId: found?.id ?? null,
    tenantName: found?.name ?? null,
    cause,
    fault: cause && MAIL_FAULTS[cause],
  };
}

function causeOf({ active, hasEmail, othersCanRead }: Found): MailFault | null {
  if (!active) return "inactive";
  // People who see the tenant's providers or outbox can read everybody's reset links, so all of them must be operators.
  if (othersCanRead) return "read-by-others";
  return hasEmail ? null : "no-provider";
}

/** A message to one person. Its content is the platform's template for the event type. */
interface OwnMessage {
  /** The tenant whose providers send it. */
  tenantId: string;
  eventType: string;
  channel: AddressChannel;
  /** The address on the channel. */
  to: string;
  email: string;
  /** The person's language; null for the template's default. */
  language: string | null;
  variables: Record<string, string>;
}
type OwnMail = Omit<OwnMessage, "tenantId" | "channel" | "to"> & {
  eventType: (typeof OWN_MAIL)[keyof typeof OWN_MAIL];
};

/** Returns the languages in which the platform's template of an event type is published; "" is the default. */
export async function templateLanguages(
  db: Database,
  eventType: string,
): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom("template_variants as v")
    .innerJoin("templates as t", "t.id", "v.template_id")
    .select("v.locale")
    .where("t.tenant_id", "=", PLATFORM)
    .where("t.event_type", "=", eventType)
    .execute();
  return new Set(rows.map(({ locale }) => locale));
}

/**
 * Accepts mails as events of the tenant that sends Belfry's own mail. Call it in the transaction of the change that the
 * mails report, and publish the ids after the commit; the dispatcher's sweeper publishes those that were missed.
 * Returns the ids of the events, with null for each mail that the tenant cannot send or that is over a limit.
 */
export async function acceptOwnMail(
  db: Database,
  mails: readonly OwnMail[],
): Promise<(string | null)[]> {
  const { tenantId, fault } = await mailTenant(db);
  if (tenantId === null || fault !== null) return mails.map(() => null);
  return await acceptOwnMessages(
    db,
    mails.map((mail) => ({ ...mail, tenantId, channel: MAIL, to: mail.email })),
  );
}

/** Accepts messages as `acceptOwnMail` does. They must be sorted by the tenants that send them. */
export async function acceptOwnMessages(
  db: Database,
  messages: readonly OwnMessage[],
): Promise<(string | null)[]> {
  if (messages.length === 0) return [];
  const batch = messages.map(({ tenantId, eventType, channel, to, email, language, variables }) => {
    const id = uuidv7();
    const field = addressOfChannel(channel);
    return {
      tenantId,
      dedupKey: randomBytes(32).toString("hex"),
      id,
      eventType,
      traceId: id,
      userId: email,
      recipientEmail: field === "recipientEmail" ? to : null,
      recipientPhone: null,
      reference: null,
      variables: JSON.stringify(variables),
      options: {
        locale: language,
        channels: channelMask([channel]),
        ...(field === "recipientChat" && { recipientChat: to }),
      },
    };
  });
  const results = await acceptEvents(runnerOf(db), batch);
  return results.map(({ outcome, eventId }) => (outcome === "accepted" ? eventId : null));
}
