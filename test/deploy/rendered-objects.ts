import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { parseAllDocuments } from "yaml";

const run = promisify(execFile);

/** A Kubernetes object. */
export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string> };
  // biome-ignore lint/suspicious/noExplicitAny: the schemas of the package hold it to its shape
  [field: string]: any;
}

/** The objects that `kubectl apply -k` would send. */
export async function renderObjects(kubectl: string, folder: string): Promise<KubernetesObject[]> {
  const { stdout } = await run(kubectl, ["kustomize", folder], { maxBuffer: 16 * 1024 * 1024 });
  return readObjects(stdout);
}

export function readObjects(source: string): KubernetesObject[] {
  const documents = parseAllDocuments(source).map((document) => {
    if (document.errors.length > 0) throw document.errors[0];
    return document.toJS();
  });
  // A document of Helm's may be empty.
  return documents.filter((one) => one !== null);
}

export function nameOf({ kind, metadata }: KubernetesObject): string {
  return `${kind}/${metadata?.name}`;
}
