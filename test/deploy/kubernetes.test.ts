import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { SENT_CHANNELS } from "@belfry/contracts/channels";
import { deliveriesConsumer, EVENT_LANES, eventsConsumer } from "@belfry/contracts/streams";
import { ruleFaults } from "./kubernetes-rules.ts";
import { schemaFaults } from "./kubernetes-schemas.ts";
import { edgesOfPolicies, edgesOfTable } from "./network-table.ts";
import { programOnPath } from "./program-on-path.ts";
import { type KubernetesObject, renderObjects } from "./rendered-objects.ts";
import { SERVICE_VARIABLES } from "./service-variables.ts";

const FOLDER = resolve(import.meta.dirname, "../../deploy/kubernetes");
const OVERLAYS = ["small", "production", "production-keda"];
const kubectl = await programOnPath("kubectl", {
  install: "apt-get install kubernetes-client",
  withoutVariable: "BELFRY_WITHOUT_KUBECTL",
});
const skip = kubectl === undefined ? "BELFRY_WITHOUT_KUBECTL is set" : false;
const rendered = new Map<string, KubernetesObject[]>();
for (const overlay of kubectl === undefined ? [] : OVERLAYS) {
  rendered.set(overlay, await renderObjects(kubectl!, join(FOLDER, "overlays", overlay)));
}

for (const overlay of OVERLAYS) {
  test(`${overlay}: every object has the shape that Kubernetes knows`, { skip }, () => {
    const objects = rendered.get(overlay)!;
    assert.deepEqual(objects.flatMap(schemaFaults), []);
  });

  test(`${overlay}: every service runs, with rights, probes, limits and variables as they should be`, {
    skip,
  }, () => {
    const objects = rendered.get(overlay)!;
    assert.deepEqual(ruleFaults(objects), []);
    const names = objects
      .filter(({ kind }) => kind === "Deployment")
      .map((one) => one.metadata.name);
    assert.deepEqual(names.sort(), Object.keys(SERVICE_VARIABLES).sort());
  });

  test(`${overlay}: the NetworkPolicies allow what the table says and nothing else`, {
    skip,
  }, async () => {
    const table = edgesOfTable(await readFile(join(FOLDER, "README.md"), "utf8"));
    assert.ok(table.length > 0);
    assert.deepEqual(edgesOfPolicies(rendered.get(overlay)!), table);
  });
}

test("one host: every path leads to the service that answers it", { skip }, () => {
  const targets: Record<string, string> = {};
  const ports: Record<string, unknown> = {};
  const objects = rendered.get("production")!;
  for (const { metadata, spec } of objects.filter(({ kind }) => kind === "Ingress")) {
    for (const { host, http } of spec.rules) {
      assert.equal(host, "belfry.example.com");
      for (const { path, backend } of http.paths) targets[path] = backend.service.name;
    }
    ports[metadata.name] = spec.tls[0]?.secretName;
  }
  assert.deepEqual(targets, {
    "/api/v1/manage": "admin",
    "/api": "ingest-api",
    "/webhooks": "ingest-api",
    "/unsubscribe": "ingest-api",
    "/preferences": "ingest-api",
    "/docs": "ingest-api",
    "/images": "ingest-api",
    "/packages": "ingest-api",
    "/openapi.json": "ingest-api",
    "/connection": "realtime-gateway",
    "/": "admin",
  });
  for (const name of new Set(Object.values(targets))) {
    const service = objects.find((one) => one.kind === "Service" && one.metadata.name === name);
    assert.equal(service?.spec.ports[0].targetPort, "http");
  }
  const realtime = objects.find(({ metadata }) => metadata.name === "belfry-realtime");
  const { annotations } = realtime!.metadata as { annotations?: Record<string, string> };
  const seconds = Number(annotations?.["nginx.ingress.kubernetes.io/proxy-read-timeout"]);
  const gateway = SERVICE_VARIABLES["realtime-gateway"]!.schema.properties;
  assert.ok(seconds * 1000 > 2 * gateway.PING_INTERVAL_MS!.default);
});

test("autoscaling looks at the consumers that exist", { skip }, () => {
  const watched = rendered
    .get("production-keda")!
    .filter(({ kind }) => kind === "ScaledObject")
    .flatMap(({ spec }) => spec.triggers)
    .map(({ metadata }) => `${metadata.stream} ${metadata.consumer}`);
  const consumers = [
    ...EVENT_LANES.map((lane) => eventsConsumer("belfry", lane)),
    ...SENT_CHANNELS.map((channel) => deliveriesConsumer("belfry", channel)),
  ];
  assert.deepEqual(
    watched.sort(),
    consumers.map(({ stream, durable }) => `${stream} ${durable}`).sort(),
  );
});

test("the checks notice what would hurt", { skip }, () => {
  const objects = rendered.get("production")!;
  const broken = (change: (deployment: KubernetesObject) => void) => {
    const copy = structuredClone(objects);
    change(
      copy.find(({ kind, metadata }) => kind === "Deployment" && metadata.name === "dispatcher")!,
    );
    return [...copy.flatMap(schemaFaults), ...ruleFaults(copy)];
  };
  const container = (deployment: KubernetesObject) => deployment.spec.template.spec.containers[0];
  const cases: [RegExp, (deployment: KubernetesObject) => void][] = [
    [/no such field.*livenesProbe/, (one) => (container(one).livenesProbe = {})],
    [/cpu/, (one) => (container(one).resources.limits.cpu = "2x")],
    [
      /not pinned/,
      (one) => (container(one).image = "registry.example.com/belfry/dispatcher:latest"),
    ],
    [
      /LOG_LEVL: is not read/,
      (one) => container(one).env.push({ name: "LOG_LEVL", value: "info" }),
    ],
    [/NATS_URL: is required/, (one) => (container(one).env = container(one).env.slice(0, 1))],
    [
      /in the open/,
      (one) => (container(one).env[0] = { name: "DATABASE_URL", value: "postgres://x" }),
    ],
    [/killed before/, (one) => (one.spec.template.spec.terminationGracePeriodSeconds = 30)],
    [/run as root/, (one) => (one.spec.template.spec.securityContext.runAsNonRoot = false)],
  ];
  for (const [expected, change] of cases) {
    const faults = broken(change);
    assert.ok(
      faults.some((fault) => expected.test(fault)),
      `${expected}: ${faults.join("; ")}`,
    );
  }
});
