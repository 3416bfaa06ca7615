import type { Database } from "@belfry/database/connection";
import type { SecretKeys } from "@belfry/database/secrets";
import type { Logger } from "pino";
import type { ShownOnce } from "./answer.ts";
import type { Route } from "./router.ts";

/** What the functions that register pages are given. */
export interface PageDeps {
  route: Route;
  db: Database;
  keys: SecretKeys;
  config: {
    /** Where people reach the Admin UI, without a / at the end. */
    baseUrl: string;
    /** Where tenants reach ingest-api. */
    apiUrl: string;
    /** Where browsers reach realtime-gateway. */
    wsUrl: string;
  };
  once: ShownOnce;
  signToken(claims: { sub: string; tenant: string; concealed: true }): Promise<string>;
  /** The clock for codes and half-done sign-ins. */
  nowMs(): number;
  log: Logger;
}
