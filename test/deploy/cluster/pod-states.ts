import { readFile } from "node:fs/promises";
import { createServer } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import type { Cleanup } from "@belfry/testing/cleanup";
import { listen } from "@belfry/testing/listen";
import type { ClusterApi } from "./cluster-api.ts";

const NODE = "node-of-the-test";
const EVERY_MS = 200;

/**
 * Takes the part of a node whose pods run nothing: a pod of a Deployment is soon ready, one of a Job or of `helm test`
 * soon succeeds, a deleted one goes, and the log of each is a line that says so.
 */
export async function runPods(
  t: Cleanup,
  api: ClusterApi,
  { certFile, keyFile }: { certFile: string; keyFile: string },
): Promise<void> {
  const [cert, key] = await Promise.all([readFile(certFile), readFile(keyFile)]);
  const logs = createServer({ cert, key }, (_, response) => {
    response.end("this pod only has a state\n");
  });
  await createNode(api, await listen(t, logs));
  const stopped = new AbortController();
  const ended = (async () => {
    while (!stopped.signal.aborted) {
      const { body } = await api.call("GET", "/api/v1/pods");
      for (const pod of body.items) await advance(api, pod);
      await sleep(EVERY_MS);
    }
  })();
  t.after(async () => {
    stopped.abort();
    await ended;
  });
}

// biome-ignore lint/suspicious/noExplicitAny: a pod of the API server
async function advance(api: ClusterApi, { metadata, spec, status }: any): Promise<void> {
  const path = `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}`;
  if (metadata.deletionTimestamp !== undefined) {
    await api.call("DELETE", path, { gracePeriodSeconds: 0, preconditions: { uid: metadata.uid } });
    return;
  }
  if (status.phase !== "Pending") return;
  if (spec.nodeName === undefined) {
    const target = { apiVersion: "v1", kind: "Node", name: NODE };
    await api.call("POST", `${path}/binding`, { metadata: { name: metadata.name }, target });
  }
  const at = new Date().toISOString();
  const isService = spec.restartPolicy === "Always";
  const conditions = ["Initialized", "PodScheduled", "ContainersReady", "Ready"].map((type) => ({
    type,
    status: isService || /^(Init|PodS)/.test(type) ? "True" : "False",
    lastTransitionTime: at,
  }));
  const state = isService
    ? { running: { startedAt: at } }
    : { terminated: { exitCode: 0, reason: "Completed", startedAt: at, finishedAt: at } };
  const containerStatuses = spec.containers.map(
    ({ name, image }: { name: string; image: string }) => ({
      ...{ name, image, imageID: image, restartCount: 0, state },
      ...{ ready: isService, started: isService },
    }),
  );
  const phase = isService ? "Running" : "Succeeded";
  await api.call("PATCH", `${path}/status`, {
    status: { phase, conditions, containerStatuses, startTime: at, podIP: "10.1.0.1" },
  });
}

async function createNode(api: ClusterApi, port: number): Promise<void> {
  await api.call("POST", "/api/v1/nodes", { metadata: { name: NODE } });
  await api.call("PATCH", `/api/v1/nodes/${NODE}/status`, {
    status: {
      addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
      daemonEndpoints: { kubeletEndpoint: { Port: port } },
    },
  });
}
