import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import type { TestProcess } from "@belfry/testing/processes";
import { parse } from "yaml";

const DOCKERFILE = new URL("../../deploy/docker/Dockerfile", import.meta.url);
const VALUES = new URL("../../deploy/helm/belfry/values.yaml", import.meta.url);

/** The memory limit of a service's container in the chart. */
async function limitMib(service: string): Promise<number> {
  const { services } = parse(await readFile(VALUES, "utf8"), { merge: true });
  const [, mib] = /^(\d+)Mi$/.exec(services[service].resources.limits.memory) ?? [];
  return Number(mib);
}

/** Variables that give a process the heap that Node takes in the service's container: half of its limit. */
export async function heapOf(service: string): Promise<{ NODE_OPTIONS: string }> {
  const [nursery] = /--max-semi-space-size=\d+/.exec(await readFile(DOCKERFILE, "utf8")) ?? [];
  return { NODE_OPTIONS: `--max-old-space-size=${(await limitMib(service)) / 2} ${nursery}` };
}

/**
 * Fails if the process ever had more memory than its container may have, without the files that it maps: the kernel can
 * drop those. Resolves to words for the report.
 */
export async function withinMemory(service: string, { pid }: TestProcess): Promise<string> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  const kib = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]);
  const peakMib = Math.round((kib("VmHWM") - kib("RssFile")) / 1024);
  assert.ok(peakMib < (await limitMib(service)), `${peakMib} MiB`);
  return `${service}: at most ${peakMib} MiB`;
}
