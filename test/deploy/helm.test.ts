import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { createDatabase, createPool } from "@belfry/database/connection";
import { parseSecretKeys } from "@belfry/database/secrets";
import { freePort } from "@belfry/testing/free-port";
import { testNatsUrl, testPrefix } from "@belfry/testing/nats";
import { createTestDatabase } from "@belfry/testing/postgres";
import { startProcess } from "@belfry/testing/processes";
import { parse, parseAllDocuments } from "yaml";
import {
  asKustomize,
  CHART,
  chartObjects,
  everyOption,
  helm,
  kustomizeBase,
  kustomizeOverlay,
  OVERLAYS,
  runHelm,
} from "./chart.ts";
import { ruleFaults } from "./kubernetes-rules.ts";
import { schemaFaults } from "./kubernetes-schemas.ts";
import { programOnPath } from "./program-on-path.ts";
import { type KubernetesObject, nameOf, renderObjects } from "./rendered-objects.ts";
import { SERVICE_VARIABLES } from "./service-variables.ts";

const KUSTOMIZE = resolve(import.meta.dirname, "../../deploy/kubernetes");
const INGEST_API = new URL("../../services/ingest-api/src/main.ts", import.meta.url);
const skip = helm === undefined ? "BELFRY_WITHOUT_HELM is set" : false;
const kubectl = await programOnPath("kubectl", {
  install: "apt-get install kubernetes-client",
  withoutVariable: "BELFRY_WITHOUT_KUBECTL",
});
const skipBoth = kubectl === undefined ? "BELFRY_WITHOUT_KUBECTL is set" : skip;

test("the Kustomize base, and the replicas and autoscalers of its overlays, are what the chart renders", {
  skip,
}, async (t) => {
  const { objects, kustomization } = await kustomizeBase();
  matches(t, objects, "base/objects.yaml");
  const read = (version: "1.1" | "1.2") =>
    parseAllDocuments(objects, { version }).map((one) => one.toJS());
  assert.deepEqual(read("1.1"), read("1.2"), "an older kubectl reads the same");
  matches(t, kustomization, "base/kustomization.yaml");
  const { small, production, "production-keda": keda } = OVERLAYS;
  const overlays = [
    ["small", small, [], undefined],
    ["production", production, [], "autoscalers.yaml"],
    ["production-keda", keda, production, "scaled-objects.yaml"],
  ] as const;
  for (const [overlay, files = [], below = [], scalersFile] of overlays) {
    const { replicas, scalers } = await kustomizeOverlay(files, below);
    matches(t, replicas, `overlays/${overlay}/replicas.yaml`);
    if (scalersFile !== undefined) matches(t, scalers, `overlays/${overlay}/${scalersFile}`);
  }
});

for (const [overlay, files] of Object.entries({ "../base": [], ...OVERLAYS })) {
  const values = files.join(" and ") || "no values";
  test(`the chart with ${values} is the same objects as Kustomize's ${overlay}`, {
    skip: skipBoth,
  }, async () => {
    const ofChart = (await chartObjects(files)).map(asKustomize);
    const rendered = await renderObjects(kubectl!, join(KUSTOMIZE, "overlays", overlay));
    const ofKustomize = rendered.filter(({ kind }) => kind !== "Namespace");
    assert.equal(rendered.length, ofKustomize.length + 1);
    assert.deepEqual(byName(withoutHashes(ofKustomize)), byName(ofChart));
  });
}

test("every object of the chart's options has the shape that Kubernetes knows, and follows the rules", {
  skip,
}, async (t) => {
  const all = await chartObjects(OVERLAYS["production-keda"]!, ...(await everyOption(t)));
  assert.deepEqual(all.flatMap(schemaFaults), []);
  assert.deepEqual(ruleFaults(all.map(asKustomize)), []);
  const kinds = new Set(all.map(({ kind }) => kind));
  for (const kind of ["HTTPRoute", "ServiceMonitor", "PrometheusRule", "Pod", "ScaledObject"]) {
    assert.ok(kinds.has(kind), kind);
  }
  assert.ok(!kinds.has("Ingress"));
});

