import { readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { pathToFileURL } from "node:url";

const NAME = /^(.+)\/(\S+) since (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)$/;

export interface ProcessName {
  service: string;
  /** null: the name does not say. */
  version: string | null;
  startedAt: Date | null;
}

/**
 * What a process calls itself at Postgres: its service, the version of the package that was started, and
 * since when it runs, as `ingest-api/0.1.0 since 2026-01-01T00:00:00Z`.
 */
export function processName(service: string): string {
  const startedAt = new Date(performance.timeOrigin).toISOString().replace(/\.\d+Z$/, "Z");
  return `${service}/${ownVersion()} since ${startedAt}`;
}

/** A name as `processName` makes it; any other is a service of which no more is known. */
export function parseProcessName(name: string): ProcessName {
  const [, service, version, startedAt] = NAME.exec(name) ?? [];
  if (service === undefined || version === undefined || startedAt === undefined) {
    return { service: name, version: null, startedAt: null };
  }
  return { service, version, startedAt: new Date(startedAt) };
}

let version: string | undefined;

/** Of the package that was started. */
export function ownVersion(): string {
  version ??= readVersion();
  return version;
}

/** A name is no reason not to start. */
function readVersion(): string {
  try {
    const manifest = findPackageJSON(pathToFileURL(process.argv[1] ?? ""));
    return JSON.parse(readFileSync(manifest ?? "", "utf8")).version ?? "0";
  } catch {
    return "0";
  }
}
