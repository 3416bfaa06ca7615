import {
  type Channel,
  channelMask,
  PROVIDER_CHANNELS,
  type ProviderChannel,
  USUAL_CHANNELS,
} from "@belfry/contracts/channels";
import type { EventOutcome } from "@belfry/contracts/delivery";
import { reasonWords } from "@belfry/contracts/reasons";
import type { EventOptions } from "@belfry/contracts/trigger";
import { acceptEvents } from "@belfry/database/functions/accept-events";
import { createKeyedSerialQueue } from "@belfry/service/keyed-serial-queue";
import { createLogger } from "@belfry/service/logger";
import type { Message } from "@belfry/service/message-batch";
import type { PushLinks } from "@belfry/templates/source";
import type { Cleanup } from "@belfry/testing/cleanup";
import { connectedDatabase } from "@belfry/testing/database";
import { uuidv7 } from "uuidv7";
import type { DispatchDeps } from "../src/dispatch-batch.ts";
import type { OutgoingDelivery, OutgoingPush } from "../src/dispatch-publisher.ts";
import { createRoutingCache } from "../src/routing-cache.ts";

export interface TenantSetup {
  id?: string;
  active?: boolean;
  deliveryChannels?: Channel[];
  providers?: ProviderChannel[];
}

export interface EventSetup {
  eventType?: string;
  userId?: string;
  email?: string | null;
  phone?: string | null;
  channels?: Channel[];
  variables?: Record<string, unknown> | null;
  locale?: string;
  /** Options beside channels and locale. */
  later?: Pick<
    EventOptions,
    "recipientChat" | "sendAt" | "delaySeconds" | "cancelKey" | "traceParent" | "envelope"
  >;
}

/** A database of its own, what a dispatcher needs around it, and a record of what it sent out. */
export async function dispatcherUnderTest(t: Cleanup, inFlightPerTenant = 100) {
  const { url, pool, db } = await connectedDatabase(t);
  const sent = { deliveries: [] as OutgoingDelivery[], pushes: [] as OutgoingPush[] };
  const warnings: string[] = [];
  const log = createLogger({
    service: "dispatcher-test",
    level: "warn",
    destination: { write: (line) => void warnings.push(line) },
  });
  const routing = createRoutingCache(pool);
  let rests = 0;
  const deps: DispatchDeps & { concurrency: number } = {
    pool,
    routing,
    dispatchPublisher: {
      publishDeliveries: async (deliveries) => {
        sent.deliveries.push(...deliveries);
        return [];
      },
      publishPushes: async (pushes) => {
        sent.pushes.push(...pushes);
      },
    },
    inFlightPerTenant,
    userQueue: createKeyedSerialQueue(),
    concurrency: 2,
    onRest: () => {
      rests += 1;
    },
    log,
  };

  return {
    url,
    db,
    pool,
    deps,
    sent,
    log,
    /** Lines of the log; a healthy run has none. */
    warnings,
    rests: () => rests,

    async tenant(setup: TenantSetup = {}): Promise<string> {
      const id = setup.id ?? uuidv7().replaceAll("-", "");
      await pool.sql`insert into tenants (id, name, active, per_minute, daily_cap,
          delivery_channels)
        values (${id}, ${id}, ${setup.active ?? true}, 1000000, null, ${setup.deliveryChannels ?? []})`;
      await pool.sql`insert into tenant_limits (tenant_id) values (${id})`;
      for (const channel of setup.providers ?? PROVIDER_CHANNELS) {
        await pool.sql`insert into providers (id, tenant_id, channel, kind, name, settings,
            masked_settings)
          values (${uuidv7()}, ${id}, ${channel}, 'sandbox', 'sandbox', '', '{}')`;
      }
      return id;
    },

    /** One active template a channel given; PUSH says `{{title}}` and `Hello {{name}}`. */
    async templates(
      owner: string,
      eventType: string,
      channels: readonly Channel[] = USUAL_CHANNELS,
      version: {
        active?: boolean;
        target?: string;
        sensitive?: boolean;
        expiresAfterSeconds?: number;
        body?: string;
        /** Links of a PUSH template. */
        links?: PushLinks;
      } = {},
    ): Promise<void> {
      for (const channel of channels) {
        const id = uuidv7();
        const compiled =
          channel === "PUSH"
            ? {
                kind: "notification",
                title: "{{title}}",
                body: version.body ?? "Hello {{name}}",
                ...version.links,
                variables: ["title", "name"],
              }
            : { kind: "text", text: "x", variables: [] };
        await pool.sql`insert into templates (id, tenant_id, event_type, channel, active,
            target_channel, sensitive, expires_after_seconds)
          values (${id}, ${owner}, ${eventType}, ${channel}, ${version.active ?? true},
            ${version.target ?? null}, ${version.sensitive ?? false}, ${version.expiresAfterSeconds ?? null})`;
        await pool.sql`with v as (
            insert into template_versions (template_id, version, content, compiled)
            values (${id}, 1, 'x', ${JSON.stringify(compiled)}) returning id)
          insert into template_variants (template_id, current_version_id) select ${id}, id from v`;
      }
    },

    /** Accepts events as the ingest-api does; returns their ids in order. */
    async events(tenantId: string, ...setups: EventSetup[]): Promise<string[]> {
      const batch = setups.map((setup) => ({
        tenantId,
        dedupKey: uuidv7().replaceAll("-", "").padStart(64, "0"),
        id: uuidv7(),
        eventType: setup.eventType ?? "order.confirmed",
        userId: setup.userId ?? "user-1",
        reference: null,
        recipientEmail: setup.email === undefined ? "a@example.com" : setup.email,
        recipientPhone: setup.phone === undefined ? "+12025550123" : setup.phone,
        options: {
          ...{ channels: channelMask(setup.channels), locale: setup.locale ?? null },
          ...setup.later,
        },
        variables:
          setup.variables === null
            ? null
            : JSON.stringify(setup.variables ?? { title: "Order", name: "Ada" }),
        traceId: `trace-${setup.userId ?? 1}`,
      }));
      await acceptEvents(pool, batch);
      return batch.map((event) => event.id);
    },

    /** Its reasons in words. */
    async outcome(eventId: string) {
      const rows = await pool.sql`select outcome, dispatched_at, variables from events
        where id = ${eventId}`;
      const [event] = rows;
      return event && { ...event, outcome: event.outcome && outcomeInWords(event.outcome) };
    },

    /** Their reasons in words. */
    async deliveries(where = "true") {
      const { rows } = await pool.query(`select * from deliveries where ${where} order by id`);
      return rows.map((row) => ({ ...row, reason: reasonWords(row.reason) }));
    },
  };
}

