import { insertPerson, putMembership } from "@belfry/administration/people/person-rows";
import { beginSession } from "@belfry/administration/people/sessions";
import { webhookActs } from "@belfry/administration/test/webhook-world";
import { putWebhook } from "@belfry/administration/webhooks/webhooks";
import { createDatabase } from "@belfry/database/connection";
import type { Cleanup } from "@belfry/testing/cleanup";
import { ownNatsServer } from "@belfry/testing/nats-server";
import { ownPostgresServer } from "@belfry/testing/postgres-server";
import type { FailureSettings } from "../settings.ts";
import { startReceiver } from "../webhooks/webhook-receiver.ts";
import { type AnyWorld, createWorldOn } from "../world.ts";
import { type Probe, startBalancer } from "./balancer.ts";
import type { Read } from "./reads.ts";

export const SERVICES = [
  "ingest-api",
  "dispatcher",
  "email-sender",
  "sms-sender",
  "webhook-sender",
  "realtime-gateway",
  "admin",
] as const;
export type ServiceName = (typeof SERVICES)[number];

const REPLICAS = Object.fromEntries(
  SERVICES.flatMap((name) => [name, `${name} 2`].map((replica) => [replica, name])),
);

/** Belfry with two replicas of each service, behind balancers; a tenant has a webhook for notifications. */
export async function createStopWorld(t: Cleanup, settings: FailureSettings, probe: Probe) {
  const [nats, postgres] = await Promise.all([ownNatsServer(t), ownPostgresServer(t)]);
  const servers = {
    ...{ nats, postgres },
    env: { ALLOW_PRIVATE_WEBHOOK_ADDRESSES: "true" },
  };
  const world = await createWorldOn(t, settings, servers, { replicas: REPLICAS });
  const { services, pool, keys, tenants } = world;
  const balancer = async (name: ServiceName) => {
    const backends = [name, `${name} 2`].map((replica) => ({
      port: () => services.port(replica),
      managementPort: () => services.process(replica).managementPort,
    }));
    return `127.0.0.1:${await startBalancer(t, backends, probe)}`;
  };
  const [api, gateway, admin] = await Promise.all(
    (["ingest-api", "realtime-gateway", "admin"] as const).map(balancer),
  );
  services.apiUrls = [`http://${api}`];
  services.wsUrl = `ws://${gateway}/connection/websocket`;

  const db = createDatabase(pool);
  const { id: tenantId, apiKey, users } = tenants[0]!;
  const receiver = await startReceiver(t, () => 1);
  const deps = { keys, allowPrivateAddresses: true };
  const types = ["notification.created" as const];
  const made = await webhookActs(db, deps, tenantId)(putWebhook, { url: receiver.url, types });
  receiver.secret = made.secret!;

  const timer = setInterval(() => {
    if (!receiver.hangs && world.vendors.mood === "accepts") tryNow(world).catch(() => undefined);
  }, 1_000);
  t.after(() => clearInterval(timer));

  const person = { email: "ann@example.com", name: "Ann", password: null, operator: false };
  const personId = await insertPerson(db, { ...person, isSignInTrusted: true });
  await putMembership(db, { personId, tenantId, role: "viewer" });
  const place = { address: "192.0.2.1", userAgent: "test" };
  const cookie = `belfry_session=${await beginSession(db, personId, place)}`;
  const ofUser = `http://${api}/api/v1/notifications/${tenantId}/${users[0]}`;
  const get =
    (url: string, headers: Record<string, string>): Read =>
    (signal) =>
      fetch(url, { headers, signal, redirect: "manual" });
  const reads = [
    get(ofUser, { "x-api-key": apiKey }),
    get(`${ofUser}/unread-count`, { "x-api-key": apiKey }),
    get(`http://${admin}/tenants/${tenantId}/templates`, { cookie }),
  ];
  return Object.assign(world, { receiver, reads });
}

/** Ends waits for another try and pauses of the endpoint, because they can last for minutes. */
async function tryNow({ pool }: AnyWorld): Promise<void> {
  await pool.query(
    "update webhooks set paused_until = now() where paused_until > now() + interval '1 second'",
  );
  await pool.query(
    `update deliveries set due_at = now()
     where status = 'waiting' and released_at is null and due_at > now()`,
  );
}

export type StopWorld = Awaited<ReturnType<typeof createStopWorld>>;