test("the HTTPRoutes lead each path to the service of the Ingress, and a WebSocket has no time-out", {
  skip,
}, async (t) => {
  const objects = [
    ...(await chartObjects([])),
    ...(await chartObjects([], ...(await everyOption(t)))),
  ];
  const ofIngress: Record<string, string> = {};
  const ofRoutes: Record<string, string> = {};
  for (const { kind, spec } of objects) {
    if (kind === "Ingress") {
      for (const { path, backend } of spec.rules[0].http.paths) {
        ofIngress[path] = backend.service.name;
      }
    }
    if (kind !== "HTTPRoute") continue;
    for (const {
      matches: [match],
      backendRefs,
      timeouts,
    } of spec.rules) {
      const [{ name, port }] = backendRefs;
      ofRoutes[match.path.value] = name;
      assert.equal(port, 80);
      assert.equal(timeouts?.request, name === "realtime-gateway" ? "0s" : undefined);
    }
  }
  assert.equal(ofIngress["/connection"], "realtime-gateway");
  assert.deepEqual(ofRoutes, ofIngress);
});

test("Prometheus scrapes every service under the job's name that the alerts ask for, and has the alerts", {
  skip,
}, async (t) => {
  const objects = await chartObjects([], ...(await everyOption(t)));
  const monitor = objects.find(({ kind }) => kind === "ServiceMonitor")!;
  const { selector, endpoints } = monitor.spec;
  const [relabeling] = endpoints[0].relabelings;
  assert.deepEqual(relabeling.sourceLabels, [
    "__meta_kubernetes_service_label_app_kubernetes_io_name",
  ]);
  const label = "app.kubernetes.io/component";
  const scraped = objects.filter(
    ({ kind, metadata }) =>
      kind === "Service" && metadata.labels?.[label] === selector.matchLabels[label],
  );
  const jobs = scraped.map(({ metadata, spec }) => {
    assert.equal(spec.ports[0].name, endpoints[0].port);
    assert.equal(spec.ports[0].targetPort, "management");
    return relabeling.replacement.replace("$1", metadata.labels?.["app.kubernetes.io/name"]);
  });
  assert.deepEqual(
    jobs.sort(),
    Object.keys(SERVICE_VARIABLES)
      .map((name) => `belfry-${name}`)
      .sort(),
  );
  const rule = objects.find(({ kind }) => kind === "PrometheusRule")!;
  const alerts = rule.spec.groups.flatMap(({ rules }: { rules: { alert: string }[] }) => rules);
  assert.ok(alerts.some(({ alert }: { alert: string }) => alert === "BelfryServiceDown"));
  for (const { metadata } of [monitor, rule]) assert.equal(metadata.labels?.release, "prometheus");
});

test("the secrets, their Secret, extra variables and the image are those of the values", {
  skip,
}, async (t) => {
  const objects = await chartObjects([], ...(await everyOption(t)));
  const deployment = objects.find(
    ({ kind, metadata }) => kind === "Deployment" && metadata.name === "ingest-api",
  )!;
  const { containers, imagePullSecrets } = deployment.spec.template.spec;
  const [{ env, image }] = containers;
  assert.equal(image, "registry.example.org/bells/ingest-api:1.2.3");
  assert.deepEqual(imagePullSecrets, [{ name: "pull" }]);
  assert.deepEqual(env.at(-1), { name: "ACCEPT_CONNECTIONS", value: "6" });
  const names = env.flatMap((one: { valueFrom?: { secretKeyRef: { name: string } } }) => {
    return one.valueFrom?.secretKeyRef.name ?? [];
  });
  assert.deepEqual([...new Set(names)], ["ours"]);
  const ofAdmin = (kind: string) =>
    objects.find((one) => one.kind === kind && one.metadata.name === "admin")!;
  const {
    containers: [admin],
    volumes,
  } = ofAdmin("Deployment").spec.template.spec;
  const [{ mountPath }] = admin.volumeMounts.filter(
    (one: { name: string }) => one.name === "bootstrap",
  );
  const file = admin.env.find((one: { name: string }) => one.name === "BOOTSTRAP_FILE").value;
  assert.equal(file, `${mountPath}/bootstrap.json`);
  assert.deepEqual(volumes.at(-1), { name: "bootstrap", secret: { secretName: "acme" } });
  const map = ofAdmin("ConfigMap");
  assert.equal(map.data.WS_URL, "wss://notify.example.org/connection/websocket");
});

