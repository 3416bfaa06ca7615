import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import type { Cleanup } from "@belfry/testing/cleanup";
import { temporaryFolder } from "@belfry/testing/temporary-folder";
import { Document, stringify } from "yaml";
import { HELM } from "../runner/needed-tools.ts";
import { programOnPath } from "./program-on-path.ts";
import { type KubernetesObject, nameOf, readObjects } from "./rendered-objects.ts";

const run = promisify(execFile);
export const CHART = resolve(import.meta.dirname, "../../deploy/helm/belfry");

/** The overlays of Kustomize with the chart's files of values that say the same. */
export const OVERLAYS: Record<string, string[]> = {
  small: ["values-small.yaml"],
  production: ["values-production.yaml"],
  "production-keda": ["values-production.yaml", "values-keda.yaml"],
};

/** Undefined if BELFRY_WITHOUT_HELM is set. */
export const helm = await programOnPath("helm", HELM);

/** Runs Helm with the chart, as release `belfry` in the namespace `belfry`; rejects with what it says of faults. */
export async function runHelm(command: "lint" | "template", options: string[]): Promise<string> {
  const names = command === "template" ? ["belfry"] : [];
  const args = [command, ...names, CHART, "--namespace", "belfry", ...options];
  const { stdout } = await run(helm!, args, { maxBuffer: 16 * 1024 * 1024 });
  return stdout;
}

/** The objects that `helm install` would send. */
export async function chartObjects(
  files: readonly string[],
  ...options: string[]
): Promise<KubernetesObject[]> {
  const values = files.flatMap((file) => ["--values", join(CHART, file)]);
  return readObjects(await runHelm("template", [...values, ...options]));
}

/** Options of Helm that switch everything on that the default values leave out. */
export async function everyOption(t: Cleanup): Promise<string[]> {
  const file = join(await temporaryFolder(t, "helm-values"), "values.yaml");
  const monitoring = { enabled: true, labels: { release: "prometheus" } };
  const values = {
    host: "notify.example.org",
    existingSecret: "ours",
    image: {
      registry: "registry.example.org/bells",
      tag: "1.2.3",
      pullSecrets: [{ name: "pull" }],
    },
    podLabels: { team: "bells" },
    podAnnotations: { "example.org/scan": "true" },
    nodeSelector: { pool: "services" },
    tolerations: [{ key: "services", operator: "Exists" }],
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: "arch", operator: "Exists" }] }],
        },
      },
    },
    priorityClassName: "services",
    extraEnv: [{ name: "LOG_LEVEL", value: "warn" }],
    extraVolumes: [{ name: "more", emptyDir: {} }],
    extraVolumeMounts: [{ name: "more", mountPath: "/more" }],
    caBundle: { existingConfigMap: "corporate-ca" },
    serviceAccount: { name: "bells", annotations: { "example.org/role": "bells" } },
    services: {
      "ingest-api": {
        extraEnv: [{ name: "ACCEPT_CONNECTIONS", value: "6" }],
        podLabels: { team: "api" },
        nodeSelector: { pool: "api" },
        topologySpreadConstraints: [
          { maxSkew: 2, topologyKey: "rack", whenUnsatisfiable: "DoNotSchedule" },
          { maxSkew: 1, topologyKey: "kubernetes.io/hostname", whenUnsatisfiable: "DoNotSchedule" },
        ],
        caBundle: { existingConfigMap: "api-ca", key: "root.pem" },
      },
    },
    ingress: { enabled: false },
    httpRoute: { enabled: true, parentRefs: [{ name: "public", namespace: "gateways" }] },
    serviceMonitor: monitoring,
    prometheusRule: monitoring,
    bootstrap: { existingSecret: "acme" },
    test: { existingSecret: "acme" },
  };
  await writeFile(file, stringify(values));
  return ["--values", file];
}

const ROLLED_BY = "checksum/variables";

/** The files of the Kustomize base, made of the chart's default objects; the chart is where they are edited. */
export async function kustomizeBase(): Promise<{ objects: string; kustomization: string }> {
  const rendered = await chartObjects([]);
  const maps = rendered.filter(({ kind }) => kind === "ConfigMap");
  const objects = rendered.filter(({ kind }) => kind !== "ConfigMap").map(asKustomize);
  const kustomization = {
    apiVersion: "kustomize.config.k8s.io/v1beta1",
    kind: "Kustomization",
    namespace: "belfry",
    resources: ["namespace.yaml", "objects.yaml"],
    configMapGenerator: maps.map(({ metadata, data }) => ({
      name: metadata.name,
      literals: Object.entries(data as Record<string, string>).map((entry) => entry.join("=")),
    })),
  };
  return {
    objects: written(objects),
    kustomization: `${HEAD}# Fields that every kubectl since 1.14 renders, that of Debian 12 (1.20) too: \`bases\`, no \`components\`. A change of a value
# changes the name of its map, and so rolls the Deployment.
${new Document(kustomization).toString()}`,
  };
}

const HEAD = `# Rendered from the chart deploy/helm/belfry. Edit the chart, then:
#   npx --yes pnpm@12 test --test-update-snapshots test/deploy/helm.test.ts
`;

/** An overlay's autoscalers and its Deployments' replicas, where they differ from those of the overlay below it. */
export async function kustomizeOverlay(files: readonly string[], below: readonly string[]) {
  const [objects, others] = await Promise.all([chartObjects(files), chartObjects(below)]);
  const isScaler = ({ kind }: KubernetesObject) =>
    /^(HorizontalPodAutoscaler|ScaledObject)$/.test(kind);
  const known = new Set(others.filter(isScaler).map(nameOf));
  const scalers = objects.filter((one) => isScaler(one) && !known.has(nameOf(one)));
  const replicas = new Map(others.map((one) => [nameOf(one), one.spec?.replicas]));
  const changed = objects.filter(
    (one) => one.kind === "Deployment" && one.spec.replicas !== replicas.get(nameOf(one)),
  );
  const patches = changed.map(({ apiVersion, kind, metadata, spec }) => ({
    ...{ apiVersion, kind, metadata: { name: metadata.name, namespace: "belfry" } },
    // null: the autoscaler decides, and an apply does not set it back.
    spec: { replicas: spec.replicas ?? null },
  }));
  return { scalers: written(scalers.map(asKustomize)), replicas: written(patches) };
}

function written(objects: readonly object[]): string {
  // kubectl 1.20 reads YAML 1.1, in which an unquoted `off` is no text.
  return HEAD + objects.map((one) => stringify(one, { version: "1.1" })).join("---\n");
}

/**
 * An object of the chart as Kustomize has it. These are all the differences:
 * - Kustomize gives a ConfigMap a name by its content, which rolls the Deployments. With Helm an annotation does.
 * - Helm names the migration Job by its content, because a Job cannot be changed. With Kustomize the operator deletes
 *   the old one before an upgrade (docs/operations/upgrades.md).
 * - Kustomize puts the namespace into every object, and makes it, with the rule that no pod is privileged. With Helm the
 *   operator makes it.
 */
export function asKustomize(object: KubernetesObject): KubernetesObject {
  const copy = structuredClone(object);
  if (copy.kind === "Job") copy.metadata.name = copy.metadata.name.replace(/-[0-9a-f]{8}$/, "");
  const pod = copy.kind === "Deployment" ? copy.spec.template.metadata : undefined;
  if (pod !== undefined) {
    delete pod.annotations[ROLLED_BY];
    if (Object.keys(pod.annotations).length === 0) delete pod.annotations;
  }
  if (copy.kind !== "Namespace") copy.metadata.namespace = "belfry";
  return copy;
}
