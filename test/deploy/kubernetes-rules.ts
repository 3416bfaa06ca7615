import { type KubernetesObject, nameOf } from "./rendered-objects.ts";
import { variableFaults } from "./service-variables.ts";

/** Seconds between the end of a service's own patience and the kill. */
const SPARE_SECONDS = 5;

/** What is wrong with a rendered set of objects by the rules of this house. */
export function ruleFaults(objects: readonly KubernetesObject[]): string[] {
  const faults = duplicates(objects);
  for (const object of objects) {
    const complain = (what: string) => faults.push(`${nameOf(object)}: ${what}`);
    if (object.kind === "Secret") complain("a secret's value does not belong here");
    if (object.kind !== "Namespace" && object.metadata.namespace !== "belfry") {
      complain("is not in the namespace");
    }
    if (object.kind === "Deployment" || object.kind === "Job") podFaults(object, complain);
    if (object.kind === "Deployment") deploymentFaults(object, objects, complain);
  }
  return faults;
}

type Complain = (what: string) => void;

function duplicates(objects: readonly KubernetesObject[]): string[] {
  const names = objects.map(nameOf);
  return names
    .filter((name, at) => names.indexOf(name) !== at)
    .map((name) => `${name}: is there twice`);
}

function podFaults({ spec }: KubernetesObject, complain: Complain): void {
  const pod = spec.template.spec;
  const { runAsNonRoot, runAsUser, seccompProfile } = pod.securityContext ?? {};
  if (runAsNonRoot !== true || !(runAsUser > 0)) complain("may run as root");
  if (seccompProfile?.type !== "RuntimeDefault") complain("has no seccomp profile");
  if (pod.automountServiceAccountToken !== false) complain("gets a token of the API server");
  if (pod.enableServiceLinks !== false) complain("gets variables of every Service");
  for (const key of ["hostNetwork", "hostPID", "hostIPC"]) if (pod[key]) complain(`has ${key}`);
  for (const volume of pod.volumes ?? []) if (volume.hostPath) complain("mounts the host");
  for (const container of pod.containers) {
    const { securityContext = {}, resources = {}, image } = container;
    if (!/^[\w.-]+(:\d+)?\/[\w./-]+(:\d+\.\d+\.\d+[\w.-]*|@sha256:[0-9a-f]{64})$/.test(image)) {
      complain(`image ${image} is not pinned`);
    }
    if (securityContext.readOnlyRootFilesystem !== true) complain("may write to its file system");
    if (securityContext.allowPrivilegeEscalation !== false) complain("may gain rights");
    if (!securityContext.capabilities?.drop?.includes("ALL")) complain("keeps capabilities");
    for (const kind of ["requests", "limits"]) {
      for (const what of ["cpu", "memory"]) {
        if (resources[kind]?.[what] === undefined) complain(`has no ${kind} of ${what}`);
      }
    }
  }
}

function deploymentFaults(
  deployment: KubernetesObject,
  objects: readonly KubernetesObject[],
  complain: Complain,
): void {
  const { metadata, spec } = deployment;
  const { name } = metadata;
  const pod = spec.template.spec;
  const [container] = pod.containers;
  for (const probe of ["startupProbe", "livenessProbe", "readinessProbe"]) {
    const port = container[probe]?.httpGet?.port;
    if (port !== "management") complain(`${probe} is not on the management port`);
  }
  if (container.livenessProbe?.httpGet?.path !== "/health/live") {
    complain("is restarted for the faults of others");
  }
  if (container.readinessProbe?.httpGet?.path !== "/health/ready") complain("is never unready");
  if ((pod.topologySpreadConstraints ?? []).length < 2) complain("may stand on one node");

  const { env, faults } = environmentOf(container, objects);
  for (const fault of [...faults, ...variableFaults(name, env)]) complain(fault);
  const shutdownMs = Number(env.SHUTDOWN_DELAY_MS ?? 0) + Number(env.SHUTDOWN_GRACE_MS ?? 25_000);
  if (pod.terminationGracePeriodSeconds < shutdownMs / 1000 + SPARE_SECONDS) {
    complain(`is killed before its ${shutdownMs} ms of shutdown have passed`);
  }
  const { periodSeconds, failureThreshold } = container.readinessProbe ?? {};
  if (Number(env.SHUTDOWN_DELAY_MS ?? 0) <= periodSeconds * failureThreshold * 1000) {
    complain("stops taking requests before others can know");
  }
  for (const { name: portName, containerPort } of container.ports) {
    const wanted = portName === "management" ? env.MANAGEMENT_PORT : httpPort(env);
    if (String(containerPort) !== wanted)
      complain(`port ${portName} is ${wanted} in its variables`);
  }
  for (const [variable, value] of Object.entries(env)) {
    if (variable.endsWith("_HOST") && value !== "0.0.0.0")
      complain(`${variable}: is not reachable`);
  }

  const budget = objects.find(({ kind, spec: its }) => {
    const labels = its?.selector?.matchLabels?.["app.kubernetes.io/name"];
    return kind === "PodDisruptionBudget" && labels === name;
  });
  if (budget === undefined) complain("has no PodDisruptionBudget");
  const scalers = objects.filter(
    ({ kind, spec: its }) =>
      /^(HorizontalPodAutoscaler|ScaledObject)$/.test(kind) && its.scaleTargetRef.name === name,
  );
  if (scalers.length > 1) complain("is scaled by two");
  const isFixed = typeof spec.replicas === "number";
  if (isFixed === scalers.length > 0) complain("replicas: either a number or an autoscaler");
}

function httpPort(env: Record<string, string | undefined>): string | undefined {
  const entry = Object.entries(env).find(([name]) => /^(?!MANAGEMENT)[A-Z_]+_PORT$/.test(name));
  return entry?.[1];
}

/** As the kubelet builds it; a secret by reference is undefined. */
function environmentOf(
  // biome-ignore lint/suspicious/noExplicitAny: checked by the schemas
  container: any,
  objects: readonly KubernetesObject[],
): { env: Record<string, string | undefined>; faults: string[] } {
  const env: Record<string, string | undefined> = {};
  const faults: string[] = [];
  for (const { configMapRef } of container.envFrom ?? []) {
    const map = objects.find(
      (one) => one.kind === "ConfigMap" && one.metadata.name === configMapRef?.name,
    );
    if (map === undefined) faults.push(`envFrom: no such map: ${configMapRef?.name}`);
    Object.assign(env, map?.data);
  }
  for (const { name, value, valueFrom } of container.env ?? []) {
    if (value === undefined && valueFrom?.secretKeyRef?.key !== name) {
      faults.push(`${name}: is filled from another key`);
    }
    env[name] = value;
  }
  return { env, faults };
}
