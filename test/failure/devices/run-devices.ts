import { actsIn, putActiveProvider } from "@belfry/administration/test/acts";
import { putTemplate } from "@belfry/administration/test/templates";
import { putDevice } from "@belfry/administration/users/devices";
import { DEVICE_KINDS } from "@belfry/contracts/devices";
import { createDatabase } from "@belfry/database/connection";
import type { Cleanup } from "@belfry/testing/cleanup";
import { createBrowser } from "../../../packages/providers/test/push-judge.ts";
import {
  createKillWorld,
  type KillRunOptions,
  type Kills,
  killFigure,
  startReplicas,
  underKills,
} from "../kills.ts";
import { seededRandom } from "../random.ts";
import { acceptResting } from "../resting-load.ts";
import { atRest } from "../streams.ts";
import { EVENT_TYPE, type World } from "../world.ts";
import { appleToken, type DeviceVendors, startDeviceVendors } from "./device-vendors.ts";
import { type DeviceVerdict, judgeDevices, watchAcceptances } from "./device-verdict.ts";

interface DeviceRun {
  verdict: DeviceVerdict;
  kills: Kills;
  events: number;
}

const BATCH = 20;
const USERS = 30;
/** A user has 1 to so many devices. */
const MOST_DEVICES = 5;
const TWICE = `${EVENT_TYPE}.twice`;
/** No call times out: only a sender that died leaves a call in doubt. */
const PATIENT = { PROVIDER_TIMEOUT_MS: "15000", LEASE_MS: "20000", DELIVERY_ACK_WAIT_MS: "20000" };
const ONCE = `${EVENT_TYPE}.once`;

/**
 * Events of users with devices of all kinds, of which every third says "never send twice", through two dispatchers and
 * two device-senders. The senders are killed in a call and at any moment, as long as events come; then all comes to
 * rest, and what the vendors got is compared with the devices.
 */
export async function runDevices(t: Cleanup, options: KillRunOptions): Promise<DeviceRun> {
  const { seed, events, perSecond, killEveryMs, drainMs } = options;
  const random = seededRandom(seed);
  const world = await createKillWorld(t);
  const vendors = await startDeviceVendors(t, random);
  await setUp(world, vendors);
  await watchAcceptances(world.pool);

  let heard: (() => void)[] = [];
  vendors.heard = () => {
    for (const hear of heard) hear();
    heard = [];
  };
  const sender = { service: "device-sender", env: PATIENT } as const;
  const nextCall = () => new Promise<void>((resolve) => heard.push(resolve));
  const others = [{ service: "dispatcher" as const }];
  await startReplicas(world, [...others, sender]);
  const victims = [...others, { ...sender, nextCall }, sender];
  const killing = { victims, random, everyMs: killEveryMs };
  const { kills, load } = await underKills(world, killing, (until) =>
    acceptResting(world, { count: events, perSecond, batchSize: BATCH, until }, eventOf),
  );
  await atRest(world, drainMs, () => tryAllNow(world));
  return {
    verdict: await judgeDevices(world.pool, load, vendors.pushes),
    kills,
    events: load.length,
  };
}

const eventOf = (number: number) => ({
  ...{ key: `key-devices-${number}`, eventType: number % 3 === 0 ? ONCE : TWICE },
  ...{ userId: `user-${number % USERS}`, reference: null, traceId: "devices" },
});

async function setUp({ pool, tenants, keys }: World, vendors: DeviceVendors): Promise<void> {
  const db = createDatabase(pool);
  const tenantId = tenants[0]!.id;
  const deps = { keys, allowPrivateAddresses: true };
  for (const kind of DEVICE_KINDS) {
    const settings = vendors.accounts[kind] as Record<string, string>;
    await putActiveProvider(db, { tenantId, channel: "DEVICE", kind, settings }, deps);
  }
  for (const eventType of [TWICE, ONCE]) {
    await putTemplate(db, {
      ...{ tenantId, eventType, channel: "DEVICE", title: "Hello", content: "Hello {{key}}" },
      ...{ collapseKey: "{{key}}", atMostOnce: eventType === ONCE },
    });
  }
  const run = actsIn(db, tenantId, { keys: async () => keys });
  const { keys: browserKeys } = createBrowser();
  for (let user = 0; user < USERS; user += 1) {
    for (let nth = 0; nth <= user % MOST_DEVICES; nth += 1) {
      const deviceId = `device-${user}-${nth}`;
      const of = { userId: `user-${user}`, deviceId };
      const kind = DEVICE_KINDS[(user + nth) % DEVICE_KINDS.length]!;
      const subscription = { endpoint: vendors.endpoint(deviceId), keys: browserKeys };
      if (kind === "webpush") await run(putDevice, { ...of, kind, subscription });
      else if (kind === "fcm") await run(putDevice, { ...of, kind, token: deviceId });
      else {
        const token = appleToken(deviceId);
        await run(putDevice, { ...of, kind, token, environment: "production" });
      }
    }
  }
}

/** Gives whatever waits another try now. */
const tryAllNow = ({ pool }: World) =>
  pool.query(
    `update deliveries set due_at = now()
     where channel = 'DEVICE' and status = 'waiting' and released_at is null and due_at > now()`,
  );

/** A report for people, one fact per line. */
export function deviceFigures({ verdict, kills, events }: DeviceRun): string[] {
  const { messages, died, doubled, mostOfOne, unknown, leftOut } = verdict;
  return [
    `${events} events, ${messages} messages to devices`,
    killFigure(kills),
    `attempts whose sender died: ${died}; doubled: ${doubled}, at most ${mostOfOne} of one message`,
    `"never send twice": ${unknown} events ended as unknown, ${leftOut} devices got nothing of them`,
  ];
}
