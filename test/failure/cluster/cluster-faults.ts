import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { deliveriesStream, eventsStream } from "@belfry/contracts/streams";
import type { Cleanup } from "@belfry/testing/cleanup";
import { eventually } from "@belfry/testing/eventually";
import { ownNatsCluster } from "@belfry/testing/nats-cluster";
import { ownPostgresCluster } from "@belfry/testing/postgres-cluster";
import type { Fault } from "../faults.ts";
import { whileFrozen } from "../freeze.ts";
import type { FailureSettings } from "../settings.ts";
import { createWorldOn } from "../world.ts";

/** Belfry on three nats-servers, and on a Postgres primary with two standbys. */
export async function createClusterWorld(t: Cleanup, settings: FailureSettings) {
  const [nats, postgres] = await Promise.all([ownNatsCluster(t), ownPostgresCluster(t)]);
  return createWorldOn(t, settings, { nats, postgres, env: { NATS_REPLICAS: "3" } });
}

type ClusterWorld = Awaited<ReturnType<typeof createClusterWorld>>;
type ClusterFault = Fault<ClusterWorld>;

const streamsOf = ({ prefix }: ClusterWorld) => [
  eventsStream(prefix).name,
  deliveriesStream(prefix).name,
];

/** Ends a fault only when all copies are whole again, so that the next one begins with three. */
function thenWhole(fault: ClusterFault): ClusterFault {
  return {
    ...fault,
    async run(world) {
      await fault.run(world);
      await copiesAreWhole(world);
      await world.postgres.untilReplicated();
    },
  };
}

async function copiesAreWhole(world: ClusterWorld): Promise<void> {
  const names = world.nats.nodes.map(({ name }) => name).sort();
  for (const stream of streamsOf(world)) {
    await eventually(async () => assert.deepEqual(await world.nats.currentCopies(stream), names));
  }
}

const killedAndBack = (at: number): ClusterFault => ({
  name: `kill -9 nats-server ${at + 1} of 3, restart`,
  async run({ nats, settings }) {
    const node = nats.nodes[at]!;
    await node.kill();
    await sleep(settings.faultMs);
    await node.start();
  },
});

const frozen = (at: number): ClusterFault => ({
  name: `nats-server ${at + 1} of 3 frozen`,
  async run({ nats, settings }) {
    const { storeDir } = nats.nodes[at]!;
    await whileFrozen("nats-server", storeDir, () => sleep(settings.frozenMs));
  },
});

const leaderKilled = (which: 0 | 1): ClusterFault => ({
  name: `kill -9 the leader of the stream of ${which === 0 ? "events" : "deliveries"}, restart`,
  async run(world) {
    const leader = await world.nats.leaderOf(streamsOf(world)[which]!);
    await leader.kill();
    await sleep(world.settings.faultMs);
    await leader.start();
  },
});

/** In the order of the table; each leaves three nats-servers and three Postgres servers. */
export const CLUSTER_FAULTS: readonly ClusterFault[] = [
  { name: "none", unnoticed: true, run: ({ settings }: ClusterWorld) => sleep(settings.faultMs) },
  killedAndBack(0),
  killedAndBack(1),
  killedAndBack(2),
  frozen(0),
  frozen(1),
  frozen(2),
  { ...leaderKilled(0), short: true },
  leaderKilled(1),
  {
    name: "kill -9 two of three nats-servers, restart",
    async run({ nats, settings }: ClusterWorld) {
      const [, ...two] = nats.nodes;
      await Promise.all(two.map((node) => node.kill()));
      await sleep(settings.awayMs);
      await Promise.all(two.map((node) => node.start()));
    },
  },
  {
    name: "one nats-server lost for good, replaced by a new one",
    async run({ nats }: ClusterWorld) {
      await nats.replace(nats.nodes[0]!);
    },
  },
  {
    name: "kill -9 one of two standbys of Postgres, restart",
    unnoticed: true,
    async run({ postgres, settings }: ClusterWorld) {
      const [name] = postgres.standbyNames() as [string];
      await postgres.kill(name);
      await sleep(settings.faultMs);
      await postgres.restart(name);
    },
  },
  {
    name: "kill -9 both standbys of Postgres, restart",
    async run({ postgres, settings }: ClusterWorld) {
      const names = postgres.standbyNames();
      for (const name of names) await postgres.kill(name);
      await sleep(settings.faultMs);
      for (const name of names) await postgres.restart(name);
    },
  },
  {
    name: "kill -9 the primary of Postgres, a standby promoted",
    async run({ postgres }: ClusterWorld) {
      await postgres.killPrimary();
      await postgres.rebuild(await postgres.failOver());
    },
  },
  {
    name: "the primary of Postgres frozen, a standby promoted, the old one thawed behind the proxy",
    short: true,
    async run({ postgres, settings }: ClusterWorld) {
      const marker = postgres.primaryMarker();
      let old = "";
      await whileFrozen("postgres", marker, async () => {
        await sleep(settings.faultMs);
        old = await postgres.failOver();
      });
      await sleep(settings.faultMs);
      await postgres.rebuild(old);
    },
  },
].map(thenWhole);