/** With the reasons that it holds as codes put into words. */
export function outcomeInWords(outcome: EventOutcome): EventOutcome {
  return JSON.parse(
    JSON.stringify(outcome, (_, value) => (typeof value === "string" ? reasonWords(value) : value)),
  );
}

/** With a tenant. */
export async function dispatcherWithTenant(t: Cleanup) {
  const under = await dispatcherUnderTest(t);
  return { ...under, acme: await under.tenant() };
}

export type DispatcherUnderTest = Awaited<ReturnType<typeof dispatcherUnderTest>>;

/** A message of the events stream that carries these ids. */
export function eventsMessage(ids: readonly string[], deliveryCount = 1): Message {
  const items = ids.map((id) => ({ id, traceId: "trace" }));
  return {
    data: Buffer.from(JSON.stringify({ version: 1, items })),
    subject: "test.events.express",
    deliveryCount,
    streamSequence: 1,
  };
}

/** Deliveries at rest and due, as a backlog leaves them; `extra` sets columns. */
export async function restingDeliveries(
  under: Pick<DispatcherUnderTest, "pool">,
  tenantId: string,
  count: number,
  extra: Record<string, string> = {},
): Promise<void> {
  const columns = Object.keys(extra);
  await under.pool.query(
    `with e as (
       insert into events (id, tenant_id, event_type, user_id, trace_id, accepted_at, dispatched_at,
           variables)
       select gen_random_uuid(), $1, 'order.confirmed', 'u', 'trace', now(), now(), '{}'
       from generate_series(1, $2) returning id)
     insert into deliveries (id, event_id, tenant_id, channel, template_version_id, due_at
       ${columns.map((column) => `, ${column}`).join("")})
     select gen_random_uuid(), e.id, $1, 'EMAIL', 1, now() - interval '1 second'
       ${columns.map((column) => `, ${extra[column]}`).join("")}
     from e`,
    [tenantId, count],
  );
}
