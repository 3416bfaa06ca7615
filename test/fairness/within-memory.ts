import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import type { TestProcess } from "@belfry/testing/processes";
import { parse } from "yaml";

const VALUES = new URL("../../deploy/helm/belfry/values.yaml", import.meta.url);

/** The memory limit of a service's container in the chart. */
async function limitMib(service: string): Promise<number> {
  const { services } = parse(await readFile(VALUES, "utf8"), { merge: true });
  const [, mib] = /^(\d+)Mi$/.exec(services[service].resources.limits.memory) ?? [];
  return Number(mib);
}

/** Variables that give a process the heap that Node takes in the service's container. */
export async function heapOf(service: string): Promise<{ NODE_OPTIONS: string }> {
  return { NODE_OPTIONS: `--max-old-space-size=${(await limitMib(service)) / 2}` };
}

/** Fails if the process ever had more memory than its container may have. Resolves to words for the report. */
export async function withinMemory(service: string, { pid }: TestProcess): Promise<string> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  const peakMib = Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024);
  assert.ok(peakMib < (await limitMib(service)), `${peakMib} MiB`);
  return `${service}: at most ${peakMib} MiB`;
}