test("every pod has what the values say of pods, and a service's own beside it or in its place", {
  skip,
}, async (t) => {
  const objects = await chartObjects([], ...(await everyOption(t)));
  const pods = Object.fromEntries(
    objects.flatMap(({ kind, metadata, spec }) => {
      if (kind === "Pod") return [[metadata.name, { metadata, spec }]];
      return /^(Deployment|Job)$/.test(kind)
        ? [[metadata.name.replace(/-[0-9a-f]{8}$/, ""), spec.template]]
        : [];
    }),
  );
  assert.equal(Object.keys(pods).length, Object.keys(SERVICE_VARIABLES).length + 2);
  for (const [name, { metadata, spec }] of Object.entries(pods)) {
    assert.equal(metadata.annotations["example.org/scan"], "true", name);
    assert.equal(spec.serviceAccountName, "bells", name);
    assert.equal(spec.priorityClassName, "services", name);
    assert.deepEqual(spec.tolerations, [{ key: "services", operator: "Exists" }], name);
    assert.ok(spec.affinity.nodeAffinity, name);
    const isApi = name === "ingest-api";
    assert.equal(metadata.labels.team, isApi ? "api" : "bells", name);
    assert.deepEqual(spec.nodeSelector, { pool: isApi ? "api" : "services" }, name);
    if (name === "send-info") continue;
    const [container] = spec.containers;
    const textOf = (variable: string) =>
      container.env.find((one: { name: string }) => one.name === variable)?.value;
    assert.equal(textOf("LOG_LEVEL"), "warn", name);
    assert.equal(
      textOf("NODE_EXTRA_CA_CERTS"),
      `/etc/belfry/ca/${isApi ? "root.pem" : "ca.crt"}`,
      name,
    );
    const mounted = container.volumeMounts.map((one: { name: string }) => one.name);
    const volumes = spec.volumes.map((one: { name: string }) => one.name);
    assert.deepEqual(mounted.sort(), volumes.sort(), name);
    assert.ok(volumes.includes("more") && volumes.includes("ca"), name);
  }
  const [rack] = pods["ingest-api"].spec.topologySpreadConstraints;
  assert.equal(rack.topologyKey, "rack");
  assert.deepEqual(rack.labelSelector.matchLabels, { "app.kubernetes.io/name": "ingest-api" });
});

test("security contexts can be left out whole or by their fields, and so can limits", {
  skip,
}, async () => {
  const specOf = async (...options: string[]) => {
    const objects = await chartObjects([], ...options);
    return objects.find(({ kind }) => kind === "Deployment")!.spec.template.spec;
  };
  const none = await specOf("--set", "podSecurityContext=null,securityContext=null");
  assert.equal(none.securityContext, undefined);
  assert.equal(none.containers[0].securityContext, undefined);
  const values = ["--values", join(CHART, "values-openshift.yaml")];
  const { securityContext } = await specOf(...values);
  assert.deepEqual(securityContext, {
    runAsNonRoot: true,
    seccompProfile: { type: "RuntimeDefault" },
  });
  const { containers } = await specOf("--set", "services.admin.resources.limits.cpu=null");
  assert.deepEqual(Object.keys(containers[0].resources.limits), ["memory"]);
});

test("a migration of another version is another Job, since a Job cannot be changed", {
  skip,
}, async () => {
  const jobOf = async (...options: string[]) => {
    const job = (await chartObjects([], ...options)).find(({ kind }) => kind === "Job")!;
    assert.equal((job.metadata as { annotations?: object }).annotations, undefined, "no hook");
    return job.metadata.name;
  };
  const [first, same, next] = [
    await jobOf(),
    await jobOf(),
    await jobOf("--set", "image.tag=0.2.0"),
  ];
  assert.equal(first, same);
  assert.notEqual(first, next);
});

test("lint finds nothing in the chart", { skip }, async () => {
  for (const files of [[], ["values-openshift.yaml"], ...Object.values(OVERLAYS)]) {
    const values = files.flatMap((file) => ["--values", join(CHART, file)]);
    assert.match(await runHelm("lint", ["--strict", ...values]), /1 chart\(s\) linted, 0 .*failed/);
  }
});

