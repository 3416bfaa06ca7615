import { HTTPRoute } from "@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1/HTTPRoute";
import { ScaledObject } from "@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject";
import { PrometheusRule } from "@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PrometheusRule";
import { ServiceMonitor } from "@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/ServiceMonitor";
import { Deployment } from "kubernetes-models/apps/v1/Deployment";
import { HorizontalPodAutoscaler } from "kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler";
import { Job } from "kubernetes-models/batch/v1/Job";
import { Ingress } from "kubernetes-models/networking.k8s.io/v1/Ingress";
import { NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicy";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1/PodDisruptionBudget";
import { ConfigMap } from "kubernetes-models/v1/ConfigMap";
import { Namespace } from "kubernetes-models/v1/Namespace";
import { Pod } from "kubernetes-models/v1/Pod";
import { Service } from "kubernetes-models/v1/Service";
import { ServiceAccount } from "kubernetes-models/v1/ServiceAccount";
import { type KubernetesObject, nameOf } from "./rendered-objects.ts";

interface Model {
  validate(): void;
}

// biome-ignore lint/suspicious/noExplicitAny: each class wants its own type, which is what is checked here
const MODELS: Record<string, new (data: any) => Model> = {
  "apps/v1 Deployment": Deployment,
  "autoscaling/v2 HorizontalPodAutoscaler": HorizontalPodAutoscaler,
  "batch/v1 Job": Job,
  "gateway.networking.k8s.io/v1 HTTPRoute": HTTPRoute,
  "keda.sh/v1alpha1 ScaledObject": ScaledObject,
  "monitoring.coreos.com/v1 PrometheusRule": PrometheusRule,
  "monitoring.coreos.com/v1 ServiceMonitor": ServiceMonitor,
  "networking.k8s.io/v1 Ingress": Ingress,
  "networking.k8s.io/v1 NetworkPolicy": NetworkPolicy,
  "policy/v1 PodDisruptionBudget": PodDisruptionBudget,
  "v1 ConfigMap": ConfigMap,
  "v1 Namespace": Namespace,
  "v1 Pod": Pod,
  "v1 Service": Service,
  "v1 ServiceAccount": ServiceAccount,
};

/** Fields that the API server would reject or drop: wrong types and unknown fields. */
export function schemaFaults(object: KubernetesObject): string[] {
  const Class = MODELS[`${object.apiVersion} ${object.kind}`];
  if (Class === undefined) return [`${nameOf(object)}: no schema for ${object.apiVersion}`];
  try {
    const model = new Class(object);
    const unread = watchReads(model);
    model.validate();
    return unread().map((path) => `${nameOf(object)}: no such field: ${path}`);
  } catch (error) {
    return [`${nameOf(object)}: ${(error as Error).message}`];
  }
}

/**
 * The schemas allow unknown fields, as the API does; but their checks read every field that they know
 * and no other. Returns what was not read.
 */
function watchReads(model: object): () => string[] {
  const unread = new Set<string>();
  const watch = (value: unknown, path: string): unknown => {
    if (typeof value !== "object" || value === null) return value;
    const holder: object = Array.isArray(value) ? [] : {};
    for (const [key, below] of Object.entries(value)) {
      const at = path === "" ? key : `${path}.${key}`;
      unread.add(at);
      const watched = watch(below, at);
      Object.defineProperty(holder, key, {
        enumerable: true,
        get() {
          unread.delete(at);
          return watched;
        },
      });
    }
    return holder;
  };
  const watched = watch(model, "") as object;
  for (const key of Object.keys(model)) {
    Object.defineProperty(model, key, Object.getOwnPropertyDescriptor(watched, key)!);
  }
  // Report an unknown field once, not its children.
  return () => [...unread].filter((path) => ![...unread].some((up) => path.startsWith(`${up}.`)));
}
