import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type NatsServer, startNats } from "@belfry/local/servers/nats-server";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import type { Cleanup } from "./cleanup.ts";
import { eventually } from "./eventually.ts";
import { freePort } from "./free-port.ts";

const SYSTEM = { user: "system", password: "system" };

export interface ClusterNode {
  name: string;
  url: string;
  /** The folder of its JetStream files. */
  storeDir: string;
  /** Sends SIGKILL. */
  kill(): Promise<void>;
  /** Sends SIGTERM, so that the server informs the other servers. */
  stop(): Promise<void>;
  /** Starts the server again on the same ports and files. */
  start(): Promise<void>;
}

/**
 * Starts three nats-servers that keep three copies of each stream, for one test. After the test they are stopped and
 * their files are removed.
 */
export async function ownNatsCluster(t: Cleanup) {
  const directory = await mkdtemp(join(tmpdir(), "belfry-nats-cluster-"));
  const routePorts = [await freePort(), await freePort(), await freePort()];
  const routes = routePorts.map((port) => `nats://127.0.0.1:${port}`);
  const running = new Set<NatsServer>();
  let latest = 0;

  const newNode = async (routePort: number): Promise<ClusterNode> => {
    latest += 1;
    const name = `node-${latest}`;
    const port = await freePort();
    const storeDir = join(directory, name);
    let server: NatsServer | undefined;
    const end = async (how: "kill" | "stop") => {
      const ending = server;
      server = undefined;
      if (ending === undefined) return;
      running.delete(ending);
      await ending[how]();
    };
    return {
      name,
      url: `nats://127.0.0.1:${port}`,
      storeDir,
      kill: () => end("kill"),
      stop: () => end("stop"),
      async start() {
        const cluster = { name, port: routePort, routes, systemUser: SYSTEM };
        server = await startNats({ storeDir, port, durable: true, log: () => undefined, cluster });
        running.add(server);
      },
    };
  };
  const nodes: ClusterNode[] = [];
  for (const port of routePorts) nodes.push(await newNode(port));
  t.after(async () => {
    await Promise.all([...running].map((server) => server.kill()));
    await rm(directory, { recursive: true, force: true });
  });
  await Promise.all(nodes.map((node) => node.start()));

  const cluster = {
    nodes,
    /** The URLs of all servers, comma-separated as in `NATS_URL`. */
    url: nodes.map(({ url }) => url).join(","),
    /** Returns the server that leads this stream. Waits until there is one. */
    async leaderOf(stream: string): Promise<ClusterNode> {
      return withConnection(cluster.url, async (nc) => {
        const manager = await jetstreamManager(nc, { checkAPI: false });
        let leader: ClusterNode | undefined;
        await eventually(async () => {
          const info = await manager.streams.info(stream);
          leader = nodes.find(({ name }) => name === info.cluster?.leader);
          return leader !== undefined;
        });
        return leader!;
      });
    },
    /** Returns the names of the servers whose copy of this stream is complete. */
    async currentCopies(stream: string): Promise<string[]> {
      return withConnection(cluster.url, async (nc) => {
        const manager = await jetstreamManager(nc, { checkAPI: false });
        const { cluster: state } = await manager.streams.info(stream);
        const followers = (state?.replicas ?? []).filter(
          ({ current, offline }) => current && !offline,
        );
        return [state?.leader ?? "", ...followers.map(({ name }) => name)].sort();
      });
    },
    /** Removes a dead server from the cluster permanently, and starts a new, empty one in its place. */
    async replace(dead: ClusterNode): Promise<ClusterNode> {
      await dead.kill();
      const at = nodes.indexOf(dead);
      const fresh = await newNode(routePorts[at]!);
      nodes[at] = fresh;
      await fresh.start();
      await withConnection(cluster.url, (nc) => removePeer(nc, dead.name), SYSTEM);
      return fresh;
    },
  };
  return cluster;
}

async function removePeer(nc: NatsConnection, peer: string): Promise<void> {
  await eventually(async () => {
    const answer = await nc.request("$JS.API.SERVER.REMOVE", JSON.stringify({ peer }));
    const { success, error } = answer.json<{
      success?: boolean;
      error?: { description: string };
    }>();
    if (success !== true) throw new Error(error?.description);
    return true;
  });
}

async function withConnection<T>(
  urls: string,
  work: (nc: NatsConnection) => Promise<T>,
  user: { user?: string; password?: string } = {},
): Promise<T> {
  const { password: pass, ...name } = user;
  const nc = await connect({
    servers: urls.split(","),
    ...name,
    ...(pass !== undefined && { pass }),
  });
  try {
    return await work(nc);
  } finally {
    await nc.close();
  }
}
