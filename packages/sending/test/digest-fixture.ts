import type { TestContext } from "node:test";
import type { ProviderChannel } from "@belfry/contracts/channels";
import { compileTemplate } from "@belfry/templates/compile";
import type { TemplateSource } from "@belfry/templates/source";
import { uuidv7 } from "uuidv7";
import { createFixture, message, PHONE, TO } from "./sending-fixture.ts";

const TYPE = "comment.posted";
export const LOOP = {
  kind: "email" as const,
  subject: "{{$count}} comments",
  content: "<p>{% for c in $items %}{{c.by}};{% endfor %}</p><p>last {{by}}</p>",
};

/** A tenant with a sandbox, a template, and digests as a dispatcher would have stored them. */
export async function createDigests(t: TestContext, source: TemplateSource = LOOP) {
  const fixture = await createFixture(t);
  const { pool } = fixture;
  const channel: ProviderChannel = source.kind === "text" ? "SMS" : "EMAIL";
  const tenant = await fixture.tenant();
  await fixture.provider(tenant, channel, "sandbox", {});
  const templateId = uuidv7();
  await pool.sql`insert into templates (id, tenant_id, event_type, channel, digest)
    values (${templateId}, ${tenant}, ${TYPE}, ${channel}, ${'{"windowSeconds":60}'})`;

  /** Saves a version and makes it live; returns its id. */
  async function publish(next: TemplateSource = source, locale = ""): Promise<string> {
    const made = await compileTemplate(next, { owner: tenant });
    if (!made.ok) throw new Error(JSON.stringify(made.faults));
    const rows = await pool.sql`insert into template_versions (template_id, version, locale,
        content, compiled)
      select ${templateId}, count(*) + 1, ${locale}, 'x', ${JSON.stringify(made.compiled)}
      from template_versions where template_id = ${templateId} returning id`;
    await pool.sql`insert into template_variants (template_id, locale, current_version_id)
      values (${templateId}, ${locale}, ${rows[0].id})
      on conflict (template_id, locale) do update set current_version_id = excluded.current_version_id`;
    return rows[0].id;
  }
  const version = await publish();

  /** An event of ann's that was dispatched; returns its id. */
  async function event(variables: unknown, more: { acceptedAt?: Date; text?: string } = {}) {
    const id = uuidv7();
    await pool.sql`insert into events (id, tenant_id, event_type, user_id, recipient_email,
        recipient_phone, variables, trace_id, accepted_at, dispatched_at)
      values (${id}, ${tenant}, ${TYPE}, 'ann', ${TO}, ${PHONE}, ${more.text ?? JSON.stringify(variables)},
        ${`trace-${id}`}, coalesce(${more.acceptedAt ?? null}, now()), now())`;
    return id;
  }

  /** A digest of these events, released; with `rests` it still waits. */
  async function digest(
    events: readonly string[],
    more: {
      rests?: boolean;
      unlessRead?: boolean;
      locale?: string;
      openedSecondsAgo?: number;
    } = {},
  ) {
    const [id, deliveryId] = [uuidv7(), uuidv7()];
    await pool.sql`insert into digests (id, tenant_id, event_type, channel, user_id, recipient,
        locale, key, opened_at, window_ends_at)
      values (${id}, ${tenant}, ${TYPE}, ${channel}, 'ann', ${channel === "SMS" ? PHONE : TO},
        ${more.locale ?? ""}, ${id}::uuid::text, now() - ${more.openedSecondsAgo ?? 0} * interval '1 second',
        now())`;
    await pool.sql`insert into digest_items (digest_id, event_id, added_at) select ${id}, id, now()
      from unnest(${events}::uuid[]) e (id)`;
    await pool.sql`insert into deliveries (id, event_id, tenant_id, channel, recipient,
        template_version_id, due_at, released_at, unless_read)
      values (${deliveryId}, ${id}, ${tenant}, ${channel}, ${channel === "SMS" ? PHONE : TO}, ${version},
        now(), case when not ${more.rests === true} then now() end, ${more.unlessRead === true ? true : null})`;
    return { id, deliveryId };
  }

  async function read(...eventIds: string[]) {
    await pool.sql`insert into notifications (id, tenant_id, user_id, event_type, title, body,
        channel_name, channel_offset, created_at, read_at)
      select id, ${tenant}, 'ann', ${TYPE}, 't', 'b', 'personal', row_number() over (), now(), now()
      from unnest(${eventIds}::uuid[]) e (id)`;
  }

  const sender = fixture.sender({ channel });
  /** The state that a released delivery reaches. */
  async function send(deliveryId: string, by = sender) {
    await by.handle(message(tenant, [deliveryId], channel));
    return await fixture.row(deliveryId);
  }

  async function sent(deliveryId: string) {
    const rows = await pool.sql`select subject, html, text from outbox
      where delivery_id = ${deliveryId} order by id`;
    return rows as { subject: string; html: string; text: string }[];
  }

  async function digestRow(id: string) {
    return (await pool.sql`select * from digests where id = ${id}`)[0];
  }

  async function states(id: string): Promise<string[]> {
    const rows = await pool.sql`select state from digest_items where digest_id = ${id}
      order by event_id`;
    return rows.map((row) => row.state);
  }

  return {
    ...{
      fixture,
      pool,
      channel,
      tenant,
      templateId,
      publish,
      version,
      event,
      digest,
      read,
      send,
      sent,
    },
    ...{ digestRow, states, sender },
  };
}

export type Digests = Awaited<ReturnType<typeof createDigests>>;