test("a wrong value is refused with its place and the rule", { skip }, async () => {
  const cases: [string, RegExp][] = [
    [
      "services.ingest-api.replicas=two",
      /'\/services\/ingest-api\/replicas': got string, want int/,
    ],
    [
      "services.ingestapi.replicas=1",
      /services\.ingestapi: there is no such service; there are admin/,
    ],
    [
      "services.admin.replica=1",
      /'\/services\/admin': additional properties 'replica' not allowed/,
    ],
    ["existingSecret=null", /'': missing property 'existingSecret'/],
    ["secrets.DATABASE_URL=x", /'': additional properties 'secrets' not allowed/],
    ["host=https://a.example", /'\/host': 'https:\/\/a\.example' does not match pattern/],
    ["env.LOG_LEVEL=1", /'\/env\/LOG_LEVEL': got number, want string/],
    ["httpRoute.enabled=true", /'\/httpRoute\/parentRefs': minItems: got 0, want 1/],
    ["services.admin.autoscaling.by=vpa", /must be one of 'hpa', 'keda'/],
    ["services.admin.autoscaling.by=hpa", /autoscaling': missing propert.* 'minReplicas'/],
    [
      "services.admin.autoscaling.by=keda,services.admin.autoscaling.minReplicas=1,services.admin.autoscaling.maxReplicas=2",
      /services\.admin\.autoscaling\.by: keda scales by the lag of consumers, and admin has none/,
    ],
  ];
  for (const [option, expected] of cases) {
    await assert.rejects(runHelm("template", ["--set", option]), expected, option);
  }
});

test("helm test sends one global.info, and fails where ingest-api refuses it", {
  skip,
}, async (t) => {
  const database = await createTestDatabase(t);
  const secretsKeys = `k1:${Buffer.alloc(32, 7).toString("base64")}`;
  const db = createDatabase(createPool({ url: database.url, applicationName: "helm-test" }));
  t.after(() => db.destroy());
  const keys = parseSecretKeys(secretsKeys);
  const tenant = await createTenant(db, { name: "Acme", perMinute: 10 }, keys);
  const port = await freePort();
  const env = {
    DATABASE_URL: database.url,
    NATS_URL: testNatsUrl(),
    NATS_PREFIX: testPrefix(t),
    SECRETS_KEYS: secretsKeys,
    REALTIME_TOKEN_KEYS: secretsKeys,
    INGEST_API_PORT: String(port),
  };
  await startProcess(t, { main: INGEST_API, env });
  const objects = await chartObjects([], ...(await everyOption(t)));
  const { metadata, spec } = objects.find(({ kind }) => kind === "Pod")!;
  assert.equal(
    (metadata as { annotations?: Record<string, string> }).annotations?.["helm.sh/hook"],
    "test",
  );
  const [{ command, args }] = spec.containers;
  const [program, ...options] = [...command, ...args];
  assert.equal(program, "node");
  const sent = (apiKey: string) =>
    promisify(execFile)(process.execPath, options, {
      env: { INGEST_API_URL: `http://127.0.0.1:${port}`, API_KEY: apiKey, USER_ID: "helm-test" },
    });
  await assert.rejects(sent(`bf_${"0".repeat(40)}`), { code: 1 });
  assert.match((await sent(tenant.apiKey)).stdout, /^200 .*global\.info dispatched/);
  const events = await db.selectFrom("events").select(["event_type", "user_id"]).execute();
  assert.deepEqual(events, [{ event_type: "global.info", user_id: "helm-test" }]);
});

test("NATS' own chart gets as many servers as the streams have copies, and they sync what they acknowledge", async () => {
  const [nats, production] = await Promise.all(
    [join(CHART, "../nats-values.yaml"), join(CHART, "values-production.yaml")].map(async (file) =>
      parse(await readFile(file, "utf8")),
    ),
  );
  const { cluster, jetstream } = nats.config;
  assert.equal(cluster.enabled, true);
  assert.equal(String(cluster.replicas), production.env.NATS_REPLICAS);
  assert.equal(jetstream.merge.sync_interval, "always");
});

/** ConfigMaps under the names that they have before Kustomize adds a hash of their content. */
function withoutHashes(objects: readonly KubernetesObject[]): KubernetesObject[] {
  const names = objects.filter(({ kind }) => kind === "ConfigMap").map((one) => one.metadata.name);
  const text = names.reduce(
    (whole, name) => whole.replaceAll(`"${name}"`, `"${name.replace(/-[a-z0-9]{10}$/, "")}"`),
    JSON.stringify(objects),
  );
  return JSON.parse(text);
}

function byName(objects: readonly KubernetesObject[]): Record<string, KubernetesObject> {
  const named = Object.fromEntries(objects.map((one) => [nameOf(one), one]));
  assert.equal(Object.keys(named).length, objects.length);
  return named;
}

function matches(t: TestContext, text: string, file: string): void {
  t.assert.fileSnapshot(text, join(KUSTOMIZE, file), { serializers: [(value: string) => value] });
}
