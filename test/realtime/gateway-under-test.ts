import { randomBytes, randomUUID } from "node:crypto";
import { PERSONAL_CHANNEL, realtimeChannel } from "@belfry/contracts/identifiers";
import {
  encodeRealtimeMessage,
  type Publication,
  publicationText,
  userSubjectToken,
} from "@belfry/contracts/realtime-message";
import { realtimeSubject } from "@belfry/contracts/streams";
import { parseTokenKeys, signRealtimeToken } from "@belfry/service/realtime-token";
import type { Cleanup } from "@belfry/testing/cleanup";
import { freePort } from "@belfry/testing/free-port";
import { testNatsUrl, testPrefix } from "@belfry/testing/nats";
import { createTestDatabase } from "@belfry/testing/postgres";
import { startProcess } from "@belfry/testing/processes";
import { connect } from "@nats-io/transport-node";
import pg from "pg";

export interface Recipient {
  tenant: string;
  user: string;
}

export interface PublishOptions {
  eventType?: string;
  name?: string;
  title?: string;
  body?: string;
  url?: string;
  /** JSON text. */
  actions?: string;
  /** Committed, but NATS loses the message. */
  lost?: boolean;
}

export interface Category {
  required?: boolean;
  defaultOn?: boolean;
  position?: number;
  description?: Record<string, string>;
}

const MAIN = new URL("../../services/realtime-gateway/src/main.ts", import.meta.url);
export const TENANTS = ["acme", "globex"];

/** A database, a NATS prefix and keys of one test file's own, with two tenants. */
export async function createWorld(
  t: Cleanup,
  overrides: { natsUrl?: string; databaseUrl?: string } = {},
) {
  const database = await createTestDatabase();
  const natsUrl = overrides.natsUrl ?? testNatsUrl();
  const prefix = testPrefix();
  const tokenKeys = `k1:${randomBytes(32).toString("base64")}`;
  const keys = parseTokenKeys(tokenKeys);
  const db = new pg.Pool({ connectionString: database.url, max: 4 });
  db.on("error", () => undefined);
  const nc = await connect({ servers: natsUrl, maxReconnectAttempts: -1, reconnectTimeWait: 50 });
  t.after(async () => {
    await nc.close();
    await db.end();
    await database[Symbol.asyncDispose]();
  });
  for (const id of TENANTS) {
    await db.query("insert into tenants (id, name, per_minute) values ($1, $1, 600)", [id]);
  }
  // What gateways of this world are started with.
  const env = {
    DATABASE_URL: overrides.databaseUrl ?? database.url,
    NATS_URL: natsUrl,
    NATS_PREFIX: prefix,
    SECRETS_KEYS: tokenKeys,
    REALTIME_TOKEN_KEYS: tokenKeys,
    SHUTDOWN_SPREAD_MS: "200",
  };
  const tell = (to: Recipient, publication: Publication) => {
    const publications = [publicationText(publication)];
    nc.publish(
      realtimeSubject(prefix, to.tenant, userSubjectToken(to.user)),
      encodeRealtimeMessage({ version: 1, kind: "publication", userId: to.user, publications }),
    );
  };
  return {
    ...{ tell, db, nc, prefix, keys, env },
    async startGateway(more: Record<string, string> = {}) {
      const port = more.REALTIME_GATEWAY_PORT ?? (await freePort());
      const process = await startProcess(t, {
        main: MAIN,
        env: { ...env, REALTIME_GATEWAY_PORT: String(port), ...more },
      });
      return {
        url: `ws://127.0.0.1:${port}/connection/websocket`,
        process,
        /** What it logged that nobody should have to look at. */
        surprises: () =>
          process.logs().filter(({ level }) => level === "error" || level === "warn"),
      };
    },
    token: (
      { tenant, user, concealed }: Recipient & { concealed?: true },
      lifetimeSeconds?: number,
      nowSeconds?: number,
    ) =>
      signRealtimeToken(
        keys,
        { sub: user, tenant, ...(concealed && { concealed }) },
        {
          ...(lifetimeSeconds === undefined ? {} : { lifetimeSeconds }),
          ...(nowSeconds === undefined ? {} : { nowSeconds }),
        },
      ),
    async category(
      tenant: string,
      key: string,
      label: Record<string, string>,
      more: Category = {},
    ): Promise<void> {
      const { required = false, defaultOn = true, position = 0, description = {} } = more;
      await db.query(
        `insert into categories (tenant_id, key, label, description, required, default_on, position)
         values ($1, $2, $3, $4, $5, $6, $7)`,
        [
          tenant,
          key,
          JSON.stringify(label),
          JSON.stringify(description),
          required,
          defaultOn,
          position,
        ],
      );
    },
    /** Does what the dispatcher does: commits with the next offset, then tells NATS. */
    async publish(to: Recipient, options: PublishOptions = {}) {
      const publication = await commit(db, to, options);
      if (options.lost !== true) tell(to, publication);
      return publication;
    },
  };
}

export type World = Awaited<ReturnType<typeof createWorld>>;

/** The first half of `publish`, in whatever database. */
export async function commit(
  db: pg.Pool,
  to: Recipient,
  options: PublishOptions,
): Promise<Publication> {
  const { name = PERSONAL_CHANNEL, eventType = "order.confirmed" } = options;
  const { rows } = await db.query<{ id: string; offset: string; created_at: Date }>(
    `with top as (
       insert into realtime_channels as c (tenant_id, user_id, channel_name, top_offset)
       values ($1, $2, $3, 1)
       on conflict (tenant_id, user_id, channel_name) do update set top_offset = c.top_offset + 1
       returning top_offset
     )
     insert into notifications (id, tenant_id, user_id, event_type, title, body, channel_name,
       channel_offset, created_at, url, actions)
     select $4, $1, $2, $9, $5, $6, $3, top_offset, clock_timestamp(), $7, $8 from top
     returning id, channel_offset as offset, created_at`,
    [
      ...[to.tenant, to.user, name, randomUUID(), options.title ?? "title", options.body ?? "body"],
      ...[options.url ?? null, options.actions ?? null, eventType],
    ],
  );
  const { id, offset, created_at } = rows[0]!;
  return {
    channel: realtimeChannel(name, to.user),
    offset: Number(offset),
    data: {
      title: options.title ?? "title",
      body: options.body ?? "body",
      category: eventType,
      eventType,
    },
    tags: {
      ...{ id, createdAt: created_at.toISOString() },
      ...(options.url !== undefined && { url: options.url }),
      ...(options.actions !== undefined && { actions: options.actions }),
    },
  };
}
